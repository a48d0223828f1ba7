// Builds the page into the Python package, and fails when the script of the first paint grows past its limit.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const FIRST_PAINT_LIMIT = 200_000;
const here = import.meta.dirname;
const out = path.join(here, "../src/luozi/web/page");

/** The bytes of a file and of all that it imports at once, but for files that are seen already. */
function bytesAtOnce(outputs, name, seen) {
  if (seen.has(name)) return 0;
  seen.add(name);
  const further = outputs[name].imports.filter((each) => each.kind === "import-statement");
  return outputs[name].bytes + further.reduce((sum, each) => sum + bytesAtOnce(outputs, each.path, seen), 0);
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".svg": "dataurl" },
  logLevel: "warning",
});
const outputs = metafile.outputs;
const fileOf = (source) => Object.keys(outputs).find((name) => outputs[name].entryPoint === source);
const script = fileOf("src/main.ts");
const seen = new Set();
const first = [script, fileOf("src/views/new-game.tsx"), fileOf("src/views/play.tsx")]; // what is seen first is one of these
const bytes = first.reduce((sum, name) => sum + bytesAtOnce(outputs, name, seen), 0);
console.log(`page: ${bytes} bytes of script before the first paint (limit ${FIRST_PAINT_LIMIT})`);
if (bytes > FIRST_PAINT_LIMIT) {
  console.error("page: too much script for the first paint; load a part of it with import() when it is needed");
  process.exit(1);
}
const html = await readFile(path.join(here, "src/index.html"), "utf8");
const filled = html
  .replace("SCRIPT", path.basename(script))
  .replace("STYLE", path.basename(outputs[script].cssBundle));
await writeFile(path.join(out, "index.html"), filled);
