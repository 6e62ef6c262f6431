/** The 3D view: draws when there is something new, and no more pixels than it can in time. */

import {
  Box3, DirectionalLight, Group, HemisphereLight, Matrix4, Object3D, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { URDFRobot } from "urdf-loader";
import type { Twist } from "../geometry/arc.ts";
import type { Pose } from "../geometry/vec.ts";
import type { Elevation } from "../robot/elevation.ts";
import type { Figure } from "../robot/figure.ts";
import type { Traces } from "../robot/traces.ts";
import { Bones } from "./bones.ts";
import { Ground } from "./ground.ts";
import { lookOf } from "./look.ts";
import type { ReadBytes } from "./meshes.ts";
import { Overlays } from "./overlays.ts";
import { isSoftware, Pixels } from "./pixels.ts";
import { loadRobot } from "./robot.ts";
import { Tiles } from "./tiles.ts";

Object3D.DEFAULT_UP.set(0, 0, 1);

export class View3d {
  readonly #canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(38, 1, 0.02, 20);
  readonly #controls: OrbitControls;
  readonly #world = new Group();
  readonly #ground: Ground;
  readonly #overlays: Overlays;
  readonly #bones: Bones;
  readonly #tiles: Tiles;
  readonly #pixels: Pixels;
  #robot: URDFRobot | undefined;
  #size = 0.3;
  #height = 0.1;
  /** Whether the size is that of the robot as it is: its meshes come later than itself. */
  #isMeasured = false;
  #isDue = false;
  readonly #target = new Vector3(0, 0, 0.06);

  /** Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#renderer = new WebGLRenderer({ canvas, antialias: !isSoftware(), alpha: true, powerPreference: "low-power" });
    const look = lookOf(canvas);
    this.#ground = new Ground(look.grid);
    this.#overlays = new Overlays(look);
    this.#pixels = new Pixels(this.#renderer);
    this.#bones = new Bones(look.centre);
    this.#tiles = new Tiles(look);
    this.#world.add(this.#ground, this.#tiles, this.#overlays, this.#bones);
    this.#scene.add(this.#world, ...lights());
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.enablePan = false;
    this.#controls.maxPolarAngle = Math.PI * 0.495;
    this.#controls.addEventListener("change", () => this.refresh());
    this.#place();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  recolour(): void {
    const look = lookOf(this.#canvas);
    this.#ground.recolour(look.grid);
    this.#overlays.recolour(look);
    this.#bones.recolour(look.centre);
    this.#tiles.recolour(look);
    this.refresh();
  }

  setRobot(urdf: string, read: ReadBytes, failed: (uri: string) => void): void {
    this.#robot?.removeFromParent();
    this.#overlays.forgetFeet();
    const changed = (): void => { this.#isMeasured = false; };
    const robot = loadRobot(urdf, read, changed, failed);
    robot.matrixAutoUpdate = false;
    this.#robot = robot;
    this.#world.add(robot);
    changed();
  }

  /** Draws a map of the ground, or none. */
  setElevation(map: Elevation | undefined): void {
    this.#tiles.draw(map);
    this.refresh();
  }

  show(figure: Figure, twist: Twist, traces: Traces): void {
    if (this.#robot) {
      for (const [name, angle] of figure.angles) this.#robot.joints[name]?.setJointValue(angle);
      this.#robot.matrix.copy(matrixOf(figure.odomFromBody, figure.ground));
    }
    // It may have been sitting when it was measured.
    const hasRisen = figure.odomFromBody.t[2] - figure.ground > this.#height * 1.3;
    if (!this.#isMeasured || hasRisen) this.#measure(figure);
    if (this.#robot) this.#bones.show(figure, this.#robot);
    this.#overlays.show(figure, twist, traces);
    this.#tiles.position.z = -figure.ground;
    const [x, y] = figure.odomFromBody.t;
    this.#ground.follow(x, y, this.#size);
    this.#follow(x, y);
    this.refresh();
  }

  /** Turns back to where the camera began. */
  resetCamera(): void {
    this.#place();
    this.refresh();
  }

  /** Draws at the next frame. */
  refresh(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const askedMs = performance.now();
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#pixels.measure(askedMs, () => this.#renderer.render(this.#scene, this.#camera));
    });
  }

  /** Takes the robot's size as it stands there, and keeps the camera where it is unless that has changed much. */
  #measure(figure: Figure): void {
    if (!this.#robot) return;
    this.#isMeasured = true;
    this.#robot.updateMatrixWorld(true);
    const size = new Box3().setFromObject(this.#robot).getSize(new Vector3());
    const before = this.#size;
    const [x, y, z] = figure.odomFromBody.t;
    const reach = Math.max(0, ...figure.legs.map(({ foot }) => Math.hypot(foot[0] - x, foot[1] - y)));
    this.#size = Math.min(5, Math.max(0.1, size.length() / 2 || 0, Math.hypot(reach, z - figure.ground)));
    this.#height = Math.max(size.z || 0, z - figure.ground);
    if (Math.abs(this.#size - before) > before * 0.1) this.#place();
  }

  #place(): void {
    const distance = this.#size * 2.85;
    this.#target.setZ(this.#height * 0.2);
    this.#camera.position.copy(this.#target).add(new Vector3(-0.8, -0.52, 0.55).normalize().multiplyScalar(distance));
    this.#controls.target.copy(this.#target);
    this.#controls.minDistance = this.#size;
    this.#controls.maxDistance = this.#size * 14;
    this.#camera.near = this.#size / 20;
    this.#camera.far = this.#size * 60;
    this.#fit();
    this.#controls.update();
  }

  /** The camera goes along with the body and keeps its direction. */
  #follow(x: number, y: number): void {
    const [dx, dy] = [x - this.#target.x, y - this.#target.y];
    this.#target.set(x, y, this.#target.z);
    this.#camera.position.x += dx;
    this.#camera.position.y += dy;
    this.#controls.target.copy(this.#target);
    this.#camera.lookAt(this.#target);
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === 0 || height === 0) return;
    this.#pixels.resize(width, height);
    this.#camera.aspect = width / height;
    this.#fit();
    this.refresh();
  }

  /** On a tall screen the angle of view is that of the width. */
  #fit(): void {
    const { aspect } = this.#camera;
    const angle = (38 * Math.PI) / 360;
    this.#camera.fov = aspect >= 1.1 ? 38 : (Math.atan((Math.tan(angle) * 1.1) / aspect) * 360) / Math.PI;
    this.#camera.updateProjectionMatrix();
  }
}

function lights(): Object3D[] {
  const sky = new HemisphereLight(0xffffff, 0x6b7480, 1.4);
  const key = new DirectionalLight(0xffffff, 1.9);
  key.position.set(-1.2, -0.8, 2.2);
  const rim = new DirectionalLight(0xbcd4ff, 0.9);
  rim.position.set(1.5, 1.2, 0.8);
  return [sky, key, rim];
}

function matrixOf({ r, t }: Pose, ground: number): Matrix4 {
  return new Matrix4().set(
    r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2] - ground, 0, 0, 0, 1,
  );
}
