// Builds the page into the Python package, and fails when the script of the first paint grows past its limit.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const FIRST_PAINT_LIMIT = 200_000;
const here = import.meta.dirname;
const out = path.join(here, "../src/luozi/servers/web/page");

/** The bytes of a file and of all that it imports at once. */
function bytesAtOnce(outputs, name, seen = new Set()) {
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
const script = Object.keys(outputs).find((name) => outputs[name].entryPoint === "src/main.ts");
const bytes = bytesAtOnce(outputs, script);
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
