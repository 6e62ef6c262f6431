/** The playground's own controls: another robot, its gaits, the ground, and S3's two numbers. */

import { Hexapod, RobotError } from "../../../../hexapod_wasm/binding/hexapod.js";
import type { Cockpit } from "../cockpit.ts";
import { createChoice } from "../ui/choice.ts";
import { h, setText } from "../ui/dom.ts";
import { words } from "../words/index.ts";
import { filesOf, readDropped, type Dropped } from "./drop.ts";
import { createGaitEditor, gaitIn } from "./gaits.ts";
import { createNumbers } from "./numbers.ts";
import type { Shared } from "./share.ts";
import { createTakeaway } from "./takeaway.ts";
import { isTerrain, TERRAINS } from "./terrain.ts";
import type { PlaygroundTransport } from "./transport.ts";

const NOTHING: Dropped = { description: {}, meshes: new Map(), ignored: [] };
/** `shared` is what the page's link describes. */
export function createPlayground(transport: PlaygroundTransport, module: WebAssembly.Module, cockpit: Cockpit, shared: Shared): HTMLElement {
  const title = h("strong", {}, transport.hexapod.info.robot);
  const problems = h("ul", { class: "problems" });
  const input = h("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: -1, "aria-label": words.playground.choose });
  const choose = h("button", { type: "button", onclick: () => input.click() }, words.playground.choose);
  const shipped = h("button", { type: "button", onclick: () => void read(async () => NOTHING) }, words.playground.shipped);
  let loaded = NOTHING;

  /** Loads another robot, or says what is wrong; true if it walks now. */
  const read = async (robot: () => Promise<Dropped>): Promise<boolean> => {
    problems.replaceChildren(h("li", {}, words.playground.reading));
    try {
      const next = await robot();
      const hexapod = await Hexapod.load(module, next.description);
      loaded = next;
      transport.replace(hexapod, next.meshes);
      setText(title, hexapod.info.robot);
      gaits.show(next.description.files?.["gaits.yaml"]);
      problems.replaceChildren(...[...next.ignored, ...hexapod.info.notes].map((note) => h("li", {}, note)));
      return true;
    } catch (error) {
      problems.replaceChildren(...problemsOf(error).map((text) => h("li", {}, text)));
      cockpit.notify(words.playground.failed);
      return false;
    }
  };
  const drop = (files: readonly File[]): void => void read(() => readDropped(files, loaded.description));
  input.addEventListener("change", () => drop([...(input.files ?? [])]));
  acceptDrops(drop);

  const gaits = createGaitEditor(async (text) => {
    const { description } = loaded;
    const files = { ...description.files, "gaits.yaml": text };
    if (!(await read(async () => ({ ...loaded, description: { ...description, files }, ignored: [] })))) return;
    const own = gaitIn(text, transport.hexapod.info.gaits.map(({ name }) => name));
    if (own !== undefined) transport.hexapod.setGait(own);
  });
  const terrain = createChoice(words.playground.terrain, (name) => {
    if (isTerrain(name)) transport.setTerrain(name);
    terrain.choose(name);
  });
  terrain.offer(TERRAINS.map((name) => [name, words.playground.terrains[name]]), "");
  terrain.choose(transport.terrain);

  const begin = async (): Promise<void> => {
    const { name, urdf, files, gait, arc } = shared;
    if (urdf !== undefined || files) {
      const description = { ...(name === undefined ? {} : { name }), ...(urdf === undefined ? {} : { urdf }), ...(files ? { files } : {}) };
      if (!(await read(async () => ({ ...NOTHING, description })))) return;
    }
    if (gait !== undefined) transport.hexapod.setGait(gait);
    if (isTerrain(shared.terrain)) transport.setTerrain(shared.terrain);
    terrain.choose(transport.terrain);
    if (arc) transport.walkOn(arc);
  };
  void begin();

  return h("section", { class: "playground" },
    h("div", { class: "row" }, title, h("span", { class: "help" }, words.playground.help)),
    h("div", { class: "row" }, choose, shipped, input, ...createTakeaway(transport, cockpit, () => loaded)),
    h("div", { role: "status" }, problems),
    h("div", {}, h("h2", {}, words.playground.terrain), terrain.element),
    gaits.element,
    createNumbers(transport));
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
