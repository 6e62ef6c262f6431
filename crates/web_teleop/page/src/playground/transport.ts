/** A robot in this page: it understands the messages of a server, and walks with the robot's own core. */

import type { Hexapod } from "../../../../hexapod_wasm/binding/hexapod.js";
import type { Answer, ClientMessage, ServerMessage, Service, StopMessage } from "../protocol/messages.ts";
import type { Handlers, Transport } from "../protocol/transport.ts";
import { packElevation } from "../robot/elevation.ts";
import { meshOf } from "./drop.ts";
import { Footing } from "./footing.ts";
import { factsOf, healthOf, stateOf, WELCOME } from "./reports.ts";
import { Tape } from "./tape.ts";
import type { Terrain } from "./terrain.ts";

const TICK_S = 0.01;
/** A tab that was hidden does not catch up. */
const MOST_TICKS = 10;
const HEALTH_MS = 250;
/** As a robot does: who stops talking stops walking. */
const DEAD_MAN_MS = 400;

export class PlaygroundTransport implements Transport {
  readonly isLive = false;
  #hexapod: Hexapod;
  #meshes: ReadonlyMap<string, Blob> = new Map();
  #handlers: Handlers | undefined;
  #revision = 1;
  #n = 0;
  #servosOn = true;
  #isDriver = false;
  #lastMs = 0;
  #healthMs = 0;
  #driveMs = -Infinity;
  #isMoving = false;
  /** Whether a stop waits for the sticks to be let go. */
  #holds: "nothing" | "zero" | "enable" = "nothing";
  readonly tape = new Tape();
  readonly #footing = new Footing();
  /** Microseconds that a tick takes, as a running mean. */
  tickUs = 0;
  /** Walks on by these two numbers until set otherwise, as nothing real can be hit. */
  #arc: { velocity: number; curvature: number } | undefined;

  constructor(hexapod: Hexapod) {
    this.#hexapod = hexapod;
    this.tape.begin(hexapod);
    hexapod.stand();
  }

  get hexapod(): Hexapod {
    return this.#hexapod;
  }

  /** Another robot in place of the one there is. */
  replace(hexapod: Hexapod, meshes: ReadonlyMap<string, Blob>): void {
    this.#hexapod = hexapod;
    this.#meshes = meshes;
    this.#revision += 1;
    this.#arc = undefined;
    this.tape.begin(hexapod);
    this.setTerrain(this.terrain);
    hexapod.stand();
    this.#tell(factsOf(hexapod, this.#revision));
  }

  get terrain(): Terrain {
    return this.#footing.terrain;
  }

  /** Other ground about the robot. */
  setTerrain(terrain: Terrain): void {
    const [x = 0, y = 0] = this.#hexapod.odom;
    this.#footing.begin(terrain, [x, y]);
    this.#healthMs = 0;
  }

  get walksOn(): boolean {
    return this.#arc !== undefined;
  }

  get arc(): { velocity: number; curvature: number } | undefined {
    return this.#arc;
  }

  walkOn(arc: { velocity: number; curvature: number } | undefined): void {
    if (this.#arc && !arc) this.#hexapod.setTwist(0, 0, 0);
    this.#arc = arc;
  }

  start(handlers: Handlers): void {
    this.#handlers = handlers;
    handlers.contact({ kind: "open" });
    this.#tell(WELCOME);
    this.#tell(factsOf(this.#hexapod, this.#revision));
    this.#tellStop("none", "nothing");
    this.#tellLease("joined");
    const frame = (nowMs: number): void => {
      this.#advance(nowMs);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  send(message: ClientMessage): boolean {
    // As over a network: the answer never comes within the call.
    queueMicrotask(() => this.#act(message));
    return true;
  }

  stop(message: StopMessage): boolean {
    this.#arc = undefined;
    this.#isMoving = false;
    this.#hexapod.stop();
    if (message.kind === "emergency") {
      this.#hexapod.freeze();
      this.#servosOn = false;
    }
    this.#tellStop(message.kind, message.kind === "emergency" ? "enable" : "zero");
    this.#healthMs = 0;
    return true;
  }

  /** Nothing gets lost within a page. */
  readonly owedStop = undefined;
  readonly roundTripMs = 0;

  withdrawStop(): void {}

  isBackedUp(): boolean {
    return false;
  }

  urdf(): Promise<string> {
    return Promise.resolve(this.#hexapod.info.urdf);
  }

  meshUrl(uri: string): string {
    return uri;
  }

  fetch(name: string, init?: RequestInit): Promise<Response> {
    if (name === "elevation") return Promise.resolve(this.#map(new Headers(init?.headers).get("If-None-Match")));
    const blob = meshOf(this.#meshes, name);
    return Promise.resolve(blob ? new Response(blob) : new Response(null, { status: 404 }));
  }

  /** The map of the ground, as a server would send it. */
  #map(known: string | null): Response {
    const [x = 0, y = 0] = this.#hexapod.odom;
    const { map, tag } = this.#footing.mapAbout([x, y]);
    return tag === known ? new Response(null, { status: 304 }) : new Response(packElevation(map, [x, y, 0]), { headers: { ETag: tag } });
  }

  #advance(nowMs: number): void {
    const ticks = Math.min(MOST_TICKS, Math.floor((nowMs - this.#lastMs) / (TICK_S * 1000)));
    if (ticks <= 0) return;
    this.#lastMs = ticks === MOST_TICKS ? nowMs : this.#lastMs + ticks * TICK_S * 1000;
    if (this.#isMoving && nowMs - this.#driveMs > DEAD_MAN_MS) this.#halt();
    if (this.#servosOn) this.#step(ticks);
    this.#n += 1;
    const state = stateOf(this.#hexapod, this.#n, nowMs / 1000, this.#revision);
    this.#tell({ ...state, odom: this.#footing.lift(this.#hexapod.odom) });
    if (nowMs - this.#healthMs < HEALTH_MS) return;
    this.#healthMs = nowMs;
    this.#tell({ ...healthOf(this.#hexapod, nowMs / 1000, this.#servosOn, this.tickUs), elevation: this.terrain !== "flat" });
  }

  #step(ticks: number): void {
    if (this.#arc) this.#hexapod.setArc(this.#arc.velocity, this.#arc.curvature);
    for (let i = 0; i < ticks; i += 1) this.#tick();
  }

  #tick(): void {
    const began = performance.now();
    this.#hexapod.step(TICK_S);
    this.tickUs += ((performance.now() - began) * 1000 - this.tickUs) * 0.02;
    this.#footing.feel(this.#hexapod);
    this.tape.add(this.#hexapod);
  }

  #act(message: ClientMessage): void {
    switch (message.type) {
      case "lease":
        this.#isDriver = message.want !== "release";
        this.#answer(message.id, "");
        return this.#tellLease(this.#isDriver ? "taken" : "released");
      case "drive": return this.#drive(message.vx === 0 && message.vy === 0 && message.wz === 0,
        () => this.#hexapod.setTwist(message.vx, message.vy, message.wz));
      case "arc": return this.#drive(message.velocity === 0, () => this.#hexapod.setArc(message.velocity, message.curvature));
      case "pose": return void this.#hexapod.setBodyPose(message.x, message.y, message.z, message.roll, message.pitch, message.yaw);
      case "gait": return this.#answer(message.id, this.#hexapod.setGait(message.name));
      case "motion":
        return this.#answer(message.id, message.name === "" ? this.#hexapod.finishMotion() : this.#hexapod.play(message.name));
      case "call": return this.#answer(message.id, this.#call(message.service));
      case "record": case "stop_all": return this.#answer(message.id, "");
      case "stop": return void this.stop(message);
      case "hello": case "ping": return;
    }
  }

  #drive(isZero: boolean, move: () => string): void {
    if (isZero) {
      if (this.#holds === "zero") this.#tellStop("none", "nothing");
      return this.#halt();
    }
    if (this.#holds !== "nothing") return;
    this.#arc = undefined;
    this.#driveMs = performance.now();
    this.#isMoving = true;
    move();
  }

  #halt(): void {
    this.#isMoving = false;
    if (!this.#arc) this.#hexapod.setTwist(0, 0, 0);
  }

  #call(service: Service): string {
    if (service === "enable" || service === "disable") {
      this.#servosOn = service === "enable";
      this.#healthMs = 0;
      if (this.#servosOn && this.#holds === "enable") this.#tellStop("none", "zero");
      return "";
    }
    return this.#hexapod[service]();
  }

  #answer(id: number, refusal: string): void {
    const ok = refusal === "";
    this.#tell({ type: "answer", id, ok, reason: ok ? "ok" : "service", message: refusal } satisfies Answer);
  }

  #tellStop(kind: "none" | "emergency" | "halt", holds: "nothing" | "zero" | "enable"): void {
    this.#holds = holds;
    const isNone = kind === "none";
    this.#tell({ type: "stop", kind, phase: isNone ? null : "confirmed", by: isNone ? null : 1, name: null, message: "", holds });
  }

  #tellLease(change: "joined" | "taken" | "released"): void {
    this.#tell({ type: "lease", driver: this.#isDriver ? 1 : null, clients: [{ id: 1, name: "" }], change, by: 1, from: null });
  }

  #tell(message: ServerMessage): void {
    this.#handlers?.message(message);
  }
}
