import assert from "node:assert/strict";
import test from "node:test";
import { ApiClient, readAnswer } from "./client.js";
import { PointsmanIntent } from "./intent/index.js";
import { loadPointsman } from "./loader/index.js";
import { PointsmanVault } from "./vault/index.js";

const serviceUrl = "https://pay.example";
type Call = { url: string; headers: Record<string, string>; body: { query: string; variables: Record<string, unknown> } };

/** Answers calls one after the other; an answer that is an error is a broken network. */
function serve(t: { mock: { method: typeof import("node:test").mock.method } }, ...answers: unknown[]): Call[] {
  const calls: Call[] = [];
  t.mock.method(globalThis, "fetch", async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    calls.push({ url, headers, body: JSON.parse(body) });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return { json: async () => answer };
  });
  return calls;
}

test("an answer is the value of its root field, and errors have a type", () => {
  assert.deepEqual(readAnswer({ data: { createCustomer: "c-1" } }), { data: "c-1", errors: [] });
  assert.deepEqual(readAnswer({ data: null, errors: [{ message: "no", extensions: { code: "error.validation" } }] }), {
    data: null, errors: [{ message: "no", type: "error.validation" }],
  });
});

test("a client says what is missing", () => {
  assert.throws(() => new ApiClient({ apiKey: "ct_test_x" }), /serviceUrl is missing/);
  assert.throws(() => new ApiClient({ apiKey: "sk_test_x", serviceUrl }), /client token/);
});

test("an operation without an answer is sent again under the same key", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const calls = serve(t, new Error("offline"), { data: { createCustomer: "c-1" } });
  const pending = PointsmanVault({ apiKey: "ct_test_x", serviceUrl }).createCustomer({ customer: { name: "Ada" } });
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  t.mock.timers.tick(1_000);
  assert.deepEqual(await pending, { data: "c-1", errors: [] });
  assert.equal(calls.length, 2);
  assert.equal(calls[0]?.url, "https://pay.example/api/graphql");
  assert.equal(calls[0]?.headers["authorization"], "Bearer ct_test_x");
  assert.equal(calls[0]?.headers["x-idempotency-key"], calls[1]?.headers["x-idempotency-key"]);
  assert.match(calls[0]?.headers["x-idempotency-key"] ?? "", /^[0-9a-f]{32}$/);
});

test("an intent remembers its id", async (t) => {
  const calls = serve(t, { data: { startIntent: { id: "i-1" } } }, { data: { completeIntent: { id: "i-1", status: "COMPLETE" } } });
  const intent = new PointsmanIntent({ apiKey: "pk_test_x", serviceUrl });
  assert.equal((await intent.updateIntent({ trackingId: "t" })).errors[0]?.type, "no-intent");
  await intent.startIntent({ trackingId: "t", paymentFlowId: "default", amount: { amount: 5099, currency: "EUR" } });
  assert.equal(intent.intentId, "i-1");
  assert.equal((await intent.completeIntent("payments:1")).data?.status, "COMPLETE");
  assert.deepEqual(calls[1]?.body.variables, { id: "i-1", paymentReference: "payments:1" });
});

test("on a server the loader's promise never settles, and nothing is thrown", async () => {
  const outcome = await Promise.race([loadPointsman().then(() => "settled", () => "settled"), new Promise((resolve) => setTimeout(resolve, 20, "pending"))]);
  assert.equal(outcome, "pending");
});
