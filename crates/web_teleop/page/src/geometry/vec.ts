/** Points and rigid transforms in REP-103 axes: x forward, y left, z up; metres and radians. */

export type Vec3 = readonly [number, number, number];

/** A point on the ground: x, y. */
export type Vec2 = readonly [number, number];

/** A rotation by rows, then the translation. */
export interface Pose {
  readonly r: readonly [number, number, number, number, number, number, number, number, number];
  readonly t: Vec3;
}

/** A rotation as x, y, z, w. */
export type Quaternion = readonly [number, number, number, number];

export const IDENTITY: Pose = { r: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] };

/** `a` after `b`: the pose of b's content in a's parent. */
export function compose(a: Pose, b: Pose): Pose {
  const [a0, a1, a2, a3, a4, a5, a6, a7, a8] = a.r;
  const [b0, b1, b2, b3, b4, b5, b6, b7, b8] = b.r;
  return {
    r: [
      a0 * b0 + a1 * b3 + a2 * b6, a0 * b1 + a1 * b4 + a2 * b7, a0 * b2 + a1 * b5 + a2 * b8,
      a3 * b0 + a4 * b3 + a5 * b6, a3 * b1 + a4 * b4 + a5 * b7, a3 * b2 + a4 * b5 + a5 * b8,
      a6 * b0 + a7 * b3 + a8 * b6, a6 * b1 + a7 * b4 + a8 * b7, a6 * b2 + a7 * b5 + a8 * b8,
    ],
    t: apply(a, b.t),
  };
}

/** A point of the child frame in the parent frame. */
export function apply(pose: Pose, [x, y, z]: Vec3): Vec3 {
  const [r0, r1, r2, r3, r4, r5, r6, r7, r8] = pose.r;
  const [tx, ty, tz] = pose.t;
  return [r0 * x + r1 * y + r2 * z + tx, r3 * x + r4 * y + r5 * z + ty, r6 * x + r7 * y + r8 * z + tz];
}

/** A point of the parent frame in the child frame. */
export function applyInverse(pose: Pose, [px, py, pz]: Vec3): Vec3 {
  const [r0, r1, r2, r3, r4, r5, r6, r7, r8] = pose.r;
  const [x, y, z] = [px - pose.t[0], py - pose.t[1], pz - pose.t[2]];
  return [r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z];
}

/** URDF's origin: a translation, then roll, pitch, yaw about the fixed axes. */
export function fromXyzRpy(xyz: Vec3, [roll, pitch, yaw]: Vec3): Pose {
  const [cr, sr, cp, sp] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch)];
  const [cy, sy] = [Math.cos(yaw), Math.sin(yaw)];
  return {
    r: [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
      -sp, cp * sr, cp * cr],
    t: xyz,
  };
}

/** A rotation about a unit axis (Rodrigues). */
export function fromAxisAngle([x, y, z]: Vec3, angle: number): Pose {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const k = 1 - c;
  return {
    r: [c + x * x * k, x * y * k - z * s, x * z * k + y * s, y * x * k + z * s, c + y * y * k, y * z * k - x * s,
      z * x * k - y * s, z * y * k + x * s, c + z * z * k],
    t: [0, 0, 0],
  };
}

/** A pose from a translation and a unit quaternion, as in a ROS message. */
export function fromQuaternion(t: Vec3, [x, y, z, w]: Quaternion): Pose {
  return {
    r: [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
      2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    t,
  };
}

/** The quaternion of a pose that is turned by less than half a turn. */
export function quaternionOf({ r }: Pose): Quaternion {
  const w = Math.sqrt(Math.max(0, 1 + r[0] + r[4] + r[8])) / 2;
  // Close to half a turn about the vertical, which is as good as any other.
  if (w < 1e-3) return [0, 0, 1, 0];
  return [(r[7] - r[5]) / (4 * w), (r[2] - r[6]) / (4 * w), (r[3] - r[1]) / (4 * w), w];
}

/** The quaternion of roll, pitch, yaw. */
export function quaternionFromRpy([roll, pitch, yaw]: Vec3): Quaternion {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  return [
    sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy,
  ];
}

/** Heading of a pose: the angle of its x axis on the ground, rad. */
export function yawOf(pose: Pose): number {
  return Math.atan2(pose.r[3], pose.r[0]);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
