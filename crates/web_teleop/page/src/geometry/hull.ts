/** The support polygon and how far a point is inside it. */

import type { Vec2 } from "./vec.ts";

/** The convex hull, anticlockwise, without points on its edges (Andrew's monotone chain). */
export function convexHull(points: readonly Vec2[]): Vec2[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const lower = half(sorted);
  const upper = half(sorted.reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function half(sorted: readonly Vec2[]): Vec2[] {
  const chain: Vec2[] = [];
  for (const point of sorted) {
    for (;;) {
      const [a, b] = [chain.at(-2), chain.at(-1)];
      if (!a || !b || cross(a, b, point) > 0) break;
      chain.pop();
    }
    chain.push(point);
  }
  return chain;
}

/** Twice the area of the triangle; positive when `c` lies left of the line from `a` to `b`. */
function cross(a: Vec2, b: Vec2, c: Vec2): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/**
 * Distance of `point` from the nearest edge of an anticlockwise hull, negative outside (along the edge's normal).
 * `undefined` without an area: fewer than three corners support nothing.
 */
export function stabilityMargin(hull: readonly Vec2[], point: Vec2): number | undefined {
  if (hull.length < 3) return undefined;
  let least = Infinity;
  hull.forEach((a, i) => {
    const b = hull[(i + 1) % hull.length] ?? a;
    least = Math.min(least, cross(a, b, point) / Math.hypot(b[0] - a[0], b[1] - a[1]));
  });
  return least;
}
