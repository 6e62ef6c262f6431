/** Files that are dropped on the page or chosen: a URDF, its meshes, and the owner's YAML files. */

import type { ConfigFileName, Description } from "../../../../hexapod_wasm/binding/hexapod.js";
import { words } from "../words/index.ts";

const CONFIG: readonly string[] = ["hexapod.yaml", "robot.yaml", "gaits.yaml", "motions.yaml"];
const URDF = /\.(urdf|xml)$/i;
/** Most ignored files that are named. */
const MOST_NAMED = 8;
const MESH = /\.(stl|dae|obj|ply|glb|gltf)$/i;

export interface Dropped {
  readonly description: Description;
  readonly meshes: ReadonlyMap<string, Blob>;
  /** The files that are not used, each with the reason, in words. */
  readonly ignored: readonly string[];
}

/** What the files describe; without a URDF, the robot that is there with these YAML files over its own. */
export async function readDropped(files: readonly File[], before: Description): Promise<Dropped> {
  const named = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  const urdf = named.find(({ path }) => URDF.test(path));
  const meshes = new Map<string, Blob>(named.filter(({ path }) => MESH.test(path)).map(({ file, path }) => [path, file]));
  const bytes: Record<string, Uint8Array> = {};
  for (const [path, blob] of meshes) bytes[path] = new Uint8Array(await blob.arrayBuffer());
  const texts: Partial<Record<ConfigFileName, string>> = {};
  for (const { file } of named) {
    if (CONFIG.includes(file.name)) texts[file.name as ConfigFileName] ??= await file.text();
  }
  const text = urdf ? await urdf.file.text() : before.urdf;
  return {
    description: { ...(text === undefined ? {} : { urdf: text }), ...(urdf ? { name: urdf.file.name } : {}), files: texts, meshes: bytes },
    meshes,
    ignored: ignoredOf(named.map(({ path }) => path)),
  };
}

/** The mesh whose path ends as the address in the URDF does, in as many whole parts as possible: as the core chooses. */
export function meshOf(meshes: ReadonlyMap<string, Blob>, address: string): Blob | undefined {
  const shared = (path: string): number => {
    const [wanted, given] = [address.split("/").reverse(), path.split("/").reverse()];
    const first = wanted.findIndex((part, i) => part !== given[i]);
    return first < 0 ? wanted.length : first;
  };
  const paths = [...meshes.keys()].filter((path) => shared(path) > 0);
  const [best] = paths.sort((a, b) => shared(b) - shared(a));
  return best === undefined ? undefined : meshes.get(best);
}

/** What is said of the files that are not used; pictures and the like in a folder of meshes are often many. */
export function ignoredOf(paths: readonly string[]): string[] {
  const ignored = paths.map((path, index) => [path, whyIgnored(path, paths.slice(0, index))] as const);
  const reported = ignored.flatMap(([path, why]) => (why === undefined ? [] : [words.playground.ignoredFile(path, why)]));
  const more = reported.length - MOST_NAMED;
  return more > 0 ? [...reported.slice(0, MOST_NAMED), words.playground.ignoredMore(more)] : reported;
}

function whyIgnored(path: string, before: readonly string[]): string | undefined {
  const reasons = words.playground.ignored;
  const nameOf = (of: string): string => of.slice(of.lastIndexOf("/") + 1);
  const name = nameOf(path);
  if (URDF.test(path)) {
    const used = before.find((other) => URDF.test(other));
    return used === undefined ? undefined : reasons.second(used);
  }
  if (CONFIG.includes(name)) {
    const used = before.find((other) => nameOf(other) === name);
    return used === undefined ? undefined : reasons.copy(used);
  }
  if (MESH.test(path)) return undefined;
  if (name === "servos.yaml") return reasons.servos;
  if (name === "joystick.yaml") return reasons.gamepad;
  return /\.xacro$/i.test(name) ? reasons.xacro : reasons.unread;
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
