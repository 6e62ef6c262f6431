/** What a server would tell of the robot in this page. */

import type { Hexapod } from "../../../../hexapod_wasm/binding/hexapod.js";
import type { Health, RobotFacts, State, Welcome } from "../protocol/messages.ts";

export const WELCOME: Welcome = {
  type: "welcome", version: 1, id: 1, name: "playground", namespace: "/", dead_man: 0.4,
  full_stick: { linear: 0.15, angular: 0.8 }, state_rate: 60, max_clients: 1,
};

export function factsOf(hexapod: Hexapod, revision: number): RobotFacts {
  const { info, jointNames } = hexapod;
  return {
    type: "robot", revision, joints: jointNames, legs: info.legs.map((leg) => leg.name),
    gaits: info.gaits.map((gait) => gait.name), motions: info.motions.map((motion) => motion.name),
    description: String(revision),
  };
}

export function stateOf(hexapod: Hexapod, n: number, t: number, revision: number): State {
  return {
    type: "state", n, t, revision, joints: [...hexapod.joints], odom: [...hexapod.odom], contacts: [...hexapod.contacts],
    twist: [...hexapod.twist], gait_state: hexapod.state, age: { joints: 0, odom: 0, planner: 0, driver: 0 },
  };
}

export function healthOf(hexapod: Hexapod, t: number, servosOn: boolean, tickUs: number): Health {
  const { remark, motion } = hexapod;
  return {
    type: "health", t, level: remark ? 1 : 0,
    nodes: [
      { name: "gait_planner", level: remark ? 1 : 0, message: remark || hexapod.state, age: 0, values: {
        gait: hexapod.gait, "lateness p99 (us)": tickUs.toFixed(1), "limited by": hexapod.limitedBy,
      } },
      { name: "servo_driver", level: 0, message: "", age: 0, values: { state: servosOn ? "armed" : "disarmed" } },
    ],
    battery: null,
    motion: motion ? { name: motion, level: 0, message: `${(hexapod.motionProgress * 100).toFixed(0)} %` } : null,
    camera: false,
  };
}
