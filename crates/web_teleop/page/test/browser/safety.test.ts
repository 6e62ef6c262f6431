/** The page's side of "no touch, no motion", in a real browser. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { closeAll, connected, delayOfZero, DESKTOP, intents, isMoving, isZero, launch, makeMock, open, pause, PHONE, PHONE_ON_SIDE, SKIP, TABLET, Thumbs, until } from "../harness.ts";
import type { Mock } from "../mock.ts";

/** A zero or a stop is sent in the same task that hears of the reason. */
const AT_ONCE_MS = 15;

describe("the page in a browser stops", { skip: SKIP, timeout: 300_000 }, () => {
  let browser: Browser;
  let mock: Mock;
  let url: string;
  before(async () => {
    browser = await launch({ draws3d: false });
    mock = makeMock();
    url = await mock.listen();
  });
  afterEach(() => closeAll(browser));
  after(async () => {
    await browser.close();
    await mock.close();
  });

  /** A phone whose walk stick is held forward, and the robot told so. */
  async function driving(): Promise<{ page: Page; thumbs: Thumbs; close: () => Promise<void> }> {
    const { page, context } = await open(browser, url);
    await connected(page);
    const thumbs = new Thumbs(page);
    mock.take();
    await thumbs.down(1, ".stick-walk");
    for (let i = 0; i < 4; i += 1) await thumbs.move(1, 0, -10);
    await until(() => mock.heard.some(({ message }) => message.type === "drive" && message.vx > 0.05));
    return { page, thumbs, close: () => context.close() };
  }

  /** Asserts that zero is heard soon after `end`, and no motion after that though the thumb stays. */
  async function expectZero(page: Page, end: () => Promise<unknown>, thumbs?: Thumbs): Promise<void> {
    mock.take();
    await end();
    await until(() => mock.heard.some(({ message }) => isZero(message)), 1000);
    // What was heard before the zero.
    mock.take();
    const delay = await delayOfZero(page);
    assert.ok(delay < AT_ONCE_MS, `zero after ${delay} ms`);
    await thumbs?.move(1, 3, -5).catch(() => undefined);
    await pause(250);
    const later = mock.take().filter(({ message }) => isMoving(message));
    assert.deepEqual(later, []);
  }

  test("when_a_thumb_is_lifted_expect_zero_at_once_and_silence_after", async () => {
    const { page, thumbs, close } = await driving();
    await expectZero(page, () => thumbs.up(1));
    assert.deepEqual(intents(mock.take()), []);
    await close();
  });

  test("when_the_browser_takes_the_touch_away_expect_zero", async () => {
    const { page, thumbs, close } = await driving();
    await expectZero(page, () => thumbs.cancel());
    await close();
  });

  for (const [name, script] of [
    ["the_page_loses_the_focus", "dispatchEvent(new Event('blur'))"],
    ["the_tab_is_hidden", "Object.defineProperty(document,'hidden',{value:true,configurable:true});document.dispatchEvent(new Event('visibilitychange'))"],
    ["the_page_is_left", "dispatchEvent(new Event('pagehide'))"],
    ["the_page_is_frozen", "document.dispatchEvent(new Event('freeze'))"],
    ["the_screen_is_turned", "dispatchEvent(new Event('orientationchange'))"],
    ["a_menu_is_opened", "document.body.dispatchEvent(new Event('contextmenu',{bubbles:true}))"],
  ] as const) {
    test(`when_${name}_expect_zero_and_a_new_touch_needed`, async () => {
      const { page, thumbs, close } = await driving();
      await expectZero(page, () => page.evaluate(script), thumbs);
      await close();
    });
  }

  test("when_the_phone_is_really_turned_expect_zero", async () => {
    const { page, close } = await driving();
    mock.take();
    await page.setViewportSize(PHONE_ON_SIDE.viewport);
    await until(() => mock.heard.some(({ message }) => isZero(message)), 1000);
    await close();
  });

  test("when_the_tab_is_closed_expect_the_connection_ended_at_once", async () => {
    const { page, close } = await driving();
    await page.close();
    await pause(150);
    mock.take();
    await pause(200);
    assert.deepEqual(intents(mock.take()), []);
    await close();
  });

  test("when_the_network_is_cut_and_comes_back_expect_nothing_replayed_and_a_held_thumb_ignored", async () => {
    const { page, thumbs, close } = await driving();
    mock.cut();
    mock.take();
    await page.waitForSelector(".bar-state:text('No robot')");
    await connected(page);
    await thumbs.move(1, 2, -2).catch(() => undefined);
    await pause(400);
    assert.deepEqual(mock.take().filter(({ message }) => isMoving(message)), []);
    await close();
  });

  test("when_the_server_falls_silent_expect_no_motion_sent_after_half_a_second_and_zero_by_one_and_a_half", async () => {
    const { close } = await driving();
    mock.isTelling = false;
    mock.take();
    try {
      await pause(700);
      mock.take();
      await until(() => mock.heard.some(({ message }) => isZero(message)), 1200);
      assert.deepEqual(mock.take().filter(({ message }) => isMoving(message)), []);
    } finally {
      mock.isTelling = true;
      await close();
    }
  });

  test("when_a_key_is_held_and_the_window_loses_the_focus_expect_zero_and_repeats_of_the_key_ignored", async () => {
    const { page, context } = await open(browser, url, DESKTOP);
    await connected(page);
    mock.take();
    await page.keyboard.down("w");
    await until(() => mock.heard.some(({ message }) => isMoving(message)));
    await expectZero(page, () => page.evaluate("dispatchEvent(new Event('blur'))"));
    await page.keyboard.down("w");
    await pause(200);
    assert.deepEqual(mock.take().filter(({ message }) => isMoving(message)), []);
    await page.keyboard.up("w");
    await page.keyboard.down("w");
    await until(() => mock.heard.some(({ message }) => isMoving(message)));
    await expectZero(page, () => page.keyboard.down("Control"));
    await context.close();
  });

  test("when_a_gamepad_goes_expect_zero", async () => {
    const { page, context } = await open(browser, url, DESKTOP);
    await connected(page);
    await page.evaluate(() => {
      const pad = { id: "Pad", connected: true, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false })) };
      Object.assign(globalThis, { pad });
      navigator.getGamepads = () => [pad.connected ? (pad as unknown as Gamepad) : null];
      const event = Object.assign(new Event("gamepadconnected"), { gamepad: pad });
      dispatchEvent(event);
    });
    await pause(60);
    mock.take();
    await page.evaluate("pad.buttons[4].pressed = true");
    await pause(60);
    await page.evaluate("pad.axes[1] = -1");
    await until(() => mock.heard.some(({ message }) => isMoving(message)));
    await expectZero(page, () => page.evaluate("pad.connected = false; dispatchEvent(Object.assign(new Event('gamepaddisconnected'), { gamepad: pad }))"));
    await context.close();
  });

  test("when_two_browsers_fight_for_the_lease_expect_one_driver_and_the_others_thumb_without_effect", async () => {
    const { page, thumbs, close } = await driving();
    const driver = mock.heard.find(({ message }) => isMoving(message))?.client;
    const other = await open(browser, url, DESKTOP);
    await connected(other.page);
    await other.page.waitForSelector(".lease[data-kind=other]");
    mock.take();
    await other.page.keyboard.down("w");
    await pause(200);
    assert.ok(mock.take().every(({ client, message }) => !isMoving(message) || client === driver));
    await other.page.keyboard.up("w");
    await other.page.click(".lease");
    await other.page.waitForSelector(".lease[data-kind=yours]");
    await page.waitForSelector(".lease[data-kind=other]");
    mock.take();
    await thumbs.move(1, 4, -4);
    await pause(250);
    assert.deepEqual(mock.take().filter(({ message }) => isMoving(message)), []);
    await other.page.keyboard.down("w");
    await until(() => mock.heard.some(({ message }) => isMoving(message)));
    await other.context.close();
    await close();
  });

  test("when_stop_is_touched_expect_it_sent_at_once_also_by_who_does_not_drive", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    const driver = await driving();
    mock.take();
    const thumbs = new Thumbs(page);
    await thumbs.down(1, ".stop");
    await until(() => mock.heard.some(({ message }) => message.type === "stop"));
    assert.ok(await delayOfZero(page) < AT_ONCE_MS);
    await driver.page.waitForSelector(".fault-stop button");
    mock.take();
    await pause(250);
    assert.deepEqual(mock.take().filter(({ message }) => isMoving(message)), []);
    await driver.page.click(".fault-stop button");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await driver.close();
    await context.close();
  });

  test("when_a_stop_gets_stuck_expect_it_sent_over_a_connection_of_its_own_within_a_second", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    mock.losesStops = true;
    mock.take();
    try {
      await page.keyboard.press("x");
      await until(() => mock.heard.some(({ message }) => message.type === "stop"), 1000);
      await page.waitForSelector(".fault-stop button");
    } finally {
      mock.losesStops = false;
    }
    await page.keyboard.press("r");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await context.close();
  });

  test("when_stop_is_pressed_without_connection_expect_that_told_and_the_stop_sent_by_the_next_one", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    mock.take();
    mock.cut();
    await page.waitForSelector(".bar-state:text('No robot')");
    await page.keyboard.press("x");
    await page.waitForSelector(".note:has-text('Cut the power'), .fault-stop");
    await until(() => mock.heard.some(({ message }) => message.type === "stop"), 6000);
    await connected(page);
    await page.keyboard.press("r");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await context.close();
  });

  test("when_a_stop_is_not_confirmed_expect_the_word_to_cut_the_power", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    mock.confirmsStops = false;
    try {
      await page.keyboard.press("x");
      await page.waitForSelector(".fault-stop:has-text('cut the power')");
    } finally {
      mock.confirmsStops = true;
    }
    await page.keyboard.press("x");
    await page.keyboard.press("r");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await context.close();
  });

  for (const [name, size] of Object.entries({ phone: PHONE, phone_on_its_side: PHONE_ON_SIDE, tablet: TABLET, desktop: DESKTOP })) {
    test(`when_any_section_or_question_is_open_on_a_${name}_expect_stop_in_reach`, async () => {
      const { page, context } = await open(browser, url, size);
      await connected(page);
      const isReachable = (): Promise<boolean> => page.evaluate(() => {
        const { x, y, width, height } = document.querySelector(".stop")?.getBoundingClientRect() ?? new DOMRect();
        const found = document.elementFromPoint(x + width / 2, y + height / 2);
        return found?.closest(".stop") !== null && width >= 72 && x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
      });
      for (const tab of await page.locator("[role=tab]:visible").all()) {
        await tab.click();
        assert.ok(await isReachable(), await tab.innerText());
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      }
      await page.click(".dock-power");
      await page.waitForSelector(".card, .dock-power[data-on=false]");
      assert.ok(await isReachable());
      await context.close();
    });
  }
});

