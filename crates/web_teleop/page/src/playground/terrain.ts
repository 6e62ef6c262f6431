/** Ground to try in the playground: its height, and a map of it as a robot that sees would make one. */

import { clamp, type Vec2 } from "../geometry/vec.ts";
import type { Cell, Elevation } from "../robot/elevation.ts";

export const TERRAINS = ["flat", "rubble", "stairs", "waves"] as const;
export type Terrain = (typeof TERRAINS)[number];

/** The robot begins on even ground. */
const EVEN_M = 0.35;
const STONE_M = 0.11;
const STONE_HEIGHT_M = 0.025;
const STAIR_M = 0.4;
const STAIR_HEIGHT_M = 0.02;
const STAIRS = 5;
const WAVE_M = 0.5;
const WAVE_HEIGHT_M = 0.02;

const MAP_REACH_M = 0.6;
const MAP_SIDE_M = 0.03;
/** A difference of height between neighbouring cells that no foot stands on. */
const EDGE_M = 0.02;
const NEIGHBOURS = [[1, 0], [-1, 0], [0, 1], [0, -1]] as const;

export function isTerrain(name: string | undefined): name is Terrain {
  return TERRAINS.some((known) => known === name);
}

/** Height of the ground at a place, m, from where the robot was when it was chosen. */
export function heightAt(terrain: Terrain, [x, y]: Vec2): number {
  const beyond = Math.hypot(x, y) - EVEN_M;
  if (terrain === "flat" || beyond < 0) return 0;
  if (terrain === "rubble") return STONE_HEIGHT_M * noise(Math.floor(x / STONE_M), Math.floor(y / STONE_M));
  // Up in rings, so that every way leads over them.
  if (terrain === "stairs") return STAIR_HEIGHT_M * Math.min(STAIRS, 1 + Math.floor(beyond / STAIR_M));
  return WAVE_HEIGHT_M * (1 - Math.cos((2 * Math.PI * beyond) / WAVE_M)) / 2;
}

/** From 0 to 1, the same for the same place. */
function noise(i: number, j: number): number {
  const wild = Math.sin(i * 127.1 + j * 311.7) * 43758.5453;
  return wild - Math.floor(wild);
}

/** The map about a place, likewise. */
export function mapAbout(terrain: Terrain, [x, y]: Vec2): Elevation {
  const count = Math.floor(MAP_REACH_M / MAP_SIDE_M);
  const middle = [Math.round(x / MAP_SIDE_M), Math.round(y / MAP_SIDE_M)] as const;
  const cells: Cell[] = [];
  for (let i = -count; i <= count; i += 1) {
    for (let j = -count; j <= count; j += 1) {
      const at = [(middle[0] + i) * MAP_SIDE_M, (middle[1] + j) * MAP_SIDE_M] as const;
      const height = heightAt(terrain, at);
      const around = NEIGHBOURS.map(([dx, dy]) => heightAt(terrain, [at[0] + dx * MAP_SIDE_M, at[1] + dy * MAP_SIDE_M]));
      const edge = Math.max(...around.map((other) => Math.abs(other - height)));
      cells.push({ at: [...at, height], score: clamp(1 - edge / EDGE_M, 0, 1) });
    }
  }
  return { side: MAP_SIDE_M, cells };
}
