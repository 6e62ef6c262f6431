/** The other robots on the network, and a stop of them all. */

import { wordsOf, type Cockpit } from "../cockpit.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, section } from "./dom.ts";

export function createFleet(session: Session, cockpit: Cockpit): HTMLElement {
  const robots = h("ul", { class: "fleet", "aria-live": "polite" });
  const stop = h("button", { type: "button", class: "danger wide stop-all" }, words.fleet.stop);
  stop.addEventListener("click", () => {
    cockpit.releaseAll("stopped");
    void session.ask({ type: "stop_all" }).then((answer) => {
      if (!answer.ok) cockpit.notify(wordsOf(answer, session));
    });
  });
  const element = section(words.fleet.title, robots, stop, h("p", { class: "help" }, words.fleet.help));
  element.hidden = true;
  session.on("fleet", ({ robots: known }) => {
    element.hidden = known.length === 0;
    robots.replaceChildren(...known.map(({ name, is_stopped, message }) =>
      h("li", { "data-stopped": is_stopped === null ? undefined : String(is_stopped) }, name,
        message ? h("small", {}, is_stopped === false ? `${message}: ${words.fleet.unsure}` : message) : undefined)));
  });
  return element;
}
