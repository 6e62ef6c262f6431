import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, applyInverse, fromQuaternion, fromXyzRpy, quaternionOf, type Pose, type Vec3 } from "../../src/geometry/vec.ts";
import { meshOf } from "../../src/playground/drop.ts";
import { Footing, type Walker } from "../../src/playground/footing.ts";
import { gaitIn } from "../../src/playground/gaits.ts";
import { fragmentOf, sharedIn, type Shared } from "../../src/playground/share.ts";
import { Tape, type Taped } from "../../src/playground/tape.ts";
import { heightAt, mapAbout, TERRAINS } from "../../src/playground/terrain.ts";
import { packElevation, readElevation } from "../../src/robot/elevation.ts";

test("when_meshes_are_named_alike_expect_each_by_whole_parts_of_its_path", () => {
  const meshes = new Map(["leg.stl", "front_leg.stl", "left/tibia.stl", "right/tibia.stl"].map((path) => [path, new Blob([path])]));
  for (const [address, path] of [
    ["package://robot/meshes/front_leg.stl", "front_leg.stl"], ["package://robot/meshes/leg.stl", "leg.stl"],
    ["package://robot/right/tibia.stl", "right/tibia.stl"], ["hind_leg.stl", undefined],
  ] as const) assert.equal(meshOf(meshes, address), path && meshes.get(path), address);
});

test("when_a_map_is_packed_and_read_expect_its_cells_and_nothing_of_what_is_no_map", () => {
  const map = { side: 0.015, cells: [{ at: [5.1, -2, 0.04] as const, score: 0.75 }, { at: [4.9, -2.1, -0.1] as const, score: undefined }] };
  const read = readElevation(packElevation(map, [5, -2, 0]));
  assert.equal(read?.cells.length, 2);
  map.cells.forEach(({ at, score }, n) => {
    assert.ok(at.every((metres, k) => Math.abs(metres - (read?.cells[n]?.at[k] ?? NaN)) < 1e-3));
    assert.equal(read?.cells[n]?.score, score);
  });
  for (const bytes of [0, 15, 17, 23]) assert.equal(readElevation(new ArrayBuffer(bytes)), undefined);
  assert.equal(readElevation(new Float32Array([0, NaN, 0, 1]).buffer), undefined);
});

test("when_a_minute_is_over_expect_a_table_of_the_last_one_in_order", () => {
  const tape = new Tape();
  const robot = (time: number): Taped => ({
    time, state: "walking", gait: "tripod", margin: 0.05, joints: new Float64Array([time, 1]), contacts: new Float64Array([1, 0]),
    odom: new Float64Array([1, 2, 3, 0, 0, 0, 1]), twist: new Float64Array([0.1, 0, 0]), jointNames: ["a", "b"], info: { legs: [{ name: "l" }, { name: "r" }] },
  });
  tape.begin(robot(0));
  for (let tick = 0; tick < 6100; tick += 1) tape.add(robot(tick / 100));
  const [head, ...rows] = tape.csv().trimEnd().split("\n");
  assert.deepEqual(head?.split(",").slice(-4), ["l_down", "r_down", "a", "b"]);
  assert.equal(rows.length, 6000);
  assert.ok(rows.every((row) => row.split(",").length === head?.split(",").length));
  assert.deepEqual([rows[0]?.split(",")[0], rows.at(-1)?.split(",")[0]], ["1.00", "60.99"]);
  tape.begin(robot(0));
  assert.equal(tape.csv().trimEnd().split("\n").length, 1);
});

test("when_a_robot_is_shared_expect_the_same_from_its_link_and_nothing_from_any_other_text", async () => {
  const shared: Shared = {
    name: "mine.urdf", urdf: "<robot name='é'/>".repeat(500), files: { "gaits.yaml": "gaits: {}" }, gait: "mine",
    arc: { velocity: 0.08, curvature: -0.5 }, terrain: "rubble",
  };
  const fragment = await fragmentOf(shared);
  assert.match(fragment ?? "", /^#robot=[A-Za-z0-9_-]{50,2000}$/);
  assert.deepEqual(await sharedIn(fragment ?? ""), shared);
  const noise = Array.from({ length: 200_000 }, (_, i) => String.fromCharCode(33 + ((i * 7919 + (i >> 3) * 104_729) % 90)) + Math.random()).join("");
  assert.equal(await fragmentOf({ urdf: noise }), undefined);
  // Half a gigabyte of nothing in a short link.
  const bomb = await fragmentOf({ urdf: " ".repeat(5_000_000) });
  for (const text of ["", "#token=0123456789abcdef", "#robot=", "#robot=%%%", "#robot=AAAA", bomb ?? ""]) assert.equal(await sharedIn(text), undefined, text.slice(0, 30));
  const odd = await fragmentOf({ urdf: 5, files: { "../x": "a", "robot.yaml": 7 }, arc: { velocity: null, curvature: 1 } } as unknown as Shared);
  assert.deepEqual(await sharedIn(odd ?? ""), {});
});

test("when_gaits_are_written_expect_the_first_known_one_walked", () => {
  assert.equal(gaitIn("gaits:\n  mine: {duty_factor: 0.6}\n  tripod: {}\n", ["tripod", "mine"]), "tripod");
  assert.equal(gaitIn("gaits:\n  'mine': {}\n# tripod: is not\n", ["tripod", "mine"]), "mine");
  assert.equal(gaitIn("gaits: {}\n", ["tripod"]), undefined);
});

test("when_ground_is_chosen_expect_it_even_about_the_robot_and_its_map_as_high_as_it_is", () => {
  for (const terrain of TERRAINS) {
    for (let angle = 0; angle < 6; angle += 0.1) assert.equal(heightAt(terrain, [0.3 * Math.cos(angle), 0.3 * Math.sin(angle)]), 0);
    const { cells } = mapAbout(terrain, [1, 0.5]);
    assert.ok(cells.length > 500 && cells.length <= 4096);
    for (const { at: [x, y, z], score } of cells) assert.ok(z === heightAt(terrain, [x, y]) && score !== undefined && score >= 0 && score <= 1);
    assert.equal(cells.some(({ at }) => at[2] > 0.005), terrain !== "flat");
  }
});

/** A robot that takes the ground for even: its feet in a ring about its place. */
function walker(place: Vec3, down: (leg: number) => boolean): Walker & { readonly felt: (boolean | null)[] } {
  const felt: (boolean | null)[] = [];
  const feet = Array.from({ length: 6 }, (_, leg) => [place[0] + 0.2 * Math.cos(leg), place[1] + 0.2 * Math.sin(leg), down(leg) ? 0 : 0.06]);
  return {
    feetInOdom: new Float64Array(feet.flat()), contacts: new Float64Array(feet.map((_, leg) => (down(leg) ? 1 : 0))),
    odom: new Float64Array([...place, 0, 0, 0, 1]), felt,
    setContact: (leg, value) => {
      felt[leg] = value;
      return "";
    },
  };
}

test("when_three_feet_stand_on_uneven_ground_expect_the_body_held_by_them_and_feet_in_the_air_without_contact", () => {
  for (const terrain of TERRAINS) {
    for (let x = 0; x < 3; x += 0.07) {
      const robot = walker([x, 0.3 * x, 0.09], (leg) => leg % 2 === 0);
      const footing = new Footing();
      footing.begin(terrain, [0, 0]);
      footing.feel(robot);
      const [px = 0, py = 0, pz = 0, qx = 0, qy = 0, qz = 0, qw = 1] = footing.lift(robot.odom);
      const lifted = fromQuaternion([px, py, pz], [qx, qy, qz, qw]);
      for (let leg = 0; leg < 6; leg += 1) {
        const [fx = 0, fy = 0, fz = 0] = robot.feetInOdom.subarray(3 * leg, 3 * leg + 3);
        const foot = apply(lifted, applyInverse(fromQuaternion([x, 0.3 * x, 0.09], [0, 0, 0, 1]), [fx, fy, fz]));
        if (leg % 2 === 0) assert.ok(Math.abs(foot[2] - heightAt(terrain, [fx, fy])) < 0.002, `${terrain} ${x} ${leg}: ${foot[2]}`);
        assert.equal(robot.felt[leg], terrain === "flat" ? null : leg % 2 === 0);
      }
    }
  }
});

test("when_a_pose_is_written_as_a_quaternion_expect_the_same_pose_from_it", () => {
  for (const yaw of [0, 1, 3, -3, 3.14159]) {
    for (const tilt of [0, 0.2, -0.3]) {
      const pose: Pose = fromXyzRpy([1, 2, 3], [tilt, -tilt / 2, yaw]);
      const again = fromQuaternion(pose.t, quaternionOf(pose));
      assert.ok(pose.r.every((value, i) => Math.abs(value - (again.r[i] ?? NaN)) < 1e-3), `${yaw} ${tilt}`);
    }
  }
});
