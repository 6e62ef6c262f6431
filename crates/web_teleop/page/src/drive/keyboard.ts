/** The keyboard as a source: held keys drive, other keys command. */

import type { Cockpit } from "../cockpit.ts";
import { command, heading, HeldKeys, type KeyPress } from "./keys.ts";

export function listenToKeys(cockpit: Cockpit): void {
  const held = new HeldKeys();
  cockpit.on("released", () => held.clear());
  const drive = (): void => {
    if (held.isEmpty) cockpit.deadman.release("keys");
    else cockpit.deadman.move("keys", held.demand());
  };

  addEventListener("keydown", (event) => {
    const press = pressOf(event);
    // A key that goes up while Ctrl, Alt or the command key is down may never be reported.
    if (press.isModified) return cockpit.deadman.release("keys"), held.clear();
    if (belongsToControl(event)) return;
    const way = heading(press);
    if (way) {
      event.preventDefault();
      if (event.repeat) return;
      cockpit.grip("keys");
      held.press(event.code, way);
      return drive();
    }
    const asked = command(press);
    if (!asked) return;
    event.preventDefault();
    if (!event.repeat || asked === "emergency") cockpit.command(asked);
  });

  addEventListener("keyup", (event) => {
    if (held.release(event.code)) drive();
  });
}

function pressOf(event: KeyboardEvent): KeyPress {
  return { code: event.code, key: event.key, isModified: event.ctrlKey || event.altKey || event.metaKey };
}

/** Whether the focused control needs the key itself: Space presses a button, arrows move a slider or a choice. */
function belongsToControl({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("button, summary, a")) return key === " " || (target.role === "tab" && key.startsWith("Arrow"));
  return target.matches("input, select, textarea") && (key === " " || key.startsWith("Arrow") || key.startsWith("Page"));
}
