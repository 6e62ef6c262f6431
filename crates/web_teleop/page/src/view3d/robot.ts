/** The robot's body in 3D from its URDF, with all boxes of a link merged into one mesh. */

import {
  BufferAttribute, BufferGeometry, LoadingManager, Matrix4, Mesh, MeshLambertMaterial, type Color, type Material,
  type Object3D,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import URDFLoader, { type URDFRobot } from "urdf-loader";
import { readMesh, type ReadBytes } from "./meshes.ts";

/** Reads the URDF; `changed` is called as meshes arrive, `failed` with the name of one that cannot be had. */
export function loadRobot(urdf: string, read: ReadBytes, changed: () => void, failed: (uri: string) => void): URDFRobot {
  const loader = new URDFLoader(new LoadingManager());
  let missing = 0;
  loader.packages = (name: string) => `package://${name}`;
  loader.workingPath = "";
  loader.loadMeshCb = (uri, _manager, material, done) => {
    missing += 1;
    void readMesh(uri, read, material).then(done, (error: unknown) => {
      failed(`${uri}: ${String(error)}`);
    }).finally(() => {
      missing -= 1;
      if (missing === 0) mergeLinks(robot);
      changed();
    });
  };
  const robot = loader.parse(urdf);
  if (missing === 0) mergeLinks(robot);
  return robot;
}

/** A hundred small boxes are a hundred draw calls; a link that moves as one is drawn as one. */
function mergeLinks(robot: URDFRobot): void {
  robot.updateMatrixWorld(true);
  for (const link of Object.values(robot.links)) {
    const meshes = visualsOf(link).filter(isPlain);
    if (meshes.length < 2) continue;
    const toLink = new Matrix4().copy(link.matrixWorld).invert();
    const merged = mergeGeometries(meshes.map((mesh) => coloured(mesh, toLink)), false);
    for (const mesh of meshes) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
    link.add(new Mesh(merged, new MeshLambertMaterial({ vertexColors: true })));
  }
}

/** The meshes of this link and not of those behind its joints. */
function visualsOf(link: Object3D): Mesh[] {
  return link.children.flatMap((child) => {
    if ("isURDFJoint" in child || "isURDFLink" in child || "isURDFCollider" in child) return [];
    return child instanceof Mesh ? [child as Mesh, ...visualsOf(child)] : visualsOf(child);
  });
}

function isPlain(mesh: Mesh): boolean {
  const material = mesh.material as Material & { map?: unknown; color?: Color };
  return !Array.isArray(mesh.material) && !material.map && !material.transparent && material.color !== undefined;
}

function coloured(mesh: Mesh, toLink: Matrix4): BufferGeometry {
  const source = mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry.clone();
  if (!source.getAttribute("normal")) source.computeVertexNormals();
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", source.getAttribute("position"));
  geometry.setAttribute("normal", source.getAttribute("normal"));
  geometry.applyMatrix4(new Matrix4().multiplyMatrices(toLink, mesh.matrixWorld));
  // URDF's colours are meant for a screen, and the loader takes them for light.
  const color = (mesh.material as Material & { color: Color }).color.clone().convertSRGBToLinear();
  const count = geometry.getAttribute("position").count;
  const colours = new Float32Array(count * 3);
  for (let i = 0; i < count; i += 1) colours.set([color.r, color.g, color.b], i * 3);
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}
