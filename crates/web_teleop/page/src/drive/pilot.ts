/**
 * Decides what is sent while somebody drives. Intents go out 20 times a second while a stick is touched, a zero goes
 * out the moment it is not, and nothing is sent that would be late: no queue, no repeats of what was not sent.
 */

import { haltOf, HALT, isHalt, type Intent } from "./steering.ts";

/** What is known when a decision is due. */
export interface Situation {
  readonly nowMs: number;
  /** Whether this page is the driver, on an open connection. */
  readonly isDriver: boolean;
  /** ms since the newest state came: who sees an old picture does not drive. */
  readonly stateAgeMs: number;
  /** Whether earlier messages still wait in this computer. */
  readonly isBackedUp: boolean;
}

export const REPEAT_MS = 50;
const LEAST_GAP_MS = 33;
export const OLDEST_STATE_MS = 500;

export class Pilot {
  readonly #send: (intent: Intent) => boolean;
  #moving: Intent | undefined;
  #sentMs = -Infinity;
  #owesZero = false;

  /** `send` says whether the intent was handed on. */
  constructor(send: (intent: Intent) => boolean) {
    this.#send = send;
  }

  /** After a lease that names this page and after every stop the first intent must be zero. */
  requireZero(): void {
    this.#owesZero = true;
    this.#moving = undefined;
  }

  /** Sends that zero whatever the stick: it was touched in order to drive, and moved while the lease was on its way. */
  begin(): void {
    if (this.#owesZero && this.#send(HALT)) this.#owesZero = false;
  }

  /**
   * A stick at rest is taken: says so by `zero`. The planner wants that of each source after the robot was held, as while its
   * servos were off, and nobody says when that was.
   */
  grip(zero: Intent): void {
    if (!this.#moving && !this.#owesZero) this.#send(zero);
  }

  /** Forgets what was sent: the connection has ended, and with it the robot's motion. */
  disconnected(): void {
    this.#moving = undefined;
    this.#owesZero = false;
  }

  /** Whether the sticks must be let go before they count. */
  get awaitsRelease(): boolean {
    return this.#owesZero;
  }

  /** To be called whenever the intent changes, and every `REPEAT_MS`. */
  update(intent: Intent, situation: Situation): void {
    if (isHalt(intent)) this.#rest(situation);
    else this.#move(intent, situation);
  }

  #rest(situation: Situation): void {
    if (this.#moving) {
      const zero = haltOf(this.#moving);
      this.#moving = undefined;
      this.#send(zero);
    }
    if (this.#owesZero && situation.isDriver && this.#send(HALT)) this.#owesZero = false;
  }

  #move(intent: Intent, situation: Situation): void {
    if (!situation.isDriver || this.#owesZero || situation.isBackedUp) return;
    if (situation.stateAgeMs > OLDEST_STATE_MS || situation.nowMs - this.#sentMs < LEAST_GAP_MS) return;
    if (this.#moving && this.#moving.type !== intent.type) this.#send(haltOf(this.#moving));
    if (this.#send(intent)) {
      this.#moving = intent;
      this.#sentMs = situation.nowMs;
    }
  }
}
