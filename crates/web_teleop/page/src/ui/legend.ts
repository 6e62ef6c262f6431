/** What the colours of the pictures mean. */

import { words } from "../words/index.ts";
import { h } from "./dom.ts";

/** Each colour by its design token, with its meaning. */
export function createLegend(...parts: readonly Readonly<Record<string, string>>[]): HTMLElement {
  return h("ul", { class: "legend" }, ...parts.flatMap((part) => Object.entries(part).map(([ink, text]) =>
    h("li", {}, h("span", { class: "legend-mark", "data-ink": ink, "aria-hidden": true }), text))));
}

export interface StageLegend {
  readonly button: HTMLElement;
  readonly panel: HTMLElement;
  /** Whether there is a map of the ground to be explained. */
  showGround(isThere: boolean): void;
}

/** The legend of the 3D view, behind a button. */
export function createStageLegend(sign: Node): StageLegend {
  const ground = createLegend(words.legend.ground);
  ground.hidden = true;
  const panel = h("div", { class: "stage-legend", hidden: true }, createLegend(words.legend.marks, { red: words.legend.thin }), ground);
  const button = h("button", { type: "button", class: "icon-button stage-legend-button", "aria-label": words.view.legend,
    title: words.view.legend, "aria-expanded": "false" }, sign);
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
  });
  return { button, panel, showGround: (isThere) => { ground.hidden = !isThere; } };
}
