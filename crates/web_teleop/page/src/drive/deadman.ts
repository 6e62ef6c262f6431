/**
 * No touch, no motion. A source (a thumb, the keys, a gamepad) moves the robot only while it is gripped, and a grip
 * begins with something a person does: a touch, a key going down, a button pressed. Whatever makes it doubtful that a
 * person is there releases every grip; a source that was merely held through that stays without effect.
 */

/** What the sources ask for, each from -1 to 1: walk forward and to the left, turn to the left. */
export interface Demand {
  readonly forward: number;
  readonly left: number;
  readonly turn: number;
}

export type Source = "walk" | "turn" | "keys" | "pad" | "view";

/** Why every grip was released. */
export type Release = "blur" | "hidden" | "leaving" | "rotated" | "disconnected" | "stopped" | "lease" | "menu";

export const NOTHING: Demand = { forward: 0, left: 0, turn: 0 };

export class DeadMan {
  readonly #grips = new Map<Source, Demand>();
  readonly #changed: () => void;

  /** `changed` is called at once whenever the demand may be another. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Begins a grip: only from an event by which a person shows to be there. */
  grip(source: Source): void {
    if (!this.#grips.has(source)) this.#grips.set(source, NOTHING);
  }

  /** What a gripped source asks for now; one that is not gripped is not heard. */
  move(source: Source, demand: Demand): boolean {
    if (!this.#grips.has(source)) return false;
    this.#grips.set(source, demand);
    this.#changed();
    return true;
  }

  release(source: Source): void {
    if (this.#grips.delete(source)) this.#changed();
  }

  /** Ends every grip. Reports a change even without one: a zero more does no harm. */
  releaseAll(): void {
    this.#grips.clear();
    this.#changed();
  }

  holds(source: Source): boolean {
    return this.#grips.has(source);
  }

  isHeld(): boolean {
    return this.#grips.size > 0;
  }

  /** The sum of all grips, within -1 to 1. */
  demand(): Demand {
    let [forward, left, turn] = [0, 0, 0];
    for (const grip of this.#grips.values()) {
      forward += grip.forward;
      left += grip.left;
      turn += grip.turn;
    }
    return { forward: unit(forward), left: unit(left), turn: unit(turn) };
  }
}

export function isNothing(demand: Demand): boolean {
  return demand.forward === 0 && demand.left === 0 && demand.turn === 0;
}

/** NaN is no command. */
function unit(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(1, Math.max(-1, value));
}
