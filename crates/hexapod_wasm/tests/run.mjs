// Does in Node what tests/same_bits.rs does natively: reads a script, and writes the numbers of each tick.
//   node run.mjs hexapod.wasm bits < script.json   all numbers after each step, as they lie in memory
//   node run.mjs hexapod.wasm time < script.json   the time of a step, us
import { readFileSync, writeSync } from "node:fs";
import { Hexapod } from "../binding/hexapod.js";

const [, , wasm, mode] = process.argv;
const { description, calls } = JSON.parse(readFileSync(0, "utf8"));
const robot = await Hexapod.load(await WebAssembly.compile(readFileSync(wasm)), description);

/** Writes all of it, however little a pipe takes at a time. */
function put(bytes) {
  for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
}

function bits() {
  const length = robot.numbers.length;
  const kept = new Float64Array(length * 256);
  let ticks = 0;
  const flush = () => {
    put(new Uint8Array(kept.buffer, 0, ticks * length * 8));
    ticks = 0;
  };
  for (const [method, ...values] of calls) {
    if (method !== "step") {
      robot[method](...values);
      continue;
    }
    const [dt, count] = values;
    for (let tick = 0; tick < count; tick += 1) {
      robot.step(dt);
      kept.set(robot.numbers, length * ticks);
      ticks += 1;
      if (ticks === 256) flush();
    }
  }
  flush();
}

function time() {
  for (const [method, ...values] of calls) robot[method](...values);
  // Batches shorter than a scheduler's slice, the fastest of them: what else the machine does does not count.
  const batch = () => {
    const started = performance.now();
    for (let tick = 0; tick < 200; tick += 1) robot.step(0.01);
    return (performance.now() - started) * 5;
  };
  put(new TextEncoder().encode(String(Math.min(...Array.from({ length: 200 }, batch)))));
}

if (mode === "bits") bits();
else time();
