/**
 * The four views: which way each looks, and from metres to pixels and back. They show the level frame: on the ground
 * below the body, x along its heading, z up.
 */

import type { Vec2, Vec3 } from "../geometry/vec.ts";

export type ViewName = "front" | "side" | "top" | "iso";

export const VIEWS: readonly ViewName[] = ["front", "side", "top", "iso"];

/** Right and up on paper, in metres, of a point in the level frame. */
export function project(view: ViewName, [x, y, z]: Vec3): Vec2 {
  switch (view) {
    // Seen by somebody who faces the robot: its left is on the right.
    case "front": return [y, z];
    // From its right side: forward is to the right.
    case "side": return [x, z];
    // From above: forward is up.
    case "top": return [-y, x];
    case "iso": return [(x - y) * ISO_ACROSS, z * ISO_UP + (x + y) * ISO_DEPTH];
  }
}

const GROUND_PX = 22;
/** Room about the reach, as a factor of it. */
const UPRIGHT_REACH = 1.12;
const ISO_REACH = 1.35;
const ISO_ACROSS = Math.cos(Math.PI / 6);
const ISO_DEPTH = Math.sin(Math.PI / 6) * 0.6;
const ISO_UP = 0.9;

/** A view on a piece of screen: `scale` pixels a metre, with the paper's origin at `origin` pixels. */
export interface Frame {
  readonly scale: number;
  readonly origin: Vec2;
}

/** The frame that shows a circle of `reach` metres about the body; upright views have the ground at their foot. */
export function frameOf(view: ViewName, width: number, height: number, reach: number): Frame {
  const isUpright = view === "front" || view === "side";
  const across = view === "iso" ? ISO_REACH : UPRIGHT_REACH;
  const scale = Math.min(width / 2, isUpright ? height : height / 2) / (reach * across);
  const y = isUpright ? height - GROUND_PX : height * (view === "iso" ? 0.58 : 0.5);
  return { scale, origin: [width / 2, y] };
}

export function toScreen(frame: Frame, [right, up]: Vec2): Vec2 {
  return [frame.origin[0] + right * frame.scale, frame.origin[1] - up * frame.scale];
}

/** The point on paper below a pixel. */
export function fromScreen(frame: Frame, [x, y]: Vec2): Vec2 {
  return [(x - frame.origin[0]) / frame.scale, (frame.origin[1] - y) / frame.scale];
}

/** The point of the ground at a point of the top view's paper. */
export function groundOfTop([right, up]: Vec2): Vec2 {
  return [up, right === 0 ? 0 : -right];
}
