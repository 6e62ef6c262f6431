/** Servos on and off, stand, sit, pack: always in sight. */

import type { Cockpit } from "../cockpit.ts";
import type { Service } from "../protocol/messages.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

const ON = new Set(["arming", "armed", "holding", "retiring"]);

/** `confirmOff` asks before servos are switched off below a standing robot. */
export function createDock(session: Session, cockpit: Cockpit, confirmOff: () => void): HTMLElement {
  const power = createButton("power", words.actions.enable);
  const posture = (["stand", "sit", "pack"] as const).map((service) => [service, createButton(service, words.actions[service])] as const);

  const isOn = (): boolean => ON.has(session.servos);
  const show = (): void => {
    setText(power.label, isOn() ? words.actions.disable : words.actions.enable);
    setAttribute(power.button, "data-on", String(isOn()));
    for (const { button } of [power, ...posture.map(([, made]) => made)]) button.disabled = !session.isOpen;
  };
  power.button.addEventListener("click", () => {
    if (!isOn()) return void run(power.button, cockpit, "enable");
    if (session.state?.gait_state === "sitting") return void run(power.button, cockpit, "disable");
    confirmOff();
  });
  for (const [service, { button }] of posture) {
    button.addEventListener("click", () => void run(button, cockpit, service));
  }
  session.on("health", show);
  session.on("stop", show);
  session.on("contact", show);
  show();
  return h("div", { class: "dock", role: "group", "aria-label": words.actions.group },
    power.button, ...posture.map(([, { button }]) => button));
}

async function run(button: HTMLButtonElement, cockpit: Cockpit, service: Service): Promise<void> {
  setAttribute(button, "aria-busy", "true");
  await cockpit.call(service);
  button.removeAttribute("aria-busy");
}

function createButton(name: IconName, text: string): { button: HTMLButtonElement; label: HTMLElement } {
  const label = h("span", {}, text);
  return { button: h("button", { type: "button", class: `dock-button dock-${name}` }, icon(name), label), label };
}
