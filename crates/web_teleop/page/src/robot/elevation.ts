/** The map of the ground as the server packs it (`docs/web_protocol.md`, `elevation`). */

import type { Vec3 } from "../geometry/vec.ts";

export interface Cell {
  /** In the odometry's frame, m. */
  readonly at: Vec3;
  /** From 0, not to be stepped on, to 1, flat; `undefined` where too little is known. */
  readonly score: number | undefined;
}

export interface Elevation {
  /** Side of a cell, m. */
  readonly side: number;
  readonly cells: readonly Cell[];
}

const HEAD_BYTES = 16;
const CELL_BYTES = 8;
const LEAST_SIDE_M = 0.002;

/** `undefined` for what is no map. */
export function readElevation(bytes: ArrayBuffer): Elevation | undefined {
  if (bytes.byteLength < HEAD_BYTES || (bytes.byteLength - HEAD_BYTES) % CELL_BYTES !== 0) return undefined;
  const view = new DataView(bytes);
  const [x, y, z, side] = [0, 4, 8, 12].map((at) => view.getFloat32(at, true)) as [number, number, number, number];
  if (![x, y, z, side].every(Number.isFinite)) return undefined;
  const cells = Array.from({ length: (bytes.byteLength - HEAD_BYTES) / CELL_BYTES }, (_, n): Cell => {
    const number = (k: number): number => view.getInt16(HEAD_BYTES + CELL_BYTES * n + 2 * k, true);
    const score = number(3);
    return { at: [x + number(0) / 1000, y + number(1) / 1000, z + number(2) / 1000], score: score < 0 ? undefined : score / 100 };
  });
  return { side: Math.max(LEAST_SIDE_M, side), cells };
}

/** The same map as a server would send it, about a place. */
export function packElevation({ side, cells }: Elevation, [x, y, z]: Vec3): ArrayBuffer {
  const bytes = new ArrayBuffer(HEAD_BYTES + CELL_BYTES * cells.length);
  const view = new DataView(bytes);
  [x, y, z, side].forEach((number, k) => view.setFloat32(4 * k, number, true));
  cells.forEach(({ at, score }, n) => {
    const numbers = [at[0] - x, at[1] - y, at[2] - z].map((metres) => Math.round(metres * 1000));
    [...numbers, score === undefined ? -1 : Math.round(score * 100)].forEach((number, k) => {
      view.setInt16(HEAD_BYTES + CELL_BYTES * n + 2 * k, number, true);
    });
  });
  return bytes;
}
