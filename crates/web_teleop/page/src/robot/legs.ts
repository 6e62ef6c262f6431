/** Which links make up each leg, from the names of the legs and the tree of the URDF. */

import type { Joint, Model } from "./model.ts";

/** A leg's frames from the hip outward; the last one is the foot. */
export interface LegChain {
  readonly name: string;
  readonly frames: readonly string[];
  readonly joints: readonly string[];
}

const LEAST_JOINTS = 2;
const FOOT = /foot|toe|tip/i;

/**
 * The chain of each named leg: the one whose joints carry the leg's name, else the next one that is left over, in the
 * order of the URDF. Legs without a chain are left out.
 */
export function findLegs(model: Model, names: readonly string[]): LegChain[] {
  const free = chains(model);
  const take = (index: number): LegChain | undefined => (index < 0 ? undefined : free.splice(index, 1)[0]);
  const named = new Map(names.map((name) => [name, take(free.findIndex((chain) => bears(chain, name)))]));
  return names.flatMap((name) => {
    const chain = named.get(name) ?? take(free.length > 0 ? 0 : -1);
    return chain ? [{ ...chain, name }] : [];
  });
}

/** Names must end where the leg's ends: `leg1` is not in `leg10_coxa`. */
function bears(chain: LegChain, name: string): boolean {
  const escaped = name.replace(/[^A-Za-z0-9]/g, "\\$&");
  const pattern = new RegExp(`(^|[^A-Za-z0-9])${escaped}($|[^A-Za-z0-9])`);
  return chain.joints.some((joint) => pattern.test(joint)) || chain.frames.some((frame) => pattern.test(frame));
}

/** Every way from the root to an end of the tree with enough joints that move, the longest of those that share a hip. */
function chains(model: Model): LegChain[] {
  const byHip = new Map<string, LegChain>();
  const visit = (link: string, joints: readonly Joint[], frames: readonly string[]): void => {
    const onward = model.links.get(link)?.joints ?? [];
    for (const joint of onward) {
      const moves = joint.motion !== "fixed";
      visit(joint.child, moves ? [...joints, joint] : joints, moves || joints.length > 0 ? [...frames, joint.child] : frames);
    }
    const hip = joints[0];
    if (!hip || joints.length < LEAST_JOINTS || onward.length > 0) return;
    const chain = trimmed({ name: hip.name, frames, joints: joints.map((joint) => joint.name) });
    const rival = byHip.get(hip.name);
    if (!rival || rank(chain) > rank(rival)) byHip.set(hip.name, chain);
  };
  visit(model.root, [], []);
  return [...byHip.values()];
}

/** Ends at the foot where a link is named as one. */
function trimmed(chain: LegChain): LegChain {
  const foot = chain.frames.findLastIndex((frame) => FOOT.test(frame));
  return foot < chain.joints.length - 1 ? chain : { ...chain, frames: chain.frames.slice(0, foot + 1) };
}

function rank(chain: LegChain): number {
  return chain.joints.length * 10 + (FOOT.test(chain.frames.at(-1) ?? "") ? 1 : 0);
}
