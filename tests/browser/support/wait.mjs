/** Waits with a bound: tests never sleep. */
import { setTimeout as pause } from "node:timers/promises";

const BOUND_MS = 15_000;

/** Asks until the answer is true, and returns it. */
export async function until(what, ask, boundMs = BOUND_MS) {
  const end = Date.now() + boundMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${boundMs} ms: ${what}`);
    await pause(20);
  }
}
