/** What is wrong with a description: where, and what would be right. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 where there is none. */
  readonly line: number;
  readonly key: string;
  readonly message: string;
  readonly remedy: string;
}

export class RobotError extends Error {
  readonly problems: readonly Problem[];
}

export type ConfigFileName = "hexapod.yaml" | "robot.yaml" | "gaits.yaml" | "motions.yaml";

/** What describes a robot; what is left out is as shipped. */
export interface Description {
  readonly urdf?: string;
  readonly name?: string;
  readonly files?: Readonly<Partial<Record<ConfigFileName, string>>>;
  readonly meshes?: Readonly<Record<string, Uint8Array>>;
}

export interface JointInfo {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
  readonly velocity: number;
}

export interface LegInfo {
  readonly name: string;
  readonly side: "left" | "right";
  readonly rank: number;
  readonly foot: string;
  readonly hip: readonly [number, number, number];
  readonly rest: readonly [number, number];
  readonly joints: readonly JointInfo[];
}

export interface RobotInfo {
  readonly robot: string;
  readonly urdf: string;
  readonly baseLink: string;
  readonly legs: readonly LegInfo[];
  readonly gaits: readonly { readonly name: string; readonly stepHeight: number | null; readonly stable: boolean }[];
  readonly gait: string;
  readonly motions: readonly { readonly name: string; readonly about: string }[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  readonly notes: readonly string[];
  readonly bodyHeight: number;
  readonly sitHeight: number;
  readonly stepHeight: number;
  readonly maxStepHeight: number;
  readonly maxStride: number;
  readonly limits: {
    readonly linearVelocity: number;
    readonly angularVelocity: number;
    readonly linearAcceleration: number;
    readonly angularAcceleration: number;
    readonly linearJerk: number;
    readonly angularJerk: number;
  };
  readonly canPack: boolean;
}

export type RobotState = "sitting" | "standing" | "walking" | "stopping" | "playing";

export type LimitedBy =
  | "nothing"
  | "acceleration"
  | "velocity"
  | "stride"
  | "reach"
  | "stability"
  | "joint acceleration"
  | "joint velocity"
  | "kinematics"
  | "planning";

/** A robot without hardware. Commands return "", or why they are refused. */
export class Hexapod {
  private constructor();
  static load(module: WebAssembly.Module | BufferSource, description?: Description): Promise<Hexapod>;

  readonly info: RobotInfo;
  readonly jointNames: readonly string[];
  readonly jointsPerLeg: readonly number[];

  setTwist(vx: number, vy: number, wz: number): string;
  setArc(velocity: number, curvature: number): string;
  setBodyPose(x: number, y: number, z: number, roll: number, pitch: number, yaw: number): string;
  setGait(name: string): string;
  setStepHeight(height: number): string;
  setContact(leg: number, felt: boolean | null): string;
  play(motion: string): string;
  finishMotion(): string;
  stand(): string;
  sit(): string;
  pack(): string;
  stop(): string;
  freeze(): string;
  reset(): string;
  step(dt: number): void;

  readonly time: number;
  readonly joints: Float64Array;
  readonly velocities: Float64Array;
  readonly feet: Float64Array;
  readonly feetInOdom: Float64Array;
  readonly contacts: Float64Array;
  readonly body: Float64Array;
  readonly odom: Float64Array;
  readonly footprint: Float64Array;
  readonly legPoints: Float64Array;
  readonly support: Float64Array;
  readonly centre: Float64Array;
  readonly margin: number;
  readonly twist: Float64Array;
  readonly wantedTwist: Float64Array;
  readonly travelled: number;
  readonly turned: number;
  readonly phase: number;
  readonly state: RobotState;
  readonly limitedBy: LimitedBy;
  readonly gait: string;
  readonly motion: string;
  readonly motionProgress: number;
  readonly packed: boolean;
  readonly remark: string;
  /** All of the state, for a recording. */
  readonly numbers: Float64Array;
}
