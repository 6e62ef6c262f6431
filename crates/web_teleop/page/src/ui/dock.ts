/** Servos on and off, stand, sit, pack: always in sight. */

import type { Cockpit } from "../cockpit.ts";
import type { Service } from "../protocol/messages.ts";
import type { Session } from "../session.ts";
import { start } from "../start.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

interface Button {
  readonly button: HTMLButtonElement;
  readonly label: HTMLElement;
}

const ON = new Set(["arming", "armed", "holding", "retiring"]);

export function createDock(session: Session, cockpit: Cockpit): HTMLElement {
  const power = createPower();
  const made = (service: "stand" | "sit" | "pack"): [Service, Button] => [service, createButton(service, words.actions[service])];
  const [stand, sit, pack] = [made("stand"), made("sit"), made("pack")];
  const posture = [stand, sit, pack];

  const isOn = (): boolean => ON.has(session.servos);
  // A robot whose servos are off has them switched on before it stands up: one press for both.
  const starts = (): boolean => !isOn() && session.isOpen && session.transport.isLive;
  const show = (): void => {
    setText(power.value, isOn() ? words.actions.on : words.actions.off);
    setAttribute(power.button, "data-on", String(isOn()));
    setAttribute(power.button, "aria-checked", String(isOn()));
    setText(stand[1].label, starts() ? words.actions.start : words.actions.stand);
    setAttribute(stand[1].button, "aria-label", starts() ? words.actions.startLabel : words.actions.stand);
    stand[1].button.classList.toggle("primary", starts());
    for (const { button } of [power, ...posture.map(([, button]) => button)]) button.disabled = !session.isOpen;
  };
  power.button.addEventListener("click", () => {
    if (isOn()) cockpit.switchOff();
    else void busy(power.button, cockpit.call("enable"));
  });
  for (const [service, { button }] of posture) {
    button.addEventListener("click", () => {
      void busy(button, service === "stand" && starts() ? start(session, cockpit) : cockpit.call(service));
    });
  }
  session.on("health", show);
  session.on("stop", show);
  session.on("contact", show);
  show();
  return h("div", { class: "dock", role: "group", "aria-label": words.actions.group },
    power.button, ...posture.map(([, { button }]) => button));
}

async function busy(button: HTMLButtonElement, work: Promise<unknown>): Promise<void> {
  setAttribute(button, "aria-busy", "true");
  await work;
  button.removeAttribute("aria-busy");
}

/** A switch that says what it switches and how it stands; a button that names what it would do is read as what is. */
function createPower(): { button: HTMLButtonElement; value: HTMLElement } {
  const value = h("span", { class: "power-value", "aria-hidden": true });
  const button = h("button", { type: "button", role: "switch", class: "dock-button dock-power", "aria-label": words.actions.power },
    h("span", { class: "power-track", "aria-hidden": true }, h("span", { class: "power-knob" })),
    h("span", { class: "power-label" }, words.actions.power, value));
  return { button, value };
}

function createButton(name: IconName, text: string): Button {
  const label = h("span", {}, text);
  return { button: h("button", { type: "button", class: `dock-button dock-${name}` }, icon(name), label), label };
}
