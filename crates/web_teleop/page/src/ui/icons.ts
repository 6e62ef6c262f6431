/** Icons as paths on a square of 24, drawn with the colour of the text. */

import { setAttribute } from "./dom.ts";

const PATHS = {
  view: "M12 2 3 7v10l9 5 9-5V7zM3 7l9 5 9-5M12 12v10",
  moves: "M4 18c3 0 3-5 6-5s2 4 5 4 3-9 5-9M4 6h3M5.5 4.5v3M15 4h5",
  pose: "M5 4v6M5 14v6M12 4v2M12 10v10M19 4v9M19 17v3M3 12h4M10 8h4M17 15h4",
  views: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  data: "M3 17l5-7 4 4 4-8 5 6M3 21h18",
  more: "M4 7h16M4 12h16M4 17h10",
  power: "M12 3v8M6.5 6.5a8 8 0 1 0 11 0",
  stand: "M12 15V4M7 9l5-5 5 5M4 20h16",
  sit: "M12 4v11M7 10l5 5 5-5M4 20h16",
  pack: "M4 8l8-4 8 4v8l-8 4-8-4zM9 10h6M9 14h6",
  link: "M2 9a15 15 0 0 1 20 0M5.5 12.5a10 10 0 0 1 13 0M9 16a5 5 0 0 1 6 0M12 19.5h.01",
  battery: "M3 8h15v8H3zM21 11v2",
  health: "M12 3l8 3v6c0 5-3.5 7.500-8 9-4.5-1.500-8-4-8-9V6z",
  camera: "M4 7h4l2-2h4l2 2h4v12H4zM12 10a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  reset: "M4 12a8 8 0 1 0 3-6.2M4 4v5h5",
  legend: "M6 6h.01M6 12h.01M6 18h.01M11 6h9M11 12h9M11 18h9",
  enlarge: "M14 4h6v6M10 20H4v-6M20 4l-7 7M4 20l7-7",
  close: "M6 6l12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  setAttribute(svg, "viewBox", "0 0 24 24");
  setAttribute(svg, "aria-hidden", "true");
  setAttribute(svg, "class", "icon");
  const path = document.createElementNS(SVG, "path");
  setAttribute(path, "d", PATHS[name]);
  svg.append(path);
  return svg;
}
