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
// A test that fails may leave a server open, for which Node would wait without end.
const forceExit = supportsForceExit() ? ["--test-force-exit"] : [];
const flags = ["--test", "--test-concurrency=1", ...forceExit];
const { status } = spawnSync(process.execPath, [...flags, ...rest, ...built], { cwd: root, stdio: "inherit", timeout: 900_000 });
process.exit(status ?? 1);

function supportsForceExit() {
  return spawnSync(process.execPath, ["--help"], { encoding: "utf8" }).stdout.includes("--test-force-exit");
}
