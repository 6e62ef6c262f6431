// Builds the page into dist/: bundles, names them by their content, and puts those names into the HTML.
import { build } from "esbuild";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename } from "node:path";

const root = new URL(".", import.meta.url);
const path = (name) => new URL(name, root).pathname;

await rm(path("dist"), { recursive: true, force: true });
await mkdir(path("dist"), { recursive: true });
const { metafile } = await build({
  absWorkingDir: path("."),
  entryPoints: ["src/main.ts", "src/playground/main.ts", "src/style/page.css"].map((entry) => ({
    in: entry,
    out: entry === "src/playground/main.ts" ? "playground" : basename(entry).replace(/\.\w+$/, ""),
  })),
  outdir: "dist/assets",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["chrome108", "firefox110", "safari16"],
  minify: true,
  legalComments: "linked",
  metafile: true,
  logLevel: "warning",
});

const names = new Map();
for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
  if (entryPoint?.endsWith("playground/main.ts")) names.set("playground.js", file);
  else if (entryPoint?.endsWith("main.ts")) names.set("main.js", file);
  else if (entryPoint?.endsWith("page.css")) names.set("page.css", file);
}
for (const page of ["index.html", "playground.html"]) {
  const text = await readFile(path(`static/${page}`), "utf8");
  const filled = text.replace(/\{([a-z.]+)\}/g, (_, name) => names.get(name).replace(/^dist\//, ""));
  await writeFile(path(`dist/${page}`), filled);
}
await cp(path("static/icon.svg"), path("dist/icon.svg"));
// The walking core for the playground, where `cargo xtask wasm` has put it.
if (existsSync(path("public"))) await cp(path("public"), path("dist"), { recursive: true });
