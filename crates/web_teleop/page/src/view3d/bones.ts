/** Legs as lines, for robots whose description gives them no shape or whose meshes are missing. */

import { BufferGeometry, Group, Line, LineBasicMaterial, LineLoop, Vector3, type Color, type Object3D } from "three";
import type { URDFRobot } from "urdf-loader";
import { apply } from "../geometry/vec.ts";
import type { Figure } from "../robot/figure.ts";

export class Bones extends Group {
  readonly #material: LineBasicMaterial;

  constructor(colour: Color) {
    super();
    this.#material = new LineBasicMaterial({ color: colour });
  }

  recolour(colour: Color): void {
    this.#material.color = colour;
  }

  /** Draws the legs of `figure` whose links have nothing to be seen in `robot`, and the body between their hips. */
  show(figure: Figure, robot: URDFRobot): void {
    for (const line of this.children) (line as Line).geometry.dispose();
    super.clear();
    const bare = figure.legs.filter((leg) => !leg.frames.some((frame) => isSeen(robot.links[frame])));
    for (const leg of bare) this.add(new Line(this.#path(leg.points.map((point) => apply(figure.odomFromBody, point)), figure), this.#material));
    if (bare.length < 3) return;
    const hips = figure.legs.map((leg) => leg.points[0] ?? [0, 0, 0] as const);
    const around = [...hips].sort((a, b) => Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]));
    this.add(new LineLoop(this.#path(around.map((point) => apply(figure.odomFromBody, point)), figure), this.#material));
  }

  #path(points: readonly (readonly [number, number, number])[], { ground }: Figure): BufferGeometry {
    return new BufferGeometry().setFromPoints(points.map(([x, y, z]) => new Vector3(x, y, z - ground)));
  }
}

/** Whether a link has a mesh of its own. */
function isSeen(link: Object3D | undefined): boolean {
  return link?.children.some((child) => !("isURDFJoint" in child) && ("isMesh" in child || isSeen(child))) ?? false;
}
