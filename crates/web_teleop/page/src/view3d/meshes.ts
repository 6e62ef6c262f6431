/** Reads a mesh of any format the server gives out; each format's reader is loaded when it is needed. */

import { Mesh, type Material, type Object3D } from "three";

export type ReadBytes = (uri: string) => Promise<ArrayBuffer>;

/** The mesh called `uri` in the URDF; `material` is for formats without colours of their own. */
export async function readMesh(uri: string, read: ReadBytes, material: Material): Promise<Object3D> {
  const extension = /\.([a-z]+)$/i.exec(uri)?.[1]?.toLowerCase() ?? "";
  const bytes = await read(uri);
  switch (extension) {
    case "stl": {
      const { STLLoader } = await import("three/examples/jsm/loaders/STLLoader.js");
      const shape = new STLLoader().parse(bytes);
      // Some writers leave all normals zero, which would be drawn black.
      shape.computeVertexNormals();
      return new Mesh(shape, material);
    }
    case "ply": {
      const { PLYLoader } = await import("three/examples/jsm/loaders/PLYLoader.js");
      const geometry = new PLYLoader().parse(bytes);
      geometry.computeVertexNormals();
      return new Mesh(geometry, material);
    }
    case "obj": {
      const { OBJLoader } = await import("three/examples/jsm/loaders/OBJLoader.js");
      return painted(new OBJLoader().parse(text(bytes)), material);
    }
    case "dae": {
      const { ColladaLoader } = await import("three/examples/jsm/loaders/ColladaLoader.js");
      const scene = new ColladaLoader().parse(text(bytes), "")?.scene;
      if (!scene) throw new Error(`${uri} has no scene`);
      return scene;
    }
    case "glb":
    case "gltf": {
      const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
      return (await new GLTFLoader().parseAsync(bytes, "")).scene;
    }
    default:
      throw new Error(`${uri}: no reader for .${extension}`);
  }
}

function text(bytes: ArrayBuffer): string {
  return new TextDecoder().decode(bytes);
}

function painted(object: Object3D, material: Material): Object3D {
  object.traverse((child) => {
    if (child instanceof Mesh) child.material = material;
  });
  return object;
}
