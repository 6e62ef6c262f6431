import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { faults, type Known } from "../../src/faults.ts";
import { type Push, whyNot } from "../../src/drive/why.ts";
import { refusalOfClose, refusalOfStatus, waitBefore } from "../../src/protocol/backoff.ts";
import { ignoredOf } from "../../src/playground/drop.ts";
import { parse } from "../../src/protocol/messages.ts";
import { RoundTrip } from "../../src/protocol/roundtrip.ts";
import { StopDebt } from "../../src/protocol/stopdebt.ts";
import { tokenIn } from "../../src/protocol/token.ts";
import type { Handlers, Transport } from "../../src/protocol/transport.ts";
import { Posture, playedMotion } from "../../src/robot/posture.ts";
import { Session } from "../../src/session.ts";
import { clientName } from "../../src/ui/clientname.ts";
import { pick, words } from "../../src/words/index.ts";
import { MockRobot } from "../mockrobot.ts";

const ROOT = new URL("../../", import.meta.url);

function known(changes: Partial<Known> = {}): Known {
  const robot = new MockRobot();
  return { contact: { kind: "open" }, state: robot.state(1, 1), health: robot.health(1), stop: undefined, stopDoubt: "none", awaitsRelease: false, ...changes };
}

function stop(phase: "asked" | "confirmed" | "failed" | "unanswered", holds: "enable" | "zero" = "enable"): Partial<Known> {
  return { stop: { type: "stop", kind: "emergency", phase, by: 3, name: "Phone", message: "the bus hangs", holds } };
}

test("when_all_is_well_expect_no_fault", () => {
  assert.deepEqual(faults(known()), []);
});

test("when_an_emergency_stop_is_not_answered_expect_the_word_to_cut_the_power_even_without_connection", () => {
  for (const contact of [{ kind: "open" }, { kind: "connecting", attempt: 4 }] as const) {
    for (const phase of ["unanswered", "failed"] as const) {
      const [worst] = faults(known({ contact, ...stop(phase) }));
      assert.ok(worst?.severity === "stop" && /cut the power/i.test(worst.text), worst?.text);
    }
  }
});

/** A transport whose network a test is. */
class Wire {
  handlers: Handlers | undefined;
  owedStop: { type: "stop"; kind: "emergency" | "halt" } | undefined;
  roundTripMs = 20;
  isOpen = true;
  readonly isLive = true;
  start(handlers: Handlers): void { this.handlers = handlers; }
  send(): boolean { return this.isOpen; }
  stop(message: { type: "stop"; kind: "emergency" | "halt" }): boolean { this.owedStop = message; return this.isOpen; }
  withdrawStop(): void { this.owedStop = undefined; }
  /** The robot has got the stop. */
  take(): void { this.owedStop = undefined; this.handlers?.stopTaken(); }
  tell(phase: "asked" | "confirmed", kind: "emergency" | "none" = "emergency"): void {
    this.handlers?.message({ type: "stop", kind, phase, by: 1, name: "Phone", message: "", holds: kind === "none" ? "nothing" : "enable" });
  }
}

function sessionOn(wire: Wire): Session {
  const session = new Session(wire as unknown as Transport);
  session.start();
  return session;
}

test("when_a_stop_is_swallowed_on_its_way_expect_the_word_to_cut_the_power_until_the_robot_answers", async () => {
  const wire = new Wire();
  const session = sessionOn(wire);
  session.stop("emergency");
  assert.equal(session.stopDoubt, "none");
  await new Promise((resolve) => { setTimeout(resolve, 1100); });
  wire.handlers?.contact({ kind: "connecting", attempt: 1 });
  assert.equal(session.stopDoubt, "unanswered");
  const [worst] = faults(known({ contact: session.contact, stopDoubt: session.stopDoubt }));
  assert.ok(worst?.severity === "stop" && /cut the power/i.test(worst.text), worst?.text);
  // What is reported of an earlier stop says nothing of this one, and neither does a robot that walks on.
  wire.tell("confirmed");
  wire.handlers?.message(new MockRobot().state(1, 1));
  assert.equal(session.stopDoubt, "unanswered");
  wire.take();
  wire.tell("confirmed");
  assert.equal(session.stopDoubt, "none");
});

test("when_a_stop_is_owed_however_long_expect_it_in_doubt_until_received_or_withdrawn", (context) => {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  context.mock.method(performance, "now", () => now() + passedMs);
  for (const outageS of [1, 6, 30, 300]) {
    for (const isWithdrawn of [false, true]) {
      const wire = new Wire();
      const session = sessionOn(wire);
      wire.isOpen = false;
      session.stop("emergency");
      passedMs += outageS * 1000;
      // Another person has switched the servos on meanwhile: what came back tells of a robot that walks.
      wire.tell("confirmed", "none");
      wire.handlers?.message(new MockRobot().state(9, 9));
      assert.equal(session.stopDoubt, "unsent", `${outageS} s`);
      const [worst] = faults(known({ stopDoubt: session.stopDoubt, doubtfulStop: session.doubtfulStop }));
      assert.ok(worst?.severity === "stop" && worst.action === "withdraw");
      if (isWithdrawn) session.withdrawStop();
      else wire.take();
      wire.tell("asked");
      assert.deepEqual([session.stopDoubt, wire.owedStop], ["none", undefined]);
    }
  }
});

test("when_a_stop_gets_there_by_a_way_of_its_own_expect_that_reported_until_the_robot_is_heard_again", () => {
  const wire = new Wire();
  const session = sessionOn(wire);
  wire.isOpen = false;
  session.stop("emergency");
  wire.take();
  assert.equal(session.stopDoubt, "received");
  const [worst] = faults(known({ contact: session.contact, stopDoubt: session.stopDoubt }));
  assert.ok(worst?.severity === "stop" && /received/.test(worst.text) && worst.action === undefined);
  wire.handlers?.contact({ kind: "open" });
  wire.tell("asked");
  assert.equal(session.stopDoubt, "none");
});

test("when_a_halt_is_pressed_while_an_emergency_stop_is_owed_expect_the_emergency_stop_kept", () => {
  const debt = new StopDebt();
  debt.owe({ type: "stop", kind: "halt" });
  debt.owe({ type: "stop", kind: "emergency" });
  debt.owe({ type: "stop", kind: "halt" });
  assert.equal(debt.owed?.kind, "emergency");
  assert.ok(!debt.pay("halt") && debt.owed && debt.pay("emergency") && !debt.owed);
  debt.owe({ type: "stop", kind: "halt" });
  assert.ok(debt.pay("emergency") && !debt.owed);
});

test("when_a_stop_was_owed_before_the_page_was_loaded_expect_it_in_doubt_from_the_start", () => {
  const wire = new Wire();
  wire.owedStop = { type: "stop", kind: "emergency" };
  assert.equal(sessionOn(wire).stopDoubt, "unsent");
});

test("when_a_stop_could_not_be_sent_expect_that_reported_at_once", () => {
  const wire = new Wire();
  wire.isOpen = false;
  const session = sessionOn(wire);
  session.stop("emergency");
  assert.equal(session.stopDoubt, "unsent");
  const [worst] = faults(known({ stopDoubt: session.stopDoubt }));
  assert.match(worst?.text ?? "", /cut the power/i);
});

test("when_answers_come_late_or_not_at_all_expect_the_round_trip_to_say_so", () => {
  const trip = new RoundTrip();
  assert.equal(trip.ms(0), undefined);
  trip.ping(1, 0);
  assert.equal(trip.ms(100), undefined, "the first is on its way");
  trip.pong(1, 120);
  assert.equal(trip.ms(500), 120);
  trip.ping(2, 1000);
  assert.equal(trip.ms(1050), 120);
  assert.equal(trip.ms(1800), 800, "it counts before it is back");
  trip.ping(3, 2000);
  trip.pong(3, 2640);
  assert.equal(trip.ms(9000), 640, "an answer that overtook another is that one's, too");
  trip.pong(99, 9000);
  trip.clear();
  assert.equal(trip.ms(9000), undefined);
});

test("when_the_round_trip_is_long_expect_words_and_a_way", () => {
  const wire = new Wire();
  const session = sessionOn(wire);
  wire.handlers?.contact({ kind: "open" });
  for (const [ms, isSlow] of [[20, false], [300, false], [500, true], [640, true]] as const) {
    wire.roundTripMs = ms;
    assert.equal(session.slownessMs !== undefined, isSlow, String(ms));
  }
  const [worst] = faults(known({ slownessMs: session.slownessMs }));
  assert.ok(worst?.severity === "error" && worst.text.includes("640 ms") && worst.way !== "");
  wire.roundTripMs = 100;
  wire.handlers?.message({ type: "refused", of: "drive", reason: "stale", message: "" });
  assert.equal(session.slownessMs, 100, "the robot says so");
});

const PUSH: Push = {
  isOpen: true, otherDriver: undefined, isDriver: true, slownessMs: undefined, holds: "nothing", awaitsRelease: false,
  servos: "armed", gaitState: "standing", motion: undefined, isFresh: true, vainMs: 100,
};

test("when_a_push_does_nothing_expect_the_reason_and_none_where_it_does", () => {
  assert.equal(whyNot(PUSH), "");
  assert.equal(whyNot({ ...PUSH, gaitState: "walking", vainMs: 60_000 }), "");
  const reasons: Partial<Push>[] = [
    { isOpen: false }, { isFresh: false }, { otherDriver: "Pixel" }, { holds: "enable" }, { slownessMs: 640 }, { awaitsRelease: true },
    { gaitState: "sitting" }, { gaitState: "fault" }, { gaitState: "playing" }, { gaitState: "playing", motion: "wave" }, { servos: "disarmed" }, { servos: "fault" }, { vainMs: 2000 },
  ];
  const reported = reasons.map((reason) => whyNot({ ...PUSH, ...reason }));
  assert.ok(reported.every((text) => text.length > 10) && new Set(reported).size === reasons.length, reported.join("\n"));
  assert.equal(whyNot({ ...PUSH, isDriver: false, awaitsRelease: true }), "", "only a driver has something to let go");
});

test("when_stopped_expect_who_did_it_and_the_way_back_first", () => {
  const [worst] = faults(known(stop("confirmed")));
  assert.ok(worst?.text.includes("Phone") && worst.action === "enable" && worst.way !== "");
});

test("when_the_planner_is_silent_expect_that_and_nothing_of_its_old_health", () => {
  const robot = new MockRobot();
  robot.warning = "late";
  const state = { ...robot.state(1, 1), age: { planner: 3.2, driver: 0.1 } };
  const found = faults(known({ state, health: robot.health(1) }));
  assert.deepEqual(found.map(({ severity }) => severity), ["error"]);
  assert.match(found[0]?.text ?? "", /3 s/);
});

test("when_there_are_several_faults_expect_the_worst_first", () => {
  const robot = new MockRobot();
  robot.warning = "the loop is late";
  robot.servos = "fault";
  const found = faults(known({ health: robot.health(1) }));
  assert.deepEqual(found.map(({ severity }) => severity), ["error", "warning"]);
});

test("when_refused_expect_the_reason_and_what_to_do", () => {
  for (const why of ["token", "origin", "full", "version", "defect"] as const) {
    const [fault] = faults(known({ contact: { kind: "refused", why } }));
    assert.ok(fault && fault.text.length > 10 && fault.way.length > 10);
  }
});

test("when_messages_are_foreign_or_broken_expect_them_ignored", () => {
  for (const text of ["", "{", "null", "[]", "3", '{"type":3}', '{"type":"later"}', '{"type":"__proto__"}']) {
    assert.equal(parse(text), undefined, text);
  }
  assert.equal(parse('{"type":"pong","id":1,"t":2,"more":3}')?.type, "pong");
});

test("when_a_fragment_holds_a_token_expect_it_only_in_the_right_form", () => {
  assert.equal(tokenIn("#token=abcdefghijklmnop_-12"), "abcdefghijklmnop_-12");
  for (const bad of ["", "#", "#token=short", `#token=${"a".repeat(65)}`, "#token=abcdefghijklmnop%20x", "#tokens=abcdefghijklmnop"]) {
    assert.equal(tokenIn(bad), undefined, bad);
  }
});

test("when_attempts_go_on_expect_waits_between_half_a_second_and_five", () => {
  for (let attempt = 1; attempt < 50; attempt += 1) {
    const [least, most] = [waitBefore(attempt, 0), waitBefore(attempt, 1)];
    assert.ok(least >= 400 && most <= 5000 && least < most);
  }
});

test("when_the_server_closes_expect_a_retry_but_after_a_defect_or_another_version", () => {
  assert.deepEqual([1000, 1001, 1006, 4001, 4005].map(refusalOfClose), Array(5).fill(undefined));
  assert.deepEqual([4000, 4002, 4003, 1007, 1009].map(refusalOfClose), ["version", "defect", "defect", "defect", "defect"]);
  assert.deepEqual([401, 403, 503, 404, 200].map(refusalOfStatus), ["token", "origin", "full", undefined, undefined]);
});

test("when_a_browser_tells_what_it_is_expect_a_short_name_for_it", () => {
  assert.equal(clientName("Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36", true), "Android Phone");
  assert.equal(clientName("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148", true), "iPhone");
  assert.equal(clientName("Mozilla/5.0 (X11; Linux x86_64) Chrome/120", false), "Linux Computer");
  assert.equal(clientName("x", false), "Computer");
});

test("when_no_language_is_known_expect_english", () => {
  assert.equal(pick(["xx-YY"]).language, "en");
  assert.equal(pick(["en-GB"]).language, "en");
});

function sources(folder: URL): { name: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const url = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, folder);
    return entry.isDirectory() ? sources(url) : [{ name: url.pathname, text: readFileSync(url, "utf8") }];
  });
}

test("when_a_word_is_shown_expect_it_in_the_file_of_words", () => {
  for (const { name, text } of sources(new URL("src/ui/", ROOT))) {
    // A phrase between quotes, with a blank and a capital letter, would be meant for people.
    const phrases = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").match(/(["`])[A-Z][a-z]+ [^"`]*\1/g) ?? [];
    assert.deepEqual(phrases, [], name);
  }
});

test("when_the_page_is_served_under_a_strict_policy_expect_nothing_inline_absolute_or_evaluated", () => {
  for (const { name, text } of [...sources(new URL("src/", ROOT)), ...sources(new URL("static/", ROOT))]) {
    assert.doesNotMatch(text.replace("http://www.w3.org/2000/svg", ""), /https?:\/\/(?!")[a-z]/, name);
    assert.doesNotMatch(text, /\beval\(|new Function|innerHTML|\sstyle="|\son[a-z]+="/, name);
    assert.doesNotMatch(text, /\bany\b(?=[;,)\]>])/, name);
  }
});

test("when_modules_grow_expect_none_beyond_300_lines", () => {
  for (const { name, text } of sources(new URL("src/", ROOT))) {
    assert.ok(text.split("\n").length <= 300, name);
  }
});

test("when_files_are_dropped_that_are_not_used_expect_each_named_with_the_reason", () => {
  assert.deepEqual(ignoredOf(["bot/a.urdf", "bot/foot.STL", "robot.yaml"]), []);
  const reported = ignoredOf(["a.urdf", "b.urdf", "servos.yaml", "joystick.yaml", "r.urdf.xacro", "notes.txt", "x/gaits.yaml", "y/gaits.yaml"]);
  const parts = [/^b\.urdf .*a\.urdf is used/, /^servos\.yaml .*no servos/, /^joystick\.yaml/, /^r\.urdf\.xacro .*xacro/, /^notes\.txt .*Neither/, /^y\/gaits\.yaml .*x\/gaits\.yaml is used/];
  assert.equal(reported.length, parts.length);
  parts.forEach((part, index) => assert.match(reported[index] ?? "", part));
  const many = ignoredOf(Array.from({ length: 20 }, (_, index) => `${index}.jpg`));
  assert.deepEqual([many.length, many[8]], [9, words.playground.ignoredMore(12)]);
});

test("when_the_robot_is_in_a_transition_expect_its_name_and_of_a_motion_that_it_plays", () => {
  const posture = new Posture();
  const still = { height: 0.1, isFootUp: false };
  const states = [["sitting"], ["playing"], ["standing"], ["playing", "wave"], ["playing"], ["standing"], ["playing"], ["sitting"]] as const;
  const reported = states.map(([state, motion]) => words.states[posture.doing(state, motion, still)]);
  assert.deepEqual(reported, ["Sitting", "Standing up", "Standing", "Playing a motion", "Playing a motion", "Standing", "Sitting down", "Sitting"]);
  // On its way from a walk to sit; and feet that are put back in their places, which may end in sitting or in a walk.
  for (const before of ["standing", "walking", "stopping"]) {
    const ways = [[0.1, false], [0.1, true], [0.1, false], [0.09, false], [0.09, true]] as const;
    posture.doing(before, undefined, still);
    const seen = ways.map(([height, isFootUp]) => words.states[posture.doing("playing", undefined, { height, isFootUp })]);
    assert.deepEqual(seen, ["Sitting down", "Placing feet", "Placing feet", "Sitting down", "Sitting down"]);
  }
  const robot = new MockRobot();
  const health = (message: string) => ({ ...robot.health(1), motion: { name: "wave", level: 0, message } });
  const playing = { ...robot.state(1, 1), gait_state: "playing" };
  const played = ["executing, 3 %", "accepted", "succeeded", "canceled by stop"].map((message) => playedMotion(playing, health(message)));
  assert.deepEqual(played, ["wave", undefined, undefined, undefined]);
});

test("when_a_place_is_reported_expect_its_side_and_no_sign", () => {
  assert.equal(words.views.centreAt(-0.1, -0.27), "turning centre 0.10 m behind, 0.27 m to the right");
  assert.equal(words.playground.radius(0.27), "turning centre 0.27 m to the left");
});
