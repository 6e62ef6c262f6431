/** Colours of the 3D view, read from the design tokens so that both themes are in one file. */

import { Color } from "three";

export interface Look {
  readonly grid: Color;
  readonly stance: Color;
  readonly swing: Color;
  readonly path: Color;
  readonly centre: Color;
  readonly amber: Color;
  readonly alarm: Color;
  readonly sky: Color;
  readonly ground: Color;
}

export function lookOf(element: Element): Look {
  const style = getComputedStyle(element);
  const colour = (token: string): Color => new Color(style.getPropertyValue(token).trim() || "#888888");
  return {
    grid: colour("--grid"), stance: colour("--stance"), swing: colour("--swing"), path: colour("--path"),
    centre: colour("--text"), amber: colour("--amber"), alarm: colour("--red"), sky: colour("--sky"), ground: colour("--floor"),
  };
}
