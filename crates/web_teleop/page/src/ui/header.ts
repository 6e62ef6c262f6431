/** The bar at the top: what the robot does, lights, and who drives. */

import { wordsOf, type Cockpit } from "../cockpit.ts";
import { Posture, playedMotion } from "../robot/posture.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

type Tone = "ok" | "warning" | "error" | "off";

export function createHeader(session: Session, cockpit: Cockpit): HTMLElement {
  const state = h("strong", { class: "bar-state" }, words.states["unknown"]);
  const servos = h("span", { class: "bar-servos" });
  const [link, battery, health] = [createLight("link"), createLight("battery"), createLight("health")];
  const lights = h("ul", { class: "lights", "aria-label": words.lights.group }, link.element, battery.element, health.element);

  const posture = new Posture();
  const show = (): void => {
    const isKnown = session.isFresh;
    const doing = posture.doing(session.state?.gait_state ?? "unknown", playedMotion(session.state, session.health));
    setText(state, words.states[isKnown ? doing : "unknown"] ?? "");
    setText(servos, isKnown ? (words.servos[session.servos || "unknown"] ?? "") : "");
    link.show(...linkLight(session));
    battery.show(...batteryLight(session));
    health.show(...healthLight(session));
  };
  for (const event of ["contact", "health", "lease", "stop"] as const) session.on(event, show);
  setInterval(show, 250);
  show();

  const badge = session.transport.isLive ? undefined : h("span", { class: "badge" }, words.playground.badge);
  return h("header", { class: "bar" },
    h("div", { class: "bar-title", role: "status" }, state, servos), badge, lights, createLease(session, cockpit));
}

function linkLight(session: Session): [Tone, string] {
  if (session.contact.kind !== "open") {
    return session.contact.kind === "refused" ? ["error", words.lights.refused] : ["warning", words.lights.connecting];
  }
  return session.isFresh ? ["ok", words.lights.open] : ["error", words.lights.old];
}

function batteryLight(session: Session): [Tone, string] {
  const battery = session.health?.battery;
  if (!session.isOpen || !battery) return ["off", words.lights.none];
  if (battery.percentage === null) {
    return battery.voltage === null ? ["off", words.lights.none] : ["ok", words.lights.volts(battery.voltage.toFixed(1))];
  }
  const percent = Math.round(battery.percentage * 100);
  return [percent < 10 ? "error" : percent < 20 ? "warning" : "ok", words.lights.percent(percent)];
}

function healthLight(session: Session): [Tone, string] {
  const level = session.health?.level;
  if (!session.isFresh || level === undefined) return ["off", words.lights.old];
  return level === 0 ? ["ok", words.lights.ok] : level === 1 ? ["warning", words.lights.warning] : ["error", words.lights.error];
}

/** A light is told by its shape and its words as well as by its colour. */
function createLight(name: IconName & ("link" | "battery" | "health")): {
  element: HTMLLIElement; show: (tone: Tone, text: string) => void;
} {
  const mark = h("span", { class: "light-mark", "aria-hidden": true });
  const text = h("span", { class: "visually-hidden" });
  const element = h("li", { class: "light" }, icon(name), mark, text);
  return {
    element,
    show: (tone, told) => {
      setAttribute(element, "data-tone", tone);
      setText(text, `${words.lights[name]}: ${told}`);
      setAttribute(element, "title", `${words.lights[name]}: ${told}`);
    },
  };
}

/** Says who drives, and makes this page the driver or ends that. */
function createLease(session: Session, cockpit: Cockpit): HTMLElement {
  const label = h("span", { class: "lease-text" });
  const button = h("button", { class: "lease", type: "button" }, h("span", { class: "lease-dot", "aria-hidden": true }), label);
  const show = (): void => {
    const other = session.otherDriver;
    const kind = session.isDriver ? "yours" : other === undefined ? "nobody" : "other";
    setAttribute(button, "data-kind", kind);
    button.disabled = !session.isOpen;
    setText(label, kind === "yours" ? words.lease.yours : kind === "nobody" ? words.lease.nobody : words.lease.other(other ?? ""));
    const hint = kind === "yours" ? words.lease.release : kind === "nobody" ? words.lease.nobodyHint : words.lease.takeOverFrom(other ?? "");
    setAttribute(button, "aria-label", `${label.textContent}. ${hint}`);
    setAttribute(button, "title", hint);
  };
  session.on("lease", show);
  session.on("contact", show);
  button.addEventListener("click", () => {
    const want = session.isDriver ? "release" : session.otherDriver === undefined ? "take" : "take_over";
    cockpit.releaseIfHeld("lease");
    void session.ask({ type: "lease", want }).then((answer) => {
      if (!answer.ok) cockpit.notify(wordsOf(answer, session));
    });
  });
  show();
  return button;
}
