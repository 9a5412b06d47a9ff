/** Parts of the form that are files of their own, loaded once it stands. */
import { sleep } from "./sleep.js";

/** Waits between tries. Seconds. */
const WAITS = [0.5, 2];

/**
 * Loads a module by its address; nothing where it can't be loaded. A browser may remember that an address failed, so that a
 * further try has another one.
 */
export async function loadPart<Part>(address: string): Promise<Part | undefined> {
  const load = (query: string) => import(`${address}${query}`) as Promise<Part>;
  for (const [tries, seconds] of WAITS.entries()) {
    try {
      return await load(tries === 0 ? "" : `?try=${Date.now()}`);
    } catch {
      await sleep(seconds);
    }
  }
  return load(`?try=${Date.now()}`).catch(() => undefined);
}
