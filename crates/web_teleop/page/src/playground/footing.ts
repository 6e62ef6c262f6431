/**
 * Lets the playground's robot feel uneven ground: its feet report contact where they meet it, and the body lies as those that
 * stand hold it. This is geometry, not physics: nothing slips, tips over or bends.
 */

import type { Hexapod } from "../../../../hexapod_wasm/binding/hexapod.js";
import { compose, fromQuaternion, quaternionOf, type Pose, type Vec2, type Vec3 } from "../geometry/vec.ts";
import type { Elevation } from "../robot/elevation.ts";
import { heightAt, mapAbout, type Terrain } from "./terrain.ts";

/** The part of the core that is felt with. */
export type Walker = Pick<Hexapod, "feetInOdom" | "contacts" | "odom" | "setContact">;

const TOUCH_M = 0.001;
const NEAR_M = 0.004;

export class Footing {
  #terrain: Terrain = "flat";
  /** Where the robot was when it was chosen: the ground is even there. */
  #origin: Vec2 = [0, 0];
  /** Height and slopes of what the robot takes for the even ground, about its own place. */
  #plane: Vec3 = [0, 0, 0];

  get terrain(): Terrain {
    return this.#terrain;
  }

  /** Other ground about a robot at `origin`. */
  begin(terrain: Terrain, origin: Vec2): void {
    this.#terrain = terrain;
    this.#origin = origin;
  }

  /** The map about the robot, and a tag that differs between maps. */
  mapAbout([x = 0, y = 0]: ArrayLike<number> & Iterable<number>): { map: Elevation; tag: string } {
    const [ox, oy] = this.#origin;
    const { side, cells } = mapAbout(this.#terrain, [x - ox, y - oy]);
    const map = { side, cells: cells.map(({ at, score }) => ({ at: [at[0] + ox, at[1] + oy, at[2]] as const, score })) };
    return { map, tag: `"${this.#terrain} ${[ox, oy, x, y].map((metres) => metres.toFixed(1)).join(" ")}"` };
  }

  /** Called after a tick: what the feet feel counts in the next one. */
  feel(robot: Walker): void {
    const { feetInOdom, contacts, odom } = robot;
    if (this.#terrain === "flat") {
      this.#plane = [0, 0, 0];
      contacts.forEach((_, leg) => robot.setContact(leg, null));
      return;
    }
    const [x = 0, y = 0] = odom;
    const feet = Array.from(contacts, (isDown, leg) => {
      const [fx = 0, fy = 0, fz = 0] = feetInOdom.subarray(3 * leg, 3 * leg + 3);
      return { dx: fx - x, dy: fy - y, z: fz, ground: heightAt(this.#terrain, [fx - this.#origin[0], fy - this.#origin[1]]), isDown: isDown === 1 };
    });
    const down = feet.filter(({ isDown }) => isDown);
    const onGround = down.filter(({ dx, dy, z, ground }) => this.#lifted(dx, dy, z) - ground < NEAR_M);
    // A foot that reaches for ground that is not there yet holds nothing, unless the others are too few.
    const held = planeOf((onGround.length > 2 ? onGround : down).map(({ dx, dy, z, ground }) => [dx, dy, ground - z]));
    if (held) this.#plane = held;
    feet.forEach(({ dx, dy, z, ground }, leg) => void robot.setContact(leg, this.#lifted(dx, dy, z) <= ground + TOUCH_M));
  }

  /** Height of a point about the robot's place, which the robot takes to be at `z`. */
  #lifted(dx: number, dy: number, z: number): number {
    const [height, slopeX, slopeY] = this.#plane;
    return z + height + slopeX * dx + slopeY * dy;
  }

  /** Where the body is, from where the robot takes itself to be. */
  lift(odom: ArrayLike<number>): number[] {
    const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = Array.from(odom);
    if (this.#terrain === "flat") return [x, y, z, qx, qy, qz, qw];
    const [height, slopeX, slopeY] = this.#plane;
    const size = Math.hypot(slopeX, slopeY, 2) / 2;
    const tilt = fromQuaternion([0, 0, 0], [slopeY / 2 / size, -slopeX / 2 / size, 0, 1 / size]);
    const turned: Pose = compose(tilt, fromQuaternion([0, 0, z], [qx, qy, qz, qw]));
    return [x + turned.t[0], y + turned.t[1], turned.t[2] + height, ...quaternionOf(turned)];
  }
}

/** Height and slopes of the plane through points x, y, z, by least squares; `undefined` where they hold none. */
function planeOf(points: readonly (readonly [number, number, number])[]): Vec3 | undefined {
  if (points.length < 3) return undefined;
  const sum = (of: (point: readonly [number, number, number]) => number): number => points.reduce((total, point) => total + of(point), 0);
  const n = points.length;
  const [sx, sy, sz] = [sum(([x]) => x), sum(([, y]) => y), sum(([, , z]) => z)];
  const [xx, yy, xy] = [sum(([x]) => x * x) - (sx * sx) / n, sum(([, y]) => y * y) - (sy * sy) / n, sum(([x, y]) => x * y) - (sx * sy) / n];
  const [xz, yz] = [sum(([x, , z]) => x * z) - (sx * sz) / n, sum(([, y, z]) => y * z) - (sy * sz) / n];
  const det = xx * yy - xy * xy;
  if (!(det > 1e-9)) return undefined;
  const [a, b] = [(xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det];
  return [(sz - a * sx - b * sy) / n, a, b];
}
