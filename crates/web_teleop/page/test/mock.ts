/** A server that speaks the protocol, with a robot that walks well enough to be looked at. For tests of the page. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import type { ClientMessage, ServerMessage } from "../src/protocol/messages.ts";
import { MockRobot } from "./mockrobot.ts";

const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; "
  + "connect-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".wasm": "application/wasm", ".txt": "text/plain",
};

export interface Heard {
  readonly atMs: number;
  readonly client: number;
  readonly message: ClientMessage;
}

export interface MockOptions {
  readonly dist: string;
  readonly urdf: string;
  /** Below which path the page is, as behind a proxy. */
  readonly base?: string;
  readonly token?: string;
  /** ms from one state to the next. */
  readonly stateMs?: number;
}

export class Mock {
  readonly robot = new MockRobot();
  readonly heard: Heard[] = [];
  readonly requests: string[] = [];
  /** Whether clients get states: a silent server is one way to lose contact. */
  isTelling = true;
  /** Whether a stop is answered. */
  confirmsStops = true;
  /** Whether stops, and pings, of clients that have said hello get lost, as in a connection that is stuck. */
  losesStops = false;
  /** Whether nobody is let in any more: the network is gone. */
  isAway = false;
  /** ms by which what clients send is late. */
  delayMs = 0;
  readonly #options: MockOptions;
  readonly #server: Server;
  readonly #clients = new Map<number, { socket: WebSocket; name: string }>();
  #driver: number | null = null;
  readonly #startedMs = performance.now();
  #ids = 0;
  #n = 0;
  /** A zero releases the robot only if it tells of this state or a later one; `undefined`: it is released. */
  #release: number | undefined;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #stop: ServerMessage & { type: "stop" } = {
    type: "stop", kind: "none", phase: null, by: null, name: null, message: "", holds: "nothing",
  };

  constructor(options: MockOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => this.#serve(request, response));
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => (offered.has("hexapod.stop") ? "hexapod.stop" : "hexapod.v1") });
    this.#server.on("upgrade", (request, socket, head) => {
      if (this.isAway) return void socket.destroy();
      const isIn = this.#isIn(request.headers["sec-websocket-protocol"] ?? "");
      if (request.url !== `${this.#base}ws` || !isIn) return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      sockets.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  get #base(): string {
    return this.#options.base ?? "/";
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.#timers.push(setInterval(() => this.robot.step(0.01), 10));
    this.#timers.push(setInterval(() => this.#tellState(this.#now()), this.#options.stateMs ?? 33));
    this.#timers.push(setInterval(() => this.#tellAll(this.robot.health(this.#now())), 500));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : port}${this.#base}`;
  }

  async close(): Promise<void> {
    this.#timers.forEach(clearInterval);
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Ends every connection as a lost network would. */
  cut(): void {
    for (const { socket } of this.#clients.values()) socket.terminate();
    this.#server.closeAllConnections();
  }

  /** Two other robots, and what came of a stop of all: the first stops, the second does not. */
  tellFleet(messages?: readonly [string, string]): void {
    this.#tellAll({ type: "fleet", robots: ["/left", "/right"].map((name, index) => (
      { name, is_stopped: messages ? index === 0 : null, message: messages?.[index] ?? "" })) });
  }

  /** The intents and stops since the last call. */
  take(): Heard[] {
    return this.heard.splice(0);
  }

  /** Seconds on the server's clock. */
  #now(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://x");
    this.requests.push(url.pathname);
    const headers = { "Content-Security-Policy": CSP, "X-Content-Type-Options": "nosniff" };
    const send = (status: number, type: string, body: string | Buffer): void => {
      response.writeHead(status, { ...headers, "Content-Type": type }).end(body);
    };
    if (!url.pathname.startsWith(this.#base)) return send(404, "text/plain", "");
    const name = url.pathname.slice(this.#base.length) || "index.html";
    if (name === "robot.urdf") {
      const isIn = this.#isIn(`token.${(request.headers.authorization ?? "").replace("Bearer ", "")}`);
      return isIn ? send(200, "application/xml", this.#options.urdf) : send(401, "text/plain", "");
    }
    const { elevation } = this.robot;
    if (name === "elevation") return elevation ? send(200, "application/octet-stream", elevation) : send(204, "text/plain", "");
    const file = join(this.#options.dist, normalize(`/${name}`));
    if (!existsSync(file)) return send(404, "text/plain", "");
    send(200, TYPES[extname(file)] ?? "application/octet-stream", readFileSync(file));
  }

  #isIn(protocols: string): boolean {
    const { token } = this.#options;
    return token === undefined || protocols.split(/,\s*/).includes(`token.${token}`);
  }

  #welcome(socket: WebSocket): void {
    this.#ids += 1;
    const id = this.#ids;
    socket.on("message", (data) => {
      setTimeout(() => heard(JSON.parse(String(data)) as ClientMessage), this.delayMs);
    });
    const heard = (message: ClientMessage): void => {
      if (/stop|ping/.test(message.type) && this.losesStops && this.#clients.has(id)) return;
      this.heard.push({ atMs: performance.now(), client: id, message });
      this.#act(id, socket, message);
    };
    socket.on("close", () => {
      this.#clients.delete(id);
      if (this.#driver === id) {
        this.#driver = null;
        this.robot.halt();
        this.#tellLease("lost", null, id);
      } else this.#tellLease("left", null, null);
    });
  }

  #act(id: number, socket: WebSocket, message: ClientMessage): void {
    const tell = (answer: ServerMessage): void => socket.send(JSON.stringify(answer));
    const answer = (question: number, ok: boolean, reason: string, text = ""): void =>
      tell({ type: "answer", id: question, ok, reason, message: text });
    switch (message.type) {
      case "hello": return this.#hello(id, socket, message.name);
      case "ping": return tell({ type: "pong", id: message.id, t: 0 });
      case "stop": return this.#stopBy(id, message.kind);
      case "lease": return this.#lease(id, message, answer);
      case "drive": case "arc": case "pose":
        return this.#intent(id, message, tell);
      case "record":
        this.#tellAll({ type: "recording", on: message.on, bytes: 240_000, limit: 67_108_864, seconds: 12.4, ready: !message.on, message: "" });
        return answer(message.id, true, "ok");
      case "stop_all":
        this.tellFleet(["stopped: standing", "does not answer within 3 s"]);
        return answer(message.id, true, "ok");
      default: {
        if (this.#driver !== id) return answer(message.id, false, "no_lease");
        if (message.type === "motion" && this.#release !== undefined) return answer(message.id, false, "release_first");
        const refusal = this.robot.obey(message);
        if (message.type === "call" && message.service === "enable" && refusal === "") this.#hold("zero");
        return answer(message.id, refusal === "", refusal === "" ? "ok" : "service", refusal);
      }
    }
  }

  #intent(id: number, message: ClientMessage & { type: "drive" | "arc" | "pose" }, tell: (message: ServerMessage) => void): void {
    if (this.#driver !== id) return tell({ type: "refused", of: message.type, reason: "no_lease", message: "" });
    const isZero = message.type === "drive" ? message.vx === 0 && message.vy === 0 && message.wz === 0
      : message.type === "arc" && message.velocity === 0;
    if (isZero && message.seen >= (this.#release ?? Infinity)) {
      this.#release = undefined;
      if (this.#stop.holds === "zero") this.#hold("nothing");
    }
    if (!isZero && this.#n - message.seen > 15) return tell({ type: "refused", of: message.type, reason: "stale", message: "" });
    if (!isZero && this.#release !== undefined) return tell({ type: "refused", of: message.type, reason: "release_first", message: "" });
    this.robot.intend(message);
  }

  #hello(id: number, socket: WebSocket, name: string): void {
    this.#clients.set(id, { socket, name });
    const tell = (message: ServerMessage): void => socket.send(JSON.stringify(message));
    tell({
      type: "welcome", version: 1, id, name: "hexapod", namespace: "/", dead_man: 0.3,
      full_stick: { linear: 0.15, angular: 0.8 }, state_rate: 30, max_clients: 8,
    });
    tell(this.robot.facts);
    tell(this.robot.health(0));
    tell(this.#stop);
    tell({ type: "event", events: this.robot.events });
    this.#tellLease("joined", id, null);
  }

  #lease(id: number, message: ClientMessage & { type: "lease" }, answer: (id: number, ok: boolean, reason: string) => void): void {
    const from = this.#driver;
    if (message.want === "release") this.#driver = from === id ? null : from;
    else if (from === null || message.want === "take_over") this.#driver = id;
    else if (from !== id) return answer(message.id, false, "has_driver");
    answer(message.id, true, "ok");
    if (from !== this.#driver) this.#requireRelease();
    if (from !== this.#driver) this.#tellLease(this.#driver === null ? "released" : from === null ? "taken" : "taken_over", id, from);
  }

  #tellLease(change: "joined" | "left" | "taken" | "taken_over" | "released" | "lost", by: number | null, from: number | null): void {
    const clients = [...this.#clients].map(([id, { name }]) => ({ id, name }));
    this.#tellAll({ type: "lease", driver: this.#driver, clients, change, by, from });
  }

  #stopBy(id: number, kind: "emergency" | "halt"): void {
    this.robot.halt();
    this.#requireRelease();
    if (kind === "emergency") this.robot.servos = "disarmed";
    const name = this.#clients.get(id)?.name ?? "";
    const phase = this.confirmsStops ? "confirmed" : "unanswered";
    this.#stop = { type: "stop", kind, phase, by: id, name, message: "", holds: kind === "emergency" ? "enable" : "zero" };
    this.#tellAll(this.#stop);
    this.#tellAll(this.robot.health(0));
  }

  /** A new state goes before each lease and stop, so that a release can tell of it. */
  #requireRelease(): void {
    this.#tellState(this.#now());
    this.#release = this.#n;
  }

  #hold(holds: "zero" | "nothing"): void {
    if (this.#stop.kind === "none") return;
    this.#stop = { ...this.#stop, holds };
    if (holds === "zero") this.#requireRelease();
    this.#tellAll(this.#stop);
    this.#tellAll(this.robot.health(0));
  }

  #tellState(t: number): void {
    this.#n += 1;
    if (this.isTelling) this.#tellAll(this.robot.state(this.#n, t));
  }

  #tellAll(message: ServerMessage): void {
    const text = JSON.stringify(message);
    for (const { socket } of this.#clients.values()) if (socket.readyState === 1) socket.send(text);
  }
}
