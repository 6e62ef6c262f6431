/** Where each foot was: the last N positions. */

import type { Vec3 } from "../geometry/vec.ts";
import type { Figure } from "./figure.ts";

const LEAST_STEP_M = 0.003;

export class Traces {
  readonly #length: number;
  readonly #traces = new Map<string, Vec3[]>();

  constructor(length: number) {
    this.#length = length;
  }

  /** Takes in a figure; a foot that stays adds nothing. */
  add(figure: Figure): void {
    for (const { name, foot } of figure.legs) {
      const trace = this.#traces.get(name) ?? [];
      this.#traces.set(name, trace);
      const last = trace.at(-1);
      if (last && Math.hypot(foot[0] - last[0], foot[1] - last[1], foot[2] - last[2]) < LEAST_STEP_M) continue;
      trace.push(foot);
      if (trace.length > this.#length) trace.shift();
    }
  }

  clear(): void {
    this.#traces.clear();
  }

  /** Oldest first. */
  of(leg: string): readonly Vec3[] {
    return this.#traces.get(leg) ?? [];
  }
}
