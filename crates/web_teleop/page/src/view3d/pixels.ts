/** How many pixels are drawn: as sharp as the screen where there is time, coarser where drawing takes too long. */

import type { WebGLRenderer } from "three";

const SHARPEST = 2;
const COARSEST = 0.6;
/** A frame of 30 a second, with room for everything else on the page. */
const TOO_LONG_MS = 24;
const FRAMES = 20;

export class Pixels {
  readonly #renderer: WebGLRenderer;
  #ratio = Math.min(SHARPEST, devicePixelRatio);
  #size: readonly [number, number] = [1, 1];
  #frames = 0;
  #took = 0;

  constructor(renderer: WebGLRenderer) {
    this.#renderer = renderer;
  }

  resize(width: number, height: number): void {
    this.#size = [width, height];
    this.#renderer.setPixelRatio(this.#ratio);
    this.#renderer.setSize(width, height, false);
  }

  /** Draws, and from time to time asks how long that takes. */
  measure(draw: () => void): void {
    const began = performance.now();
    draw();
    // With a graphics card the call returns at once and drawing costs this page nothing.
    this.#took += performance.now() - began;
    this.#frames += 1;
    if (this.#frames < FRAMES) return;
    const mean = this.#took / this.#frames;
    this.#frames = this.#took = 0;
    if (mean > TOO_LONG_MS && this.#ratio > COARSEST) {
      this.#ratio = Math.max(COARSEST, this.#ratio * 0.8);
      this.resize(...this.#size);
    }
  }
}
