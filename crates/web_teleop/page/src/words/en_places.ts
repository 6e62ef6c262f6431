/** How places are named in English. */

/** A distance with the side it is on, so that it needs no sign. */
export function metres(value: number, above: string, below: string): string {
  return `${Math.abs(value).toFixed(2)} m ${value < 0 ? below : above}`;
}

export function toTheSide(y: number): string {
  return metres(y, "to the left", "to the right");
}
