/** Following a payment: how often it is asked for, and what ends it. */
import assert from "node:assert/strict";
import test from "node:test";
import { Api } from "./api.js";
import type { Reading } from "./authorise.js";
import { Watch } from "./watch.js";

const payment = (status: string) => Response.json({ data: { getPayment: { id: "payments:1", status } } });

/** A watch whose service gives these answers, the last one again and again. */
function watch(...answers: readonly (() => Response)[]) {
  const seen: Reading[] = [];
  let asked = 0;
  const fetcher = async () => (answers[Math.min(asked++, answers.length - 1)] ?? (() => Response.error()))();
  const follower = new Watch(new Api("x", fetcher as typeof fetch), "payments:1", (reading) => seen.push(reading));
  return { asked: () => asked, follower, seen };
}

/** Lets what waits for a promise run. */
const settle = async () => { for (let turn = 0; turn < 20; turn += 1) await Promise.resolve(); };

test("it asks every two seconds for a minute, then every five", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked } = watch(() => payment("NEEDS_3D_SECURE"));
  for (let second = 0; second < 60; second += 1) { t.mock.timers.tick(1_000); await settle(); }
  assert.equal(asked(), 30);
  for (let second = 0; second < 20; second += 1) { t.mock.timers.tick(1_000); await settle(); }
  assert.equal(asked(), 34);
});

test("only an answer ends it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, seen } = watch(
    () => new Response("", { status: 500 }), () => payment("NO_ANSWER_FROM_PSP"), () => payment("SOMETHING_NEW"), () => payment("SUCCEEDED"));
  for (let second = 0; second < 30; second += 1) { t.mock.timers.tick(1_000); await settle(); }
  assert.equal(asked(), 4);
  assert.deepEqual(seen.map((reading) => reading.kind === "payment" ? reading.payment.status : reading.kind), ["silent", "NO_ANSWER_FROM_PSP", "SOMETHING_NEW", "SUCCEEDED"]);
});

test("a hint makes it ask at once, ten hints once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, follower } = watch(() => payment("NEEDS_3D_SECURE"));
  await Promise.all(Array.from({ length: 10 }, () => follower.nudge()));
  assert.equal(asked(), 1);
  follower.stop();
  await follower.nudge();
  t.mock.timers.tick(60_000);
  await settle();
  assert.equal(asked(), 1);
});
