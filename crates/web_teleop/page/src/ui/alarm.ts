/** The line of faults: the worst in full, the others on request. */

import type { Cockpit } from "../cockpit.ts";
import { faults, type Fault } from "../faults.ts";
import { withdrawStop } from "../questions.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h } from "./dom.ts";

const LOOK_MS = 200;

export function createAlarm(session: Session, cockpit: Cockpit): HTMLElement {
  const element = h("div", { class: "alarm", role: "alert", hidden: true });
  let shown = "";
  let isOpen = false;

  const show = (): void => {
    const found = faults({
      contact: session.contact, state: session.state, health: session.health, stop: session.stopState,
      stopDoubt: session.stopDoubt, doubtfulStop: session.doubtfulStop, slownessMs: slowness(session.slownessMs),
      awaitsRelease: cockpit.awaitsRelease,
    });
    // Seconds that count on are not news to a screen reader, but they are to the eye.
    const text = JSON.stringify([found, isOpen]);
    if (text === shown) return;
    shown = text;
    element.hidden = found.length === 0;
    const [worst, ...others] = found;
    element.dataset["severity"] = worst?.severity ?? "";
    element.replaceChildren(
      ...(worst ? [faultElement(worst, session, cockpit,
        others.length > 0 ? moreButton(others.length, isOpen, () => { isOpen = !isOpen; show(); }) : undefined)] : []),
      ...(isOpen ? others.map((fault) => faultElement(fault, session, cockpit)) : []),
    );
  };
  for (const event of ["contact", "stop", "health"] as const) session.on(event, show);
  setInterval(show, LOOK_MS);
  show();
  return element;
}

function moreButton(count: number, isOpen: boolean, toggle: () => void): HTMLElement {
  return h("button", { class: "alarm-more", type: "button", "aria-expanded": String(isOpen),
    "aria-label": words.alarm.more(count), onclick: toggle }, isOpen ? "−" : `+${count}`);
}

/** In steps: a number that changes with every pong would be announced anew each time. */
function slowness(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms / 100) * 100;
}

function faultElement(fault: Fault, session: Session, cockpit: Cockpit, more?: HTMLElement): HTMLElement {
  return h("div", { class: `fault fault-${fault.severity}` },
    h("p", {}, h("strong", {}, fault.text), fault.way ? ` ${fault.way}` : ""), actionOf(fault, session, cockpit), more);
}

function actionOf({ action }: Fault, session: Session, cockpit: Cockpit): HTMLElement | undefined {
  switch (action) {
    case "enable":
      return h("button", { type: "button", class: "small", onclick: () => void cockpit.call("enable") }, words.actions.enable);
    case "withdraw":
      return h("button", { type: "button", class: "small", onclick: () => cockpit.question(withdrawStop(session)) }, words.stop.withdraw);
    case "reload":
      return h("button", { type: "button", class: "small", onclick: () => location.reload() }, words.contact.reload);
    case "playground":
      return h("a", { class: "button small", href: "playground.html" }, words.contact.playground);
    default:
      return undefined;
  }
}
