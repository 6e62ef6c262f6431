/** Short notes that pass, and questions that stay until they are answered. STOP stays in reach of both. */

import type { Cockpit } from "../cockpit.ts";
import type { Question } from "../questions.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setText } from "./dom.ts";

const SHOWN_MS = 4500;

export function createNotices(session: Session, cockpit: Cockpit): HTMLElement {
  const note = h("p", { class: "note", role: "status", hidden: true });
  const cards = h("div", { class: "cards" });
  let timer: ReturnType<typeof setTimeout> | undefined;

  cockpit.on("notice", (text) => {
    if (!text) return;
    setText(note, text);
    note.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { note.hidden = true; }, SHOWN_MS);
  });
  cockpit.on("released", ({ reason, wasHeld }) => {
    if (wasHeld && reason !== "stopped") cockpit.notify(words.sticks.released[reason] ?? "");
  });
  // A question is about the servos as they were.
  let servos = session.servos;
  const look = (): void => {
    if (session.servos === servos) return;
    servos = session.servos;
    cards.replaceChildren();
  };
  session.on("health", look);
  session.on("stop", look);
  cockpit.on("checks", (message) => cards.replaceChildren(checksCard(message)));
  cockpit.on("question", (question) => cards.replaceChildren(questionCard(question)));
  session.on("lease", ({ change, from, by }) => {
    const name = (id: number | null): string => session.lease?.clients.find((client) => client.id === id)?.name || `#${id}`;
    // Whoever lost the robot hears to whom; whoever took it, from whom.
    if (change === "taken_over" && from === session.welcome?.id) cockpit.notify(words.lease.taken(name(by)));
    else if (change === "taken_over" && by === session.welcome?.id) cockpit.notify(words.lease.takenFrom(name(from)));
  });
  return h("div", { class: "notices" }, cards, note);
}

/** The servo driver's checks, line by line, each marked as passed or not. */
function checksCard(message: string): HTMLElement {
  const lines = message.split(/\n|; (?=ok |FAILED )/).map((line) => line.trim()).filter(Boolean);
  const items = lines.map((line) => {
    const isFailed = line.startsWith("FAILED");
    const isPassed = line.startsWith("ok ");
    const mark = isFailed ? words.checks.failed : isPassed ? words.checks.passed : "";
    return h("li", { "data-check": isFailed ? "failed" : isPassed ? "passed" : "other" },
      mark ? h("span", { class: "visually-hidden" }, `${mark}: `) : undefined, line.replace(/^(ok|FAILED) /, ""));
  });
  const card = h("div", { class: "card", role: "alertdialog", "aria-label": words.checks.title },
    h("h2", {}, words.checks.title), h("ul", { class: "checks" }, ...items),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => card.remove() }, words.checks.close)));
  return card;
}

function questionCard({ title, body, answers }: Question): HTMLElement {
  const buttons = answers.map(({ text, look, act }) => h("button", { type: "button", class: look, onclick: () => {
    card.remove();
    act?.();
  } }, text));
  const card = h("div", { class: "card", role: "alertdialog", "aria-label": title },
    h("h2", {}, title), h("p", {}, body), h("div", { class: "row" }, ...buttons));
  return card;
}
