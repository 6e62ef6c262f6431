/** Draws one of the four views: a line a leg, dots where its foot was, the ground, and what the pointer sets. */

import type { Vec2, Vec3 } from "../geometry/vec.ts";
import { frameOf, project, toScreen, type Frame, type ViewName } from "./projection.ts";

export interface Ink {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly stance: string;
  readonly swing: string;
  readonly path: string;
}

export interface DrawnLeg {
  readonly points: readonly Vec3[];
  readonly trace: readonly Vec3[];
  readonly isDown: boolean;
}

/** All in the level frame. */
export interface Picture {
  readonly legs: readonly DrawnLeg[];
  readonly support: readonly Vec3[];
  readonly mass: Vec3;
  readonly reach: number;
  /** The turning centre of what is walked. */
  readonly walkedCentre: Vec2 | undefined;
  /** The one that the pointer has set. */
  readonly chosenCentre: Vec2 | undefined;
  /** Height of the body that the pointer asks for. */
  readonly askedHeight: number | undefined;
}

export function draw(context: CanvasRenderingContext2D, view: ViewName, size: Vec2, picture: Picture, ink: Ink): void {
  const frame = frameOf(view, size[0], size[1], picture.reach);
  const pen = new Pen(context, view, frame);
  context.clearRect(0, 0, size[0], size[1]);
  context.lineJoin = context.lineCap = "round";
  drawGround(pen, view, size, picture, ink);
  pen.path(picture.support, ink.stance, 1, { closed: true, fill: 0.12 });
  for (const leg of picture.legs) {
    leg.trace.forEach((dot, i) => pen.dot(dot, 1.3, ink.swing, (0.7 * (i + 1)) / leg.trace.length));
  };
  pen.path(picture.legs.map((leg) => leg.points[0] ?? [0, 0, 0]), ink.muted, 1.5, { closed: true, fill: 0.14 });
  for (const leg of picture.legs) {
    pen.path(leg.points, ink.text, 2.5);
    const foot = leg.points.at(-1);
    if (foot) pen.dot(foot, 4, leg.isDown ? ink.stance : ink.swing, 1);
  }
  pen.dot(picture.mass, 3, ink.text, 1);
  if (view === "top") drawCentres(pen, frame, picture, ink);
  if (view === "front" && picture.askedHeight !== undefined) drawHeight(context, frame, size, picture.askedHeight, ink);
  if (view === "top") pen.path([[0.35 * picture.reach, 0, 0], [0.5 * picture.reach, 0, 0]], ink.path, 2.5);
}

function drawGround(pen: Pen, view: ViewName, size: Vec2, { reach }: Picture, ink: Ink): void {
  const { context } = pen;
  context.strokeStyle = ink.line;
  context.lineWidth = 1;
  context.beginPath();
  if (view === "front" || view === "side") {
    const [, y] = pen.at([0, 0, 0]);
    context.moveTo(8, y);
    context.lineTo(size[0] - 8, y);
  } else {
    for (let i = -4; i <= 4; i += 1) {
      const a = (i * reach) / 4;
      pen.line([a, -reach, 0], [a, reach, 0]);
      pen.line([-reach, a, 0], [reach, a, 0]);
    }
  }
  context.stroke();
}

function drawCentres(pen: Pen, frame: Frame, { walkedCentre, chosenCentre }: Picture, ink: Ink): void {
  for (const [centre, colour] of [[walkedCentre, ink.path], [chosenCentre, ink.swing]] as const) {
    if (!centre) continue;
    const at: Vec3 = [centre[0], centre[1], 0];
    const [x, y] = pen.at(at);
    const { context } = pen;
    context.strokeStyle = colour;
    context.globalAlpha = 0.55;
    context.lineWidth = 1.25;
    context.setLineDash([4, 5]);
    context.beginPath();
    context.arc(x, y, Math.hypot(...centre) * frame.scale, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.moveTo(x - 10, y);
    context.lineTo(x + 10, y);
    context.moveTo(x, y - 10);
    context.lineTo(x, y + 10);
    context.lineWidth = 1.75;
    context.stroke();
  }
}

function drawHeight(context: CanvasRenderingContext2D, frame: Frame, size: Vec2, height: number, ink: Ink): void {
  const [, y] = toScreen(frame, [0, height]);
  context.strokeStyle = ink.swing;
  context.lineWidth = 1.5;
  context.setLineDash([6, 5]);
  context.beginPath();
  context.moveTo(12, y);
  context.lineTo(size[0] - 12, y);
  context.stroke();
  context.setLineDash([]);
}

class Pen {
  readonly context: CanvasRenderingContext2D;
  readonly #view: ViewName;
  readonly #frame: Frame;

  constructor(context: CanvasRenderingContext2D, view: ViewName, frame: Frame) {
    this.context = context;
    this.#view = view;
    this.#frame = frame;
  }

  at(point: Vec3): Vec2 {
    return toScreen(this.#frame, project(this.#view, point));
  }

  line(a: Vec3, b: Vec3): void {
    this.context.moveTo(...this.at(a));
    this.context.lineTo(...this.at(b));
  }

  path(points: readonly Vec3[], colour: string, width: number, area?: { closed: boolean; fill: number }): void {
    const { context } = this;
    context.beginPath();
    points.forEach((point) => context.lineTo(...this.at(point)));
    if (area?.closed) context.closePath();
    if (area) {
      context.globalAlpha = area.fill;
      context.fillStyle = colour;
      context.fill();
      context.globalAlpha = 1;
    }
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  dot(point: Vec3, radius: number, colour: string, opacity: number): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(...this.at(point), radius, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }
}
