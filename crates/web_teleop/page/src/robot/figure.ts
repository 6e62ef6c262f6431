/** The robot as the pictures need it: where its legs, feet and centre of mass are, and what it stands on. */

import { convexHull, stabilityMargin } from "../geometry/hull.ts";
import { apply, applyInverse, fromQuaternion, IDENTITY, type Pose, type Vec2, type Vec3 } from "../geometry/vec.ts";
import type { RobotFacts, State } from "../protocol/messages.ts";
import { findLegs, type LegChain } from "./legs.ts";
import type { Model } from "./model.ts";

export interface LegFigure {
  readonly name: string;
  /** The links, from the hip to the foot. */
  readonly frames: readonly string[];
  /** From the hip to the foot, in the body's frame. */
  readonly points: readonly Vec3[];
  /** In the odometry's frame. */
  readonly foot: Vec3;
  readonly isDown: boolean;
}

export interface Figure {
  /** Angles by joint, rad. */
  readonly angles: ReadonlyMap<string, number>;
  readonly odomFromBody: Pose;
  readonly legs: readonly LegFigure[];
  /** Of the feet that are down, in the odometry's frame. */
  readonly support: readonly Vec2[];
  /** In the odometry's frame. */
  readonly centre: Vec3;
  /** m inside the support polygon; `undefined` on fewer than three feet. */
  readonly margin: number | undefined;
  /** Where feet are to come down on ground that is seen, in the odometry's frame. */
  readonly footholds: readonly Vec3[];
  /** Height of the ground in the odometry's frame, m. */
  readonly ground: number;
}

export class Figures {
  readonly #model: Model;
  readonly #facts: RobotFacts;
  readonly #chains: readonly LegChain[];

  constructor(model: Model, facts: RobotFacts) {
    this.#model = model;
    this.#facts = facts;
    this.#chains = findLegs(model, facts.legs);
  }

  /** `undefined` for a state of another robot, or before the joints are heard. */
  of(state: State): Figure | undefined {
    if (state.revision !== this.#facts.revision || !state.joints) return undefined;
    const angles = new Map(this.#facts.joints.map((name, index) => [name, state.joints?.[index] ?? 0]));
    const poses = this.#model.poses(angles);
    const odomFromBody = poseOf(state.odom);
    const legs = this.#chains.map((chain): LegFigure => {
      const points = chain.frames.map((frame) => poses.get(frame)?.t ?? [0, 0, 0] as const);
      const foot = apply(odomFromBody, points.at(-1) ?? [0, 0, 0]);
      return { name: chain.name, frames: chain.frames, points, foot, isDown: state.contacts?.[this.#facts.legs.indexOf(chain.name)] === 1 };
    });
    const down = legs.filter((leg) => leg.isDown);
    const support = convexHull(down.map(({ foot: [x, y] }) => [x, y] as const));
    const centre = apply(odomFromBody, this.#model.centreOfMass(poses));
    return {
      angles, odomFromBody, legs, support, centre, margin: stabilityMargin(support, [centre[0], centre[1]]),
      footholds: state.footholds ?? [],
      ground: groundOf(down.length > 0 ? down : legs),
    };
  }
}

/** Contacts do not say how thick a foot is, so the ground is as low as the lowest foot. */
function groundOf(legs: readonly LegFigure[]): number {
  return legs.reduce((least, leg) => Math.min(least, leg.foot[2]), Infinity);
}

/** The robot stands where the odometry starts until that is heard. */
function poseOf(odom: readonly number[] | null): Pose {
  if (!odom || odom.length !== 7) return IDENTITY;
  const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = odom;
  return fromQuaternion([x, y, z], [qx, qy, qz, qw]);
}

/** A point of the odometry's frame as the body sees it. */
export function inBody(figure: Figure, point: Vec3): Vec3 {
  return applyInverse(figure.odomFromBody, point);
}
