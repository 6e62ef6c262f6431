/** S3's two numbers: velocity and curvature. */

import { turningCentre } from "../geometry/arc.ts";
import { h, setText } from "../ui/dom.ts";
import { words } from "../words/index.ts";
import type { PlaygroundTransport } from "./transport.ts";

const NUMBERS_MS = 200;

/** Velocity and curvature, and whether the robot walks on by them. */
export function createNumbers(transport: PlaygroundTransport): HTMLElement {
  const velocity = createNumber(words.playground.velocity, -0.15, 0.15, 0.005, 0.08, (value) => `${value.toFixed(3)} m/s`);
  const curvature = createNumber(words.playground.curvature, -2, 2, 0.01, 0.5, (value) => value.toFixed(2));
  const walk = h("input", { type: "checkbox" });
  const reported = h("p", { class: "help" });
  const apply = (): void => {
    transport.walkOn(walk.checked ? { velocity: velocity.value(), curvature: curvature.value() } : undefined);
  };
  for (const element of [velocity.element, curvature.element, walk]) element.addEventListener("input", apply);
  setInterval(() => {
    // A stop or a stick has ended it, or a link has begun it.
    walk.checked = transport.walksOn;
    const [vx = 0, vy = 0, wz = 0] = transport.hexapod.twist;
    const centre = turningCentre({ vx, vy, wz });
    const facts = [words.playground.tick(transport.tickUs.toFixed(0)), words.playground.limited(transport.hexapod.limitedBy)];
    if (centre) facts.unshift(words.playground.radius(centre[1]));
    setText(reported, facts.join(" · "));
  }, NUMBERS_MS);
  return h("div", {}, h("h2", {}, words.playground.numbers), velocity.element, curvature.element,
    h("label", { class: "check" }, walk, words.playground.walkOn), reported);
}

function createNumber(label: string, min: number, max: number, step: number, value: number, show: (value: number) => string): {
  element: HTMLElement; value: () => number;
} {
  const slider = h("input", { type: "range", min, max, step, value, "aria-label": label });
  const output = h("output", {}, show(value));
  slider.addEventListener("input", () => setText(output, show(slider.valueAsNumber)));
  return { element: h("div", { class: "slider" }, h("label", {}, label), slider, output), value: () => slider.valueAsNumber };
}
