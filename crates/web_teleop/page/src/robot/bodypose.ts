/** The body's pose as the planner tells it in its diagnostics. */

import type { BodyPose } from "../protocol/messages.ts";

/** Six numbers, mm and degrees, as in `body pose asked (mm, deg)`; `undefined` for anything else. */
export function readPose(text: string | undefined): BodyPose | undefined {
  const numbers = (text ?? "").trim().split(/\s+/).map(Number);
  const [x, y, z, roll, pitch, yaw] = numbers;
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return undefined;
  const metres = (mm = 0): number => mm / 1000;
  const radians = (degrees = 0): number => (degrees * Math.PI) / 180;
  return { x: metres(x), y: metres(y), z: metres(z), roll: radians(roll), pitch: radians(pitch), yaw: radians(yaw) };
}
