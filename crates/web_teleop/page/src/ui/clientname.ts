/** What this device is called in the list of those connected. */

import { words } from "../words/index.ts";

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
