/** The page without a robot: the walking core runs in it. */

import { Hexapod } from "../../../../hexapod_wasm/binding/hexapod.js";
import { startApp } from "../app.ts";
import { h } from "../ui/dom.ts";
import { applyTheme } from "../ui/theme.ts";
import { words } from "../words/index.ts";
import { createPlayground } from "./panel.ts";
import { sharedIn } from "./share.ts";
import { PlaygroundTransport } from "./transport.ts";

async function start(): Promise<void> {
  const response = await fetch(new URL("hexapod.wasm", location.href));
  if (!response.ok) throw new Error(words.playground.missing);
  const module = await WebAssembly.compile(await response.arrayBuffer());
  const transport = new PlaygroundTransport(await Hexapod.load(module));
  const shared = await sharedIn(location.hash);
  startApp(transport, (_, cockpit) => createPlayground(transport, module, cockpit, shared ?? {}));
}

start().catch((error: unknown) => {
  applyTheme();
  const reason = error instanceof Error ? error.message : String(error);
  document.body.append(h("main", { class: "panel" }, h("h1", {}, words.playground.title), h("p", { role: "alert" }, reason)));
});
