/** The WebSocket to a robot: connects, connects again, and sends the newest or nothing. */

import { refusalOfClose, refusalOfStatus, waitBefore } from "./backoff.ts";
import { parse, STOP_SUBPROTOCOL, SUBPROTOCOL, VERSION, type ClientMessage, type StopKind, type StopMessage } from "./messages.ts";
import { RoundTrip } from "./roundtrip.ts";
import { StopDebt } from "./stopdebt.ts";
import type { Handlers, Refusal, Transport } from "./transport.ts";

const PING_MS = 1000;
/** A server that is heard sends 30 states a second; one that says nothing for this long is gone. */
const SILENCE_MS = 4000;
/**
 * A connection that does not open in this time is tried anew: the system alone would wait for minutes. Browsers hold one back
 * for up to 5 s after many that failed.
 */
const OPEN_MS = 8000;
/** A stop whose receipt does not come takes a second way after this long, and others from then on, less and less often. */
const SECOND_WAY_MS = 350;
const NEXT_WAY_MS = 2000;
const RAREST_WAY_MS = 10_000;
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
  readonly #trip = new RoundTrip();
  readonly #debt = new StopDebt();
  /** The ping behind the stop that was sent last: its answer says that the stop has arrived. */
  #receipt: { readonly id: number; readonly kind: StopKind } | undefined;
  #insists: ReturnType<typeof setTimeout> | undefined;

  constructor(base: URL, token: string | undefined, name: string) {
    this.#base = base;
    this.#token = token;
    this.#name = name;
  }

  start(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#connect();
    setInterval(() => this.#beat(), PING_MS);
    // Pressed before this page was loaded.
    if (this.#debt.owed) this.#insist(0, NEXT_WAY_MS);
  }

  send(message: ClientMessage): boolean {
    return this.#socket ? sendOn(this.#socket, message) : false;
  }

  get roundTripMs(): number | undefined {
    return this.#trip.ms(performance.now());
  }

  get owedStop(): StopMessage | undefined {
    return this.#debt.owed;
  }

  withdrawStop(): void {
    this.#debt.clear();
  }

  stop(message: StopMessage): boolean {
    this.#debt.owe(message);
    const sent = this.#socket !== undefined && this.#sendStop(this.#socket, message);
    this.#insist(SECOND_WAY_MS, NEXT_WAY_MS);
    return sent;
  }

  #sendStop(socket: WebSocket, message: StopMessage): boolean {
    if (!sendOn(socket, message)) return false;
    this.#pings += 1;
    this.#receipt = { id: this.#pings, kind: message.kind };
    return sendOn(socket, { type: "ping", id: this.#pings });
  }

  #payStop(kind: StopKind): void {
    if (this.#debt.owed && this.#debt.pay(kind)) this.#handlers?.stopTaken();
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
    const socket = this.#open(SUBPROTOCOL);
    this.#socket = socket;
    this.#trip.clear();
    const tooLate = setTimeout(() => this.#giveUp(socket), OPEN_MS);
    socket.onopen = () => {
      clearTimeout(tooLate);
      this.#heardMs = Date.now();
      if (this.#debt.owed) this.#sendStop(socket, this.#debt.owed);
      sendOn(socket, { type: "hello", version: VERSION, name: this.#name });
      this.#ping(socket);
    };
    socket.onmessage = (event: MessageEvent<unknown>) => this.#hear(event.data);
    socket.onclose = (event) => {
      clearTimeout(tooLate);
      if (socket === this.#socket) void this.#closed(event.code);
    };
  }

  #open(protocol: string): WebSocket {
    const url = new URL("ws", this.#base);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return new WebSocket(url, this.#token === undefined ? [protocol] : [protocol, `token.${this.#token}`]);
  }

  #hear(data: unknown): void {
    this.#heardMs = Date.now();
    const message = typeof data === "string" ? parse(data) : undefined;
    if (!message) return;
    if (message.type === "welcome") {
      this.#attempt = 0;
      this.#handlers?.contact({ kind: "open" });
    }
    if (message.type === "pong") {
      this.#trip.pong(message.id, performance.now());
      if (this.#receipt && message.id >= this.#receipt.id) {
        this.#payStop(this.#receipt.kind);
        this.#receipt = undefined;
      }
    }
    this.#handlers?.message(message);
  }

  async #closed(code: number): Promise<void> {
    this.#socket = undefined;
    this.#receipt = undefined;
    this.#trip.clear();
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
      return this.#giveUp(socket);
    }
    if (!this.isBackedUp()) this.#ping(socket);
  }

  #ping(socket: WebSocket): void {
    this.#pings += 1;
    if (sendOn(socket, { type: "ping", id: this.#pings })) this.#trip.ping(this.#pings, performance.now());
  }

  /** A dead network does not close a socket for minutes. */
  #giveUp(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    socket.onclose = null;
    socket.close();
    void this.#closed(4005);
  }

  /** As long as a stop is owed, new ways are tried. */
  #insist(waitMs: number, nextMs: number): void {
    clearTimeout(this.#insists);
    this.#insists = setTimeout(() => {
      if (!this.#debt.owed) return;
      this.#stopBesides(this.#debt.owed);
      this.#insist(nextMs, Math.min(RAREST_WAY_MS, nextMs * 2));
    }, waitMs);
  }

  /** Sends a stop over a connection of its own: the first may be stuck behind what a bad network lost, or refused. */
  #stopBesides(message: StopMessage): void {
    const socket = this.#open(STOP_SUBPROTOCOL);
    const tooLate = setTimeout(() => socket.close(), OPEN_MS);
    socket.onopen = () => {
      // Withdrawn, or arrived by another way.
      if (!this.#debt.owed) return socket.close();
      sendOn(socket, message);
      sendOn(socket, { type: "ping", id: 0 });
    };
    socket.onmessage = () => {
      clearTimeout(tooLate);
      socket.close();
      this.#payStop(message.kind);
    };
  }
}

function sendOn(socket: WebSocket, message: ClientMessage): boolean {
  if (socket.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}
