/** A robot with its gaits and what it does as a link: all of it is in the fragment, which no server sees. */

import type { ConfigFileName } from "../../../../hexapod_wasm/binding/hexapod.js";

/** What a link holds. What is left out is as shipped. */
export interface Shared {
  readonly name?: string;
  readonly urdf?: string;
  readonly files?: Readonly<Partial<Record<ConfigFileName, string>>>;
  readonly gait?: string;
  readonly arc?: { readonly velocity: number; readonly curvature: number };
  readonly terrain?: string;
}

const KEY = "robot";
/** Longer links are cut by what they are sent with. */
export const LONGEST_LINK = 30_000;
/** A link that unpacks to more is none of ours. */
const MOST_TEXT = 4_000_000;
const FILES: readonly string[] = ["hexapod.yaml", "robot.yaml", "gaits.yaml", "motions.yaml"];

/** The fragment, or `undefined` where the robot is too large for a link. */
export async function fragmentOf(shared: Shared): Promise<string | undefined> {
  const stream = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length > LONGEST_LINK) return undefined;
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `#${KEY}=${base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** What a fragment holds; `undefined` where there is nothing of ours in it. What it describes, the core checks. */
export async function sharedIn(fragment: string): Promise<Shared | undefined> {
  const text = new URLSearchParams(fragment.replace(/^#/, "")).get(KEY);
  if (text === null || text.length > 2 * LONGEST_LINK) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return checked(JSON.parse(await inflated(bytes)));
  } catch {
    return undefined;
  }
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > MOST_TEXT) throw new Error("too long");
  }
}

function checked(value: unknown): Shared | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, urdf, files, gait, arc, terrain } = value as Record<string, unknown>;
  const text = (given: unknown): given is string => typeof given === "string";
  const { velocity, curvature } = (arc ?? {}) as Record<string, unknown>;
  const texts = Object.entries(files ?? {}).filter(([file, given]) => FILES.includes(file) && text(given));
  return {
    ...(text(name) ? { name } : {}), ...(text(urdf) ? { urdf } : {}), ...(text(gait) ? { gait } : {}), ...(text(terrain) ? { terrain } : {}),
    ...(texts.length > 0 ? { files: Object.fromEntries(texts) as Shared["files"] & object } : {}),
    ...(Number.isFinite(velocity) && Number.isFinite(curvature) ? { arc: { velocity: velocity as number, curvature: curvature as number } } : {}),
  };
}
