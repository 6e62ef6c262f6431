// A real browser for the tests: one command a line on stdin, one answer a line on stdout. `browser.py` speaks to it.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [page_folder, executable] = process.argv.slice(2);
const { chromium } = createRequire(`${page_folder}/package.json`)("playwright-core");
const browser = await chromium.launch({
  executablePath: executable,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const SIZES = {
  phone: { viewport: { width: 360, height: 640 }, deviceScaleFactor: 1, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};
const pages = new Map();

async function touch({ page, session }, type, touchPoints) {
  await session.send("Input.dispatchTouchEvent", { type, touchPoints });
}

const COMMANDS = {
  async open({ name, url, size }) {
    const context = await browser.newContext({ reducedMotion: "reduce", colorScheme: "dark", ...SIZES[size] });
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    pages.set(name, { page, context, errors, session: await context.newCDPSession(page) });
    await page.goto(url);
  },
  async wait({ name, selector, timeout }) {
    await pages.get(name).page.waitForSelector(selector, { timeout });
  },
  async click({ name, selector }) {
    await pages.get(name).page.locator(selector).first().click({ timeout: 8000 });
  },
  async text({ name, selector }) {
    return pages.get(name).page.locator(selector).first().innerText({ timeout: 8000 });
  },
  async script({ name, code }) {
    return pages.get(name).page.evaluate(code);
  },
  // A thumb that lies on a stick.
  async press({ name, selector }) {
    const box = await pages.get(name).page.locator(selector).boundingBox();
    const point = { id: 1, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    Object.assign(pages.get(name), { point });
    await touch(pages.get(name), "touchStart", [point]);
  },
  async drag({ name, dx, dy }) {
    const { point } = pages.get(name);
    Object.assign(point, { x: point.x + dx, y: point.y + dy });
    await touch(pages.get(name), "touchMove", [point]);
  },
  async lift({ name }) {
    await touch(pages.get(name), "touchEnd", []);
  },
  async tap({ name, selector }) {
    const box = await pages.get(name).page.locator(selector).first().boundingBox();
    const point = { id: 2, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await touch(pages.get(name), "touchStart", [point]);
    await touch(pages.get(name), "touchEnd", []);
  },
  async shot({ name, selector }) {
    return (await pages.get(name).page.locator(selector).first().screenshot()).toString("base64");
  },
  async errors({ name }) {
    return pages.get(name).errors;
  },
  async close({ name }) {
    await pages.get(name).context.close();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...how } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await COMMANDS[command](how)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
