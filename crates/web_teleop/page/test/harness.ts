/** A browser, a mock server and what the tests of the page share. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { ClientMessage } from "../src/protocol/messages.ts";
import { type Heard, Mock, type MockOptions } from "./mock.ts";

/** The page's own folder: bundled tests run from two folders below it. */
const ROOT = new URL("../../", import.meta.url).pathname;
export const DIST = join(ROOT, "dist");
export const SHOTS = process.env["HEXAPOD_SCREENSHOTS"] ?? join(ROOT, ".test/screenshots");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];
const EXECUTABLE = process.env["CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));

/** Why browser tests are skipped, or `false`. */
export const SKIP: string | false = EXECUTABLE === undefined
  ? "no Chromium: sudo apt-get install -y chromium"
  : existsSync(join(DIST, "index.html")) ? false : "the page is not built: npm run build";

export const PHONE = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true } as const;
export const PHONE_ON_SIDE = { ...PHONE, viewport: { width: 640, height: 360 } } as const;
export const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true } as const;
export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;

/** A browser that draws 3D in software, or none at all: what measures delays must not wait for that. */
export function launch({ draws3d }: { draws3d: boolean }): Promise<Browser> {
  const drawing = draws3d ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : ["--disable-3d-apis"];
  return chromium.launch({
    ...(EXECUTABLE === undefined ? {} : { executablePath: EXECUTABLE }),
    args: ["--no-sandbox", ...drawing],
  });
}

export function makeMock(options: Partial<MockOptions> = {}): Mock {
  const urdf = readFileSync(join(ROOT, "../../../urdf/hexapod.urdf"), "utf8");
  return new Mock({ dist: DIST, urdf, ...options });
}

/** A page that is connected, and the errors it has reported. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly errors: string[];
}

export async function open(browser: Browser, url: string, options: object = PHONE): Promise<Opened> {
  const context = await browser.newContext({ reducedMotion: "reduce", colorScheme: "dark", ...options });
  const page = await context.newPage();
  // The 3D view is drawn without a graphics card, and others may build on the machine.
  page.setDefaultTimeout(30_000);
  await page.addInitScript(stampEndings, ENDINGS);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // What a lost server or a missing file says is the browser's own word, and some tests ask for it.
    if (message.type() === "error" && !/WebSocket|ERR_|Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  await page.goto(url);
  return { page, context, errors };
}

/** What ends a grip, and STOP, as the page hears of it. */
const ENDINGS = ["pointerup", "pointercancel", "blur", "visibilitychange", "pagehide", "freeze", "orientationchange", "contextmenu",
  "keydown", "gamepaddisconnected", "pointerdown"];

/** Notes when the page hears of an ending and when it sends a zero or a stop: a busy machine delays both alike. */
function stampEndings(endings: readonly string[]): void {
  const stamps = { heard: NaN, sent: NaN };
  Object.assign(globalThis, { stamps });
  const hear = (): void => { Object.assign(stamps, { heard: performance.now(), sent: NaN }); };
  for (const ending of endings) addEventListener(ending, hear, true);
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (this: WebSocket, data: string) {
    const { type, vx = 0, vy = 0, wz = 0, velocity = 0 } = JSON.parse(data) as Record<string, number | string>;
    const isZero = (type === "drive" || type === "arc") && [vx, vy, wz, velocity].every((value) => value === 0);
    if ((isZero || type === "stop") && Number.isNaN(stamps.sent)) stamps.sent = performance.now();
    return send.call(this, data);
  };
}

/** ms from when the page heard of the last ending until it had sent a zero or a stop. */
export function delayOfZero(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { heard, sent } = (globalThis as unknown as { stamps: { heard: number; sent: number } }).stamps;
    return sent - heard;
  });
}

/** Closes what a test has left open, also one that failed. */
export async function closeAll(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

export async function connected(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".bar-state")?.textContent !== "No robot");
}

export function middle(box: { x: number; y: number; width: number; height: number } | null): { x: number; y: number } {
  if (!box) throw new Error("not on the page");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A thumb on a stick, by raw touches: two may be down at once. */
export class Thumbs {
  readonly #page: Page;
  readonly #touches = new Map<number, { x: number; y: number }>();
  #session: Awaited<ReturnType<BrowserContext["newCDPSession"]>> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  async down(id: number, selector: string): Promise<void> {
    this.#touches.set(id, middle(await this.#page.locator(selector).boundingBox()));
    await this.#dispatch("touchStart");
  }

  async move(id: number, dx: number, dy: number): Promise<void> {
    const touch = this.#touches.get(id);
    if (!touch) throw new Error("no such touch");
    this.#touches.set(id, { x: touch.x + dx, y: touch.y + dy });
    await this.#dispatch("touchMove");
  }

  async up(id: number): Promise<void> {
    this.#touches.delete(id);
    await this.#dispatch("touchEnd");
  }

  async cancel(): Promise<void> {
    this.#touches.clear();
    await this.#dispatch("touchCancel");
  }

  async #dispatch(type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel"): Promise<void> {
    this.#session ??= await this.#page.context().newCDPSession(this.#page);
    const touchPoints = type === "touchCancel" ? [] : [...this.#touches].map(([id, point]) => ({ id, ...point }));
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints });
  }
}

export async function until(holds: () => boolean, ms = 4000): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${holds}`);
    await pause(5);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function isMoving(message: ClientMessage): boolean {
  return message.type === "drive" ? message.vx !== 0 || message.vy !== 0 || message.wz !== 0
    : message.type === "arc" && message.velocity !== 0;
}

export function isZero(message: ClientMessage): boolean {
  return (message.type === "drive" || message.type === "arc") && !isMoving(message);
}

/** The intents among what was heard. */
export function intents(heard: readonly Heard[]): Heard[] {
  return heard.filter(({ message }) => isMoving(message) || isZero(message));
}

export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `page_${name}.png`) });
}
