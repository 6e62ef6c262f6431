/** The map of the ground: a tile for each cell, coloured by whether a foot may step on it. */

import { Color, DoubleSide, InstancedMesh, Matrix4, MeshBasicMaterial, PlaneGeometry } from "three";
import type { Elevation } from "../robot/elevation.ts";
import type { Look } from "./look.ts";

/** As many as a server sends. */
const MOST_CELLS = 4096;
/** A tile lies so far below its cell that the feet's marks are seen. */
const BELOW_M = 0.002;

export class Tiles extends InstancedMesh<PlaneGeometry, MeshBasicMaterial> {
  #look: Look;
  #map: Elevation | undefined;

  constructor(look: Look) {
    super(new PlaneGeometry(1, 1), new MeshBasicMaterial({ transparent: true, opacity: 0.5, side: DoubleSide }), MOST_CELLS);
    this.#look = look;
    this.frustumCulled = false;
    this.count = 0;
  }

  recolour(look: Look): void {
    this.#look = look;
    this.draw(this.#map);
  }

  draw(map: Elevation | undefined): void {
    this.#map = map;
    const cells = map?.cells.slice(0, MOST_CELLS) ?? [];
    const [matrix, colour] = [new Matrix4(), new Color()];
    matrix.makeScale(map?.side ?? 1, map?.side ?? 1, 1);
    cells.forEach(({ at: [x, y, z], score }, n) => {
      this.setMatrixAt(n, matrix.setPosition(x, y, z - BELOW_M));
      this.setColorAt(n, this.#colourOf(score, colour));
    });
    this.count = cells.length;
    this.instanceMatrix.needsUpdate = true;
    if (this.instanceColor) this.instanceColor.needsUpdate = true;
  }

  #colourOf(score: number | undefined, colour: Color): Color {
    const { stance, amber, alarm, grid } = this.#look;
    if (score === undefined) return colour.copy(grid);
    return score > 0.5 ? colour.lerpColors(amber, stance, 2 * score - 1) : colour.lerpColors(alarm, amber, 2 * score);
  }
}
