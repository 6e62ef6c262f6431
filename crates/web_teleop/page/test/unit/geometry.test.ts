import assert from "node:assert/strict";
import { test } from "node:test";
import { clampCurvature, pathOf, turningCentre, twistAbout } from "../../src/geometry/arc.ts";
import { convexHull, stabilityMargin } from "../../src/geometry/hull.ts";
import { apply, applyInverse, compose, fromQuaternion, fromXyzRpy, quaternionFromRpy, type Vec2 } from "../../src/geometry/vec.ts";
import { frameOf, fromScreen, groundOfTop, project, toScreen } from "../../src/views/projection.ts";

test("when_a_curvature_is_out_of_range_or_zero_expect_the_nearest_that_the_robot_takes", () => {
  assert.deepEqual([0, -0, 5, -5, 1.5, -0.0005].map(clampCurvature), [0.001, 0.001, 1.999, -1.999, 1.5, -0.001]);
});

test("when_walking_on_an_arc_expect_every_point_of_the_path_as_far_from_the_turning_centre", () => {
  const twist = { vx: 0.1, vy: 0.02, wz: -0.4 };
  const centre = turningCentre(twist);
  assert.ok(centre);
  for (const [x, y] of pathOf(twist, 5)) {
    assert.ok(Math.abs(Math.hypot(x - centre[0], y - centre[1]) - Math.hypot(...centre)) < 1e-9);
  }
  assert.equal(turningCentre({ vx: 1, vy: 0, wz: 0 }), undefined);
});

test("when_a_centre_is_below_the_body_expect_a_turn_on_the_spot", () => {
  assert.deepEqual(twistAbout([0, 0], 1, { linear: 0.1, angular: 0.5 }), { vx: 0, vy: 0, wz: 0.5 });
});

test("when_points_are_in_any_order_expect_their_hull_anticlockwise_and_a_signed_margin", () => {
  const hull = convexHull([[1, 1], [0, 0], [1, 0], [0.5, 0.5], [0, 1], [0.5, 0]]);
  assert.equal(hull.length, 4);
  assert.ok(Math.abs((stabilityMargin(hull, [0.5, 0.4]) ?? NaN) - 0.4) < 1e-12);
  assert.ok((stabilityMargin(hull, [2, 0.5]) ?? NaN) < 0);
  assert.equal(stabilityMargin(convexHull([[0, 0], [1, 1]]), [0, 0]), undefined);
  assert.deepEqual(convexHull([]), []);
});

test("when_a_pose_is_applied_and_undone_expect_the_same_point", () => {
  const rpy = [0.3, -0.7, 2.1] as const;
  const pose = compose(fromXyzRpy([1, 2, 3], rpy), fromXyzRpy([0.1, 0, 0], [0, 0, 1]));
  const point = [0.4, -0.5, 0.6] as const;
  applyInverse(pose, apply(pose, point)).forEach((value, i) => assert.ok(Math.abs(value - (point[i] ?? NaN)) < 1e-12));
  const [a, b] = [fromXyzRpy([0, 0, 0], rpy), fromQuaternion([0, 0, 0], quaternionFromRpy(rpy))];
  a.r.forEach((value, i) => assert.ok(Math.abs(value - (b.r[i] ?? NaN)) < 1e-12));
});

test("when_a_pixel_of_the_top_view_is_touched_expect_the_point_of_the_ground_below_it", () => {
  const frame = frameOf("top", 300, 300, 0.3);
  const ground: Vec2 = [0.12, -0.07];
  const pixel = toScreen(frame, project("top", [...ground, 0]));
  groundOfTop(fromScreen(frame, pixel)).forEach((value, i) => assert.ok(Math.abs(value - (ground[i] ?? NaN)) < 1e-12));
  // Ahead is up, and left is left.
  assert.ok(toScreen(frame, project("top", [0.1, 0, 0]))[1] < 150 && toScreen(frame, project("top", [0, 0.1, 0]))[0] < 150);
});
