/** What the robot does, drawn on the ground: contacts, support polygon, centre of mass, path, traces. */

import {
  BufferAttribute, BufferGeometry, CircleGeometry, DoubleSide, DynamicDrawUsage, Group, Line, LineBasicMaterial, Mesh,
  MeshBasicMaterial, RingGeometry, SphereGeometry, type Color,
} from "three";
import { isStill, pathOf, turningCentre, type Twist } from "../geometry/arc.ts";
import { apply, type Vec2 } from "../geometry/vec.ts";
import type { Figure } from "../robot/figure.ts";
import type { Traces } from "../robot/traces.ts";
import type { Look } from "./look.ts";
import { Ribbon } from "./ribbon.ts";

const MOST_CORNERS = 16;
const TRACE_POINTS = 160;
const PATH_S = 5;
const FARTHEST_CENTRE_M = 2;
/** Margins below this are drawn in the alarm's colour. */
const THIN_MARGIN_M = 0.01;

export class Overlays extends Group {
  #look: Look;
  readonly #footholds: Mesh<RingGeometry, MeshBasicMaterial>[] = [];
  readonly #feet = new Map<string, { ring: Mesh<RingGeometry, MeshBasicMaterial>; trace: Trace }>();
  readonly #support: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #edge: Ribbon;
  readonly #path: Ribbon;
  readonly #mass: Mesh<SphereGeometry, MeshBasicMaterial>;
  readonly #plumb: Mesh<CircleGeometry, MeshBasicMaterial>;
  readonly #centre: Mesh<RingGeometry, MeshBasicMaterial>;

  constructor(look: Look) {
    super();
    this.#look = look;
    const corners = new BufferAttribute(new Float32Array(MOST_CORNERS * 9), 3).setUsage(DynamicDrawUsage);
    this.#support = new Mesh(new BufferGeometry().setAttribute("position", corners), flat(look.stance, 0.16));
    this.#support.frustumCulled = false;
    this.#edge = new Ribbon(MOST_CORNERS + 1, 0.0035, look.stance, 0.9);
    this.#path = new Ribbon(32, 0.008, look.path, 0.9);
    this.#mass = new Mesh(new SphereGeometry(0.007, 16, 12), flat(look.centre, 0.95));
    this.#mass.material.depthTest = false;
    this.#mass.renderOrder = 3;
    this.#plumb = new Mesh(new CircleGeometry(0.006, 24), flat(look.centre, 0.9));
    this.#centre = new Mesh(new RingGeometry(0.008, 0.012, 32), flat(look.path, 1));
    [this.#support, this.#edge, this.#path, this.#plumb, this.#centre].forEach((part, i) => {
      part.position.z = 0.001 + 0.0004 * i;
      this.add(part);
    });
    this.add(this.#mass);
  }

  recolour(look: Look): void {
    this.#look = look;
    this.#path.material.color = look.path;
    this.#centre.material.color = look.path;
    for (const { material } of [this.#mass, this.#plumb, ...this.#footholds]) material.color = look.centre;
  }

  /** Another robot has other feet. */
  forgetFeet(): void {
    for (const { ring, trace } of this.#feet.values()) this.remove(ring, trace);
    this.#feet.clear();
  }

  show(figure: Figure, twist: Twist, traces: Traces): void {
    this.#showFeet(figure, traces);
    this.#showFootholds(figure);
    this.#showSupport(figure);
    const [x, y, z] = figure.centre;
    this.#mass.position.set(x, y, z - figure.ground);
    this.#plumb.position.setX(x).setY(y);
    this.#showPath(figure, twist);
  }

  #showFeet(figure: Figure, traces: Traces): void {
    for (const leg of figure.legs) {
      const { ring, trace } = this.#foot(leg.name);
      const colour = leg.isDown ? this.#look.stance : this.#look.swing;
      ring.position.set(leg.foot[0], leg.foot[1], 0.003);
      ring.material.color = colour;
      ring.material.opacity = leg.isDown ? 0.95 : 0.35;
      ring.scale.setScalar(leg.isDown ? 1 : 0.8);
      trace.draw(traces.of(leg.name), figure.ground, this.#look.swing);
    }
  }

  /** Where feet that are in the air are to come down, on ground that is seen. */
  #showFootholds({ footholds, ground }: Figure): void {
    while (this.#footholds.length < footholds.length) {
      const mark = new Mesh(new RingGeometry(0.005, 0.009, 24), flat(this.#look.centre, 1));
      this.#footholds.push(mark);
      this.add(mark);
    }
    this.#footholds.forEach((mark, i) => {
      const at = footholds[i];
      mark.visible = at !== undefined;
      if (at) mark.position.set(at[0], at[1], at[2] - ground + 0.004);
    });
  }

  #foot(name: string): { ring: Mesh<RingGeometry, MeshBasicMaterial>; trace: Trace } {
    let foot = this.#feet.get(name);
    if (!foot) {
      foot = { ring: new Mesh(new RingGeometry(0.012, 0.0165, 32), flat(this.#look.stance, 1)), trace: new Trace() };
      this.#feet.set(name, foot);
      this.add(foot.ring, foot.trace);
    }
    return foot;
  }

  #showSupport({ support, margin }: Figure): void {
    const colour = margin !== undefined && margin > THIN_MARGIN_M ? this.#look.stance : this.#look.alarm;
    this.#support.material.color = colour;
    this.#edge.material.color = colour;
    const corners = support.slice(0, MOST_CORNERS);
    this.#edge.draw(corners, true);
    const positions = this.#support.geometry.getAttribute("position") as BufferAttribute;
    const [first] = corners;
    const triangles = first ? Math.max(0, corners.length - 2) : 0;
    for (let i = 0; i < triangles; i += 1) {
      [first, corners[i + 1], corners[i + 2]].forEach((corner, k) => {
        positions.setXYZ(3 * i + k, corner?.[0] ?? 0, corner?.[1] ?? 0, 0);
      });
    }
    positions.needsUpdate = true;
    this.#support.geometry.setDrawRange(0, triangles * 3);
  }

  #showPath(figure: Figure, twist: Twist): void {
    const onGround = ([x, y]: Vec2): Vec2 => {
      const [px, py] = apply(figure.odomFromBody, [x, y, 0]);
      return [px, py];
    };
    this.#path.draw(isStill(twist) ? [] : pathOf(twist, PATH_S).map(onGround));
    const centre = turningCentre(twist);
    const isNear = centre !== undefined && Math.hypot(...centre) < FARTHEST_CENTRE_M;
    this.#centre.visible = isNear;
    if (!isNear) return;
    const [x, y] = onGround(centre);
    this.#centre.position.setX(x).setY(y);
  }
}

/** Where a foot was, fading with age. */
class Trace extends Line<BufferGeometry, LineBasicMaterial> {
  constructor() {
    const geometry = new BufferGeometry();
    const buffer = (size: number) => new BufferAttribute(new Float32Array(TRACE_POINTS * size), size);
    geometry.setAttribute("position", buffer(3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", buffer(4).setUsage(DynamicDrawUsage));
    super(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.frustumCulled = false;
  }

  draw(points: readonly (readonly [number, number, number])[], ground: number, { r, g, b }: Color): void {
    const shown = points.slice(-TRACE_POINTS);
    const positions = this.geometry.getAttribute("position") as BufferAttribute;
    const colours = this.geometry.getAttribute("color") as BufferAttribute;
    shown.forEach(([x, y, z], i) => {
      positions.setXYZ(i, x, y, z - ground + 0.002);
      colours.setXYZW(i, r, g, b, (0.85 * (i + 1)) / shown.length);
    });
    positions.needsUpdate = colours.needsUpdate = true;
    this.geometry.setDrawRange(0, shown.length);
  }
}

function flat(color: Color, opacity: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ color, transparent: true, opacity, depthWrite: false, side: DoubleSide });
}
