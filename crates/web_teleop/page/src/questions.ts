/** Questions that a person answers before something happens that others, or the robot, would suffer from. */

import type { Cockpit } from "./cockpit.ts";
import type { Session } from "./session.ts";
import { words } from "./words/index.ts";

/** A question with its answers; each closes it, and one that does nothing leaves all as it is. */
export interface Question {
  readonly title: string;
  readonly body: string;
  readonly answers: readonly Choice[];
}

interface Choice {
  readonly text: string;
  readonly look?: "primary" | "danger";
  readonly act?: () => void;
}

/** Servos off below a robot that stands. */
export function switchOff(cockpit: Cockpit): Question {
  const { title, body, sit, off, cancel } = words.confirmOff;
  return { title, body, answers: [
    { text: sit, look: "primary", act: () => void cockpit.call("sit") },
    { text: off, look: "danger", act: () => void cockpit.call("disable") },
    { text: cancel },
  ] };
}

export function withdrawStop(session: Session): Question {
  const { title, body, keep, withdraw } = words.confirmWithdraw;
  return { title, body, answers: [
    { text: keep, look: "primary" },
    { text: withdraw, look: "danger", act: () => session.withdrawStop() },
  ] };
}

export function takeOver(name: string, act: () => void): Question {
  const { title, body, take, cancel } = words.confirmTakeOver;
  return { title: title(name), body, answers: [{ text: take, look: "primary", act }, { text: cancel }] };
}

/** A recording that is there is lost with a new one, and one that runs may be somebody else's. */
export function record(isRunning: boolean, act: () => void): Question {
  const { begin, end, cancel } = words.confirmRecord;
  const { title, body, go } = isRunning ? end : begin;
  return { title, body, answers: [{ text: go, look: "primary", act }, { text: cancel }] };
}
