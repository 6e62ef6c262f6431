/** The messages of `docs/web_protocol.md`, version 1. */

export const VERSION = 1;
export const SUBPROTOCOL = "hexapod.v1";
/** Of connections that only stop. */
export const STOP_SUBPROTOCOL = "hexapod.stop";

export type StopKind = "emergency" | "halt";
export type Service = "stand" | "sit" | "pack" | "enable" | "disable";

export interface BodyPose {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly roll: number;
  readonly pitch: number;
  readonly yaw: number;
}

export interface StopMessage {
  type: "stop";
  kind: StopKind;
}

export type ClientMessage =
  | { type: "hello"; version: number; name: string }
  | { type: "ping"; id: number }
  | { type: "lease"; id: number; want: "take" | "take_over" | "release" }
  | StopMessage
  | { type: "drive"; seen: number; vx: number; vy: number; wz: number }
  | { type: "arc"; seen: number; velocity: number; curvature: number }
  | ({ type: "pose"; seen: number } & BodyPose)
  | { type: "gait"; id: number; name: string }
  | { type: "motion"; id: number; name: string; seen: number }
  | { type: "call"; id: number; service: Service; seen: number }
  | { type: "record"; id: number; on: boolean }
  | { type: "stop_all"; id: number };

export interface Welcome {
  readonly type: "welcome";
  readonly version: number;
  readonly id: number;
  readonly name: string;
  readonly namespace: string;
  /** Seconds after the last intent until the robot is asked to stop. */
  readonly dead_man: number;
  readonly full_stick: { readonly linear: number; readonly angular: number };
  readonly state_rate: number;
  readonly max_clients: number;
}

export interface RobotFacts {
  readonly type: "robot";
  readonly revision: number;
  readonly joints: readonly string[];
  readonly legs: readonly string[];
  readonly gaits: readonly string[];
  readonly motions: readonly string[];
  readonly description: string | null;
}

export interface State {
  readonly type: "state";
  readonly n: number;
  /** Seconds on the server's clock. */
  readonly t: number;
  readonly revision: number;
  readonly joints: readonly number[] | null;
  /** Position, then quaternion, of the body. */
  readonly odom: readonly number[] | null;
  readonly contacts: readonly number[] | null;
  /** What is walked: vx, vy, wz. */
  readonly twist: readonly number[] | null;
  /** Chosen on ground that is seen, in the odometry's frame. */
  readonly footholds?: readonly (readonly [number, number, number])[];
  readonly gait_state: string | null;
  readonly age: Partial<Record<"joints" | "odom" | "planner" | "driver", number | null>>;
}

export interface NodeHealth {
  readonly name: string;
  /** 0 ok, 1 warning, 2 error, 3 stale. */
  readonly level: number;
  readonly message: string;
  readonly age: number | null;
  readonly values: Readonly<Record<string, string>>;
}

export interface Health {
  readonly type: "health";
  readonly t: number;
  readonly level: number;
  readonly nodes: readonly NodeHealth[];
  readonly battery: { readonly voltage: number | null; readonly percentage: number | null } | null;
  readonly motion: { readonly name: string; readonly level: number; readonly message: string } | null;
  readonly camera: boolean;
  /** Whether there is a map of the ground. */
  readonly elevation?: boolean;
}

/** The robots of other namespaces on the network. */
export interface Fleet {
  readonly type: "fleet";
  readonly robots: readonly FleetRobot[];
}

export interface FleetRobot {
  readonly name: string;
  /** Whether it has confirmed the last stop of all; null: not reached yet, or there was none. */
  readonly is_stopped: boolean | null;
  readonly message: string;
}

export interface Lease {
  readonly type: "lease";
  readonly driver: number | null;
  readonly clients: readonly { readonly id: number; readonly name: string }[];
  readonly change: "none" | "joined" | "left" | "taken" | "taken_over" | "released" | "lost";
  readonly by: number | null;
  readonly from: number | null;
}

export interface StopState {
  readonly type: "stop";
  readonly kind: "none" | StopKind;
  readonly phase: "asked" | "confirmed" | "failed" | "unanswered" | null;
  readonly by: number | null;
  readonly name: string | null;
  readonly message: string;
  readonly holds: "enable" | "zero" | "nothing";
}

export interface LogEvent {
  readonly t: number;
  readonly level: number;
  readonly source: string;
  readonly text: string;
}

export interface Answer {
  readonly type: "answer";
  readonly id: number;
  readonly ok: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface Refused {
  readonly type: "refused";
  readonly of: string;
  readonly reason: string;
  readonly message: string;
}

export interface Recording {
  readonly type: "recording";
  readonly on: boolean;
  readonly bytes: number;
  readonly limit: number;
  readonly seconds: number;
  readonly ready: boolean;
  readonly message: string;
}

export type ServerMessage =
  | Welcome
  | RobotFacts
  | State
  | Health
  | Lease
  | StopState
  | { readonly type: "event"; readonly events: readonly LogEvent[] }
  | Answer
  | Refused
  | { readonly type: "pong"; readonly id: number; readonly t: number }
  | Recording
  | Fleet;

const TYPES: ReadonlySet<string> = new Set([
  "welcome", "robot", "state", "health", "lease", "stop", "event", "answer", "refused", "pong", "recording", "fleet",
]);

/** A server's message, or `undefined` for one that a newer server may send and this page does not know. */
export function parse(text: string): ServerMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  // The server is of the same origin and release as this page; its types are checked by its own tests.
  return typeof value.type === "string" && TYPES.has(value.type) ? (value as ServerMessage) : undefined;
}
