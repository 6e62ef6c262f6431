/** What the robot does, in the planner's words but for its transitions, which have no word of their own. */

import type { Health, State } from "../protocol/messages.ts";

/** What the planner says of a motion that waits or has ended: its last status stays. */
const RESTS = /^(accepted|succeeded|canceled|aborted|rejected)/;

/** The motion that plays now. */
export function playedMotion(state: State | undefined, health: Health | undefined): string | undefined {
  const motion = health?.motion;
  return state?.gait_state === "playing" && motion && !RESTS.test(motion.message) ? motion.name : undefined;
}

export class Posture {
  /** What it did before it began to play. */
  #before = "unknown";

  /** `state` is the planner's; while it plays, `motion` is what, and nothing in a transition. */
  doing(state: string, motion: string | undefined): string {
    if (state !== "playing") {
      this.#before = state;
      return state;
    }
    if (motion !== undefined) {
      // What follows is its way back to standing.
      this.#before = state;
      return state;
    }
    return this.#before === "sitting" ? "rising" : this.#before === "standing" ? "lowering" : state;
  }
}
