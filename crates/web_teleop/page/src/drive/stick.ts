/** Where a thumb on a stick is, as two numbers. */

/** What a stick says: each from -1 to 1, together inside the unit circle. */
export interface Deflection {
  readonly forward: number;
  readonly left: number;
}

export const CENTRED: Deflection = { forward: 0, left: 0 };

/** Part of the radius in which a thumb may rest without a command. */
export const DEAD_ZONE = 0.1;

/** The deflection of a thumb `dx` px right of and `dy` px below the middle of a stick with `radius` px. */
export function deflection(dx: number, dy: number, radius: number): Deflection {
  if (!(radius > 0) || !Number.isFinite(dx) || !Number.isFinite(dy)) return CENTRED;
  const distance = Math.hypot(dx, dy);
  const size = beyondDeadZone(distance / radius);
  return size === 0 ? CENTRED : { forward: zeroed((-dy / distance) * size), left: zeroed((-dx / distance) * size) };
}

/** 0 in the dead zone, from there evenly up to 1 at the rim and outside. */
export function beyondDeadZone(size: number): number {
  return Number.isFinite(size) ? Math.min(1, Math.max(0, (size - DEAD_ZONE) / (1 - DEAD_ZONE))) : 0;
}

/** One axis of a gamepad, with its sign. */
export function axis(value: number): number {
  return zeroed(Math.sign(value) * beyondDeadZone(Math.abs(value)));
}

function zeroed(value: number): number {
  return value === 0 || Number.isNaN(value) ? 0 : value;
}
