/**
 * The stop that was pressed and of which the robot has not said that it has it. It does not go stale: it is sent until it is
 * received or a person withdraws it, also when the page is loaded again meanwhile.
 */

import { forget, recall, remember } from "../storage.ts";
import type { StopKind, StopMessage } from "./messages.ts";

const KEY = "hexapod.stop";

export class StopDebt {
  #owed: StopMessage | undefined = kept();

  get owed(): StopMessage | undefined {
    return this.#owed;
  }

  /** Takes down a stop; what stops more outlasts what stops less. */
  owe(message: StopMessage): void {
    if (this.#owed?.kind === "emergency") return;
    this.#owed = message;
    remember("sessionStorage", KEY, message.kind);
  }

  /** The robot has received a stop; true if nothing is owed any more. */
  pay(kind: StopKind): boolean {
    if (this.#owed && this.#owed.kind !== kind && kind !== "emergency") return false;
    this.clear();
    return true;
  }

  clear(): void {
    this.#owed = undefined;
    forget("sessionStorage", KEY);
  }
}

function kept(): StopMessage | undefined {
  const kind = recall("sessionStorage", KEY);
  return kind === "emergency" || kind === "halt" ? { type: "stop", kind } : undefined;
}
