/** The robot in 3D with its figures beside it, and the camera's picture. */

import { isStill } from "../geometry/arc.ts";
import { followGround } from "../groundfeed.ts";
import { playedMotion } from "../robot/posture.ts";
import type { Session } from "../session.ts";
import type { View3d } from "../view3d/view.ts";
import type { Watch } from "../watch.ts";
import { words } from "../words/index.ts";
import { h, setAttribute, setText } from "./dom.ts";
import { icon } from "./icons.ts";
import { createStageLegend } from "./legend.ts";

/** `reported` shows a note. */
export function createStage(session: Session, watch: Watch, reported: (text: string) => void): HTMLElement {
  const canvas = h("canvas", { class: "scene", role: "img", "aria-label": words.view.canvas });
  const message = h("p", { class: "stage-message" }, words.view.loading);
  const readout = createReadout(session, watch, reported);
  const reset = h("button", { type: "button", class: "icon-button stage-reset", "aria-label": words.view.reset,
    title: words.view.reset }, icon("reset"));
  const legend = createStageLegend(icon("legend"));
  const stage = h("div", { class: "stage" }, canvas, message, readout, reset, legend.button, legend.panel);

  void loadView(session, canvas).then((view) => {
    if (!view) return setText(message, words.view.noWebgl);
    reset.addEventListener("click", () => view.resetCamera());
    const setRobot = (urdf: string): void => {
      message.hidden = true;
      view.setRobot(urdf, (uri) => readMesh(session, uri), (uri) => reported(words.view.noMesh(uri)));
    };
    if (watch.urdf !== undefined) setRobot(watch.urdf);
    watch.on("urdf", setRobot);
    watch.on("figure", (figure) => {
      if (canvas.offsetParent !== null) view.show(figure, watch.twist, watch.traces);
    });
    watch.on("failed", (reason) => {
      message.hidden = false;
      setText(message, words.view.badUrdf(reason));
    });
    followGround(session, () => canvas.offsetParent !== null && !document.hidden, (map) => {
      view.setElevation(map);
      legend.showGround(map !== undefined);
    });
    addEventListener("themechange", () => view.recolour());
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => view.recolour());
  });
  setInterval(() => {
    stage.classList.toggle("is-old", !session.isFresh);
    // Numbers of a robot that is gone are nobody's.
    readout.hidden = !session.isFresh;
  }, 250);
  return stage;
}

/** The drawing library is most of the page's bytes: it comes after the connection, for nobody waits for it to stop. */
async function loadView(session: Session, canvas: HTMLCanvasElement): Promise<View3d | undefined> {
  await new Promise<void>((resolve) => session.on("welcome", () => resolve()));
  try {
    const { View3d } = await import("../view3d/view.ts");
    return new View3d(canvas);
  } catch {
    return undefined;
  }
}

async function readMesh(session: Session, uri: string): Promise<ArrayBuffer> {
  const response = await session.transport.fetch(session.transport.meshUrl(uri));
  if (!response.ok) throw new Error(String(response.status));
  return response.arrayBuffer();
}

function createReadout(session: Session, watch: Watch, reported: (text: string) => void): HTMLElement {
  const margin = h("button", { type: "button", class: "readout-item readout-margin" });
  margin.addEventListener("click", () => reported(words.view.marginExplained));
  const speed = h("span", { class: "readout-item" });
  const turn = h("span", { class: "readout-item" });
  const gait = h("span", { class: "readout-item readout-gait" });
  watch.on("figure", ({ margin: metres }) => {
    const isSupported = metres !== undefined;
    setText(margin, isSupported ? words.view.margin((metres * 1000).toFixed(0)) : words.view.noSupport);
    setAttribute(margin, "data-tone", isSupported && metres > 0.01 ? "ok" : "error");
    const { vx, vy, wz } = watch.twist;
    speed.hidden = turn.hidden = isStill(watch.twist);
    setText(speed, words.view.speed(Math.hypot(vx, vy).toFixed(2)));
    setText(turn, words.view.turn(((wz * 180) / Math.PI).toFixed(0)));
  });
  session.on("health", (health) => {
    const motion = playedMotion(session.state, health);
    setText(gait, motion === undefined ? session.gait : words.moves.playing(motion));
  });
  return h("div", { class: "readout" }, gait, speed, turn, margin);
}
