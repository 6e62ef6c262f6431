/** A stick for one thumb. It begins where the thumb touches, so a touch alone moves nothing. */

import type { Cockpit } from "../cockpit.ts";
import type { Demand, Source } from "../drive/deadman.ts";
import { CENTRED, deflection, type Deflection } from "../drive/stick.ts";
import { h } from "./dom.ts";

export interface StickOptions {
  readonly source: Source;
  readonly label: string;
  readonly caption: string;
  readonly demand: (deflection: Deflection) => Demand;
  /** Where the stick would be for a demand of the keys or a gamepad. */
  readonly mirror: (demand: Demand) => Deflection;
}

/** How far a thumb moves for full speed, as a part of the stick's width. */
const TRAVEL = 0.36;

export function createStick(cockpit: Cockpit, { source, label, caption, demand, mirror }: StickOptions): HTMLElement {
  const knob = h("span", { class: "stick-knob" });
  const pad = h("div", { class: `stick stick-${source}`, role: "img", "aria-label": label },
    h("span", { class: "stick-cross" }), knob, h("span", { class: "stick-caption", "aria-hidden": true }, caption));
  let touch: { id: number; x: number; y: number } | undefined;

  const show = ({ forward, left }: Deflection): void => {
    const travel = pad.clientWidth * TRAVEL;
    pad.classList.toggle("is-moved", forward !== 0 || left !== 0);
    knob.style.transform = `translate(${-left * travel}px, ${-forward * travel}px)`;
  };
  const end = (): void => {
    touch = undefined;
    pad.classList.remove("is-held");
    show(CENTRED);
  };

  pad.addEventListener("pointerdown", (event) => {
    if (touch || event.button !== 0) return;
    event.preventDefault();
    touch = { id: event.pointerId, x: event.clientX, y: event.clientY };
    pad.setPointerCapture(event.pointerId);
    pad.classList.add("is-held");
    cockpit.grip(source);
  });
  pad.addEventListener("pointermove", (event) => {
    if (touch?.id !== event.pointerId) return;
    const moved = deflection(event.clientX - touch.x, event.clientY - touch.y, pad.clientWidth * TRAVEL);
    if (cockpit.deadman.move(source, demand(moved))) show(moved);
  });
  for (const ending of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
    pad.addEventListener(ending, (event) => {
      if (touch?.id !== event.pointerId) return;
      end();
      cockpit.deadman.release(source);
    });
  }
  cockpit.on("released", end);
  cockpit.on("demand", (asked) => {
    if (!touch) show(mirror(asked));
  });
  return pad;
}
