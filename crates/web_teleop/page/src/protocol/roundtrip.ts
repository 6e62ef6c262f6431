/** How long a message takes to the robot and back, as the answers to pings tell, by this device's clock alone. */

/** A round trip this long is shown; one that takes as long as the second lets no motion through. */
export const SLOW_MS = 200;
/** The robot refuses what answers a state older than 500 ms; states come up to 33 ms apart. */
export const TOO_SLOW_MS = 460;

export class RoundTrip {
  readonly #sent = new Map<number, number>();
  #lastMs: number | undefined;

  ping(id: number, nowMs: number): void {
    this.#sent.set(id, nowMs);
  }

  pong(id: number, nowMs: number): void {
    const sentMs = this.#sent.get(id);
    if (sentMs === undefined) return;
    // Answers come in order: what was sent before this and has no answer gets none.
    for (const earlier of [...this.#sent.keys()]) if (earlier <= id) this.#sent.delete(earlier);
    this.#lastMs = nowMs - sentMs;
  }

  /** Another connection begins. */
  clear(): void {
    this.#sent.clear();
    this.#lastMs = undefined;
  }

  /** ms; one that takes longer than the last counts while it is on its way. `undefined` before the first. */
  ms(nowMs: number): number | undefined {
    const [oldest] = this.#sent.values();
    if (oldest === undefined) return this.#lastMs;
    const onItsWay = nowMs - oldest;
    return this.#lastMs === undefined && onItsWay < TOO_SLOW_MS ? undefined : Math.max(this.#lastMs ?? 0, onItsWay);
  }
}
