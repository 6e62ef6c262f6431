/** What is known of the robot, its driver and this page's connection: the newest of each, and what changes. */

import { Emitter } from "./emitter.ts";
import type {
  Answer, ClientMessage, Fleet, Health, Lease, LogEvent, Recording, Refused, RobotFacts, ServerMessage, State, StopKind,
  StopState, Welcome,
} from "./protocol/messages.ts";
import { TOO_SLOW_MS } from "./protocol/roundtrip.ts";
import type { Contact, Transport } from "./protocol/transport.ts";

interface Events {
  contact: Contact;
  welcome: Welcome;
  robot: RobotFacts;
  state: State;
  health: Health;
  lease: Lease;
  stop: StopState;
  recording: Recording;
  fleet: Fleet;
  log: readonly LogEvent[];
  refused: Refused;
  /** The connection has ended: whatever was asked is forgotten. */
  lost: undefined;
}

const LOG_LENGTH = 300;
/** No state for this long: what is shown is old. */
const STALE_MS = 1000;
const ANSWER_MS = 6000;
/** A stop that is not answered by then is in doubt. */
const STOP_DOUBT_MS = 1000;
/** As long as a refusal for slowness is shown. */
const STALE_REPORTED_MS = 1500;

/** Whether a stop that this page asked for has reached the robot. */
export type StopDoubt = "none" | "unsent" | "unanswered" | "received";

/** A stop that this page asked for, until the robot has it and has reported it. */
interface AskedStop {
  readonly sinceMs: number;
  readonly kind: StopKind;
  readonly isSent: boolean;
  /** Whether the robot has received it, and whether a stop was reported before that. */
  readonly isTaken: boolean;
  readonly isReported: boolean;
}

/** A message that is answered, before it has its number. */
export type Asking = ClientMessage extends infer M ? (M extends { id: number } ? Omit<M, "id"> : never) : never;

export class Session extends Emitter<Events> {
  readonly transport: Transport;
  contact: Contact = { kind: "connecting", attempt: 0 };
  welcome: Welcome | undefined;
  robot: RobotFacts | undefined;
  state: State | undefined;
  health: Health | undefined;
  lease: Lease | undefined;
  stopState: StopState | undefined;
  recording: Recording | undefined;
  readonly log: LogEvent[] = [];
  #stateMs = -Infinity;
  #ids = 0;
  #staleMs = -Infinity;
  #askedStop: AskedStop | undefined;
  readonly #waiting = new Map<number, (answer: Answer) => void>();

  constructor(transport: Transport) {
    super();
    this.transport = transport;
  }

  start(): void {
    const owed = this.transport.owedStop;
    if (owed) this.#askedStop = { sinceMs: performance.now(), kind: owed.kind, isSent: false, isTaken: false, isReported: false };
    this.transport.start({
      stopTaken: () => this.#stopTaken(),
      contact: (contact) => this.#changeContact(contact),
      message: (message) => this.#take(message),
    });
  }

  get isOpen(): boolean {
    return this.contact.kind === "open";
  }

  /** Whether this page is the driver. */
  get isDriver(): boolean {
    return this.isOpen && this.lease !== undefined && this.lease.driver === this.welcome?.id;
  }

  /** The name of another client that drives. */
  get otherDriver(): string | undefined {
    const driver = this.lease?.driver;
    if (driver === null || driver === undefined || this.isDriver) return undefined;
    return this.lease?.clients.find((client) => client.id === driver)?.name ?? `#${driver}`;
  }

  /** What the servos do, as in the driver's diagnostics; those may be a second older than a stop. */
  get servos(): string {
    if (this.stopState?.kind === "emergency" && this.stopState.holds === "enable") return "disarmed";
    return this.health?.nodes.find((node) => node.name.endsWith("servo_driver"))?.values["state"] ?? "";
  }

  /** The gait that is walked, or "". */
  get gait(): string {
    return this.health?.nodes.find((node) => node.values["gait"] !== undefined)?.values["gait"] ?? "";
  }

  get stateAgeMs(): number {
    return performance.now() - this.#stateMs;
  }

  /** Whether the picture is the present: connected, and the robot's planner is heard. */
  get isFresh(): boolean {
    const planner = this.state?.age.planner;
    return this.isOpen && this.stateAgeMs < STALE_MS && planner !== null && planner !== undefined && planner < 1;
  }

  /** Asks, and resolves with the answer; `no_answer` if the connection ends or nothing comes. */
  ask(question: Asking): Promise<Answer> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve) => {
      const give = (answer: Answer): void => {
        if (this.#waiting.delete(id)) resolve(answer);
      };
      this.#waiting.set(id, give);
      if (!this.transport.send({ ...question, id } as ClientMessage)) give(unanswered(id));
      setTimeout(() => give(unanswered(id)), ANSWER_MS);
    });
  }

  /** Sends a stop; whether it could be handed on. A stop at once that is owed yet is not made less of. */
  stop(kind: StopKind): boolean {
    const before = this.#askedStop;
    const asked = before?.kind === "emergency" ? before.kind : kind;
    this.#askedStop = { sinceMs: performance.now(), kind: asked, isSent: true, isTaken: false, isReported: false };
    const isSent = this.transport.stop({ type: "stop", kind: asked });
    if (!isSent && this.#askedStop) this.#askedStop = { ...this.#askedStop, isSent };
    return isSent;
  }

  /** Whoever pressed it says that the stop is not to be sent any more. */
  withdrawStop(): void {
    this.transport.withdrawStop();
    this.#askedStop = undefined;
  }

  /** Which stop is in doubt, if one is. */
  get doubtfulStop(): StopKind | undefined {
    return this.stopDoubt === "none" ? undefined : this.#askedStop?.kind;
  }

  /** Shown until the robot has it, by this page's own clock: a dead link does not say that it is dead, and time heals nothing. */
  get stopDoubt(): StopDoubt {
    const asked = this.#askedStop;
    if (!asked) return "none";
    if (!asked.isSent) return "unsent";
    if (asked.isTaken && !this.isOpen) return "received";
    return performance.now() - asked.sinceMs > STOP_DOUBT_MS ? "unanswered" : "none";
  }

  /** ms to the robot and back where they are too many to drive: it refuses what answers an old picture. */
  get slownessMs(): number | undefined {
    if (!this.isOpen) return undefined;
    const ms = this.transport.roundTripMs ?? 0;
    return ms >= TOO_SLOW_MS || performance.now() - this.#staleMs < STALE_REPORTED_MS ? ms : undefined;
  }

  #changeContact(contact: Contact): void {
    const wasOpen = this.isOpen;
    this.contact = contact;
    if (wasOpen && contact.kind !== "open") this.#forget();
    this.emit("contact", contact);
  }

  #forget(): void {
    this.lease = undefined;
    for (const [id, give] of [...this.#waiting]) give(unanswered(id));
    this.emit("lost", undefined);
  }

  #take(message: ServerMessage): void {
    switch (message.type) {
      case "welcome": this.welcome = message; return this.emit("welcome", message);
      case "robot": this.robot = message; return this.emit("robot", message);
      case "state": return this.#takeState(message);
      case "health": this.health = message; return this.emit("health", message);
      case "lease": this.lease = message; return this.emit("lease", message);
      case "stop": return this.#takeStop(message);
      case "recording": this.recording = message; return this.emit("recording", message);
      case "fleet": return this.emit("fleet", message);
      case "event": return this.#takeLog(message.events);
      case "answer": return this.#waiting.get(message.id)?.(message);
      case "refused": return this.#takeRefusal(message);
      case "pong": return;
    }
  }

  #takeRefusal(refused: Refused): void {
    if (refused.reason === "stale") this.#staleMs = performance.now();
    this.emit("refused", refused);
  }

  /** What is reported of a stop may be of an earlier one, until the robot has received this one. */
  #takeStop(stop: StopState): void {
    this.stopState = stop;
    if (this.#askedStop) this.#askedStop = this.transport.owedStop ? { ...this.#askedStop, isReported: true } : undefined;
    this.emit("stop", stop);
  }

  #stopTaken(): void {
    const asked = this.#askedStop;
    if (!asked) return;
    // Without a connection nobody tells what became of it: that it has arrived has to do for a stop with all feet planted.
    const isOver = asked.isReported || asked.kind === "halt";
    this.#askedStop = isOver ? undefined : { ...asked, isSent: true, isTaken: true };
  }

  #takeState(state: State): void {
    this.state = state;
    this.#stateMs = performance.now();
    this.emit("state", state);
  }

  #takeLog(events: readonly LogEvent[]): void {
    this.log.push(...events);
    this.log.splice(0, Math.max(0, this.log.length - LOG_LENGTH));
    this.emit("log", events);
  }
}

function unanswered(id: number): Answer {
  return { type: "answer", id, ok: false, reason: "no_answer", message: "" };
}
