import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DOMParser } from "@xmldom/xmldom";
import { readPose } from "../../src/robot/bodypose.ts";
import { Figures } from "../../src/robot/figure.ts";
import { findLegs } from "../../src/robot/legs.ts";
import { Model, type XmlElement } from "../../src/robot/model.ts";
import { Series } from "../../src/robot/series.ts";
import { Traces } from "../../src/robot/traces.ts";
import { MockRobot } from "../mockrobot.ts";

const URDF = readFileSync(new URL("../../../../../urdf/hexapod.urdf", import.meta.url), "utf8");

function modelOf(text: string): Model {
  return Model.read(new DOMParser().parseFromString(text, "text/xml").documentElement as unknown as XmlElement);
}

test("when_the_shipped_robot_is_read_expect_six_legs_with_three_joints_and_a_foot", () => {
  const robot = new MockRobot();
  const legs = findLegs(modelOf(URDF), robot.facts.legs);
  assert.deepEqual(legs.map(({ name }) => name), robot.facts.legs);
  for (const leg of legs) {
    assert.equal(leg.joints.length, 3);
    assert.equal(leg.frames.at(-1), `${leg.name}_foot`);
  }
});

test("when_standing_expect_feet_on_the_ground_and_the_centre_of_mass_amid_them", () => {
  const robot = new MockRobot();
  const figure = new Figures(modelOf(URDF), robot.facts).of(robot.state(1, 0));
  assert.ok(figure);
  assert.equal(figure.legs.length, 6);
  for (const { foot } of figure.legs) assert.ok(Math.abs(foot[2] - figure.ground) < 1e-6, String(foot));
  assert.ok(Math.hypot(figure.centre[0], figure.centre[1]) < 0.02 && figure.centre[2] > 0.05);
  assert.ok((figure.margin ?? 0) > 0.1 && figure.support.length >= 4);
});

test("when_a_state_is_of_another_robot_expect_no_figure", () => {
  const robot = new MockRobot();
  const figures = new Figures(modelOf(URDF), robot.facts);
  assert.equal(figures.of({ ...robot.state(1, 0), revision: 2 }), undefined);
  assert.equal(figures.of({ ...robot.state(1, 0), joints: null }), undefined);
  assert.equal(figures.of({ ...robot.state(1, 0), contacts: null })?.margin, undefined);
});

test("when_leg_names_begin_alike_expect_each_its_own_chain", () => {
  const leg = (name: string, y: number): string => `
    <link name="${name}_a"/><link name="${name}_b"/><link name="${name}_foot"/>
    <joint name="${name}_hip" type="revolute"><parent link="base"/><child link="${name}_a"/><origin xyz="0 ${y} 0"/></joint>
    <joint name="${name}_knee" type="continuous"><parent link="${name}_a"/><child link="${name}_b"/><axis xyz="0 2 0"/></joint>
    <joint name="${name}_end" type="fixed"><parent link="${name}_b"/><child link="${name}_foot"/></joint>`;
  const model = modelOf(`<robot name="r"><link name="base"/>${leg("leg10", 1)}${leg("leg1", 2)}
    <link name="mast"/><joint name="m" type="fixed"><parent link="base"/><child link="mast"/></joint></robot>`);
  assert.deepEqual(findLegs(model, ["leg1", "leg10"]).map(({ frames }) => frames.at(-1)), ["leg1_foot", "leg10_foot"]);
  // Names that say nothing: in the order of the URDF.
  assert.deepEqual(findLegs(model, ["x", "y", "z"]).map(({ frames }) => frames.at(-1)), ["leg10_foot", "leg1_foot"]);
});

test("when_a_urdf_has_no_root_expect_it_named", () => {
  assert.throws(() => modelOf("<robot name='r'/>"), /no root link/);
});

test("when_a_robot_walks_on_expect_the_last_positions_only_and_none_of_a_foot_that_stays", () => {
  const robot = new MockRobot();
  const figures = new Figures(modelOf(URDF), robot.facts);
  const traces = new Traces(20);
  for (let i = 0; i < 300; i += 1) {
    robot.intend({ type: "drive", seen: 0, vx: 0.1, vy: 0, wz: 0 });
    robot.step(0.02);
    const figure = figures.of(robot.state(i, i * 0.02));
    if (figure) traces.add(figure);
  }
  assert.equal(traces.of("left_front").length, 20);
  const still = new Traces(20);
  const figure = figures.of(robot.state(1, 1));
  for (let i = 0; i < 10; i += 1) if (figure) still.add(figure);
  assert.equal(still.of("left_front").length, 1);
});

test("when_the_planner_tells_the_pose_expect_metres_and_radians_and_nothing_of_other_texts", () => {
  assert.deepEqual(readPose("1.0 -2.0 25.0 0.0 0.0 180.0"), { x: 0.001, y: -0.002, z: 0.025, roll: 0, pitch: 0, yaw: Math.PI });
  for (const text of [undefined, "", "1 2 3 4 5", "1 2 3 4 5 x", "a"]) assert.equal(readPose(text), undefined);
});

test("when_time_goes_back_expect_a_series_to_begin_anew", () => {
  const series = new Series(2);
  for (let t = 0; t <= 10; t += 0.5) series.add(t, [t, -t]);
  assert.ok(series.samples.length <= 5 && series.range()[1] === 10);
  series.add(1, [3, 3]);
  assert.deepEqual([series.samples.length, ...series.range()], [1, 3, 3]);
});
