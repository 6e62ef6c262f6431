/** One of a few, as buttons side by side. */

import { h, setAttribute } from "./dom.ts";

export interface Choice {
  readonly element: HTMLElement;
  /** Values with their words; `none` is shown where there are none. */
  offer(values: readonly (readonly [string, string])[], none: string): void;
  choose(value: string): void;
}

export function createChoice(label: string, chosen: (value: string) => void): Choice {
  const element = h("div", { class: "choice", role: "group", "aria-label": label });
  let current = "";
  const choose = (value: string): void => {
    current = value;
    for (const button of element.querySelectorAll("button")) {
      setAttribute(button, "aria-pressed", String(button.value === value));
    }
  };
  return {
    element,
    choose,
    offer: (values, none) => {
      const buttons = values.map(([value, text]) => h("button", { type: "button", value, onclick: () => chosen(value) }, text));
      element.replaceChildren(...(buttons.length > 0 ? buttons : [h("p", { class: "help" }, none)]));
      choose(current);
    },
  };
}
