/**
 * Chromium as customers have it. Playwright's default flags switch storage partitioning off and would prove what no
 * customer has, so it starts with flags of our own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const EXECUTABLE = process.env.POINTSMAN_CHROMIUM ?? "/usr/bin/chromium";

const FLAGS = [
  "--headless",
  // The tests also run as root, in containers.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-startup-window",
  "--disable-background-networking",
  // Pages that are not in front get no fewer timers than others: several tests run at a time.
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  "--force-color-profile=srgb",
];

/** Starts a browser with a profile of its own. `flags` are added. */
export async function launchBrowser(flags = []) {
  const profile = mkdtempSync(join(tmpdir(), "pointsman-chromium-"));
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    ignoreDefaultArgs: true,
    args: [...FLAGS, `--user-data-dir=${profile}`, ...flags],
  });
  // Its processes still write for a moment after the connection has ended.
  process.once("exit", () => {
    try {
      rmSync(profile, { recursive: true, force: true });
    } catch {
      // A profile that is left in the temporary folder does no harm.
    }
  });
  return browser;
}
