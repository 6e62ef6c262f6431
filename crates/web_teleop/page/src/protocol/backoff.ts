/** How long to wait before the next attempt to connect, and what a close code means. */

import type { Refusal } from "./transport.ts";

const FIRST_MS = 500;
const LONGEST_MS = 5000;

/** ms before attempt number `attempt` (from 1), `random` of 0 to 1 spreading pages that lost the same robot. */
export function waitBefore(attempt: number, random: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return wait * (0.8 + 0.2 * random);
}

/** Why the server closed for good, or `undefined` when connecting again may help. */
export function refusalOfClose(code: number): Refusal | undefined {
  if (code === 4000) return "version";
  return [1007, 1009, 4002, 4003].includes(code) ? "defect" : undefined;
}

/** Why it is refused, from the status of a plain request: a browser does not show it for a socket. */
export function refusalOfStatus(status: number): Refusal | undefined {
  switch (status) {
    case 401: return "token";
    case 403: return "origin";
    case 503: return "full";
    default: return undefined;
  }
}
