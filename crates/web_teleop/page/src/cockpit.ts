/** What the person at the page sets: sticks, speed, steering, body pose, and the commands behind buttons and keys. */

import { DeadMan, isNothing, type Demand, type Release, type Source } from "./drive/deadman.ts";
import type { KeyCommand } from "./drive/keys.ts";
import { Pilot, REPEAT_MS } from "./drive/pilot.ts";
import { HALT, steer, toMessage, type Intent, type Steering } from "./drive/steering.ts";
import { Emitter } from "./emitter.ts";
import { clamp } from "./geometry/vec.ts";
import type { Answer, BodyPose, Service } from "./protocol/messages.ts";
import { readPose } from "./robot/bodypose.ts";
import { switchOff, type Question } from "./questions.ts";
import type { Asking, Session } from "./session.ts";
import { words } from "./words/index.ts";

interface Events {
  /** Speed, steering or pose have changed. */
  settings: undefined;
  /** Something to tell the person. */
  notice: string;
  /** What the sticks, keys and gamepad ask for together. */
  demand: Demand;
  /** Every grip was ended; whether there was one. */
  released: { readonly reason: Release; readonly wasHeld: boolean };
  /** Something to be answered first. */
  question: Question;
  /** The servos were asked to be switched on and stay off, with the checks' words. */
  checks: string;
  help: undefined;
  motions: undefined;
}

export const UPRIGHT: BodyPose = { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0 };
/** As far as the planner lets the body be moved. */
export const MOST_OFFSET_M = 0.06;
export const MOST_TILT_RAD = (20 * Math.PI) / 180;
const POSE_GAP_MS = 80;
/** The robot tells of a pose that was asked for within this time. */
const POSE_REPORTED_MS = 2500;
/** As long as a command waits for the zero that a new driver owes. */
const READY_MS = 400;
const HEIGHT_STEP_M = 0.005;
const SPEED_STEP = 0.1;
const SLOWEST = 0.1;

export class Cockpit extends Emitter<Events> {
  readonly deadman: DeadMan = new DeadMan(() => {
    this.#update();
    this.emit("demand", this.deadman.demand());
  });
  speed = 0.7;
  steering: Steering = { kind: "sticks" };
  pose = UPRIGHT;
  readonly #session: Session;
  readonly #pilot: Pilot;
  /** Whether a grip that is still held has asked for the lease. */
  #asks = false;
  #poseMs = -Infinity;
  #poseTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    super();
    this.#session = session;
    this.#pilot = new Pilot((intent) => session.transport.send(toMessage(intent, this.#seen)));
    setInterval(() => this.#tick(), REPEAT_MS);
    session.on("refused", ({ reason }) => {
      if (reason === "release_first") this.#pilot.requireZero();
    });
    session.on("health", ({ nodes }) => {
      const asked = nodes.map((node) => readPose(node.values["body pose asked (mm, deg)"])).find(Boolean);
      if (asked && performance.now() - this.#poseMs > POSE_REPORTED_MS) this.#adopt(asked);
    });
    session.on("lost", () => {
      this.#pilot.disconnected();
      this.releaseAll("disconnected");
    });
    session.on("lease", (lease) => {
      if (!session.isDriver) return this.releaseIfHeld("lease");
      if (lease.by === session.welcome?.id && lease.change.startsWith("taken")) this.#pilot.requireZero();
      if (lease.change === "taken" && this.#asks) this.#pilot.begin();
      this.#asks = false;
      this.#update();
    });
    session.on("stop", (stop) => {
      if (stop.kind === "none") return;
      this.#pilot.requireZero();
      this.releaseIfHeld("stopped");
      this.#update();
    });
  }

  /** Whether the sticks must be let go before they count. */
  get awaitsRelease(): boolean {
    return this.#session.isDriver && this.#pilot.awaitsRelease && this.deadman.isHeld();
  }

  /** Begins a grip, and becomes the driver where there is none. */
  grip(source: Source): void {
    if (this.#session.isDriver && !this.deadman.isHeld()) this.#pilot.grip(this.#zero());
    this.deadman.grip(source);
    if (this.#session.isDriver || !this.#session.isOpen) return;
    const other = this.#session.otherDriver;
    if (other !== undefined) this.emit("notice", words.lease.needed(other));
    else this.#askToDrive();
  }

  #askToDrive(): void {
    this.#asks = true;
    void this.#session.ask({ type: "lease", want: "take" }).then(({ ok }) => {
      if (!ok) this.#asks = false;
    });
  }

  /** Ends every grip: the robot stops, and moves again only by a new touch. */
  releaseAll(reason: Release): void {
    const wasHeld = this.deadman.isHeld();
    this.#asks = false;
    this.deadman.releaseAll();
    this.emit("released", { reason, wasHeld });
  }

  releaseIfHeld(reason: Release): void {
    if (this.deadman.isHeld()) this.releaseAll(reason);
  }

  /** Tells the person something. */
  notify(text: string): void {
    this.emit("notice", text);
  }

  /** Asks the person something. */
  question(question: Question): void {
    this.emit("question", question);
  }

  setSpeed(speed: number): void {
    this.speed = clamp(speed, SLOWEST, 1);
    this.#changed();
  }

  setSteering(steering: Steering): void {
    this.steering = steering;
    this.#changed();
  }

  /** Moves the body: soon, and the newest only. */
  setPose(pose: Partial<BodyPose>): void {
    const next = { ...this.pose, ...pose };
    const metres = (value: number): number => clamp(value, -MOST_OFFSET_M, MOST_OFFSET_M);
    const radians = (value: number): number => clamp(value, -MOST_TILT_RAD, MOST_TILT_RAD);
    this.pose = {
      x: metres(next.x), y: metres(next.y), z: metres(next.z),
      roll: radians(next.roll), pitch: radians(next.pitch), yaw: radians(next.yaw),
    };
    this.emit("settings", undefined);
    const wait = POSE_GAP_MS - (performance.now() - this.#poseMs);
    this.#poseTimer ??= setTimeout(() => void this.#sendPose(), Math.max(0, wait));
  }

  /** Emergency stop: by whoever asks, driver or not. */
  emergencyStop(): void {
    this.#session.stop("emergency");
    this.releaseAll("stopped");
  }

  /** Stops with all feet on the ground. */
  halt(): void {
    this.#session.stop("halt");
    this.releaseAll("stopped");
  }

  /** Switches the servos off; asks first unless the robot sits, for else it falls. By button, key and gamepad alike. */
  switchOff(): void {
    const { isFresh, state } = this.#session;
    if (isFresh && state?.gait_state === "sitting") return void this.call("disable");
    this.question(switchOff(this));
  }

  async call(service: Service): Promise<Answer> {
    const answer = await this.ask({ type: "call", service, seen: this.#seen }, service === "enable");
    if (!answer.ok && service === "enable" && answer.message) this.emit("checks", answer.message);
    return answer;
  }

  /** Asks as the driver, and tells what is refused. */
  async ask(question: Asking, isReported = false): Promise<Answer> {
    const lease = await this.#becomeDriver();
    const answer = lease?.ok === false ? lease : await this.#session.ask(question);
    if (!answer.ok && !(isReported && answer.message)) this.emit("notice", wordsOf(answer, this.#session));
    return answer;
  }

  command(command: KeyCommand): void {
    switch (command) {
      case "emergency": return this.emergencyStop();
      case "halt": return this.halt();
      case "stand": case "sit": case "enable": return void this.call(command);
      case "disable": return this.switchOff();
      case "nextGait": return this.#nextGait();
      case "faster": return this.setSpeed(this.speed + SPEED_STEP);
      case "slower": return this.setSpeed(this.speed - SPEED_STEP);
      case "higher": return this.setPose({ z: this.pose.z + HEIGHT_STEP_M });
      case "lower": return this.setPose({ z: this.pose.z - HEIGHT_STEP_M });
      case "motions": return this.emit("motions", undefined);
      case "help": return this.emit("help", undefined);
    }
  }

  setGait(name: string): void {
    void this.ask({ type: "gait", name });
  }

  play(name: string): void {
    void this.ask({ type: "motion", name, seen: this.#seen });
  }

  #nextGait(): void {
    const gaits = this.#session.robot?.gaits ?? [];
    const next = gaits[(gaits.indexOf(this.#session.gait) + 1) % Math.max(1, gaits.length)];
    if (next !== undefined) this.setGait(next);
  }

  /** Another device may have moved the body. */
  #adopt(pose: BodyPose): void {
    this.pose = pose;
    this.emit("settings", undefined);
  }

  async #sendPose(): Promise<void> {
    this.#poseTimer = undefined;
    this.#poseMs = performance.now();
    const session = this.#session;
    const lease = await this.#becomeDriver();
    if (lease?.ok === false) return this.emit("notice", wordsOf(lease, session));
    if (!session.transport.isBackedUp()) session.transport.send({ type: "pose", seen: this.#seen, ...this.pose });
  }

  /** Takes the lease where there is no driver, and waits until the server knows that the sticks are at rest. */
  async #becomeDriver(): Promise<Answer | undefined> {
    if (this.#session.isDriver) return undefined;
    const lease = await this.#session.ask({ type: "lease", want: "take" });
    const end = performance.now() + READY_MS;
    // The lease itself may come after the answer.
    while (lease.ok && performance.now() < end && !(this.#session.isDriver && !this.#pilot.awaitsRelease)) {
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS / 2));
    }
    return lease;
  }

  get #seen(): number {
    return this.#session.state?.n ?? 0;
  }

  #changed(): void {
    this.emit("settings", undefined);
    this.#update();
  }

  #tick(): void {
    // A robot that is not heard is not driven; nor is one by a person who sees an old picture.
    if (this.#session.transport.isLive && this.#session.stateAgeMs > 1000) this.releaseIfHeld("disconnected");
    this.#update();
  }

  #update(): void {
    const session = this.#session;
    this.#pilot.update(this.#intent(), {
      nowMs: performance.now(),
      isDriver: session.isDriver,
      stateAgeMs: session.stateAgeMs,
      isBackedUp: session.transport.isBackedUp(),
    });
  }

  /** Nothing asked for, in the way of the steering. */
  #zero(): Intent {
    return this.steering.kind === "arc" ? { type: "arc", velocity: 0, curvature: this.steering.curvature } : HALT;
  }

  #intent(): Intent {
    const demand = this.deadman.demand();
    const full = this.#session.welcome?.full_stick;
    if (!full || isNothing(demand)) return HALT;
    return steer(demand, this.steering, { linear: full.linear * this.speed, angular: full.angular * this.speed });
  }
}

/** Why an answer is no, in words. */
export function wordsOf(answer: Answer, session: Session): string {
  if (answer.reason === "has_driver") return words.lease.needed(session.otherDriver ?? "");
  const reason = words.refused[answer.reason] ?? answer.reason;
  return answer.message && answer.reason === "service" ? answer.message : reason;
}
