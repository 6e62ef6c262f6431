/** What can be taken from the playground: a link to the robot, and a table of its last minute. */

import type { Cockpit } from "../cockpit.ts";
import { h } from "../ui/dom.ts";
import { words } from "../words/index.ts";
import type { Dropped } from "./drop.ts";
import { fragmentOf } from "./share.ts";
import type { PlaygroundTransport } from "./transport.ts";

export function createTakeaway(transport: PlaygroundTransport, cockpit: Cockpit, loaded: () => Dropped): HTMLElement[] {
  const share = async (): Promise<void> => {
    const { description: { name, urdf, files }, meshes } = loaded();
    const { hexapod: { gait }, arc, terrain } = transport;
    const fragment = await fragmentOf({
      ...(name === undefined ? {} : { name }), ...(urdf === undefined ? {} : { urdf }), ...(files ? { files } : {}),
      ...(arc ? { arc } : {}), gait, terrain,
    });
    if (fragment === undefined) return cockpit.notify(words.playground.tooLarge);
    history.replaceState(null, "", fragment);
    // Browsers give the clipboard to secure pages alone.
    const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    const where = isCopied ? words.playground.copied : words.playground.inBar;
    cockpit.notify(meshes.size > 0 ? `${where} ${words.playground.noMeshes}` : where);
  };
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([transport.tape.csv()], { type: "text/csv" }));
    h("a", { href: url, download: `${transport.hexapod.info.robot}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return [
    h("button", { type: "button", onclick: () => void share().catch((error: unknown) => cockpit.notify(String(error))) }, words.playground.share),
    h("button", { type: "button", title: words.playground.csvHint, onclick: save }, words.playground.csv),
  ];
}
