/** How many pixels are drawn: as sharp as the screen where there is time, coarser where drawing takes too long. */

import type { WebGLRenderer } from "three";

const SHARPEST = 2;
const COARSEST = 0.75;
/** A frame of 30 a second, with room for everything else on the page. */
const TOO_LONG_MS = 24;
/** Below this there is time for more pixels. */
const SHORT_MS = 5;
const FRAMES = 20;
/** So many times in a row. */
const EASY_TIMES = 5;
/** As long as a frame waits for the screen anyway. */
const FRAME_MS = 1000 / 60;

/** Whether 3D is drawn without a graphics card: then smooth edges cost more than they are worth. */
export function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const facts = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && facts ? String(context.getParameter(facts.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

export class Pixels {
  readonly #renderer: WebGLRenderer;
  #ratio = Math.min(SHARPEST, devicePixelRatio);
  #size: readonly [number, number] = [1, 1];
  #frames = 0;
  #took = 0;
  #easy = 0;

  constructor(renderer: WebGLRenderer) {
    this.#renderer = renderer;
  }

  resize(width: number, height: number): void {
    this.#size = [width, height];
    this.#renderer.setPixelRatio(this.#ratio);
    this.#renderer.setSize(width, height, false);
  }

  /** Draws what was asked for at `askedMs`, and from time to time looks how long that takes. */
  measure(askedMs: number, draw: () => void): void {
    draw();
    // Drawing goes on elsewhere after the call; a renderer that cannot keep up holds the next frames back.
    this.#took += performance.now() - askedMs - FRAME_MS;
    this.#frames += 1;
    if (this.#frames < FRAMES) return;
    const mean = this.#took / this.#frames;
    this.#frames = this.#took = 0;
    this.#easy = mean < SHORT_MS ? this.#easy + 1 : 0;
    const factor = mean > TOO_LONG_MS ? 0.8 : this.#easy >= EASY_TIMES ? 1.15 : 1;
    const ratio = Math.min(SHARPEST, devicePixelRatio, Math.max(COARSEST, this.#ratio * factor));
    if (ratio === this.#ratio) return;
    this.#ratio = ratio;
    this.#easy = 0;
    this.resize(...this.#size);
    // A canvas whose size is set is empty.
    draw();
  }
}
