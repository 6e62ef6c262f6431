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
}

export interface Transport {
  /** Whether a real robot may move by what is sent. */
  readonly isLive: boolean;
  start(handlers: Handlers): void;
  /** Whether it was handed on. What is not handed on is never sent later. */
  send(message: ClientMessage): boolean;
  /** Sends a stop by every way there is, also one that is not open yet. */
  stop(message: StopMessage): boolean;
  /** Whether earlier messages still wait in this computer: then nothing but zeros and stops may follow. */
  isBackedUp(): boolean;
  urdf(): Promise<string>;
  /** A URL of a mesh named in the URDF, readable by `fetch`. */
  meshUrl(uri: string): string;
  /** Reads a file of the robot, with whatever it needs to be let in. */
  fetch(name: string, init?: RequestInit): Promise<Response>;
}
