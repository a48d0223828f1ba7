// Bundles the unit tests and runs them with Node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const here = import.meta.dirname;
const out = mkdtempSync(path.join(os.tmpdir(), "luozi-page-"));
const entryPoints = readdirSync(path.join(here, "tests"))
  .filter((name) => /\.test\.tsx?$/.test(name))
  .map((name) => path.join("tests", name));
await build({
  absWorkingDir: here,
  entryPoints,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".css": "empty" },
  logLevel: "warning",
});
const files = readdirSync(out).map((name) => path.join(out, name));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
