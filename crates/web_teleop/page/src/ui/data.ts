/** Plots, the recording, and the log. */

import type { Cockpit } from "../cockpit.ts";
import { Series } from "../robot/series.ts";
import type { LogEvent } from "../protocol/messages.ts";
import type { Session } from "../session.ts";
import type { Watch } from "../watch.ts";
import { words } from "../words/index.ts";
import { h, section } from "./dom.ts";
import { createPlot, type Plot } from "./plot.ts";
import { createRecorder } from "./recorder.ts";

const JOINT_SECONDS = 8;
const HEALTH_SECONDS = 120;
const LOG_SHOWN = 100;
const DEGREES = 180 / Math.PI;

export function createData(session: Session, watch: Watch, cockpit: Cockpit): HTMLElement {
  const joints = createJointPlots(session, watch);
  const [lateness, bus] = [healthPlot(session, "lateness p99 (us)", words.data.lateness), healthPlot(session, "bus load (%)", words.data.bus)];
  const element = h("div", {},
    createRecorder(session, cockpit),
    section(words.data.joints, joints.element),
    h("div", { class: "pair" }, lateness.element, bus.element),
    section(words.data.log, createLog(session)));
  const draw = (): void => {
    if (element.offsetParent === null) return;
    joints.draw();
    lateness.draw();
    bus.draw();
  };
  watch.on("figure", () => requestAnimationFrame(draw));
  session.on("health", draw);
  return element;
}

/** One plot a leg, from hip to foot. */
function createJointPlots(session: Session, watch: Watch): Plot {
  const element = h("div", { class: "plots" });
  let plots: Plot[] = [];
  let legs: { readonly series: Series; readonly joints: readonly number[] }[] = [];
  const make = (): void => {
    const robot = session.robot;
    if (!robot) return;
    const each = Math.max(1, Math.round(robot.joints.length / Math.max(1, robot.legs.length)));
    legs = robot.legs.map((name, leg) => {
      const named = robot.joints.flatMap((joint, i) => (joint.startsWith(`${name}_`) ? [i] : []));
      const inOrder = Array.from({ length: each }, (_, i) => leg * each + i).filter((i) => i < robot.joints.length);
      return { series: new Series(JOINT_SECONDS), joints: named.length > 0 ? named : inOrder };
    });
    plots = legs.map(({ series, joints }, leg) => createPlot({
      title: (robot.legs[leg] ?? "").replaceAll("_", " "), series, seconds: JOINT_SECONDS, least: [-60, 60],
      label: (value) => `${value.toFixed(0)}${words.data.degrees}`,
      lines: joints.map((joint) => robot.joints[joint] ?? ""),
    }));
    element.replaceChildren(...plots.map((plot) => plot.element));
  };
  session.on("robot", make);
  make();
  watch.on("figure", () => {
    const state = session.state;
    const angles = state?.joints;
    if (angles) legs.forEach(({ series, joints }) => series.add(state.t, joints.map((i) => (angles[i] ?? 0) * DEGREES)));
  });
  return { element, draw: () => plots.forEach((plot) => plot.draw()) };
}

/** A value of `/diagnostics`, once a second. */
function healthPlot(session: Session, key: string, title: string): Plot {
  const series = new Series(HEALTH_SECONDS);
  let last = -1;
  session.on("health", ({ t, nodes }) => {
    const value = Number.parseFloat(nodes.find((node) => node.values[key] !== undefined)?.values[key] ?? "");
    if (!Number.isFinite(value) || (t - last < 0.5 && t >= last)) return;
    last = t;
    series.add(t, [value]);
  });
  return createPlot({ title, series, seconds: HEALTH_SECONDS, least: [0, 1], label: (value) => value.toFixed(0), lines: [key] });
}

function createLog(session: Session): HTMLElement {
  const list = h("ol", { class: "log" });
  const none = h("p", { class: "help" }, words.data.noLog);
  const add = (events: readonly LogEvent[]): void => {
    if (events.length === 0) return;
    none.remove();
    const now = session.state?.t ?? session.health?.t ?? 0;
    list.prepend(...events.map((event) => logLine(event, now)).reverse());
    while (list.childElementCount > LOG_SHOWN) list.lastElementChild?.remove();
  };
  session.on("log", add);
  // A new connection gets the last events again.
  session.on("welcome", () => list.replaceChildren());
  return h("div", {}, none, list);
}

/** With the time of day, reckoned from the server's clock, which counts from when it was switched on. */
function logLine({ t, level, source, text }: LogEvent, now: number): HTMLLIElement {
  const name = words.data.levels[level] ?? String(level);
  return h("li", { "data-level": level },
    h("span", { class: "log-time" }, t > 0 && now > 0 ? new Date(Date.now() - (now - t) * 1000).toLocaleTimeString() : ""),
    h("span", { class: "log-source" }, source),
    h("span", { class: "log-text" }, level > 0 ? h("strong", {}, `${name}: `) : undefined, text));
}
