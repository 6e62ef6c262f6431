/** What the robot does, in the planner's words but for its transitions, which have no word of their own. */

import type { Health, State } from "../protocol/messages.ts";

/** What the planner says of a motion that waits or has ended: its last status stays. */
const RESTS = /^(accepted|succeeded|canceled|aborted|rejected)/;

/** The motion that plays now. */
export function playedMotion(state: State | undefined, health: Health | undefined): string | undefined {
  const motion = health?.motion;
  return state?.gait_state === "playing" && motion && !RESTS.test(motion.message) ? motion.name : undefined;
}

/** What is seen of a transition. */
export interface Seen {
  /** Of the body by odometry, m. */
  readonly height: number;
  readonly isFootUp: boolean;
}

/** How far the body comes down before it is known to sit down. */
const COMES_DOWN_M = 0.005;
const ON_ITS_FEET = new Set(["standing", "walking", "stopping"]);

/** How a state shows a transition. */
export function seenOf(state: State | undefined): Seen {
  return { height: state?.odom?.[2] ?? NaN, isFootUp: state?.contacts?.includes(0) ?? false };
}

export class Posture {
  /** What it did before it began to play. */
  #before = "unknown";
  /** Height of the body when this transition began, and what it is, once that is seen. */
  #from: number | undefined;
  #transition: "lowering" | "placing" | undefined;

  /** `state` is the planner's; while it plays, `motion` is what, and nothing in a transition. */
  doing(state: string, motion: string | undefined, seen: Seen): string {
    if (state !== "playing") {
      this.#before = state;
      this.#from = this.#transition = undefined;
      return state;
    }
    if (motion !== undefined) {
      // What follows is its way back to standing.
      this.#before = state;
      return state;
    }
    if (this.#before === "sitting") return "rising";
    return ON_ITS_FEET.has(this.#before) ? this.#leaving(seen) : state;
  }

  /** Down to the ground, or its feet one by one to their places, as after its servos were off: then the body stays up. */
  #leaving({ height, isFootUp }: Seen): string {
    this.#from ??= height;
    if (this.#from - height > COMES_DOWN_M) this.#transition = "lowering";
    else if (isFootUp) this.#transition ??= "placing";
    return this.#transition ?? "lowering";
  }
}
