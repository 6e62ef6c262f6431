/** The English words of the playground. */

import { toTheSide } from "./en_places.ts";

export const playground = {
  badge: "Playground",
  title: "Playground",
  help: "No real robot moves. Drop a URDF with its meshes and YAML files to walk another one.",
  choose: "Choose files",
  shipped: "Shipped robot",
  reading: "Reading the robot …",
  failed: "This robot cannot walk",
  ignored: {
    servos: "The playground has no servos",
    gamepad: "The playground has its own gamepad settings",
    unread: "Neither a URDF, a mesh, nor one of hexapod.yaml, robot.yaml, gaits.yaml and motions.yaml",
    xacro: "xacro is not expanded here: drop what `xacro robot.urdf.xacro > robot.urdf` writes",
    second: (used: string) => `One robot at a time: ${used} is used`,
    copy: (used: string) => `${used} is used`,
  },
  ignoredFile: (name: string, why: string) => `${name} is ignored. ${why}.`,
  ignoredMore: (count: number) => `${count} more files are ignored.`,
  missing: "The walking core is not in this build: run cargo xtask wasm, then cargo xtask page.",
  numbers: "Two numbers",
  velocity: "Velocity",
  curvature: "Curvature",
  walkOn: "Walk on by these two numbers",
  radius: (y: number) => `turning centre ${toTheSide(y)}`,
  tick: (us: string) => `a tick takes ${us} µs`,
  limited: (by: string) => `limited by ${by}`,
};
