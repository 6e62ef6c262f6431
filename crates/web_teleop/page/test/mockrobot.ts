/** The mock's robot: the shipped hexapod's measures, a tripod gait, and nobody's idea of a real one. */

import type { ClientMessage, Health, LogEvent, RobotFacts, State } from "../src/protocol/messages.ts";

const LEGS = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
const HIPS = [[0.12, 0.07, 45], [0, 0.1, 90], [-0.12, 0.07, 135], [0.12, -0.07, -45], [0, -0.1, -90], [-0.12, -0.07, -135]] as const;
const [COXA, FEMUR, TIBIA, REACH] = [0.052, 0.066, 0.133, 0.135];
const HEIGHT = 0.09;
const CYCLE_S = 0.8;

type Twist = [number, number, number];

export class MockRobot {
  servos = "armed";
  /** Whether the servos take their time to come up. */
  armsSlowly = false;
  gait = "tripod";
  /** Why `enable` fails, or nothing. */
  refusal = "";
  /** What `/diagnostics` warns of. */
  warning = "";
  state_ = "standing";
  camera = false;
  /** The map of the ground as it is sent. */
  elevation: Buffer | undefined;
  readonly facts: RobotFacts = {
    type: "robot", revision: 1, joints: LEGS.flatMap((leg) => ["coxa", "femur", "tibia"].map((joint) => `${leg}_${joint}`)),
    legs: LEGS, gaits: ["tripod", "ripple", "amble", "wave"],
    motions: ["wave", "bow", "twist", "push_ups", "stretch", "dance", "march", "pirouette", "shake"], description: "\"1\"",
  };
  readonly events: LogEvent[] = [
    { t: 0.4, level: 0, source: "servo_driver", text: "simulated boards; the servos are off until enable" },
    { t: 0.6, level: 0, source: "gait_planner", text: "hexapod: 6 legs, 18 joints, tripod" },
    { t: 2.1, level: 1, source: "gait_planner", text: "SCHED_FIFO is not granted; the loop may be late" },
    { t: 3.4, level: 0, source: "servo_driver", text: "armed: all joints follow their commands" },
  ];
  #twist: Twist = [0, 0, 0];
  #pose = { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0 };
  #odom: Twist = [0, 0, 0];
  #isBarred = false;
  #phase = 0;
  #sinceS = 0;
  #stride = 0;

  intend(message: ClientMessage): void {
    this.#sinceS = 0;
    if (message.type === "drive") {
      // As the planner wants it of a source that was there while the servos were off.
      this.#isBarred &&= message.vx !== 0 || message.vy !== 0 || message.wz !== 0;
      if (this.#isBarred) return;
    }
    if (message.type === "pose") this.#pose = { ...message };
    else if (message.type === "drive") this.#twist = [message.vx, message.vy, message.wz];
    else if (message.type === "arc") this.#twist = [message.velocity, 0, message.velocity * message.curvature * 4];
    if (this.state_ === "standing" || this.state_ === "walking") this.state_ = this.#isMoving() ? "walking" : "standing";
  }

  halt(): void {
    this.#twist = [0, 0, 0];
    if (this.state_ === "walking") this.state_ = "standing";
  }

  /** Does what is asked, or says why not. */
  obey(message: ClientMessage): string {
    if (message.type === "gait") this.gait = message.name;
    if (message.type !== "call") return "";
    if (message.service === "enable") {
      if (this.refusal) return this.refusal;
      this.servos = this.armsSlowly ? "arming" : "armed";
    }
    if (message.service === "disable") {
      this.servos = "disarmed";
      this.#isBarred = true;
    }
    if (message.service === "stand") this.state_ = "standing";
    if (message.service === "sit" || message.service === "pack") this.state_ = "sitting";
    return "";
  }

  step(dt: number): void {
    this.#sinceS += dt;
    if (this.#sinceS > 0.3) this.halt();
    const goal = this.#isMoving() ? 1 : 0;
    this.#stride += (goal - this.#stride) * Math.min(1, dt * 6);
    if (this.#stride > 0.02) this.#phase = (this.#phase + dt / CYCLE_S) % 1;
    const [vx, vy, wz] = this.#twist;
    const [x, y, yaw] = this.#odom;
    this.#odom = [x + (vx * Math.cos(yaw) - vy * Math.sin(yaw)) * dt, y + (vx * Math.sin(yaw) + vy * Math.cos(yaw)) * dt, yaw + wz * dt];
  }

  state(n: number, t: number): State {
    const sits = this.state_ === "sitting";
    const height = (sits ? 0.03 : HEIGHT) + this.#pose.z;
    const feet = LEGS.map((_, leg) => this.#foot(leg));
    const [x, y, yaw] = this.#odom;
    return {
      type: "state", n, t, revision: 1,
      joints: feet.flatMap(({ at: [fx, fy, fz] }, leg) => solve(leg, fx - this.#pose.x, fy - this.#pose.y, fz - height)),
      odom: [x, y, height, 0, 0, Math.sin(yaw / 2), Math.cos(yaw / 2)],
      contacts: feet.map(({ isDown }) => (isDown ? 1 : 0)), twist: this.#twist, gait_state: this.state_,
      age: { joints: 0.01, odom: 0.01, planner: 0.02, driver: 0.4 },
    };
  }

  health(t: number): Health {
    const level = this.warning ? 1 : 0;
    const node = (name: string, message: string, values: Record<string, string>) => ({ name, level: 0, message, age: 0.4, values });
    return {
      type: "health", t, level,
      nodes: [
        { ...node("gait_planner", this.warning || this.state_, { gait: this.gait, "lateness p99 (us)": (80 + 20 * Math.sin(t)).toFixed(0) }), level },
        node("servo_driver", this.servos, { state: this.servos, "bus load (%)": (31 + Math.sin(t * 0.7)).toFixed(1) }),
        node("state_publisher", "ok", {}),
      ],
      battery: { voltage: 7.4, percentage: 0.81 }, motion: null, camera: this.camera, elevation: this.elevation !== undefined,
    };
  }

  #isMoving(): boolean {
    return this.#twist.some((value) => value !== 0);
  }

  #foot(leg: number): { at: Twist; isDown: boolean } {
    const [hx, hy, degrees] = HIPS[leg] ?? [0, 0, 0];
    const out = (degrees * Math.PI) / 180;
    const rest = [hx + REACH * Math.cos(out), hy + REACH * Math.sin(out)] as const;
    const phase = (this.#phase + (leg % 2) * 0.5) % 1;
    const isSwing = phase >= 0.5 && this.#stride > 0.02;
    const offset = phase < 0.5 ? 0.5 - 2 * phase : 2 * phase - 1.5;
    const [vx, vy, wz] = this.#twist;
    const scale = offset * CYCLE_S * 0.5 * this.#stride;
    const lift = isSwing ? 0.03 * Math.sin((phase - 0.5) * 2 * Math.PI) * this.#stride : 0;
    return { at: [rest[0] + (vx - wz * rest[1]) * scale, rest[1] + (vy + wz * rest[0]) * scale, lift], isDown: !isSwing };
  }
}

/** Closed form of a leg with a vertical hip axis and two level ones. */
function solve(leg: number, x: number, y: number, z: number): Twist {
  const [hx, hy, degrees] = HIPS[leg] ?? [0, 0, 0];
  const out = (degrees * Math.PI) / 180;
  const [dx, dy] = [x - hx, y - hy];
  const coxa = Math.atan2(-dx * Math.sin(out) + dy * Math.cos(out), dx * Math.cos(out) + dy * Math.sin(out));
  const r = Math.hypot(dx, dy) - COXA;
  const d = Math.min(FEMUR + TIBIA - 1e-4, Math.hypot(r, z));
  const femur = Math.acos((FEMUR ** 2 + d ** 2 - TIBIA ** 2) / (2 * FEMUR * d)) + Math.atan2(z, r);
  const tibia = Math.acos((FEMUR ** 2 + TIBIA ** 2 - d ** 2) / (2 * FEMUR * TIBIA)) - Math.PI;
  return [coxa, femur, tibia];
}
