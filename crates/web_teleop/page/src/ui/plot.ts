/** A small chart of a series: time to the right, the newest at the edge. */

import type { Series } from "../robot/series.ts";
import { h } from "./dom.ts";
import { sharpen } from "./sharp.ts";

export interface Plot {
  readonly element: HTMLElement;
  draw(): void;
}

export interface PlotOptions {
  readonly title: string;
  readonly series: Series;
  readonly seconds: number;
  /** The axis holds at least this range. */
  readonly least: readonly [number, number];
  readonly label: (value: number) => string;
  readonly lines: readonly string[];
}

const COLOURS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];
const PAD = 4;

export function createPlot(options: PlotOptions): Plot {
  const canvas = h("canvas", { class: "plot-canvas", role: "img", "aria-label": options.title });
  const newest = h("output", { class: "plot-value" });
  const element = h("figure", { class: "plot" }, h("figcaption", {}, options.title, newest), canvas);
  return {
    element,
    draw: () => {
      const context = sharpen(canvas);
      if (!context) return;
      const values = options.series.newest?.values;
      newest.textContent = values ? values.map(options.label).join("  ") : "";
      drawLines(context, canvas, options);
    },
  };
}

function drawLines(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, { series, seconds, least, label }: PlotOptions): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const style = getComputedStyle(canvas);
  const [found, highest] = series.range();
  const [low, high] = [Math.min(least[0], found), Math.max(least[1], highest)];
  const y = (value: number): number => height - PAD - ((value - low) / (high - low || 1)) * (height - 2 * PAD);
  const end = series.newest?.t ?? 0;
  const x = (t: number): number => width - ((end - t) / seconds) * width;

  context.clearRect(0, 0, width, height);
  context.strokeStyle = style.getPropertyValue("--line");
  context.lineWidth = 1;
  context.beginPath();
  for (const value of [low, (low + high) / 2, high]) {
    context.moveTo(0, Math.round(y(value)) + 0.5);
    context.lineTo(width, Math.round(y(value)) + 0.5);
  }
  context.stroke();

  context.lineWidth = 1.6;
  context.lineJoin = "round";
  const count = series.newest?.values.length ?? 0;
  for (let line = 0; line < count; line += 1) {
    context.strokeStyle = style.getPropertyValue(COLOURS[line % COLOURS.length] ?? "--text");
    context.beginPath();
    for (const { t, values } of series.samples) context.lineTo(x(t), y(values[line] ?? 0));
    context.stroke();
  }
  context.fillStyle = style.getPropertyValue("--muted");
  context.font = "10px system-ui, sans-serif";
  context.fillText(label(high), 2, 12);
  context.fillText(label(low), 2, height - 6);
}
