// Bundles the tests of one folder and runs them with Node's own runner: `node test/run.mjs unit`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";

const [part = "unit", ...rest] = process.argv.slice(2);
const root = new URL("..", import.meta.url).pathname;
const files = readdirSync(`${root}test/${part}`).filter((name) => name.endsWith(".test.ts"));
rmSync(`${root}.test/${part}`, { recursive: true, force: true });
await build({
  absWorkingDir: root, entryPoints: files.map((name) => `test/${part}/${name}`), outdir: `.test/${part}`, bundle: true,
  platform: "node", format: "esm", target: "node18", outExtension: { ".js": ".mjs" }, packages: "external", logLevel: "warning",
});
const built = files.map((name) => `.test/${part}/${name.replace(/\.ts$/, ".mjs")}`);
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...rest, ...built], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
