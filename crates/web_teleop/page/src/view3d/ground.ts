/** A floor of squares that fades out, and the shade below the body. */

import {
  BufferAttribute, BufferGeometry, CanvasTexture, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  PlaneGeometry, type Color,
} from "three";

const CELL_M = 0.1;
const REACH = 15;
/** Cells between two points of a line, between which it fades evenly: each piece costs as much as a long line. */
const PIECE = 3;

export class Ground extends Group {
  readonly #grid = new Group();
  readonly #shade: Mesh<PlaneGeometry, MeshBasicMaterial>;
  readonly #materials: LineBasicMaterial[] = [];

  constructor(colour: Color) {
    super();
    for (const [isMain, opacity] of [[false, 0.55], [true, 1]] as const) {
      const material = new LineBasicMaterial({
        color: colour, vertexColors: true, transparent: true, opacity, depthWrite: false,
      });
      this.#materials.push(material);
      this.#grid.add(new LineSegments(gridLines(isMain), material));
    }
    const shade = new MeshBasicMaterial({ map: shadeTexture(), transparent: true, depthWrite: false, opacity: 0.4 });
    this.#shade = new Mesh(new PlaneGeometry(1, 1), shade);
    this.#shade.position.z = 0.0004;
    this.add(this.#grid, this.#shade);
  }

  recolour(colour: Color): void {
    for (const material of this.#materials) material.color = colour;
  }

  /** Keeps the floor below the robot: the grid moves by whole main squares, so it seems to stay. */
  follow(x: number, y: number, radius: number): void {
    const step = CELL_M * 5;
    this.#grid.position.set(Math.round(x / step) * step, Math.round(y / step) * step, 0);
    this.#shade.position.setX(x).setY(y);
    this.#shade.scale.setScalar(radius * 1.6);
  }
}

/** Lines of one kind: every fifth, or all others. */
function gridLines(isMain: boolean): BufferGeometry {
  const positions: number[] = [];
  const colours: number[] = [];
  const reach = REACH * CELL_M;
  const vertex = (x: number, y: number): void => {
    positions.push(x, y, 0);
    colours.push(1, 1, 1, Math.max(0, 1 - Math.hypot(x, y) / reach) ** 1.4);
  };
  for (let i = -REACH; i <= REACH; i += 1) {
    if ((i % 5 === 0) !== isMain) continue;
    for (let j = -REACH; j < REACH; j += PIECE) {
      const [a, b, c] = [i * CELL_M, j * CELL_M, (j + PIECE) * CELL_M];
      vertex(a, b);
      vertex(a, c);
      vertex(b, a);
      vertex(c, a);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
  return geometry;
}

function shadeTexture(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const context = canvas.getContext("2d");
  if (context) {
    const fade = context.createRadialGradient(64, 64, 4, 64, 64, 64);
    fade.addColorStop(0, "rgba(0,0,0,0.75)");
    fade.addColorStop(0.5, "rgba(0,0,0,0.35)");
    fade.addColorStop(1, "rgba(0,0,0,0)");
    context.fillStyle = fade;
    context.fillRect(0, 0, 128, 128);
  }
  return new CanvasTexture(canvas);
}
