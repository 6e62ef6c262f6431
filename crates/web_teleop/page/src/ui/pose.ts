/** The body's height and tilt, as sliders. */

import { MOST_OFFSET_M, MOST_TILT_RAD, UPRIGHT, type Cockpit } from "../cockpit.ts";
import type { BodyPose } from "../protocol/messages.ts";
import { words } from "../words/index.ts";
import { h, section, setText } from "./dom.ts";

const AXES = ["z", "roll", "pitch", "yaw", "x", "y"] as const satisfies readonly (keyof BodyPose)[];

export function createPose(cockpit: Cockpit): HTMLElement {
  const centre = h("button", { type: "button", class: "wide", onclick: () => cockpit.setPose(UPRIGHT) }, words.pose.centre);
  return h("div", {}, section(words.pose.title, ...AXES.map((axis) => createAxis(cockpit, axis)), centre));
}

function createAxis(cockpit: Cockpit, axis: keyof BodyPose): HTMLElement {
  const isAngle = axis === "roll" || axis === "pitch" || axis === "yaw";
  const [unit, most] = isAngle ? [180 / Math.PI, MOST_TILT_RAD] : [1000, MOST_OFFSET_M];
  const limit = Math.round(most * unit);
  const slider = h("input", { type: "range", min: -limit, max: limit, step: 1, value: 0, id: `pose-${axis}` });
  const output = h("output", { for: `pose-${axis}` });
  slider.addEventListener("input", () => cockpit.setPose({ [axis]: slider.valueAsNumber / unit }));
  slider.addEventListener("dblclick", () => cockpit.setPose({ [axis]: 0 }));
  const show = (): void => {
    const value = Math.round(cockpit.pose[axis] * unit);
    if (slider.valueAsNumber !== value) slider.value = String(value);
    const text = `${value > 0 ? "+" : ""}${value}`;
    setText(output, isAngle ? words.pose.degrees(text) : words.pose.millimetres(text));
  };
  cockpit.on("settings", show);
  show();
  return h("div", { class: "slider" }, h("label", { for: `pose-${axis}` }, words.pose[axis]), slider, output);
}
