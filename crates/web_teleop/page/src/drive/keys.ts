/** Which key means what: the same keys as `hexapod drive`. One table for the page and for its help. */

import { NOTHING, type Demand } from "./deadman.ts";

export type KeyCommand =
  | "emergency" | "halt" | "stand" | "sit" | "enable" | "disable" | "nextGait" | "faster" | "slower" | "higher" | "lower"
  | "motions" | "help";

const HEADINGS: Readonly<Record<string, Demand>> = {
  KeyW: { ...NOTHING, forward: 1 }, ArrowUp: { ...NOTHING, forward: 1 }, Numpad8: { ...NOTHING, forward: 1 },
  KeyS: { ...NOTHING, forward: -1 }, ArrowDown: { ...NOTHING, forward: -1 }, Numpad2: { ...NOTHING, forward: -1 },
  KeyA: { ...NOTHING, turn: 1 }, ArrowLeft: { ...NOTHING, turn: 1 }, Numpad4: { ...NOTHING, turn: 1 },
  KeyD: { ...NOTHING, turn: -1 }, ArrowRight: { ...NOTHING, turn: -1 }, Numpad6: { ...NOTHING, turn: -1 },
  KeyQ: { ...NOTHING, left: 1 }, KeyE: { ...NOTHING, left: -1 },
  Numpad7: { forward: 1, left: 0, turn: 1 }, Numpad9: { forward: 1, left: 0, turn: -1 },
  Numpad1: { forward: -1, left: 0, turn: 1 }, Numpad3: { forward: -1, left: 0, turn: -1 },
};

const COMMANDS: Readonly<Record<string, KeyCommand>> = {
  x: "emergency", Backspace: "emergency", " ": "halt", u: "stand", j: "sit", r: "enable", o: "disable", g: "nextGait",
  "+": "faster", "=": "faster", PageUp: "faster", "-": "slower", PageDown: "slower", "]": "higher", "[": "lower",
  m: "motions", h: "help", "?": "help",
};

/** The part of a keyboard event that counts. */
export interface KeyPress {
  /** Where the key is: driving goes by place, so that WASD is a cross on every layout. */
  readonly code: string;
  /** What the key says: commands go by letter. */
  readonly key: string;
  readonly isModified: boolean;
}

/** The direction of a driving key. */
export function heading(press: KeyPress): Demand | undefined {
  return press.isModified ? undefined : HEADINGS[press.code];
}

/** The command of any other key. */
export function command(press: KeyPress): KeyCommand | undefined {
  if (press.isModified || HEADINGS[press.code]) return undefined;
  return COMMANDS[press.key.length === 1 ? press.key.toLowerCase() : press.key];
}

/** The driving keys that are down. */
export class HeldKeys {
  readonly #held = new Map<string, Demand>();

  press(code: string, demand: Demand): void {
    this.#held.set(code, demand);
  }

  /** Whether the key was held. */
  release(code: string): boolean {
    return this.#held.delete(code);
  }

  clear(): void {
    this.#held.clear();
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  demand(): Demand {
    let [forward, left, turn] = [0, 0, 0];
    for (const held of this.#held.values()) {
      forward += held.forward;
      left += held.left;
      turn += held.turn;
    }
    return { forward: Math.sign(forward), left: Math.sign(left), turn: Math.sign(turn) };
  }
}
