/** Start: servos on, and when they are up, stand up. */

import type { Cockpit } from "./cockpit.ts";
import type { Session } from "./session.ts";

const LOOK_MS = 50;
/** As long as the servos may take to come up, and what they are called then. */
const ARMING_MS = 20_000;
const UP: ReadonlySet<string> = new Set(["armed", "holding"]);

/** Stands up only what has come up at this press: a stop meanwhile ends it. */
export async function start(session: Session, cockpit: Cockpit): Promise<void> {
  if (!(await cockpit.call("enable")).ok) return;
  let isEnded = false;
  const listening = [
    session.on("stop", ({ phase, holds }) => { isEnded ||= phase === "asked" || holds === "enable"; }),
    session.on("lost", () => { isEnded = true; }),
  ];
  const end = performance.now() + ARMING_MS;
  while (!isEnded && session.isDriver && performance.now() < end && !UP.has(session.servos)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  listening.forEach((leave) => leave());
  if (!isEnded && session.isDriver && UP.has(session.servos)) await cockpit.call("stand");
}
