/** Tabs: one section at a time, chosen by touch, mouse or arrow keys. */

import { words } from "../words/index.ts";
import { h, setAttribute } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

export type TabName = keyof typeof words.tabs & IconName;

export interface Tabs {
  readonly nav: HTMLElement;
  readonly panels: HTMLElement;
  select(name: TabName): void;
}

/** `chosen` is called with the section that is shown, at first too. */
export function createTabs(content: Readonly<Record<TabName, HTMLElement>>, first: TabName, chosen: (name: TabName) => void): Tabs {
  const names = Object.keys(content) as TabName[];
  const tabs = new Map(names.map((name) => [name, h("button", {
    type: "button", role: "tab", id: `tab-${name}`, class: `tab tab-${name}`, "aria-controls": `panel-${name}`,
  }, icon(name), h("span", {}, words.tabs[name]))]));
  const panels = h("div", { class: "panels" }, ...names.map((name) => {
    const panel = content[name];
    for (const [key, value] of [["role", "tabpanel"], ["id", `panel-${name}`], ["aria-labelledby", `tab-${name}`]] as const) {
      setAttribute(panel, key, value);
    }
    // It scrolls, so the keyboard must reach it; the robot's picture does not.
    if (name !== "view") panel.tabIndex = 0;
    panel.classList.add("panel");
    return panel;
  }));

  const select = (name: TabName): void => {
    for (const [other, tab] of tabs) {
      const isChosen = other === name;
      setAttribute(tab, "aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      content[other].hidden = !isChosen;
    }
    chosen(name);
  };
  const nav = h("div", { class: "tabs", role: "tablist", "aria-label": words.sections }, ...tabs.values());
  for (const [name, tab] of tabs) tab.addEventListener("click", () => select(name));
  nav.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const now = names.findIndex((name) => tabs.get(name) === document.activeElement);
    const next = names[(now + step + names.length) % names.length];
    if (step === 0 || now < 0 || next === undefined) return;
    event.preventDefault();
    select(next);
    tabs.get(next)?.focus();
  });
  select(first);
  return { nav, panels, select };
}
