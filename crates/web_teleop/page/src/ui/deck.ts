/** What the thumbs hold: two sticks, or a stick and the wheel of the curvature, with STOP in between. */

import type { Cockpit } from "../cockpit.ts";
import { NOTHING } from "../drive/deadman.ts";
import { clampCurvature } from "../geometry/arc.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { createStick } from "./stick.ts";

export function createDeck(cockpit: Cockpit): HTMLElement {
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
  const deck = h("div", { class: "deck" }, walk, createStop(cockpit), turn, wheel);
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
