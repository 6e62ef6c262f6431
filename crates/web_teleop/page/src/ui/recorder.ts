/** Records the session, and hands the recording out as a file. */

import { wordsOf, type Cockpit } from "../cockpit.ts";
import { record as confirmRecord } from "../questions.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h, setText } from "./dom.ts";

export function createRecorder(session: Session, cockpit: Cockpit): HTMLElement {
  const record = h("button", { type: "button", class: "record" }, words.data.record);
  const download = h("button", { type: "button", disabled: true }, words.data.download);
  const status = h("span", { class: "help" });
  record.addEventListener("click", () => {
    const isRunning = session.recording?.on ?? false;
    const act = (): void => void session.ask({ type: "record", on: !isRunning }).then((answer) => {
      if (!answer.ok) cockpit.notify(wordsOf(answer, session));
    });
    if (isRunning || session.recording?.ready) cockpit.question(confirmRecord(isRunning, act));
    else act();
  });
  download.addEventListener("click", () => void save(session).catch((error: unknown) => cockpit.notify(String(error))));
  session.on("recording", ({ on, bytes, seconds, ready, message }) => {
    setText(record, on ? words.data.stopRecording : words.data.record);
    record.dataset["on"] = String(on);
    download.disabled = !ready;
    setText(status, message || (bytes > 0 ? words.data.recording(seconds.toFixed(0), sizeOf(bytes)) : ""));
  });
  const element = h("div", { class: "row recorder" }, record, download, status);
  element.hidden = !session.transport.isLive;
  return element;
}

/** Fetched, since a link could not carry the token. */
async function save(session: Session): Promise<void> {
  const response = await session.transport.fetch("recording");
  if (!response.ok) throw new Error(`recording: ${response.status}`);
  const url = URL.createObjectURL(await response.blob());
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  h("a", { href: url, download: `hexapod_${stamp}.mcap` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
