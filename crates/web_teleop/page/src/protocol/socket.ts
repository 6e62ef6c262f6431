/** The WebSocket to a robot: connects, connects again, and sends the newest or nothing. */

import { refusalOfClose, refusalOfStatus, waitBefore } from "./backoff.ts";
import { parse, SUBPROTOCOL, VERSION, type ClientMessage, type StopMessage } from "./messages.ts";
import type { Handlers, Refusal, Transport } from "./transport.ts";

const PING_MS = 1000;
/** A server that is heard sends 30 states a second; one that says nothing for this long is gone. */
const SILENCE_MS = 4000;
/** A stop whose confirmation does not come takes a second way after this long. */
const SECOND_WAY_MS = 350;
/** A stop that could not be sent is sent by a connection that opens within this time. */
const STOP_OWED_MS = 5000;
const ASK_WHY_MS = 2000;

export class Socket implements Transport {
  readonly isLive = true;
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #name: string;
  #handlers: Handlers | undefined;
  #socket: WebSocket | undefined;
  #attempt = 0;
  #heardMs = 0;
  #pings = 0;
  #stopHeard = false;
  #owedStop: { message: StopMessage; sinceMs: number } | undefined;

  constructor(base: URL, token: string | undefined, name: string) {
    this.#base = base;
    this.#token = token;
    this.#name = name;
  }

  start(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#connect();
    setInterval(() => this.#beat(), PING_MS);
  }

  send(message: ClientMessage): boolean {
    return this.#socket ? sendOn(this.#socket, message) : false;
  }

  stop(message: StopMessage): boolean {
    this.#stopHeard = false;
    const sent = this.send(message);
    this.#owedStop = sent ? undefined : { message, sinceMs: Date.now() };
    setTimeout(() => {
      if (!this.#stopHeard) this.#stopBesides(message);
    }, SECOND_WAY_MS);
    return sent;
  }

  isBackedUp(): boolean {
    return (this.#socket?.bufferedAmount ?? 0) > 0;
  }

  async urdf(): Promise<string> {
    const response = await this.fetch("robot.urdf");
    if (!response.ok) throw new Error(`robot.urdf: ${response.status}`);
    return response.text();
  }

  meshUrl(uri: string): string {
    return new URL(`mesh?uri=${encodeURIComponent(uri)}`, this.#base).href;
  }

  fetch(name: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    return fetch(new URL(name, this.#base), { ...init, headers });
  }

  #connect(): void {
    this.#handlers?.contact({ kind: "connecting", attempt: this.#attempt });
    this.#attempt += 1;
    const socket = this.#open();
    this.#socket = socket;
    socket.onopen = () => {
      this.#heardMs = Date.now();
      this.#payStop(socket);
      sendOn(socket, { type: "hello", version: VERSION, name: this.#name });
    };
    socket.onmessage = (event: MessageEvent<unknown>) => this.#hear(event.data);
    socket.onclose = (event) => {
      if (socket === this.#socket) void this.#closed(event.code);
    };
  }

  #open(): WebSocket {
    const url = new URL("ws", this.#base);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const protocols = this.#token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `token.${this.#token}`];
    return new WebSocket(url, protocols);
  }

  #hear(data: unknown): void {
    this.#heardMs = Date.now();
    const message = typeof data === "string" ? parse(data) : undefined;
    if (!message) return;
    if (message.type === "welcome") {
      this.#attempt = 0;
      this.#handlers?.contact({ kind: "open" });
    }
    if (message.type === "stop") this.#stopHeard = true;
    this.#handlers?.message(message);
  }

  async #closed(code: number): Promise<void> {
    this.#socket = undefined;
    const why = refusalOfClose(code) ?? (code === 1006 ? await this.#askWhy() : undefined);
    if (why !== undefined && why !== "full") {
      this.#handlers?.contact({ kind: "refused", why });
      return;
    }
    this.#handlers?.contact(why ? { kind: "refused", why } : { kind: "connecting", attempt: this.#attempt });
    setTimeout(() => this.#connect(), waitBefore(this.#attempt, Math.random()));
  }

  async #askWhy(): Promise<Refusal | undefined> {
    try {
      const init = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(ASK_WHY_MS) } as const;
      return refusalOfStatus((await this.fetch("robot.urdf", init)).status);
    } catch {
      return undefined;
    }
  }

  #beat(): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - this.#heardMs > SILENCE_MS) {
      // A dead network does not close a socket for minutes.
      socket.onclose = null;
      socket.close();
      void this.#closed(4005);
      return;
    }
    this.#pings += 1;
    if (!this.isBackedUp()) sendOn(socket, { type: "ping", id: this.#pings });
  }

  /** Sends a stop that found no connection, unless it has become old: by then others may have taken care. */
  #payStop(socket: WebSocket): void {
    const owed = this.#owedStop;
    this.#owedStop = undefined;
    if (owed && Date.now() - owed.sinceMs < STOP_OWED_MS) sendOn(socket, owed.message);
  }

  /** Sends a stop over a connection of its own: the first may be stuck behind what a bad network lost. */
  #stopBesides(message: StopMessage): void {
    const socket = this.#open();
    const tooLate = setTimeout(() => socket.close(), STOP_OWED_MS);
    socket.onopen = () => {
      clearTimeout(tooLate);
      sendOn(socket, message);
      setTimeout(() => socket.close(), 1000);
    };
  }
}

function sendOn(socket: WebSocket, message: ClientMessage): boolean {
  if (socket.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}
