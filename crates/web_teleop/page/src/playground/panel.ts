/** The playground's own controls: another robot, and S3's two numbers. */

import { Hexapod, RobotError } from "../../../../hexapod_wasm/binding/hexapod.js";
import type { Cockpit } from "../cockpit.ts";
import { turningCentre } from "../geometry/arc.ts";
import { h, setText } from "../ui/dom.ts";
import { words } from "../words/index.ts";
import { filesOf, readDropped } from "./drop.ts";
import type { PlaygroundTransport } from "./transport.ts";

const NUMBERS_MS = 200;

export function createPlayground(transport: PlaygroundTransport, module: WebAssembly.Module, cockpit: Cockpit): HTMLElement {
  const title = h("strong", {}, transport.hexapod.info.robot);
  const problems = h("ul", { class: "problems" });
  const input = h("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: -1, "aria-label": words.playground.choose });
  const choose = h("button", { type: "button", onclick: () => input.click() }, words.playground.choose);
  const shipped = h("button", { type: "button", onclick: () => void read([]) }, words.playground.shipped);
  let urdf: string | undefined;

  const read = async (files: readonly File[]): Promise<void> => {
    problems.replaceChildren(h("li", {}, words.playground.reading));
    try {
      const { description, meshes, ignored } = await readDropped(files, files.length > 0 ? urdf : undefined);
      const hexapod = await Hexapod.load(module, description);
      urdf = description.urdf;
      transport.replace(hexapod, meshes);
      setText(title, hexapod.info.robot);
      problems.replaceChildren(...[...ignored, ...hexapod.info.notes].map((note) => h("li", {}, note)));
    } catch (error) {
      problems.replaceChildren(...problemsOf(error).map((text) => h("li", {}, text)));
      cockpit.notify(words.playground.failed);
    }
  };
  input.addEventListener("change", () => void read([...(input.files ?? [])]));
  acceptDrops((files) => void read(files));

  return h("section", { class: "playground" },
    h("div", { class: "row" }, title, h("span", { class: "help" }, words.playground.help)),
    h("div", { class: "row" }, choose, shipped, input), h("div", { role: "status" }, problems), createNumbers(transport));
}

function problemsOf(error: unknown): string[] {
  if (!(error instanceof RobotError)) return [error instanceof Error ? error.message : String(error)];
  return error.problems.map(({ file, line, key, message, remedy }) => {
    const place = [file, line > 0 ? String(line) : "", key].filter(Boolean).join(":");
    return [place, message, remedy].filter(Boolean).join(": ");
  });
}

function acceptDrops(accept: (files: File[]) => void): void {
  const mark = (isOver: boolean): void => void document.body.classList.toggle("is-dropping", isOver);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", () => mark(false));
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    if (event.dataTransfer) void filesOf(event.dataTransfer).then(accept);
  });
}

/** Velocity and curvature, and whether the robot walks on by them. */
function createNumbers(transport: PlaygroundTransport): HTMLElement {
  const velocity = createNumber(words.playground.velocity, -0.15, 0.15, 0.005, 0.08, (value) => `${value.toFixed(3)} m/s`);
  const curvature = createNumber(words.playground.curvature, -2, 2, 0.01, 0.5, (value) => value.toFixed(2));
  const walk = h("input", { type: "checkbox" });
  const reported = h("p", { class: "help" });
  const apply = (): void => {
    transport.walkOn(walk.checked ? { velocity: velocity.value(), curvature: curvature.value() } : undefined);
  };
  for (const element of [velocity.element, curvature.element, walk]) element.addEventListener("input", apply);
  setInterval(() => {
    // A stop or a stick has ended it.
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
