/** Connection, appearance, camera, and help with keys and gamepad. */

import type { Cockpit } from "../cockpit.ts";
import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import type { Camera } from "./camera.ts";
import { createChoice } from "./choice.ts";
import { givenName, giveName, LONGEST_NAME } from "./clientname.ts";
import { h, section, setText } from "./dom.ts";
import { createFleet } from "./fleet.ts";
import { currentTheme, setTheme, type Theme } from "./theme.ts";

export interface More {
  readonly element: HTMLElement;
  /** The gamepad that is connected, by name. */
  showPad(name: string | undefined): void;
}

export function createMore(session: Session, cockpit: Cockpit, camera: Camera): More {
  const pad = h("p", { class: "help" }, words.more.gamepadNone);
  const isLive = session.transport.isLive;
  const link = isLive
    ? h("a", { class: "button wide", href: "playground.html" }, words.more.playground)
    : h("a", { class: "button wide", href: "./" }, words.more.live);
  const element = h("div", {},
    createFleet(session, cockpit),
    section(words.more.connection, createConnection(session)),
    ...(isLive ? [section(words.more.camera, createCameraSwitch(camera))] : []),
    section(words.more.appearance, createThemes()),
    section(words.more.keyboard, createKeys()),
    section(words.more.gamepad, pad, h("p", { class: "help" }, words.more.gamepadHelp)),
    section(words.more.playground, h("p", { class: "help" }, words.more.playgroundHelp), link));
  cockpit.on("help", () => element.querySelector(".keys")?.scrollIntoView());
  return {
    element,
    showPad: (name) => setText(pad, name === undefined ? words.more.gamepadNone : words.more.gamepadFound(name)),
  };
}

function createConnection(session: Session): HTMLElement {
  const robot = h("dd");
  const age = h("dd");
  const clients = h("ul", { class: "clients" });
  session.on("welcome", ({ name, namespace }) => setText(robot, namespace === "/" ? name : `${name} ${namespace}`));
  session.on("lease", (lease) => {
    clients.replaceChildren(...lease.clients.map(({ id, name }) => {
      const marks = [id === session.welcome?.id ? words.lease.you : "", id === lease.driver ? words.lease.driver : ""].filter(Boolean);
      return h("li", {}, name || `#${id}`, marks.length > 0 ? h("small", {}, marks.join(", ")) : undefined);
    }));
  });
  setInterval(() => {
    const joints = session.state?.age.joints;
    const ms = session.stateAgeMs + (typeof joints === "number" ? joints * 1000 : 0);
    setText(age, session.isOpen && Number.isFinite(ms) ? words.more.milliseconds(ms.toFixed(0)) : "–");
  }, 500);
  return h("div", {},
    h("dl", {}, h("dt", {}, words.more.robot), robot, h("dt", {}, words.more.delay), age),
    h("h3", {}, words.lease.clients), clients, createName(session));
}

/** What others see when this device drives or stops. */
function createName(session: Session): HTMLElement {
  const input = h("input", { type: "text", maxlength: LONGEST_NAME, autocomplete: "off", value: givenName() });
  session.on("lease", ({ clients }) => {
    input.placeholder = clients.find(({ id }) => id === session.welcome?.id)?.name ?? "";
  });
  input.addEventListener("change", () => giveName(input.value));
  // Letters typed here are no commands.
  input.addEventListener("keydown", (event) => event.stopPropagation());
  return h("label", { class: "name" }, words.more.name, input, h("span", { class: "help" }, words.more.nameHelp));
}

function createCameraSwitch(camera: Camera): HTMLElement {
  const box = h("input", { type: "checkbox", checked: true });
  box.addEventListener("change", () => camera.show(box.checked));
  camera.show(true);
  return h("label", { class: "check" }, box, words.more.cameraOn);
}

function createThemes(): HTMLElement {
  const choice = createChoice(words.more.appearance, (theme) => {
    setTheme(theme as Theme);
    choice.choose(theme);
  });
  choice.offer((["auto", "dark", "light"] as const).map((theme) => [theme, words.more.theme[theme]]), "");
  choice.choose(currentTheme());
  return choice.element;
}

function createKeys(): HTMLElement {
  return h("dl", { class: "keys" }, ...words.keys.flatMap(([keys, does]) => [
    h("dt", {}, ...keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, does),
  ]));
}
