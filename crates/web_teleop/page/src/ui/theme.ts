/** Light or dark: as the device says, unless the person says otherwise. */

import { recall, remember } from "../storage.ts";

export type Theme = "auto" | "dark" | "light";

const KEY = "hexapod.theme";
let chosen = recall("localStorage", KEY);

export function currentTheme(): Theme {
  return isTheme(chosen) ? chosen : "auto";
}

function isTheme(theme: string | undefined): theme is Theme {
  return theme === "auto" || theme === "dark" || theme === "light";
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  remember("localStorage", KEY, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  dispatchEvent(new Event("themechange"));
}
