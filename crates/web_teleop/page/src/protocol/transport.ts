/** What carries messages: a socket to a robot, or the playground's robot in this page. */

import type { ClientMessage, ServerMessage, StopMessage } from "./messages.ts";

/** How far a connection is. */
export type Contact =
  /** Not open; tries again by itself. */
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "open" }
  /** Refused, and trying again would not help until the person does something. */
  | { readonly kind: "refused"; readonly why: Refusal };

export type Refusal = "token" | "origin" | "full" | "version" | "defect";

export interface Handlers {
  message(message: ServerMessage): void;
  contact(contact: Contact): void;
  /** The robot has received the stop that was owed. */
  stopTaken(): void;
}

export interface Transport {
  /** Whether a real robot may move by what is sent. */
  readonly isLive: boolean;
  start(handlers: Handlers): void;
  /** Whether it was handed on. What is not handed on is never sent later. */
  send(message: ClientMessage): boolean;
  /** Sends a stop by every way there is, until one that opens in the end has got it there. Whether one is open now. */
  stop(message: StopMessage): boolean;
  /** The stop that the robot has not received yet. */
  readonly owedStop: StopMessage | undefined;
  /** Whoever pressed it says that the owed stop is not to be sent any more. */
  withdrawStop(): void;
  /** ms that a message takes to the robot and back; `undefined` while that is not known. */
  readonly roundTripMs: number | undefined;
  /** Whether earlier messages still wait in this computer: then nothing but zeros and stops may follow. */
  isBackedUp(): boolean;
  urdf(): Promise<string>;
  /** A URL of a mesh named in the URDF, readable by `fetch`. */
  meshUrl(uri: string): string;
  /** Reads a file of the robot, with whatever it needs to be let in. */
  fetch(name: string, init?: RequestInit): Promise<Response>;
}
