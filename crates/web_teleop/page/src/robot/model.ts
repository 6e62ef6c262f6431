/** A robot's kinematics and masses from its URDF, as far as drawing needs them: no meshes, no limits. */

import { apply, compose, fromAxisAngle, fromXyzRpy, IDENTITY, type Pose, type Vec3 } from "../geometry/vec.ts";

export interface Joint {
  readonly name: string;
  readonly child: string;
  readonly origin: Pose;
  readonly motion: "fixed" | "turns" | "slides";
  readonly axis: Vec3;
  /** The joint it copies, with its factor and offset. */
  readonly mimic: { readonly joint: string; readonly factor: number; readonly offset: number } | undefined;
}

export interface Link {
  readonly name: string;
  readonly mass: number;
  /** Centre of mass in the link's frame, m. */
  readonly centre: Vec3;
  readonly joints: readonly Joint[];
}

/** The part of a DOM element that is read, so that any XML parser serves. */
export interface XmlElement {
  readonly nodeName: string;
  readonly childNodes: ArrayLike<unknown>;
  getAttribute(name: string): string | null;
}

export type Poses = ReadonlyMap<string, Pose>;

export class Model {
  readonly root: string;
  readonly links: ReadonlyMap<string, Link>;

  private constructor(root: string, links: ReadonlyMap<string, Link>) {
    this.root = root;
    this.links = links;
  }

  /** Reads `<robot>`; throws with what is wrong when there is no single tree of links. */
  static read(robot: XmlElement): Model {
    const joints = children(robot, "joint");
    const links = new Map<string, Link>();
    for (const element of children(robot, "link")) {
      const name = element.getAttribute("name") ?? "";
      const onward = joints.filter((joint) => child(joint, "parent")?.getAttribute("link") === name);
      links.set(name, { name, ...massOf(element), joints: onward.map(readJoint) });
    }
    const carried = new Set([...links.values()].flatMap((link) => link.joints.map((joint) => joint.child)));
    const root = [...links.keys()].find((name) => !carried.has(name));
    if (root === undefined) throw new Error("the URDF has no root link");
    return new Model(root, links);
  }

  /** The frame of each link in the root link's frame, for joint angles by name; absent ones are 0. */
  poses(angles: ReadonlyMap<string, number>): Poses {
    const poses = new Map<string, Pose>();
    const visit = (name: string, pose: Pose): void => {
      const link = this.links.get(name);
      if (!link || poses.has(name)) return;
      poses.set(name, pose);
      for (const joint of link.joints) visit(joint.child, compose(pose, poseOf(joint, angles)));
    };
    visit(this.root, IDENTITY);
    return poses;
  }

  /** Centre of mass in the root link's frame; without masses the root's origin. */
  centreOfMass(poses: Poses): Vec3 {
    let [total, x, y, z] = [0, 0, 0, 0];
    for (const link of this.links.values()) {
      const pose = poses.get(link.name);
      if (!pose || !(link.mass > 0)) continue;
      const centre = apply(pose, link.centre);
      total += link.mass;
      x += link.mass * centre[0];
      y += link.mass * centre[1];
      z += link.mass * centre[2];
    }
    return total > 0 ? [x / total, y / total, z / total] : [0, 0, 0];
  }
}

function poseOf(joint: Joint, angles: ReadonlyMap<string, number>): Pose {
  if (joint.motion === "fixed") return joint.origin;
  const { mimic } = joint;
  const value = mimic
    ? (angles.get(mimic.joint) ?? 0) * mimic.factor + mimic.offset
    : (angles.get(joint.name) ?? 0);
  const [x, y, z] = joint.axis;
  const moved: Pose = joint.motion === "turns"
    ? fromAxisAngle(joint.axis, value)
    : { r: IDENTITY.r, t: [x * value, y * value, z * value] };
  return compose(joint.origin, moved);
}

function readJoint(element: XmlElement): Joint {
  const type = element.getAttribute("type");
  const mimic = child(element, "mimic");
  return {
    name: element.getAttribute("name") ?? "",
    child: child(element, "child")?.getAttribute("link") ?? "",
    origin: originOf(element),
    motion: type === "revolute" || type === "continuous" ? "turns" : type === "prismatic" ? "slides" : "fixed",
    axis: unit(triple(child(element, "axis")?.getAttribute("xyz"), [1, 0, 0])),
    mimic: mimic
      ? {
          joint: mimic.getAttribute("joint") ?? "",
          factor: Number(mimic.getAttribute("multiplier") ?? 1),
          offset: Number(mimic.getAttribute("offset") ?? 0),
        }
      : undefined,
  };
}

function massOf(link: XmlElement): { mass: number; centre: Vec3 } {
  const inertial = child(link, "inertial");
  if (!inertial) return { mass: 0, centre: [0, 0, 0] };
  const mass = Number(child(inertial, "mass")?.getAttribute("value") ?? 0);
  return { mass: Number.isFinite(mass) ? mass : 0, centre: originOf(inertial).t };
}

function originOf(element: XmlElement): Pose {
  const origin = child(element, "origin");
  return fromXyzRpy(triple(origin?.getAttribute("xyz"), [0, 0, 0]), triple(origin?.getAttribute("rpy"), [0, 0, 0]));
}

function triple(text: string | null | undefined, otherwise: Vec3): Vec3 {
  const [x, y, z] = (text ?? "").trim().split(/\s+/).map(Number);
  const isRead = [x, y, z].every((value) => value !== undefined && Number.isFinite(value));
  return isRead ? [x ?? 0, y ?? 0, z ?? 0] : otherwise;
}

function unit([x, y, z]: Vec3): Vec3 {
  const length = Math.hypot(x, y, z);
  return length > 0 ? [x / length, y / length, z / length] : [1, 0, 0];
}

function child(element: XmlElement, name: string): XmlElement | undefined {
  return children(element, name)[0];
}

function children(element: XmlElement, name: string): XmlElement[] {
  return Array.from(element.childNodes).filter(
    (node): node is XmlElement => (node as XmlElement).nodeName === name && "getAttribute" in (node as XmlElement),
  );
}
