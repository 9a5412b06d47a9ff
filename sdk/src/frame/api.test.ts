/** Questions that change nothing are asked again where nobody answered; what the service has said is not. */
import assert from "node:assert/strict";
import test from "node:test";
import { Api } from "./api.js";

const FACTS = { data: { sdkConfiguration: { cardRanges: false, mode: "test" } } };

/** Plays the steps; the last one is repeated. */
async function ask(...steps: readonly (() => Response | Promise<Response>)[]) {
  let count = 0;
  const fetcher = async () => {
    count += 1;
    return (steps[Math.min(count, steps.length) - 1] ?? lost)();
  };
  const reply = await new Api("ct_test_x", fetcher as typeof fetch).read("{sdkConfiguration{mode}}", {}, async () => undefined);
  return { count, reply };
}

const lost = (): Response => { throw new TypeError("Failed to fetch"); };
const facts = () => Response.json(FACTS);
const refused = (code: string) => () => Response.json({ data: null, errors: [{ extensions: { code }, message: code }] });

test("one lost answer about the configuration is asked for again", async () => {
  for (const step of [lost, () => new Response("busy", { status: 503 }), () => new Response("<html>"), () => Response.json({ errors: [{ message: "not found" }] }, { status: 404 })]) {
    const { count, reply } = await ask(step, facts);
    assert.ok(reply.kind === "answer" && reply.data, String(step));
    assert.equal(count, 2);
  }
});

test("three tries, then it is not known; what the service has said is not asked twice", async () => {
  const { count, reply } = await ask(lost);
  assert.equal(reply.kind, "lost");
  assert.equal(count, 3);
  const forbidden = await ask(refused("api.key.forbidden"), facts);
  assert.equal(forbidden.reply.kind === "answer" && forbidden.reply.errors[0]?.extensions?.code, "api.key.forbidden");
  assert.equal(forbidden.count, 1);
  assert.equal((await ask(() => new Response("", { status: 401 }), facts)).count, 1);
});

test("a try that hangs is given up after 5 s, not after 45", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let count = 0;
  const fetcher = (_url: unknown, init?: RequestInit) => {
    count += 1;
    if (count > 1) return Promise.resolve(Response.json(FACTS));
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  const reading = new Api("ct_test_x", fetcher as typeof fetch).read("{sdkConfiguration{mode}}", {}, async () => undefined);
  t.mock.timers.tick(5_000);
  assert.equal((await reading).kind, "answer");
  assert.equal(count, 2);
});
