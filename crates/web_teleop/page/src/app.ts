/** Puts the page together around a transport. */

import { Cockpit } from "./cockpit.ts";
import { listenToKeys } from "./drive/keyboard.ts";
import { listenToPad } from "./drive/padloop.ts";
import { watchForRelease } from "./drive/release.ts";
import type { Transport } from "./protocol/transport.ts";
import { Session } from "./session.ts";
import { createAlarm } from "./ui/alarm.ts";
import { createCamera } from "./ui/camera.ts";
import { createData } from "./ui/data.ts";
import { createDeck } from "./ui/deck.ts";
import { createDock } from "./ui/dock.ts";
import { h } from "./ui/dom.ts";
import { createHeader } from "./ui/header.ts";
import { createMore } from "./ui/more.ts";
import { createMoves } from "./ui/moves.ts";
import { createNotices } from "./ui/notices.ts";
import { createPose } from "./ui/pose.ts";
import { createStage } from "./ui/stage.ts";
import { createTabs } from "./ui/tabs.ts";
import { applyTheme } from "./ui/theme.ts";
import { createViews } from "./ui/views.ts";
import { Watch } from "./watch.ts";
import { words } from "./words/index.ts";

/** From this width the robot and a section are side by side. */
const WIDE = "(min-width: 900px)";

/** `extra` is put above the gaits. */
export function startApp(transport: Transport, extra?: (session: Session, cockpit: Cockpit) => HTMLElement): Session {
  applyTheme();
  document.documentElement.lang = words.language;
  const session = new Session(transport);
  const cockpit = new Cockpit(session);
  const watch = new Watch(session);
  const notices = createNotices(session, cockpit);
  const camera = createCamera(session);
  const stage = createStage(session, watch, (text) => cockpit.notify(text));
  stage.append(camera.element);
  const moves = createMoves(session, cockpit);
  if (extra) moves.prepend(extra(session, cockpit));
  const more = createMore(session, cockpit, camera);
  const app = h("main", { class: "app" }, h("h1", { class: "visually-hidden" }, words.title));
  const tabs = createTabs({
    view: stage, moves, pose: createPose(cockpit), views: createViews(watch, cockpit, !transport.isLive),
    data: createData(session, watch, cockpit), more: more.element,
  }, "view", (name) => { app.dataset["tab"] = name; });
  app.append(
    createHeader(session, cockpit), createAlarm(session, cockpit), tabs.panels, notices,
    createDock(session, cockpit), tabs.nav, createDeck(session, cockpit),
  );
  document.body.append(app);

  const wide = matchMedia(WIDE);
  const settle = (): void => {
    if (wide.matches && app.dataset["tab"] === "view") tabs.select("moves");
  };
  wide.addEventListener("change", settle);
  settle();
  cockpit.on("help", () => tabs.select("more"));
  cockpit.on("motions", () => tabs.select("moves"));

  watchForRelease((reason) => cockpit.releaseAll(reason));
  listenToKeys(cockpit);
  listenToPad(cockpit, (name) => more.showPad(name));
  // A button that was clicked must not be pressed again by the space bar, which stops the robot.
  addEventListener("click", ({ target, detail }) => {
    if (detail > 0 && target instanceof Element) target.closest("button")?.blur();
  });
  session.start();
  return session;
}
