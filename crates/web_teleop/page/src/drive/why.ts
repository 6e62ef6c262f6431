/** Why a stick that is pushed does not move the robot: said where the thumb is. */

import { words } from "../words/index.ts";

/** What is known when the question arises. */
export interface Push {
  readonly isOpen: boolean;
  readonly otherDriver: string | undefined;
  readonly isDriver: boolean;
  readonly slownessMs: number | undefined;
  readonly holds: "enable" | "zero" | "nothing";
  readonly awaitsRelease: boolean;
  /** The servos' state in the driver's words, "" while unknown. */
  readonly servos: string;
  /** What the planner does, "" while unknown. */
  readonly gaitState: string;
  /** The motion that plays, `undefined` in a transition. */
  readonly motion: string | undefined;
  /** Whether the planner is heard. */
  readonly isFresh: boolean;
  /** For how long it has been pushed, and the robot has stood, ms. */
  readonly vainMs: number;
}

/** After this long without effect there is a reason, known or not. */
const VAIN_MS = 1500;

const MOVES = new Set(["walking", "stopping"]);

/** Why, in words, or "" where nothing is in the way. */
export function whyNot(push: Push): string {
  const why = words.why;
  if (!push.isOpen) return why.offline;
  if (push.otherDriver !== undefined) return why.other(push.otherDriver);
  if (!push.isFresh) return why.silent;
  if (push.holds === "enable") return why.stopped;
  if (push.slownessMs !== undefined) return why.slow(push.slownessMs.toFixed(0));
  if (push.awaitsRelease && push.isDriver) return why.letGo;
  if (push.gaitState === "sitting") return why.sits;
  if (push.gaitState === "fault") return why.fault;
  if (push.gaitState === "playing") return push.motion === undefined ? why.moment : why.plays;
  if (push.servos === "disarmed") return why.off;
  if (push.servos === "fault") return why.servoFault;
  return push.vainMs > VAIN_MS && !MOVES.has(push.gaitState) ? why.unknown : "";
}
