/** The page's side of "no touch, no motion", in a real browser. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { closeAll, connected, delayOfZero, DESKTOP, intents, isMoving, isZero, launch, makeMock, open, pause, PHONE, PHONE_ON_SIDE, SKIP, TABLET, Thumbs, until } from "../harness.ts";
import type { Mock } from "../mock.ts";

/** Words that are cut off, and buttons of which something else covers the middle; those of a list that scrolls, once there. */
function overlaps(scrolls: boolean): string[] {
  const found: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(".bar-state, .bar-servos, .lease-text, .dock-button, .dock-button span, .fault p, .tab span")) {
    if (element.offsetParent !== null && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) found.push(`cut: ${element.textContent}`);
  }
  for (const button of document.querySelectorAll<HTMLElement>(".alarm button, .alarm a, .stage-reset, .lease, .dock button, .light button")) {
    if (button.offsetParent === null) continue;
    if (scrolls) button.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = button.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    if (top !== button && !button.contains(top)) found.push(`covered: ${button.className} by ${top?.className}`);
    for (const other of document.querySelectorAll<HTMLElement>(".fault p, .stage-message, .alarm-more, .stage-reset")) {
      if (other === button || other.offsetParent === null || other.hidden) continue;
      const range = document.createRange();
      range.selectNodeContents(other);
      const box = other.matches("p") ? range.getBoundingClientRect() : other.getBoundingClientRect();
      const isApart = box.right <= x || box.left >= x + width || box.bottom <= y || box.top >= y + height;
      if (!isApart && !scrolls) found.push(`${button.className} over ${other.className || other.textContent}`);
    }
  }
  return found;
}

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

  /** A phone whose walk stick is held forward, and the robot informed. */
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
    mock.take();
    await other.page.click(".lease");
    await other.page.waitForSelector(".card:has-text('Take over')");
    await pause(200);
    assert.ok(!mock.take().some(({ message }) => message.type === "lease"), "asked first");
    await other.page.click(".card .primary");
    await other.page.waitForSelector(".lease[data-kind=yours]");
    await page.waitForSelector(".lease[data-kind=other]");
    await page.waitForSelector(".note:has-text('taken over')");
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

  test("when_stop_is_pressed_without_connection_expect_that_reported_and_the_stop_sent_by_the_next_one", async () => {
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

  for (const outageS of [1, 6, 30, 300]) {
    test(`when_stop_is_pressed_in_an_outage_of_${outageS}_s_expect_it_red_throughout_and_delivered_after`, async () => {
      const { page, context } = await open(browser, url);
      await page.clock.install();
      await page.reload();
      await page.clock.runFor(500);
      await connected(page);
      mock.isAway = true;
      mock.cut();
      try {
        await page.clock.runFor(300);
        await page.keyboard.press("x");
        for (let passed = 0; passed < outageS; passed += 1) {
          await page.clock.runFor(1000);
          assert.equal(await page.locator(".fault-stop:has-text('Cut the power')").count(), 1, `after ${passed} s`);
        }
        // Somebody else has switched the servos on again meanwhile: a stop is a stop all the same.
        mock.robot.servos = "armed";
        mock.take();
      } finally {
        mock.isAway = false;
      }
      const isHeard = (): boolean => mock.heard.some(({ message }) => message.type === "stop" && message.kind === "emergency");
      // A browser holds connections back after many that failed, by its own clock.
      for (let passed = 0; passed < 100 && !isHeard(); passed += 1) {
        await page.clock.runFor(200);
        await pause(200);
      }
      assert.ok(isHeard());
      await page.clock.resume();
      await connected(page);
      await page.waitForSelector(".fault-stop:has-text('servos are off')");
      mock.take();
      await pause(3000);
      assert.ok(!isHeard(), "it is not sent once more");
      await page.keyboard.press("r");
      await page.waitForSelector(".fault-stop", { state: "detached" });
      await context.close();
    });
  }

  test("when_a_stop_is_withdrawn_in_an_outage_expect_it_not_sent_and_when_the_page_is_loaded_again_expect_it_sent", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    for (const isWithdrawn of [true, false]) {
      mock.isAway = true;
      mock.cut();
      try {
        await page.waitForSelector(".bar-state:text('No robot')");
        await page.keyboard.press("x");
        await page.click(".fault-stop button:text('Withdraw')");
        await page.click(isWithdrawn ? ".card .danger" : ".card .primary");
        await page.waitForSelector(".fault-stop", isWithdrawn ? { state: "detached" } : {});
        mock.take();
      } finally {
        mock.isAway = false;
      }
      if (!isWithdrawn) await page.reload();
      await connected(page);
      await pause(2500);
      assert.equal(mock.take().some(({ message }) => message.type === "stop"), !isWithdrawn);
    }
    await page.keyboard.press("r");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await context.close();
  });

  test("when_servos_off_is_pressed_by_key_or_gamepad_below_a_robot_that_stands_expect_the_question_of_the_button", async () => {
    const { page, context } = await open(browser, url, DESKTOP);
    await connected(page);
    const isOff = (): boolean => mock.heard.some(({ message }) => message.type === "call" && message.service === "disable");
    mock.take();
    await page.keyboard.press("o");
    await page.waitForSelector(".card:has-text('Switch the servos off?')");
    await page.keyboard.press("o");
    await pause(300);
    assert.ok(!isOff());
    await page.click(".card button:text('Cancel')");
    await page.keyboard.press("o");
    await page.click(".card .danger");
    await until(isOff);
    await page.keyboard.press("r");
    await page.waitForSelector(".dock-power[data-on=true]");
    // The first push after that counts, once the stop of an earlier test is released.
    await pause(300);
    await page.keyboard.down("w");
    await page.waitForSelector(".bar-state:text('Walking')");
    await page.keyboard.up("w");
    await page.waitForSelector(".bar-state:text('Standing')");
    mock.robot.state_ = "sitting";
    try {
      await page.waitForSelector(".bar-state:text('Sitting')");
      mock.take();
      await page.keyboard.press("o");
      await until(isOff);
    } finally {
      mock.robot.state_ = "standing";
      mock.robot.servos = "armed";
    }
    await context.close();
  });

  test("when_the_round_trip_is_longer_than_half_a_second_expect_it_said_at_the_top_and_at_the_stick_and_stop_to_work", async () => {
    mock.delayMs = 640;
    try {
      const { page, context } = await open(browser, url);
      await connected(page);
      await page.waitForSelector(".fault-error:has-text('too slow to drive')");
      await page.waitForSelector(".light[data-tone=error] .icon");
      const thumbs = new Thumbs(page);
      await thumbs.down(1, ".stick-walk");
      for (let i = 0; i < 4; i += 1) await thumbs.move(1, 0, -10);
      await page.waitForSelector(".deck-why:has-text('Too slow a connection')");
      mock.take();
      await page.keyboard.press("x");
      await until(() => mock.heard.some(({ message }) => message.type === "stop"));
      await page.waitForSelector(".fault-stop button");
      await context.close();
    } finally {
      mock.delayMs = 0;
      mock.robot.servos = "armed";
    }
    const { page, context } = await open(browser, url);
    await connected(page);
    await page.keyboard.press("r");
    await page.waitForSelector(".fault-stop", { state: "detached" });
    await context.close();
  });

  test("when_a_stick_is_pushed_in_vain_expect_the_reason_beside_it_and_only_while_it_is_pushed", async () => {
    const { page, context } = await open(browser, url);
    await connected(page);
    const thumbs = new Thumbs(page);
    const push = async (reason: string): Promise<void> => {
      await thumbs.down(1, ".stick-walk");
      for (let i = 0; i < 4; i += 1) await thumbs.move(1, 0, -10);
      await page.waitForSelector(`.deck-why:has-text('${reason}')`);
      await thumbs.up(1);
      await page.waitForSelector(".deck-why", { state: "hidden" });
    };
    try {
      mock.robot.state_ = "sitting";
      await page.waitForSelector(".bar-state:text('Sitting')");
      await push("The robot sits");
      mock.robot.state_ = "standing";
      mock.robot.servos = "disarmed";
      await page.waitForSelector(".dock-power[data-on=false]");
      await push("The servos are off");
    } finally {
      mock.robot.state_ = "standing";
      mock.robot.servos = "armed";
    }
    const other = await open(browser, url, DESKTOP);
    await connected(other.page);
    await other.page.keyboard.down("w");
    await other.page.waitForSelector(".deck-why:has-text('drives')");
    // Who does not drive has nothing to let go of, also after a stop.
    await page.keyboard.press(" ");
    await pause(300);
    assert.equal(await other.page.locator(".fault:has-text('Let go')").count(), 0);
    await other.page.keyboard.up("w");
    await other.context.close();
    await context.close();
  });

  test("when_start_is_pressed_expect_the_servos_on_and_then_the_robot_up_and_after_a_stop_meanwhile_not", async () => {
    const { page, context } = await open(browser, url);
    mock.robot.state_ = "sitting";
    mock.robot.servos = "disarmed";
    try {
      await connected(page);
      await page.waitForSelector(".dock-stand:has-text('Start')");
      mock.take();
      await page.click(".dock-stand");
      await until(() => mock.heard.some(({ message }) => message.type === "call" && message.service === "stand"));
      const calls = mock.take().flatMap(({ message }) => (message.type === "call" ? [message.service] : []));
      assert.deepEqual(calls, ["enable", "stand"]);
      await page.waitForSelector(".dock-power[role=switch][aria-checked=true]:has-text('On')");
      mock.robot.state_ = "sitting";
      mock.robot.servos = "disarmed";
      mock.robot.armsSlowly = true;
      await page.waitForSelector(".dock-stand:has-text('Start')");
      await page.click(".dock-stand");
      await page.waitForSelector(".bar-servos:has-text('switching on')");
      await page.keyboard.press("x");
      await page.waitForSelector(".fault-stop button");
      mock.robot.armsSlowly = false;
      await page.click(".fault-stop button");
      await page.waitForSelector(".dock-power[data-on=true]");
      await pause(500);
      assert.ok(!mock.take().some(({ message }) => message.type === "call" && message.service === "stand"));
    } finally {
      mock.robot.armsSlowly = false;
      mock.robot.state_ = "standing";
      mock.robot.servos = "armed";
    }
    await context.close();
  });

  test("when_there_are_other_robots_expect_them_named_and_one_button_to_stop_all_that_says_which_did_not", async () => {
    const { page, context } = await open(browser, url, PHONE);
    await connected(page);
    await page.click(".tab-more");
    assert.ok(await page.isHidden(".stop-all"));
    mock.tellFleet();
    await page.waitForSelector(".stop-all", { state: "visible" });
    mock.take();
    await page.click(".stop-all");
    await page.waitForSelector(".fleet li[data-stopped=true]");
    assert.match(await page.innerText(".fleet li[data-stopped=false]"), /right\s+does not answer within 3 s: go there, and cut/);
    assert.ok(mock.heard.some(({ message }) => message.type === "stop_all"));
    await context.close();
  });

  test("when_a_recording_is_there_expect_a_question_before_it_is_replaced_or_ended", async () => {
    const { page, context } = await open(browser, url, DESKTOP);
    await connected(page);
    await page.click(".tab-data");
    await page.click(".record");
    await page.waitForSelector(".record[data-on=true]");
    mock.take();
    for (const on of [false, true]) {
      await page.click(".record");
      await page.waitForSelector(".card");
      await pause(200);
      assert.ok(!mock.heard.some(({ message }) => message.type === "record"));
      await page.click(".card .primary");
      await page.waitForSelector(`.record[data-on=${on}]`);
      mock.take();
    }
    await context.close();
  });

  for (const [name, size] of Object.entries({ phone: PHONE, phone_on_its_side: PHONE_ON_SIDE })) {
    test(`when_the_robot_is_out_of_reach_on_a_${name}_expect_every_word_whole_and_nothing_over_a_button`, async () => {
      const { page, context } = await open(browser, url, size);
      await connected(page);
      mock.isAway = true;
      mock.cut();
      try {
        await page.waitForSelector(".fault-error");
        await page.keyboard.press("x");
        await page.waitForSelector(".alarm-more");
        for (const isOpen of [false, true]) {
          if (isOpen) await page.click(".alarm-more");
          assert.deepEqual(await page.evaluate(overlaps, isOpen), []);
        }
      } finally {
        mock.isAway = false;
      }
      await connected(page);
      await page.keyboard.press("r");
      await page.waitForSelector(".fault-stop", { state: "detached" });
      assert.deepEqual(await page.evaluate(overlaps, false), []);
      await context.close();
    });
  }

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

