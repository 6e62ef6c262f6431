/** From what the sticks ask for to what is sent: a twist, an arc, or a twist about a point on the ground. */

import { clampCurvature, STILL, twistAbout, type SpeedLimits } from "../geometry/arc.ts";
import type { Vec2 } from "../geometry/vec.ts";
import type { ClientMessage } from "../protocol/messages.ts";
import type { Demand } from "./deadman.ts";

/** How the robot is steered. */
export type Steering =
  /** One stick walks in any direction, the other turns. */
  | { readonly kind: "sticks" }
  /** The stick sets the velocity along an arc, the wheel its curvature; keys that turn add to it. */
  | { readonly kind: "arc"; readonly curvature: number }
  /** The stick walks round a point of the ground in the body's frame. */
  | { readonly kind: "centre"; readonly centre: Vec2 };

/** An intent that moves the robot, but for the number of the state it answers. */
export type Intent =
  | { readonly type: "drive"; readonly vx: number; readonly vy: number; readonly wz: number }
  | { readonly type: "arc"; readonly velocity: number; readonly curvature: number };

export const HALT: Intent = { type: "drive", ...STILL };

/** The intent of a demand, or zero of the same kind when nothing is asked for. */
export function steer(demand: Demand, steering: Steering, full: SpeedLimits): Intent {
  switch (steering.kind) {
    case "sticks":
      return {
        type: "drive",
        vx: demand.forward * full.linear,
        vy: demand.left * full.linear,
        wz: demand.turn * full.angular,
      };
    case "arc":
      return { type: "arc", velocity: demand.forward * full.linear, curvature: clampCurvature(steering.curvature + demand.turn) };
    case "centre":
      return { type: "drive", ...twistAbout(steering.centre, demand.forward, full) };
  }
}

/** Whether the intent moves nothing. */
export function isHalt(intent: Intent): boolean {
  return intent.type === "drive" ? intent.vx === 0 && intent.vy === 0 && intent.wz === 0 : intent.velocity === 0;
}

/** Zero, said in the way of `intent`. */
export function haltOf(intent: Intent): Intent {
  return intent.type === "arc" ? { ...intent, velocity: 0 } : HALT;
}

export function toMessage(intent: Intent, seen: number): ClientMessage {
  return { ...intent, seen };
}

