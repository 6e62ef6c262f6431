/** What is wrong, in words, with the way back: the worst first. */

import type { Health, NodeHealth, State, StopKind, StopState } from "./protocol/messages.ts";
import type { Contact } from "./protocol/transport.ts";
import type { StopDoubt } from "./session.ts";
import { words } from "./words/index.ts";

export type Severity = "stop" | "error" | "warning" | "info";

export interface Fault {
  readonly severity: Severity;
  readonly text: string;
  readonly way: string;
  readonly action?: "enable" | "reload" | "playground" | "withdraw";
}

export interface Known {
  readonly contact: Contact;
  readonly state: State | undefined;
  readonly health: Health | undefined;
  readonly stop: StopState | undefined;
  readonly stopDoubt: StopDoubt;
  /** Which stop is in doubt. */
  readonly doubtfulStop?: StopKind | undefined;
  /** ms to the robot and back, where they are too many to drive. */
  readonly slownessMs?: number | undefined;
  readonly awaitsRelease: boolean;
}

const PLANNER_SILENT_S = 1;
const DRIVER_SILENT_S = 2.5;
const LOW_BATTERY = 0.2;

/** All that is to be reported, the worst first. */
export function faults(known: Known): Fault[] {
  const stop = stopFault(known);
  if (known.contact.kind !== "open") return [...stop.filter(isUnheard), contactFault(known.contact)];
  const silent = silence(known.state);
  return [...stop, ...silent, ...slowness(known), ...(silent.length > 0 ? [] : nodeFaults(known))];
}

function slowness({ slownessMs }: Known): Fault[] {
  if (slownessMs === undefined) return [];
  return [{ severity: "error", text: words.faults.slow(slownessMs.toFixed(0)), way: words.faults.slowWay }];
}

function isUnheard(fault: Fault): boolean {
  return fault.severity === "stop" && fault.action !== "enable";
}

function stopFault({ stop, stopDoubt, doubtfulStop, awaitsRelease }: Known): Fault[] {
  if (stopDoubt !== "none") {
    if (stopDoubt === "received") return [{ severity: "stop", text: words.stop.received, way: words.stop.receivedWay }];
    const said = doubtfulStop === "halt" ? words.stop.halt : words.stop;
    const text = stopDoubt === "unsent" ? said.notSent : said.unanswered;
    return [{ severity: "stop", text, way: words.stop.owedWay, action: "withdraw" }];
  }
  if (stop?.kind === "emergency") {
    switch (stop.phase) {
      case "unanswered": return [{ severity: "stop", text: words.stop.unanswered, way: "" }];
      case "failed": return [{ severity: "stop", text: words.stop.failed(stop.message), way: "" }];
      case "asked": return [{ severity: "stop", text: words.stop.asked, way: "" }];
    }
    if (stop.holds === "enable") {
      const text = words.stop.holds(stop.name ?? "");
      return [{ severity: "stop", text, way: words.stop.holdsWay, action: "enable" }];
    }
  }
  if (!awaitsRelease) return [];
  const text = stop?.holds === "zero" ? words.stop.halted(stop.name ?? "") : words.stop.notYet;
  return [{ severity: "info", text, way: words.stop.letGoWay }];
}

function contactFault(contact: Exclude<Contact, { kind: "open" }>): Fault {
  if (contact.kind === "refused") {
    const isOld = contact.why === "version" || contact.why === "defect";
    const [text, way] = [words.contact.refused[contact.why], words.contact.refusedWay[contact.why]];
    return { severity: "error", text, way, ...(isOld ? { action: "reload" as const } : {}) };
  }
  if (contact.attempt < 2) return { severity: "info", text: words.contact.connecting, way: "" };
  const text = words.contact.again(contact.attempt);
  return { severity: "error", text, way: words.contact.againWay, action: "playground" };
}

/** A robot that is silent tells nothing else either. */
function silence(state: State | undefined): Fault[] {
  if (!state) return [];
  const [planner, driver] = [state.age.planner, state.age.driver];
  if (isSilent(planner, PLANNER_SILENT_S)) {
    return [{ severity: "error", text: words.faults.planner(since(planner)), way: words.faults.planners }];
  }
  if (isSilent(driver, DRIVER_SILENT_S)) {
    return [{ severity: "error", text: words.faults.driver(since(driver)), way: words.faults.driverWay }];
  }
  return [];
}

function isSilent(age: number | null | undefined, longest: number): boolean {
  return age === null || (age !== undefined && age > longest);
}

function since(age: number | null | undefined): string {
  return typeof age === "number" ? words.faults.since(age.toFixed(0)) : "";
}

function nodeFaults({ health, state }: Known): Fault[] {
  if (!health) return [];
  const found = health.nodes.flatMap((node) => nodeFault(node, state));
  const percentage = health.battery?.percentage;
  if (typeof percentage === "number" && percentage < LOW_BATTERY) {
    const text = words.faults.battery(Math.round(percentage * 100));
    found.push({ severity: "warning", text, way: words.faults.batteryWay });
  }
  return found.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

const ORDER: readonly Severity[] = ["stop", "error", "warning", "info"];

function nodeFault(node: NodeHealth, state: State | undefined): Fault[] {
  const servos = node.values["state"];
  if (node.name.endsWith("servo_driver")) {
    if (servos === "fault") return [error(words.faults.servoFault, node.message, words.faults.servoFaultWay, "enable")];
    if (servos === "disarmed" && node.level < 2) {
      return [{ severity: "info", text: words.faults.servosOff, way: words.faults.servosOffWay, action: "enable" }];
    }
  }
  if (node.name.endsWith("gait_planner") && state?.gait_state === "fault") {
    return [error(words.faults.planFault, node.message, words.faults.planFaultWay)];
  }
  if (node.level === 0) return [];
  return [{ severity: node.level >= 2 ? "error" : "warning", text: words.faults.node(node.name, node.message), way: "" }];
}

function error(text: string, reason: string, way: string, action?: "enable"): Fault {
  return { severity: "error", text: reason ? `${text}: ${reason}` : text, way, ...(action ? { action } : {}) };
}
