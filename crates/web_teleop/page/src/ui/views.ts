/** The four views. A pointer in the front view sets the body's height, one in the top view the turning centre. */

import type { Cockpit } from "../cockpit.ts";
import { turningCentre } from "../geometry/arc.ts";
import { apply, applyInverse, fromXyzRpy, yawOf, type Pose, type Vec2, type Vec3 } from "../geometry/vec.ts";
import type { Figure } from "../robot/figure.ts";
import { draw, type Ink, type Picture } from "../views/drawing.ts";
import { frameOf, fromScreen, groundOfTop, VIEWS, type ViewName } from "../views/projection.ts";
import type { Watch } from "../watch.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon } from "./icons.ts";
import { createLegend } from "./legend.ts";
import { sharpen } from "./sharp.ts";

const LEAST_REACH_M = 0.15;

export function createViews(watch: Watch, cockpit: Cockpit, followsAtFirst: boolean): HTMLElement {
  const panel = new ViewsPanel(watch, cockpit, followsAtFirst);
  return panel.element;
}

class ViewsPanel {
  readonly element: HTMLElement;
  readonly #watch: Watch;
  readonly #cockpit: Cockpit;
  readonly #canvases: ReadonlyMap<ViewName, HTMLCanvasElement>;
  readonly #follow: HTMLInputElement;
  readonly #papers: HTMLElement;
  readonly #centreText = h("p", { class: "help", role: "status" });
  #reach = LEAST_REACH_M;
  #askedHeight: number | undefined;
  /** Height of the body when standing unmoved, as reckoned when a pointer came into the front view. */
  #standing: number | undefined;
  #isDue = false;

  constructor(watch: Watch, cockpit: Cockpit, followsAtFirst: boolean) {
    this.#watch = watch;
    this.#cockpit = cockpit;
    this.#canvases = new Map(VIEWS.map((view) => [view, h("canvas", {
      class: `paper paper-${view}`, role: "img", "aria-label": words.views[view],
    })]));
    this.#follow = h("input", { type: "checkbox", checked: followsAtFirst });
    const clear = h("button", { type: "button", onclick: () => cockpit.setSteering({ kind: "sticks" }) }, words.views.clearCentre);
    this.#papers = h("div", { class: "papers" }, ...VIEWS.map((view) => this.#sheet(view)));
    this.element = h("div", {},
      this.#papers, h("label", { class: "check" }, this.#follow, words.views.follow), this.#centreText, clear,
      createLegend(words.legend.marks));
    this.#listen("front", (point) => this.#setHeight(point));
    this.#listen("top", (point) => this.#setCentre(point));
    watch.on("figure", () => this.#refresh());
    cockpit.on("settings", () => {
      const centre = cockpit.steering.kind === "centre" ? cockpit.steering.centre : undefined;
      clear.disabled = centre === undefined;
      setText(this.#centreText, centre ? words.views.centreAt(centre[0], centre[1]) : "");
      this.#refresh();
    });
    clear.disabled = true;
  }

  #sheet(view: ViewName): HTMLElement {
    const enlarge = h("button", { type: "button", class: "sheet-enlarge", "aria-label": words.views.enlarge(words.views.names[view]),
      "aria-pressed": "false", onclick: () => this.#enlarge(view) }, icon("enlarge"));
    const canvas = this.#canvases.get(view);
    // The other two take a pointer for themselves.
    if (view === "side" || view === "iso") canvas?.addEventListener("click", () => this.#enlarge(view));
    return h("figure", { class: "sheet", "data-view": view }, canvas,
      h("figcaption", {}, words.views.names[view], h("small", {}, words.views.hints[view])), enlarge);
  }

  /** Shows one view as wide as the section, or all four again. */
  #enlarge(view: ViewName): void {
    const isLarge = this.#papers.dataset["large"] === view;
    if (isLarge) delete this.#papers.dataset["large"];
    else this.#papers.dataset["large"] = view;
    for (const sheet of this.#papers.querySelectorAll<HTMLElement>(".sheet")) {
      const isThis = sheet.dataset["view"] === view;
      sheet.hidden = !isLarge && !isThis;
      setAttribute(sheet.querySelector("button") as Element, "aria-pressed", String(!isLarge && isThis));
    }
    this.#refresh();
  }

  /** Calls `set` with the point on paper while a finger or button is down, or while the mouse is over it if wished. */
  #listen(view: ViewName, set: (point: Vec2) => void): void {
    const canvas = this.#canvases.get(view);
    if (!canvas) return;
    let isDown = false;
    const end = (): void => {
      isDown = false;
      this.#askedHeight = this.#standing = undefined;
      this.#refresh();
    };
    const move = (event: PointerEvent): void => {
      if (!isDown && !(this.#follow.checked && event.pointerType === "mouse")) return;
      const frame = frameOf(view, canvas.clientWidth, canvas.clientHeight, this.#reach);
      set(fromScreen(frame, [event.offsetX, event.offsetY]));
    };
    canvas.addEventListener("pointerdown", (event) => {
      isDown = true;
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    canvas.addEventListener("pointermove", move);
    for (const ending of ["pointerup", "pointercancel", "pointerleave"] as const) canvas.addEventListener(ending, end);
    this.#cockpit.on("released", end);
  }

  #setHeight([, up]: Vec2): void {
    const figure = this.#watch.figure;
    if (!figure) return;
    this.#standing ??= figure.odomFromBody.t[2] - figure.ground - this.#cockpit.pose.z;
    this.#askedHeight = up;
    this.#cockpit.setPose({ z: up - this.#standing });
  }

  #setCentre(point: Vec2): void {
    this.#cockpit.setSteering({ kind: "centre", centre: groundOfTop(point) });
  }

  #refresh(): void {
    if (this.#isDue || this.element.offsetParent === null) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    const figure = this.#watch.figure;
    if (!figure) return;
    this.#reach = Math.max(this.#reach, reachOf(figure));
    const picture = this.#picture(figure);
    const ink = inkOf(this.element);
    for (const [view, canvas] of this.#canvases) {
      const context = sharpen(canvas);
      if (context) draw(context, view, [canvas.clientWidth, canvas.clientHeight], picture, ink);
    }
  }

  #picture(figure: Figure): Picture {
    const level = levelOf(figure);
    const inLevel = (point: Vec3): Vec3 => applyInverse(level, point);
    const { steering } = this.#cockpit;
    return {
      legs: figure.legs.map((leg) => ({
        points: leg.points.map((point) => inLevel(apply(figure.odomFromBody, point))),
        trace: this.#watch.traces.of(leg.name).map(inLevel),
        isDown: leg.isDown,
      })),
      support: figure.support.map(([x, y]) => inLevel([x, y, figure.ground])),
      mass: inLevel(figure.centre),
      reach: this.#reach,
      walkedCentre: turningCentre(this.#watch.twist),
      chosenCentre: steering.kind === "centre" ? steering.centre : undefined,
      askedHeight: this.#askedHeight,
    };
  }
}

/** On the ground below the body, x along its heading. */
function levelOf({ odomFromBody, ground }: Figure): Pose {
  return fromXyzRpy([odomFromBody.t[0], odomFromBody.t[1], ground], [0, 0, yawOf(odomFromBody)]);
}

function reachOf(figure: Figure): number {
  const [x, y] = figure.odomFromBody.t;
  return Math.min(3, Math.max(LEAST_REACH_M, ...figure.legs.map(({ foot }) => Math.hypot(foot[0] - x, foot[1] - y))));
}

function inkOf(element: Element): Ink {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: token("--text"), muted: token("--muted"), line: token("--grid"), stance: token("--stance"),
    swing: token("--swing"), path: token("--path"),
  };
}
