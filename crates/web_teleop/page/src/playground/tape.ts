/** The last minute of the playground's robot, tick by tick, for a table. */

import type { Hexapod } from "../../../../hexapod_wasm/binding/hexapod.js";

/** A minute at the robot's rate. */
const MOST_ROWS = 6000;

/** The part of the core that is written down. */
export type Taped = Pick<Hexapod, "time" | "joints" | "contacts" | "odom" | "twist" | "margin" | "state" | "gait" | "jointNames"> & {
  readonly info: { readonly legs: readonly { readonly name: string }[] };
};

export class Tape {
  #head: readonly string[] = [];
  readonly #rows: string[] = [];
  #next = 0;

  /** Another robot has other columns. */
  begin({ jointNames, info }: Taped): void {
    this.#head = ["time", "state", "gait", "x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "wz", "margin",
      ...info.legs.map(({ name }) => `${name}_down`), ...jointNames];
    this.#rows.length = this.#next = 0;
  }

  add({ time, state, gait, odom, twist, margin, contacts, joints }: Taped): void {
    const numbers = [...odom, ...twist, margin].map((number) => number.toFixed(5));
    const down = [...contacts].map((contact) => contact.toFixed(0));
    this.#rows[this.#next] = [time.toFixed(2), state, gait, ...numbers, ...down, ...[...joints].map((angle) => angle.toFixed(5))].join(",");
    this.#next = (this.#next + 1) % MOST_ROWS;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** As CSV, the oldest first; SI units, angles in rad. */
  csv(): string {
    const inOrder = this.#rows.length < MOST_ROWS ? this.#rows : [...this.#rows.slice(this.#next), ...this.#rows.slice(0, this.#next)];
    return [this.#head.join(","), ...inOrder, ""].join("\n");
  }
}
