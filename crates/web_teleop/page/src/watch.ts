/** Keeps the robot's description and makes a figure of each state, once for all views. */

import { Emitter } from "./emitter.ts";
import type { Twist } from "./geometry/arc.ts";
import type { State } from "./protocol/messages.ts";
import { Figures, type Figure } from "./robot/figure.ts";
import { Model, type XmlElement } from "./robot/model.ts";
import { Traces } from "./robot/traces.ts";
import type { Session } from "./session.ts";

interface Events {
  /** Another robot is to be drawn. */
  urdf: string;
  figure: Figure;
  failed: string;
}

const TRACE_POINTS = 160;
const AGAIN_MS = 2000;

export class Watch extends Emitter<Events> {
  readonly traces = new Traces(TRACE_POINTS);
  urdf: string | undefined;
  figure: Figure | undefined;
  twist: Twist = { vx: 0, vy: 0, wz: 0 };
  readonly #session: Session;
  #model: Model | undefined;
  #figures: Figures | undefined;
  #described: string | undefined;

  constructor(session: Session) {
    super();
    this.#session = session;
    session.on("robot", (robot) => {
      this.#figures = this.#model && new Figures(this.#model, robot);
      if (robot.description !== null && robot.description !== this.#described) void this.#fetch(robot.description);
    });
    session.on("state", (state) => this.#take(state));
  }

  async #fetch(description: string): Promise<void> {
    this.#described = description;
    try {
      this.#read(await this.#session.transport.urdf());
    } catch (error) {
      this.emit("failed", error instanceof Error ? error.message : String(error));
      // The next `robot` or this timer tries again; a robot that changed meanwhile has another description.
      setTimeout(() => {
        if (this.#described === description && this.#session.isOpen) void this.#fetch(description);
      }, AGAIN_MS);
    }
  }

  #read(urdf: string): void {
    const document = new DOMParser().parseFromString(urdf, "application/xml");
    const wrong = document.querySelector("parsererror");
    if (wrong) throw new Error((wrong.textContent ?? "").slice(0, 200));
    this.#model = Model.read(document.documentElement as unknown as XmlElement);
    this.#figures = this.#session.robot && new Figures(this.#model, this.#session.robot);
    this.traces.clear();
    this.urdf = urdf;
    this.emit("urdf", urdf);
  }

  #take(state: State): void {
    const [vx = 0, vy = 0, wz = 0] = state.twist ?? [];
    this.twist = { vx, vy, wz };
    const figure = this.#figures?.of(state);
    if (!figure) return;
    this.figure = figure;
    this.traces.add(figure);
    this.emit("figure", figure);
  }
}
