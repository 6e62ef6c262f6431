/** What the thumbs hold: two sticks, or a stick and the wheel of the curvature, with STOP in between. */

import type { Cockpit } from "../cockpit.ts";
import { isNothing, NOTHING } from "../drive/deadman.ts";
import { whyNot } from "../drive/why.ts";
import { clampCurvature } from "../geometry/arc.ts";
import { playedMotion } from "../robot/posture.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { createStick } from "./stick.ts";

const WHY_MS = 150;

export function createDeck(session: Session, cockpit: Cockpit): HTMLElement {
  const walk = createStick(cockpit, {
    source: "walk", label: words.sticks.walk, caption: words.sticks.walkShort,
    demand: ({ forward, left }) => ({ ...NOTHING, forward, left }),
    mirror: ({ forward, left }) => ({ forward, left }),
  });
  const turn = createStick(cockpit, {
    source: "turn", label: words.sticks.turn, caption: words.sticks.turnShort,
    demand: ({ left }) => ({ ...NOTHING, turn: left }),
    mirror: ({ turn }) => ({ forward: 0, left: turn }),
  });
  const wheel = createWheel(cockpit);
  const deck = h("div", { class: "deck" }, createWhy(session, cockpit), walk, createStop(cockpit), turn, wheel);
  const show = (): void => {
    turn.hidden = cockpit.steering.kind !== "sticks";
    wheel.hidden = cockpit.steering.kind !== "arc";
  };
  // A thumb that rests on a stick asks for no menu.
  deck.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    event.stopPropagation();
  });
  cockpit.on("settings", show);
  show();
  return deck;
}

/** Why a stick that is pushed does nothing, beside the sticks and for as long as it is pushed. */
function createWhy(session: Session, cockpit: Cockpit): HTMLElement {
  const element = h("p", { class: "deck-why", role: "status", hidden: true });
  let since: number | undefined;
  const show = (): void => {
    const isPushed = cockpit.deadman.isHeld() && !isNothing(cockpit.deadman.demand());
    since = isPushed ? (since ?? performance.now()) : undefined;
    const text = since === undefined ? "" : whyNot({
      isOpen: session.isOpen, otherDriver: session.otherDriver, isDriver: session.isDriver, slownessMs: session.slownessMs,
      holds: session.stopState?.holds ?? "nothing", awaitsRelease: cockpit.awaitsRelease, servos: session.servos,
      gaitState: session.state?.gait_state ?? "", motion: playedMotion(session.state, session.health), isFresh: session.isFresh, vainMs: performance.now() - since,
    });
    element.hidden = text === "";
    setText(element, text);
  };
  setInterval(show, WHY_MS);
  cockpit.on("demand", show);
  return element;
}

/** Acts when it is touched, not when the finger leaves it. */
function createStop(cockpit: Cockpit): HTMLButtonElement {
  const button = h("button", { class: "stop", type: "button", "aria-label": words.stop.label,
    "aria-keyshortcuts": "X Backspace" }, h("span", {}, words.stop.button));
  button.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    cockpit.emergencyStop();
    button.classList.add("is-down");
  });
  for (const ending of ["pointerup", "pointercancel", "pointerleave"] as const) {
    button.addEventListener(ending, () => button.classList.remove("is-down"));
  }
  // A click without a pointer is a key or a screen reader.
  button.addEventListener("click", (event) => {
    if (event.detail === 0) cockpit.emergencyStop();
  });
  return button;
}

function createWheel(cockpit: Cockpit): HTMLElement {
  const value = h("output", {}, "0.00");
  const slider = h("input", {
    type: "range", min: -2, max: 2, step: 0.01, value: 0, class: "wheel-range", "aria-label": words.sticks.wheel, "aria-valuetext": "0.00",
  });
  slider.addEventListener("input", () => {
    // The slider's left is the robot's left, which is positive.
    const curvature = -slider.valueAsNumber;
    if (cockpit.steering.kind === "arc") cockpit.setSteering({ kind: "arc", curvature });
  });
  slider.addEventListener("dblclick", () => cockpit.setSteering({ kind: "arc", curvature: 0 }));
  cockpit.on("settings", () => {
    if (cockpit.steering.kind !== "arc") return;
    const { curvature } = cockpit.steering;
    if (Number(slider.value) !== -curvature) slider.value = String(-curvature);
    const shown = Math.abs(curvature) < 0.005 ? "0.00" : clampCurvature(curvature).toFixed(2);
    setText(value, shown);
    // The slider's own value has the other sign.
    setAttribute(slider, "aria-valuetext", shown);
  });
  return h("div", { class: "wheel" }, value, slider,
    h("span", { class: "stick-caption", "aria-hidden": true }, words.sticks.wheelShort));
}
