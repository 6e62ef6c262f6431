/** Walking on circles: twists, turning centres, and the arc of two numbers, velocity and curvature. */

import { clamp, type Vec2 } from "./vec.ts";

/** Velocity of the body in its own frame: m/s forward and left, rad/s to the left. */
export interface Twist {
  readonly vx: number;
  readonly vy: number;
  readonly wz: number;
}

/** The greatest velocities the robot walks: m/s and rad/s. */
export interface SpeedLimits {
  readonly linear: number;
  readonly angular: number;
}

export const STILL: Twist = { vx: 0, vy: 0, wz: 0 };

/** Below this a twist counts as straight: the centre would be farther away than anyone draws. */
const LEAST_TURN_RAD_S = 1e-4;

export function isStill(twist: Twist): boolean {
  return twist.vx === 0 && twist.vy === 0 && twist.wz === 0;
}

/** The point of the ground, in the body's frame, that a twist turns about. */
export function turningCentre({ vx, vy, wz }: Twist): Vec2 | undefined {
  return Math.abs(wz) < LEAST_TURN_RAD_S ? undefined : [-vy / wz, vx / wz];
}

/**
 * The twist that turns about `centre` at `speed` of what the limits allow (-1 to 1). Positive speed goes forward
 * round a centre at the side, and to the left round one ahead, behind or below the body.
 */
export function twistAbout([cx, cy]: Vec2, speed: number, limits: SpeedLimits): Twist {
  const radius = Math.hypot(cx, cy);
  const rate = Math.min(limits.angular, radius > 0 ? limits.linear / radius : Infinity);
  const wz = (cy < 0 ? -rate : rate) * clamp(speed, -1, 1);
  return { vx: positiveZero(wz * cy), vy: positiveZero(-wz * cx), wz: positiveZero(wz) };
}

function positiveZero(value: number): number {
  return value === 0 ? 0 : value;
}

/** The curvature nearest to `value` that the robot takes: 0 would have no turning centre. */
export function clampCurvature(value: number): number {
  const size = clamp(Math.abs(value), 0.001, 1.999);
  return value < 0 ? -size : size;
}

/** Where the body comes by if it walks `twist` for `seconds`: points on the ground in its frame of now. */
export function pathOf(twist: Twist, seconds: number, points = 24): Vec2[] {
  const path: Vec2[] = [];
  for (let i = 0; i <= points; i += 1) path.push(displacement(twist, (seconds * i) / points));
  return path;
}

function displacement({ vx, vy, wz }: Twist, seconds: number): Vec2 {
  const angle = wz * seconds;
  if (Math.abs(angle) < 1e-6) return [vx * seconds, vy * seconds];
  const [s, c] = [Math.sin(angle) / wz, (1 - Math.cos(angle)) / wz];
  return [vx * s - vy * c, vx * c + vy * s];
}
