/** Reads the gamepad once a frame while one is there. */

import type { Cockpit } from "../cockpit.ts";
import { Pad } from "./pad.ts";

/** `reported` is called with the pad's name, or `undefined` when it goes. */
export function listenToPad(cockpit: Cockpit, reported: (name: string | undefined) => void): void {
  const pad = new Pad();
  let isRunning = false;

  const look = (): void => {
    const found = navigator.getGamepads().find((candidate) => candidate?.connected);
    if (!found) {
      isRunning = false;
      pad.disconnected();
      cockpit.deadman.release("pad");
      return reported(undefined);
    }
    const { isHeld, isGripped, demand, commands } = pad.read(found);
    commands.forEach((command) => cockpit.command(command));
    if (isGripped) cockpit.grip("pad");
    if (isHeld) cockpit.deadman.move("pad", demand);
    else cockpit.deadman.release("pad");
    requestAnimationFrame(look);
  };

  addEventListener("gamepadconnected", ({ gamepad }) => {
    reported(gamepad.id);
    if (!isRunning) requestAnimationFrame(look);
    isRunning = true;
  });
  addEventListener("gamepaddisconnected", () => {
    cockpit.deadman.release("pad");
    pad.disconnected();
  });
}
