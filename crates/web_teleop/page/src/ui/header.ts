/** The bar at the top: what the robot does, lights, and who drives. */

import { wordsOf, type Cockpit } from "../cockpit.ts";
import { SLOW_MS } from "../protocol/roundtrip.ts";
import { takeOver } from "../questions.ts";
import { Posture, playedMotion, seenOf } from "../robot/posture.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

type Tone = "ok" | "warning" | "error" | "off";

export function createHeader(session: Session, cockpit: Cockpit): HTMLElement {
  const state = h("strong", { class: "bar-state" }, words.states["unknown"]);
  const servos = h("span", { class: "bar-servos" });
  const [link, battery, health] = (["link", "battery", "health"] as const).map((name) => createLight(name, cockpit)) as [Light, Light, Light];
  // A robot in this page has neither a connection nor a battery.
  const { isLive } = session.transport;
  link.element.hidden = battery.element.hidden = !isLive;
  const lights = h("ul", { class: "lights", "aria-label": words.lights.group }, link.element, battery.element, health.element);

  const posture = new Posture();
  const show = (): void => {
    const isKnown = session.isFresh;
    const doing = posture.doing(session.state?.gait_state ?? "unknown", playedMotion(session.state, session.health), seenOf(session.state));
    setText(state, words.states[isKnown ? doing : "unknown"] ?? "");
    setText(servos, isKnown ? (words.servos[session.servos || "unknown"] ?? "") : "");
    link.show(...linkLight(session));
    battery.show(...batteryLight(session));
    health.show(...healthLight(session));
  };
  for (const event of ["contact", "health", "lease", "stop"] as const) session.on(event, show);
  setInterval(show, 250);
  show();

  const badge = isLive ? undefined : h("span", { class: "badge" }, words.playground.badge);
  return h("header", { class: "bar" },
    h("div", { class: "bar-title", role: "status" }, state, servos), badge, lights, createLease(session, cockpit));
}

function linkLight(session: Session): [Tone, string] {
  if (session.contact.kind !== "open") {
    return session.contact.kind === "refused" ? ["error", words.lights.refused] : ["warning", words.lights.connecting];
  }
  if (!session.isFresh) return ["error", words.lights.old];
  if (session.slownessMs !== undefined) return ["error", words.lights.tooSlow(session.slownessMs.toFixed(0))];
  const ms = session.transport.roundTripMs ?? 0;
  return ms >= SLOW_MS ? ["warning", words.lights.slow(ms.toFixed(0))] : ["ok", words.lights.open];
}

function batteryLight(session: Session): [Tone, string] {
  const battery = session.health?.battery;
  if (!session.isOpen || !battery) return ["off", words.lights.none];
  if (battery.percentage === null) {
    return battery.voltage === null ? ["off", words.lights.none] : ["ok", words.lights.volts(battery.voltage.toFixed(1))];
  }
  const percent = Math.round(battery.percentage * 100);
  return [percent < 10 ? "error" : percent < 20 ? "warning" : "ok", words.lights.percent(percent)];
}

function healthLight(session: Session): [Tone, string] {
  const level = session.health?.level;
  if (!session.isFresh || level === undefined) return ["off", words.lights.old];
  return level === 0 ? ["ok", words.lights.ok] : level === 1 ? ["warning", words.lights.warning] : ["error", words.lights.error];
}

/** Recognised by its shape and its words as well as by its colour. */
interface Light {
  readonly element: HTMLLIElement;
  readonly show: (tone: Tone, text: string) => void;
}

/** A tap tells what it means: a finger sees no title. */
function createLight(name: IconName & ("link" | "battery" | "health"), cockpit: Cockpit): Light {
  const mark = h("span", { class: "light-mark", "aria-hidden": true });
  const text = h("span", { class: "visually-hidden" });
  const button = h("button", { type: "button", class: "light-button" }, icon(name), mark, text);
  const element = h("li", { class: "light" }, button);
  button.addEventListener("click", () => cockpit.notify(`${text.textContent}. ${words.lights.explained[name]}`));
  return {
    element,
    show: (tone, reported) => {
      setAttribute(element, "data-tone", tone);
      setText(text, `${words.lights[name]}: ${reported}`);
      setAttribute(button, "title", `${words.lights[name]}: ${reported}`);
    },
  };
}

/** Says who drives, and makes this page the driver or ends that. */
function createLease(session: Session, cockpit: Cockpit): HTMLElement {
  const label = h("span", { class: "lease-text" });
  const button = h("button", { class: "lease", type: "button" }, h("span", { class: "lease-dot", "aria-hidden": true }), label);
  const show = (): void => {
    const other = session.otherDriver;
    const kind = session.isDriver ? "yours" : other === undefined ? "nobody" : "other";
    setAttribute(button, "data-kind", kind);
    button.disabled = !session.isOpen;
    setText(label, kind === "yours" ? words.lease.yours : kind === "nobody" ? words.lease.nobody : words.lease.other(other ?? ""));
    const hint = kind === "yours" ? words.lease.release : kind === "nobody" ? words.lease.nobodyHint : words.lease.takeOverFrom(other ?? "");
    setAttribute(button, "aria-label", `${label.textContent}. ${hint}`);
    setAttribute(button, "title", hint);
  };
  session.on("lease", show);
  session.on("contact", show);
  button.addEventListener("click", () => {
    const ask = (want: "release" | "take" | "take_over"): void => {
      cockpit.releaseIfHeld("lease");
      void session.ask({ type: "lease", want }).then((answer) => {
        if (!answer.ok) cockpit.notify(wordsOf(answer, session));
      });
    };
    const other = session.otherDriver;
    if (other === undefined) ask(session.isDriver ? "release" : "take");
    else cockpit.question(takeOver(other, () => ask("take_over")));
  });
  show();
  return button;
}
