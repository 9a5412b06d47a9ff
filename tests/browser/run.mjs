/**
 * Runs the tests in Chromium: two files at a time, each with a service and a browser of its own.
 *
 *   node run.mjs             all
 *   node run.mjs pay fields  these files alone
 */
import { existsSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const chromium = process.env.POINTSMAN_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(chromium)) {
  console.error(`no Chromium at ${chromium}: install Debian's package chromium, or name one by POINTSMAN_CHROMIUM`);
  process.exit(2);
}

const wanted = process.argv.slice(2);
const all = readdirSync(join(HERE, "tests")).filter((name) => name.endsWith(".test.mjs"));
const unknown = wanted.filter((name) => !all.includes(`${name}.test.mjs`));
if (unknown.length > 0) {
  console.error(`no such file: ${unknown.join(", ")}; there are ${all.map((name) => name.slice(0, -9)).join(", ")}`);
  process.exit(2);
}
const files = all.filter((name) => wanted.length === 0 || wanted.includes(name.slice(0, -9)));
const flags = ["--test", "--test-concurrency=2", "--test-reporter=spec", "--test-timeout=240000"];
const run = spawnSync(process.execPath, [...flags, ...files.map((name) => join(HERE, "tests", name))], { stdio: "inherit" });
process.exit(run.status ?? 1);
