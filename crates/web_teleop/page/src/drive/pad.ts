/** A gamepad in the browser's standard layout, with the buttons of `config/joystick.yaml`. */

import type { Demand } from "./deadman.ts";
import type { KeyCommand } from "./keys.ts";
import { axis } from "./stick.ts";

/** What a pad reports: the part of the browser's `Gamepad` that counts. */
export interface PadReading {
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean }[];
}

const HOLD = 4;
const HOLD_FASTER = 5;
const SLOWER = 0.55;

const COMMANDS: readonly (readonly [number, KeyCommand])[] = [
  [1, "emergency"], [0, "sit"], [2, "halt"], [3, "stand"], [9, "enable"], [8, "disable"],
];

/** What changed since the last reading. */
export interface PadEvents {
  /** Whether a button to hold while driving is down. */
  readonly isHeld: boolean;
  /** Whether it went down just now: a pad that appears with it held does not drive. */
  readonly isGripped: boolean;
  readonly demand: Demand;
  /** Buttons that went down. Those down when the pad appears do not count, but for the emergency stop. */
  readonly commands: readonly KeyCommand[];
}

export class Pad {
  #down: ReadonlySet<number> | undefined;

  read(pad: PadReading): PadEvents {
    const down = new Set(pad.buttons.flatMap((button, index) => (button.pressed ? [index] : [])));
    const before = this.#down;
    this.#down = down;
    const wentDown = (button: number) => down.has(button) && before !== undefined && !before.has(button);
    const isHeld = down.has(HOLD) || down.has(HOLD_FASTER);
    const wasHeld = before === undefined || before.has(HOLD) || before.has(HOLD_FASTER);
    const isEmergency = down.has(1) && !before?.has(1);
    return {
      isHeld,
      isGripped: isHeld && !wasHeld,
      demand: demandOf(pad, down.has(HOLD_FASTER) ? 1 : SLOWER),
      commands: isEmergency ? ["emergency"] : COMMANDS.filter(([button]) => wentDown(button)).map(([, name]) => name),
    };
  }

  /** The pad is gone; another one begins anew. */
  disconnected(): void {
    this.#down = undefined;
  }
}

function demandOf(pad: PadReading, scale: number): Demand {
  const at = (index: number) => scale * -axis(pad.axes[index] ?? 0);
  return { forward: at(1) || 0, left: at(0) || 0, turn: at(2) || 0 };
}
