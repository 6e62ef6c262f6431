/** Gait, speed, steering and motions. */

import type { Cockpit } from "../cockpit.ts";
import type { Steering } from "../drive/steering.ts";
import { playedMotion } from "../robot/posture.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { createChoice } from "./choice.ts";
import { h, section, setAttribute, setText } from "./dom.ts";

export function createMoves(session: Session, cockpit: Cockpit): HTMLElement {
  return h("div", {},
    section(words.moves.gait, createGaits(session, cockpit)),
    section(words.moves.speed, createSpeed(cockpit)),
    section(words.moves.steering, createSteering(cockpit)),
    section(words.moves.motions, createMotions(session, cockpit)));
}

function createGaits(session: Session, cockpit: Cockpit): HTMLElement {
  const choice = createChoice(words.moves.gait, (name) => cockpit.setGait(name));
  session.on("robot", ({ gaits }) => choice.offer(gaits.map((name) => [name, name]), words.moves.noGaits));
  session.on("health", () => choice.choose(session.gait));
  return choice.element;
}

function createSpeed(cockpit: Cockpit): HTMLElement {
  const output = h("output");
  const slider = h("input", { type: "range", min: 10, max: 100, step: 5, "aria-label": words.moves.speed });
  slider.addEventListener("input", () => cockpit.setSpeed(slider.valueAsNumber / 100));
  const show = (): void => {
    const percent = Math.round(cockpit.speed * 100);
    if (slider.valueAsNumber !== percent) slider.value = String(percent);
    setText(output, words.moves.speedValue(percent));
  };
  cockpit.on("settings", show);
  show();
  return h("div", { class: "slider" }, slider, output);
}

function createSteering(cockpit: Cockpit): HTMLElement {
  const help = h("p", { class: "help" });
  const choice = createChoice(words.moves.steering, (name) => cockpit.setSteering(steeringOf(name)));
  choice.offer((["sticks", "arc", "centre"] as const).map((name) => [name, words.moves[name]]), "");
  const show = (): void => {
    choice.choose(cockpit.steering.kind);
    setText(help, words.moves.steeringHelp[cockpit.steering.kind]);
  };
  cockpit.on("settings", show);
  show();
  return h("div", {}, choice.element, help);
}

/** A centre at the left to begin with, as far away as the robot is wide. */
function steeringOf(name: string): Steering {
  if (name === "arc") return { kind: "arc", curvature: 0.001 };
  return name === "centre" ? { kind: "centre", centre: [0, 0.3] } : { kind: "sticks" };
}

function createMotions(session: Session, cockpit: Cockpit): HTMLElement {
  const list = h("div", { class: "motions", role: "group", "aria-label": words.moves.motions });
  const status = h("p", { class: "help", role: "status" });
  const end = h("button", { type: "button", class: "wide" }, words.moves.endMotion);
  end.addEventListener("click", () => cockpit.play(""));
  session.on("robot", ({ motions }) => {
    list.replaceChildren(...motions.map((name) => h("button", {
      type: "button", "data-motion": name, onclick: () => cockpit.play(name),
    }, name.replaceAll("_", " "))));
    if (motions.length === 0) list.append(h("p", { class: "help" }, words.moves.noMotions));
  });
  session.on("health", ({ motion }) => {
    setText(status, motion ? `${motion.name.replaceAll("_", " ")}: ${motion.message}` : "");
    const playing = playedMotion(session.state, session.health);
    end.disabled = playing === undefined;
    for (const button of list.querySelectorAll("button")) {
      setAttribute(button, "data-playing", String(button.dataset["motion"] === playing));
    }
  });
  return h("div", {}, list, status, end);
}
