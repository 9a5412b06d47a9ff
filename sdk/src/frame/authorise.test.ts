/** Attempts against a service that loses answers, is busy, or says something else. */
import assert from "node:assert/strict";
import test from "node:test";
import { Api } from "./api.js";
import { authorise, readPayment, type Outcome } from "./authorise.js";

type Step = "lost" | "500" | "503" | "401" | "429" | "502 of a balancer" | "503 of a balancer" | "429 of a balancer" | "garbage" | { readonly data?: unknown; readonly errors?: readonly unknown[] };

interface Run {
  readonly outcome: Outcome;
  readonly keys: readonly string[];
  readonly waits: readonly number[];
}

const PAID = { data: { authorizePayment: { id: "payments:1", status: "SUCCEEDED" } } };
const error = (code: string, more: object = {}) => ({ data: { authorizePayment: null }, errors: [{ extensions: { code, ...more }, message: code }] });

function answerOf(step: Step): Response {
  if (step === "lost") throw new TypeError("Failed to fetch");
  if (step === "garbage") return new Response("<html>", { status: 200 });
  if (typeof step === "string") {
    const [status, ...others] = step.split(" ");
    const code = status === "429" ? "error.rate-limited" : "error.unavailable";
    const body = others.length > 0 || status === "500" ? "upstream connect error" : JSON.stringify({ errors: [{ extensions: { code }, message: code }] });
    return new Response(body, { headers: { "Retry-After": "7" }, status: Number(status) });
  }
  return Response.json(step);
}

/** Plays the steps; the last one is repeated. */
const run = (...steps: readonly Step[]): Promise<Run> => runAfter(false, ...steps);

async function runAfter(mayBeMade: boolean, ...steps: readonly Step[]): Promise<Run> {
  const keys: string[] = [];
  const waits: number[] = [];
  const fetcher = async (_url: unknown, init?: RequestInit) => {
    keys.push(new Headers(init?.headers).get("X-Idempotency-Key") ?? "");
    return answerOf(steps[Math.min(keys.length, steps.length) - 1] ?? "lost");
  };
  const api = new Api("ct_test_x", fetcher as typeof fetch);
  const wait = async (seconds: number) => void waits.push(seconds);
  const outcome = await authorise(api, { input: { amount: 1 }, key: "key-1" }, () => undefined, mayBeMade, wait);
  return { keys, outcome, waits };
}

test("a lost answer is asked for again under the same key, after 1, 2 and 4 seconds", async () => {
  const { keys, outcome, waits } = await run("lost", "500", "garbage", PAID);
  assert.equal(outcome.kind, "payment");
  assert.deepEqual(keys, ["key-1", "key-1", "key-1", "key-1"]);
  assert.deepEqual(waits, [1, 2, 4]);
});

test("when every answer is lost nothing is known", async () => {
  const { keys, outcome } = await run("lost");
  assert.deepEqual(outcome, { kind: "unknown" });
  assert.equal(keys.length, 4);
});

test("a service that never began is a refusal, and is given the time that it asks for", async () => {
  const { outcome, waits } = await run("503");
  assert.equal(outcome.kind, "refused");
  assert.deepEqual(waits, [7, 7, 7]);
});

test("what a balancer answers says nothing of what the service has done", async () => {
  for (const step of ["503 of a balancer", "429 of a balancer", "502 of a balancer"] as const) {
    assert.deepEqual((await run(step)).outcome, { kind: "unknown" }, step);
  }
});

test("in a later round of an attempt whose answer was lost a busy service refuses nothing", async () => {
  for (const step of ["503", "429", "401"] as const) {
    assert.deepEqual((await runAfter(true, step)).outcome, { kind: "unknown" }, step);
  }
  assert.equal((await runAfter(true, PAID)).outcome.kind, "payment");
});

test("what is refused for the visitor ends an attempt only while nothing may have been made", async () => {
  assert.equal((await run("401")).outcome.kind, "unauthorized");
  assert.equal((await run("lost", "401")).outcome.kind, "unknown");
  assert.equal((await run(error("error.rate-limited", { retryAfter: 5 }))).outcome.kind, "refused");
  assert.equal((await run("lost", error("error.rate-limited"), PAID)).outcome.kind, "payment");
  assert.equal((await run("lost", error("error.rate-limited"))).outcome.kind, "unknown");
});

test("once an answer was lost no refusal ends the attempt, whatever its code: a proxy's words prove nothing", async () => {
  const refusals: readonly Step[] = [
    { errors: [{ message: "not found" }] }, error("error.validation"), error("error.payment-method.not-found"), error("api.key.forbidden"),
    error("error.authorize.payment-already-authorized"), error("error.idempotency.key-reused"),
  ];
  for (const step of refusals) {
    assert.deepEqual((await run("lost", step)).outcome, { kind: "unknown" }, JSON.stringify(step));
    assert.deepEqual((await runAfter(true, step)).outcome, { kind: "unknown" }, JSON.stringify(step));
    assert.equal((await run("lost", step, PAID)).outcome.kind, "payment", JSON.stringify(step));
  }
});

test("a first answer with errors that are not in the service's words leaves it unknown", async () => {
  for (const errors of [[{ message: "not found" }], ["blocked"], [null], [{ extensions: { code: "FORBIDDEN" }, message: "x" }], [{ extensions: { code: 7 }, message: "x" }]]) {
    assert.deepEqual((await run({ errors })).outcome, { kind: "unknown" }, JSON.stringify(errors));
    assert.equal((await run({ errors }, error("error.validation"))).outcome.kind, "unknown");
    assert.equal((await run({ errors }, PAID)).outcome.kind, "payment");
  }
});

test("answers are what they say", async () => {
  const cases: readonly (readonly [Step, Outcome["kind"]])[] = [
    [PAID, "payment"],
    [error("error.authorize.requires3DSecure", { id: "payments:1", url: "https://bank.example" }), "errand"],
    [error("error.authorize.requiresApmAuthorization", { id: "payments:1", url: "https://bank.example" }), "errand"],
    [error("error.authorize.payment-already-authorized", { id: "payments:1" }), "already"],
    [error("error.validation", { field: "amount" }), "refused"],
    [error("error.unavailable", { id: "payments:1" }), "unknown"],
    [error("error.unavailable"), "refused"],
    [error("error.unknown"), "unknown"],
    [error("error.idempotency.in-progress"), "unknown"],
    [error("error.idempotency.key-reused"), "unknown"],
    [{ data: { authorizePayment: null } }, "unknown"],
  ];
  for (const [step, kind] of cases) assert.equal((await run(step)).outcome.kind, kind, JSON.stringify(step));
});

test("a payment that is not there was never made; silence says nothing", async () => {
  const read = async (step: Step) => (await readPayment(new Api("x", (async () => answerOf(step)) as typeof fetch), "payments:1")).kind;
  assert.equal(await read({ data: { getPayment: { id: "payments:1", status: "DECLINED" } } }), "payment");
  assert.equal(await read(error("error.payment.not-found")), "none");
  assert.equal(await read(error("error.unavailable")), "silent");
  assert.equal(await read("lost"), "silent");
  assert.equal(await read("401"), "unauthorized");
});
