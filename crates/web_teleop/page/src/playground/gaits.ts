/** Gaits of one's own, as text. */

import { h } from "../ui/dom.ts";
import { words } from "../words/index.ts";

/** A gait to begin with; the comment at the top of `config/gaits.yaml` names every key. */
const SAMPLE = `gaits:
  mine: {duty_factor: 0.6, cycle_time: 1.0, lag: 0.4, side_lag: 0.5, step_height: 0.04}
`;

/** Calls `walk` with the text when the person is done with it. */
export function createGaitEditor(walk: (text: string) => Promise<void>): { element: HTMLElement; show: (text: string | undefined) => void } {
  const text = h("textarea", { class: "gaits-text", rows: 5, spellcheck: "false", "aria-label": words.playground.gaits });
  text.value = SAMPLE;
  // Letters typed here are no commands.
  text.addEventListener("keydown", (event) => event.stopPropagation());
  const done = h("button", { type: "button", onclick: () => void walk(text.value) }, words.playground.walkGaits);
  return {
    element: h("details", {}, h("summary", {}, words.playground.gaits), text, done),
    show: (given) => { text.value = given ?? SAMPLE; },
  };
}

/** The first of these gaits that the text describes. */
export function gaitIn(text: string, known: readonly string[]): string | undefined {
  const keys = new Set([...text.matchAll(/^\s+["']?([\w-]+)["']?\s*:/gm)].map(([, key]) => key));
  return known.find((name) => keys.has(name));
}
