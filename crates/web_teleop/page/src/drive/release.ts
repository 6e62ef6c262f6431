/** Watches for all that makes it doubtful that a person looks at this page and holds a stick. */

import type { Release } from "./deadman.ts";

const LOOK_MS = 50;

/** Calls `release` at once when the page may be out of sight or out of hand. */
export function watchForRelease(release: (reason: Release) => void): void {
  addEventListener("blur", () => release("blur"));
  addEventListener("pagehide", () => release("leaving"));
  document.addEventListener("freeze", () => release("hidden"));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) release("hidden");
  });
  screen.orientation?.addEventListener("change", () => release("rotated"));
  addEventListener("orientationchange", () => release("rotated"));
  // A long press may open a menu, which takes the events that would end the grip.
  addEventListener("contextmenu", () => release("menu"));
  // Not every browser tells of every loss.
  let hadFocus = document.hasFocus();
  setInterval(() => {
    const hasFocus = document.hasFocus();
    if (hadFocus && !hasFocus) release("blur");
    hadFocus = hasFocus;
  }, LOOK_MS);
}
