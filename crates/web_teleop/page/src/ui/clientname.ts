/** What this device is called in the list of those connected. */

import { recall, remember } from "../storage.ts";
import { words } from "../words/index.ts";

const KEY = "hexapod.name";
/** As many characters as the server shows to others. */
export const LONGEST_NAME = 40;

/** The name that its owner gave the device, or "". */
export function givenName(): string {
  return recall("localStorage", KEY) ?? "";
}

export function giveName(name: string): void {
  remember("localStorage", KEY, name.trim().slice(0, LONGEST_NAME));
}

/** As much as a browser tells: `Android Phone`, `Linux Computer`. */
export function clientName(userAgent: string, hasTouch: boolean): string {
  // Android also says Linux, and an iPhone says Mac OS.
  const system = ["Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux"].find((name) => userAgent.includes(name)) ?? "";
  const isPhone = /iPhone|Mobile/.test(userAgent);
  const isTablet = !isPhone && (/iPad|Android/.test(userAgent) || (system === "Macintosh" && hasTouch));
  const kind = isPhone ? words.name.phone : isTablet ? words.name.tablet : words.name.computer;
  const shown = { iPhone: "", iPad: "", Macintosh: "Mac", CrOS: "Chromebook" }[system] ?? system;
  return system === "iPhone" || system === "iPad" ? system : words.name.of(kind, shown);
}
