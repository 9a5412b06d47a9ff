/** Runs the unit tests: bundles every `*.test.ts` of src and packages, then hands the bundles, and the tests of tools, to `node --test`. */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url));
const OUT = join(ROOT, "node_modules/.pointsman-tests");

/** Every test below a folder. */
function tests(folder, ending = ".test.ts") {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

rmSync(OUT, { recursive: true, force: true });
const entryPoints = ["src", "packages"].flatMap((folder) => tests(folder));
await build({
  absWorkingDir: ROOT, bundle: true, entryPoints, format: "esm", outbase: ".", outdir: OUT, outExtension: { ".js": ".mjs" },
  packages: "external", platform: "node", sourcemap: "inline", target: "node20",
});
const bundles = entryPoints.map((entry) => join(OUT, entry.replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...bundles, ...tests("tools", ".test.mjs")], { stdio: "inherit", cwd: ROOT });
process.exitCode = run.status ?? 1;
