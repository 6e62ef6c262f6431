import assert from "node:assert/strict";
import { test } from "node:test";
import { DeadMan, NOTHING } from "../../src/drive/deadman.ts";
import { command, heading, HeldKeys } from "../../src/drive/keys.ts";
import { Pad, type PadReading } from "../../src/drive/pad.ts";
import { Pilot, type Situation } from "../../src/drive/pilot.ts";
import { HALT, isHalt, steer, type Intent } from "../../src/drive/steering.ts";
import { deflection } from "../../src/drive/stick.ts";

const FORWARD: Intent = { type: "drive", vx: 0.1, vy: 0, wz: 0 };

function pilot(accepts = () => true): { pilot: Pilot; sent: Intent[] } {
  const sent: Intent[] = [];
  return { sent, pilot: new Pilot((intent) => (accepts() ? sent.push(intent) > 0 : false)) };
}

function at(nowMs: number, changes: Partial<Situation> = {}): Situation {
  return { nowMs, isDriver: true, stateAgeMs: 30, isBackedUp: false, ...changes };
}

test("when_the_stick_moves_expect_a_deflection_inside_the_unit_circle_and_none_in_the_dead_zone", () => {
  assert.deepEqual(deflection(3, -3, 50), { forward: 0, left: 0 });
  const { forward, left } = deflection(-500, -500, 50);
  assert.ok(Math.abs(Math.hypot(forward, left) - 1) < 1e-9 && forward > 0 && left > 0);
  for (const bad of [NaN, Infinity]) assert.deepEqual(deflection(bad, 1, 50), { forward: 0, left: 0 });
  assert.deepEqual(deflection(10, 10, 0), { forward: 0, left: 0 });
});

test("when_nothing_grips_expect_no_demand_whatever_a_source_says", () => {
  const deadman = new DeadMan(() => undefined);
  assert.equal(deadman.move("walk", { ...NOTHING, forward: 1 }), false);
  assert.deepEqual(deadman.demand(), NOTHING);
});

test("when_all_grips_are_released_expect_zero_at_once_and_a_held_source_not_heard_until_gripped_anew", () => {
  const demands: number[] = [];
  const deadman: DeadMan = new DeadMan(() => demands.push(deadman.demand().forward));
  deadman.grip("pad");
  deadman.move("pad", { ...NOTHING, forward: 1 });
  deadman.releaseAll();
  deadman.move("pad", { ...NOTHING, forward: 1 });
  assert.deepEqual(demands, [1, 0]);
  deadman.grip("pad");
  deadman.move("pad", { ...NOTHING, forward: 0.5 });
  assert.equal(deadman.demand().forward, 0.5);
});

test("when_sources_are_released_at_random_expect_no_demand_without_a_grip", () => {
  let seed = 7;
  const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const deadman = new DeadMan(() => undefined);
  const sources = ["walk", "turn", "keys", "pad"] as const;
  const gripped = new Set<string>();
  for (let i = 0; i < 20_000; i += 1) {
    const source = sources[random(4)] ?? "walk";
    switch (random(4)) {
      case 0: deadman.grip(source); gripped.add(source); break;
      case 1: deadman.move(source, { forward: random(3) - 1, left: random(3) - 1, turn: NaN }); break;
      case 2: deadman.release(source); gripped.delete(source); break;
      default: if (random(10) === 0) { deadman.releaseAll(); gripped.clear(); }
    }
    const { forward, left, turn } = deadman.demand();
    assert.ok(Math.abs(forward) <= 1 && Math.abs(left) <= 1 && turn === 0);
    if (gripped.size === 0) assert.deepEqual([forward, left], [0, 0]);
    assert.equal(deadman.isHeld(), gripped.size > 0);
  }
});

test("when_the_stick_is_let_go_expect_one_zero_at_once_even_when_the_socket_is_backed_up", () => {
  const { pilot: one, sent } = pilot();
  one.update(FORWARD, at(0));
  one.update(HALT, at(1, { isBackedUp: true, stateAgeMs: 9000 }));
  one.update(HALT, at(60));
  assert.deepEqual(sent, [FORWARD, HALT]);
});

test("when_an_arc_ends_expect_its_velocity_zero", () => {
  const { pilot: one, sent } = pilot();
  one.update({ type: "arc", velocity: 0.1, curvature: 0.5 }, at(0));
  one.update(HALT, at(50));
  assert.deepEqual(sent.at(-1), { type: "arc", velocity: 0, curvature: 0.5 });
});

test("when_not_driver_or_backed_up_or_the_picture_is_old_expect_no_motion_sent", () => {
  const { pilot: one, sent } = pilot();
  for (const hindrance of [{ isDriver: false }, { isBackedUp: true }, { stateAgeMs: 501 }]) one.update(FORWARD, at(0, hindrance));
  assert.deepEqual(sent, []);
});

test("when_a_zero_is_required_expect_a_held_stick_without_effect_until_it_is_let_go", () => {
  const { pilot: one, sent } = pilot();
  one.requireZero();
  one.update(FORWARD, at(0));
  assert.ok(one.awaitsRelease && sent.length === 0);
  for (const ms of [50, 60]) one.update(HALT, at(ms));
  one.update(FORWARD, at(100));
  assert.deepEqual(sent, [HALT, FORWARD]);
});

test("when_a_touch_has_asked_for_the_lease_expect_zero_first_and_then_motion", () => {
  const { pilot: one, sent } = pilot();
  one.requireZero();
  one.begin();
  one.update(FORWARD, at(0));
  assert.deepEqual(sent, [HALT, FORWARD]);
});

test("when_a_stick_moves_500_times_a_second_expect_at_most_31_intents_a_second", () => {
  const { pilot: one, sent } = pilot();
  for (let ms = 0; ms < 1000; ms += 2) one.update({ ...FORWARD, vx: 0.1 + ms * 1e-6 }, at(ms));
  assert.ok(sent.length <= 31 && sent.length >= 20, String(sent.length));
});

test("when_the_connection_has_ended_expect_nothing_of_before_sent_later", () => {
  let isOpen = false;
  const { pilot: one, sent } = pilot(() => isOpen);
  one.update(FORWARD, at(0));
  one.disconnected();
  isOpen = true;
  one.update(HALT, at(50));
  assert.deepEqual(sent, []);
});

test("when_steering_about_a_centre_expect_that_centre_and_forward_for_a_push_forward", () => {
  const full = { linear: 0.15, angular: 0.8 };
  for (const centre of [[0, 0.3], [0.1, -0.4], [0, 0.05]] as const) {
    const intent = steer({ ...NOTHING, forward: 1 }, { kind: "centre", centre }, full);
    assert.ok(intent.type === "drive" && intent.vx > 0);
    assert.ok(Math.abs(-intent.vy / intent.wz - centre[0]) < 1e-9 && Math.abs(intent.vx / intent.wz - centre[1]) < 1e-9);
    assert.ok(Math.hypot(intent.vx, intent.vy) <= full.linear + 1e-9 && Math.abs(intent.wz) <= full.angular + 1e-9);
  }
  assert.ok(isHalt(steer(NOTHING, { kind: "centre", centre: [0, 0.3] }, full)));
});

test("when_keys_are_pressed_expect_the_same_meaning_as_in_the_terminal", () => {
  const press = (code: string, key: string, isModified = false) => ({ code, key, isModified });
  assert.deepEqual(heading(press("KeyW", "z")), { ...NOTHING, forward: 1 });
  assert.equal(command(press("KeyX", "X")), "emergency");
  assert.equal(command(press("Backspace", "Backspace")), "emergency");
  assert.equal(command(press("Space", " ")), "halt");
  assert.equal(heading(press("KeyW", "w", true)) ?? command(press("KeyR", "r", true)), undefined);
});

test("when_opposite_keys_are_held_expect_neither_and_after_clear_nothing", () => {
  const held = new HeldKeys();
  held.press("KeyW", { ...NOTHING, forward: 1 });
  held.press("KeyS", { ...NOTHING, forward: -1 });
  held.press("KeyA", { ...NOTHING, turn: 1 });
  assert.deepEqual(held.demand(), { forward: 0, left: 0, turn: 1 });
  held.clear();
  assert.ok(held.isEmpty && !held.release("KeyW"));
});

function reading(pressed: readonly number[], axes: readonly number[] = [0, 0, 0, 0]): PadReading {
  return { axes, buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: pressed.includes(i) })) };
}

test("when_a_pad_appears_with_its_hold_button_down_expect_no_grip_before_it_is_pressed_again", () => {
  const pad = new Pad();
  assert.equal(pad.read(reading([4], [0, -1, 0, 0])).isGripped, false);
  pad.read(reading([]));
  const { isGripped, demand } = pad.read(reading([4], [0, -1, 0, 0]));
  assert.ok(isGripped && demand.forward > 0.5);
});

test("when_a_pad_appears_with_buttons_down_expect_only_the_emergency_stop_to_count", () => {
  assert.deepEqual(new Pad().read(reading([3, 9])).commands, []);
  const pad = new Pad();
  assert.deepEqual(pad.read(reading([1, 3])).commands, ["emergency"]);
  assert.deepEqual(pad.read(reading([1, 3])).commands, []);
});

test("when_keys_turn_while_steering_by_the_wheel_expect_them_to_bend_the_arc", () => {
  const full = { linear: 0.1, angular: 0.5 };
  const intent = steer({ ...NOTHING, forward: 1, turn: 1 }, { kind: "arc", curvature: -0.5 }, full);
  assert.deepEqual(intent, { type: "arc", velocity: 0.1, curvature: 0.5 });
});

test("when_a_stick_at_rest_is_taken_expect_a_zero_first_and_none_amid_a_motion_or_before_one_that_is_owed", () => {
  const { pilot: driver, sent } = pilot();
  driver.grip(HALT);
  driver.update(FORWARD, at(0));
  assert.deepEqual(sent, [HALT, FORWARD]);
  driver.grip(HALT);
  assert.equal(sent.length, 2, "the other stick walks on");
  driver.requireZero();
  driver.grip(HALT);
  assert.equal(sent.length, 2, "that one has to know of the stop");
});
