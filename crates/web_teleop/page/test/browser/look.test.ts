/** What the page shows, in a real browser: for everybody, at every size, under a strict policy. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { closeAll, connected, DESKTOP, DIST, launch, makeMock, middle, open, pause, PHONE, PHONE_ON_SIDE, shoot, SKIP, TABLET, Thumbs, until } from "../harness.ts";
import { mapAbout } from "../../src/playground/terrain.ts";
import { packElevation } from "../../src/robot/elevation.ts";
import type { Mock } from "../mock.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SIZES = { phone: PHONE, phone_on_its_side: PHONE_ON_SIDE, tablet: TABLET, desktop: DESKTOP };
const MOST_BYTES = 1_000_000;

describe("the page in a browser shows", { skip: SKIP, timeout: 400_000 }, () => {
  let browser: Browser;
  let mock: Mock;
  let url: string;
  before(async () => {
    browser = await launch({ draws3d: true });
    // Each state is drawn in software: fewer of them leave the processors to whatever is built beside.
    mock = makeMock({ stateMs: 200 });
    url = await mock.listen();
  });
  afterEach(() => closeAll(browser));
  after(async () => {
    await browser.close();
    await mock.close();
  });

  async function violations(page: Page): Promise<string[]> {
    // By the debugger's door, since the page's policy lets no foreign script in.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
    const { result } = await session.send("Runtime.evaluate", {
      expression: "axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ' ' + v.nodes.map(n => n.target).join(' '))))",
      awaitPromise: true,
    });
    return JSON.parse(String(result.value)) as string[];
  }

  for (const colorScheme of ["dark", "light"] as const) {
    for (const name of ["phone", "desktop"] as const) {
      test(`when_axe_looks_at_every_section_on_a_${name}_in_the_${colorScheme}_theme_expect_no_violation`, async () => {
        const { page, errors } = await open(browser, url, { ...SIZES[name], colorScheme });
        await connected(page);
        for (const tab of await page.locator("[role=tab]:visible").all()) {
          await tab.click();
          assert.deepEqual(await violations(page), [], await tab.innerText());
        }
        await page.click(".stop");
        await page.waitForSelector(".fault-stop button");
        assert.deepEqual(await violations(page), [], "stopped");
        await page.click(".fault-stop button");
        await page.waitForSelector(".fault-stop", { state: "detached" });
        assert.deepEqual(errors, []);
      });
    }
  }

  for (const [name, size] of Object.entries(SIZES)) {
    test(`when_the_robot_walks_expect_it_to_move_in_the_3d_view_on_a_${name}`, async () => {
      const { page, errors } = await open(browser, url, size);
      await connected(page);
      await page.waitForSelector(".readout-margin[data-tone=ok]");
      await pause(500);
      const canvas = page.locator(".scene");
      const before = await canvas.screenshot();
      const thumbs = new Thumbs(page);
      const isTouch = "hasTouch" in size;
      if (isTouch) {
        await thumbs.down(1, ".stick-walk");
        for (let i = 0; i < 4; i += 1) await thumbs.move(1, 0, -10);
        await thumbs.down(2, ".stick-turn");
        for (let i = 0; i < 4; i += 1) await thumbs.move(2, 4, 0);
      } else {
        await page.keyboard.down("w");
        await page.keyboard.down("d");
      }
      await until(() => mock.heard.some(({ message }) => message.type === "drive" && message.vx > 0.05 && message.wz < -0.1));
      await page.waitForSelector(".bar-state:text('Walking')");
      await pause(1800);
      assert.notDeepEqual(await canvas.screenshot(), before);
      await shoot(page, name);
      mock.take();
      assert.deepEqual(errors, []);
      mock.take();
    });
  }

  test("when_behind_a_proxy_on_a_sub_path_with_a_token_expect_all_of_it_to_work_and_no_foreign_request", async (context) => {
    const behind = makeMock({ base: "/robots/left/", token: "a_token-of-20-letters" });
    context.after(() => behind.close());
    const address = await behind.listen();
    const { page, errors } = await open(browser, `${address}#token=a_token-of-20-letters`);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(address) && !/^(blob|data):/.test(request.url())) foreign.push(request.url());
    });
    await connected(page);
    await page.waitForSelector(".readout-margin[data-tone=ok]");
    assert.equal(new URL(page.url()).hash, "");
    await page.reload();
    await connected(page);
    assert.deepEqual([foreign, errors], [[], []]);
    assert.ok(behind.requests.every((path) => path.startsWith("/robots/left/") || path === "/favicon.ico"));
    const stranger = await open(browser, address);
    await stranger.page.waitForSelector(".fault:has-text('token')");
    // The link comes after all, into the same tab.
    await stranger.page.goto(`${address}#token=a_token-of-20-letters`);
    await connected(stranger.page);
  });

  test("when_enabling_fails_expect_each_check_by_name", async () => {
    mock.robot.servos = "disarmed";
    mock.robot.refusal = "ok bus: both boards answer\nFAILED guard: nothing would switch the servos off: start hexapod guard";
    try {
      const { page } = await open(browser, url);
      await connected(page);
      await page.waitForSelector(".dock-power[data-on=false]");
      await page.click(".dock-power");
      await page.waitForSelector(".checks [data-check=failed]:has-text('guard')");
      await page.waitForSelector(".checks [data-check=passed]:has-text('bus')");
      await shoot(page, "checks");
    } finally {
      mock.robot.servos = "armed";
      mock.robot.refusal = "";
    }
  });

  test("when_a_finger_moves_in_the_front_and_top_views_expect_the_height_and_the_turning_centre_set", async () => {
    const { page } = await open(browser, url, DESKTOP);
    await connected(page);
    await page.click(".tab-views");
    await pause(300);
    mock.take();
    const front = middle(await page.locator(".paper-front").boundingBox());
    await page.mouse.move(front.x, front.y + 10);
    await page.mouse.down();
    await page.mouse.move(front.x, front.y + 4, { steps: 2 });
    await until(() => mock.heard.some(({ message }) => message.type === "pose" && message.z !== 0));
    await page.mouse.up();
    const top = await page.locator(".paper-top").boundingBox();
    await page.mouse.move(middle(top).x - 50, middle(top).y);
    await page.mouse.down();
    await page.mouse.up();
    await page.keyboard.down("w");
    await until(() => mock.heard.some(({ message }) => message.type === "drive" && message.vx > 0 && message.wz > 0));
    const drive = mock.take().map(({ message }) => message).findLast((message) => message.type === "drive" && message.wz > 0);
    assert.ok(drive?.type === "drive" && drive.vx / drive.wz > 0.1 && drive.vx / drive.wz < 0.4);
    await page.keyboard.up("w");
    await shoot(page, "views");
    // A tap makes a view as wide as the section, and small again.
    const widthOf = async (): Promise<number> => (await page.locator(".paper-side").boundingBox())?.width ?? 0;
    const small = await widthOf();
    await page.click(".paper-side");
    assert.ok(await widthOf() > 1.8 * small && await page.locator(".sheet:visible").count() === 1);
    await page.click(".sheet-enlarge[aria-pressed=true]");
    assert.deepEqual([await page.locator(".sheet:visible").count(), await widthOf()], [4, small]);
  });

  test("when_the_robot_has_a_map_expect_it_drawn_and_explained_and_fetched_only_while_it_is_looked_at", async () => {
    const { page, errors } = await open(browser, url, PHONE);
    await connected(page);
    await page.waitForSelector(".readout-margin[data-tone=ok]");
    await pause(700);
    const scene = page.locator(".scene");
    const bare = await scene.screenshot();
    const fetched = (): number => mock.requests.filter((path) => path === "/elevation").length;
    assert.equal(fetched(), 0, "there is none");
    mock.robot.elevation = Buffer.from(packElevation(mapAbout("waves", [0.4, 0]), [0, 0, 0]));
    try {
      await until(() => fetched() > 1);
      await pause(700);
      assert.notDeepEqual(await scene.screenshot(), bare);
      await page.click(".stage-legend-button");
      await page.waitForSelector(".legend:has-text('step here')");
      assert.deepEqual(await violations(page), []);
      await shoot(page, "map");
      await page.click(".tab-moves");
      await pause(700);
      mock.requests.length = 0;
      await pause(1500);
      assert.equal(fetched(), 0, "nobody looks");
    } finally {
      mock.robot.elevation = undefined;
    }
    await page.click(".tab-view");
    await page.waitForSelector(".legend:has-text('step here')", { state: "hidden" });
    assert.deepEqual(errors, []);
  });

  test("when_the_browser_may_remember_nothing_expect_the_page_to_work", async () => {
    const { page, context, errors } = await open(browser, url, PHONE);
    await context.addInitScript(() => {
      for (const kind of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(globalThis, kind, { get: () => { throw new Error("blocked"); } });
      }
    });
    await page.reload();
    await connected(page);
    await page.click(".tab-more");
    await page.click("button[value=light]");
    assert.deepEqual(errors, []);
    assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "light");
  });

  test("when_steering_by_two_numbers_expect_velocity_and_curvature_sent", async () => {
    const { page } = await open(browser, url, PHONE);
    await connected(page);
    await page.click(".tab-moves");
    await page.click("button[value=arc]");
    await page.locator(".wheel-range").fill("-0.8");
    const thumbs = new Thumbs(page);
    mock.take();
    await thumbs.down(1, ".stick-walk");
    for (let i = 0; i < 4; i += 1) await thumbs.move(1, 0, -10);
    await until(() => mock.heard.some(({ message }) => message.type === "arc" && message.velocity > 0.05 && message.curvature === 0.8));
    await thumbs.up(1);
    await until(() => mock.heard.some(({ message }) => message.type === "arc" && message.velocity === 0));
  });

  test("when_a_motion_is_chosen_by_who_does_not_drive_yet_expect_the_lease_taken_and_the_motion_played", async () => {
    const { page } = await open(browser, url, DESKTOP);
    await connected(page);
    mock.take();
    await page.click("[data-motion=bow]");
    await until(() => mock.heard.some(({ message }) => message.type === "motion" && message.name === "bow"));
    await pause(300);
    assert.equal(await page.locator(".note:visible").count(), 0);
  });

  test("when_all_of_the_page_is_transferred_expect_less_than_a_megabyte_compressed", () => {
    const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map((file) => gzipSync(readFileSync(join(file.parentPath ?? file.path, file.name)), { level: 9 }).length);
    const total = bytes.reduce((sum, size) => sum + size, 0);
    assert.ok(total < MOST_BYTES, String(total));
  });

  test("when_a_urdf_is_dropped_on_the_playground_expect_that_robot_to_walk", {
    skip: existsSync(join(DIST, "hexapod.wasm")) ? false : "no hexapod.wasm: cargo xtask wasm",
  }, async () => {
    // It draws all the time, in software here: one page at a time.
    const { page, errors } = await open(browser, `${url}playground.html`, DESKTOP);
    await page.waitForSelector(".bar-state:text('Standing')");
    const urdf = readFileSync(new URL("../../../../../urdf/hexapod.urdf", import.meta.url), "utf8").replace('<robot name="hexapod">', '<robot name="dropped">');
    await page.locator("input[type=file]").setInputFiles({ name: "dropped.urdf", mimeType: "text/xml", buffer: Buffer.from(urdf) });
    await page.waitForSelector(".playground strong:text('dropped')");
    await page.waitForSelector(".bar-state:text('Standing')");
    await page.keyboard.down("w");
    await page.waitForSelector(".bar-state:text('Walking')");
    await pause(1500);
    await shoot(page, "playground");
    await page.keyboard.up("w");
    await page.waitForSelector(".bar-state:text('Standing')");
    await page.locator("input[type=file]").setInputFiles({ name: "bad.urdf", mimeType: "text/xml", buffer: Buffer.from("<robot name='x'><link name='a'/></robot>") });
    await page.waitForSelector(".problems li:has-text('bad.urdf')");
    assert.deepEqual([await violations(page), errors], [[], []]);
    // Gaits of one's own, on rubble; all of it by its link, on a phone, which says that this is no robot.
    await page.click(".playground summary");
    await page.locator(".gaits-text").fill("gaits:\n  mine: {duty_factor: 0.1}\n");
    await page.click(".playground details button");
    await page.waitForSelector(".problems li:has-text('gaits.yaml')");
    await page.locator(".gaits-text").fill("gaits:\n  mine: {duty_factor: 0.6, cycle_time: 1.0, lag: 0.4, side_lag: 0.5}\n");
    await page.click(".playground details button");
    await page.waitForSelector(".readout-gait:text('mine')");
    await page.click("button[value=rubble]");
    await page.locator(".playground .check input").check();
    await page.click("button:text('Copy link')");
    await page.waitForFunction(() => location.hash.startsWith("#robot="));
    const download = page.waitForEvent("download");
    await page.click("button:text('Save CSV')");
    assert.match(readFileSync(await (await download).path(), "utf8"), /^time,state,gait,.*\n[\d.]+,(.*\n){20}/);
    const link = page.url();
    await page.close();
    const other = await open(browser, link, PHONE);
    await other.page.waitForSelector(".badge:visible");
    await other.page.waitForSelector(".readout-gait:text('mine')");
    await other.page.waitForSelector(".bar-state:text('Walking')");
    await other.page.click(".tab-moves");
    await other.page.waitForSelector(".playground strong:text('dropped')");
    await other.page.waitForSelector("button[value=rubble][aria-pressed=true]");
    await pause(2000);
    await other.page.click(".tab-view");
    await shoot(other.page, "playground_phone");
    assert.deepEqual([await violations(other.page), errors, other.errors], [[], [], []]);
  });
});
