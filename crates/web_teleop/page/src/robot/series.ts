/** The last seconds of some numbers. */

export interface Sample {
  readonly t: number;
  readonly values: readonly number[];
}

export class Series {
  readonly #seconds: number;
  #samples: Sample[] = [];

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  add(t: number, values: readonly number[]): void {
    const last = this.#samples.at(-1);
    // A server that starts again counts from zero.
    if (last && (t < last.t || values.length !== last.values.length)) this.#samples = [];
    this.#samples.push({ t, values });
    const first = this.#samples.findIndex((sample) => sample.t >= t - this.#seconds);
    if (first > 0) this.#samples.splice(0, first);
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  get newest(): Sample | undefined {
    return this.#samples.at(-1);
  }

  /** Least and greatest of all values. */
  range(): readonly [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of this.#samples) {
      for (const value of values) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low <= high ? [low, high] : [0, 0];
  }
}
