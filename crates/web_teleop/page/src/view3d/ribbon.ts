/** Flat bands on the ground: WebGL draws lines one pixel wide, whatever the screen. */

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshBasicMaterial, type Color } from "three";
import type { Vec2 } from "../geometry/vec.ts";

export class Ribbon extends Mesh<BufferGeometry, MeshBasicMaterial> {
  readonly #most: number;
  readonly #half: number;

  constructor(mostPoints: number, width: number, colour: Color, opacity: number) {
    const geometry = new BufferGeometry();
    const positions = new BufferAttribute(new Float32Array(mostPoints * 6), 3);
    geometry.setAttribute("position", positions.setUsage(DynamicDrawUsage));
    geometry.setIndex(bandIndex(mostPoints));
    super(geometry, new MeshBasicMaterial({ color: colour, transparent: true, opacity, depthWrite: false, side: 2 }));
    this.#most = mostPoints;
    this.#half = width / 2;
    this.frustumCulled = false;
    this.draw([]);
  }

  /** Draws along `points`, z up to the object's own position. */
  draw(points: readonly Vec2[], closed = false): void {
    const line = (closed && points.length > 2 ? [...points, points[0] as Vec2] : points).slice(0, this.#most);
    const positions = this.geometry.getAttribute("position") as BufferAttribute;
    line.forEach((point, i) => {
      const [before, after] = neighbours(line, i, closed);
      const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
      const length = Math.hypot(dx, dy) || 1;
      const [nx, ny] = [(-dy / length) * this.#half, (dx / length) * this.#half];
      positions.setXYZ(2 * i, point[0] + nx, point[1] + ny, 0);
      positions.setXYZ(2 * i + 1, point[0] - nx, point[1] - ny, 0);
    });
    positions.needsUpdate = true;
    this.geometry.setDrawRange(0, Math.max(0, line.length - 1) * 6);
  }
}

function neighbours(line: readonly Vec2[], i: number, closed: boolean): readonly [Vec2, Vec2] {
  const at = (index: number): Vec2 => line[Math.min(line.length - 1, Math.max(0, index))] ?? [0, 0];
  if (!closed) return [at(i - 1), at(i + 1)];
  const last = line.length - 1;
  return [at(i === 0 ? last - 1 : i - 1), at(i === last ? 1 : i + 1)];
}

function bandIndex(points: number): number[] {
  const index: number[] = [];
  for (let i = 0; i < points - 1; i += 1) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 2, 2 * i + 1, 2 * i + 3);
  return index;
}
