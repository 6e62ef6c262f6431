/** Files that are dropped on the page or chosen: a URDF, its meshes, and the owner's YAML files. */

import type { ConfigFileName, Description } from "../../../../hexapod_wasm/binding/hexapod.js";

const CONFIG: readonly string[] = ["hexapod.yaml", "robot.yaml", "gaits.yaml", "motions.yaml"];
const MESH = /\.(stl|dae|obj|ply|glb|gltf)$/i;

export interface Dropped {
  readonly description: Description;
  readonly meshes: ReadonlyMap<string, Blob>;
}

/** What the files describe; without a URDF, the robot that is there with these YAML files over its own. */
export async function readDropped(files: readonly File[], urdfBefore: string | undefined): Promise<Dropped> {
  const named = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  const urdf = named.find(({ path }) => /\.(urdf|xml)$/i.test(path));
  const meshes = new Map<string, Blob>(named.filter(({ path }) => MESH.test(path)).map(({ file, path }) => [path, file]));
  const bytes: Record<string, Uint8Array> = {};
  for (const [path, blob] of meshes) bytes[path] = new Uint8Array(await blob.arrayBuffer());
  const texts: Partial<Record<ConfigFileName, string>> = {};
  for (const { file } of named) {
    if (CONFIG.includes(file.name)) texts[file.name as ConfigFileName] = await file.text();
  }
  const text = urdf ? await urdf.file.text() : urdfBefore;
  return {
    description: { ...(text === undefined ? {} : { urdf: text }), ...(urdf ? { name: urdf.file.name } : {}), files: texts, meshes: bytes },
    meshes,
  };
}

/** All files of a drop, those in folders too. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A browser hands a folder out in pieces.
    const piece = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return found;
    found.push(...(await Promise.all(piece.map(filesIn))).flat());
  }
}
