// `node --test test`: what the shop must get right about money and signatures.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { CURRENCY, Orders, Refused, amountOf } from "../orders.mjs";
import { Shop } from "../shop.mjs";
import { verified } from "../webhook.mjs";

test("a cart costs what our own prices say", () => {
  assert.equal(amountOf({ "house-blend": 2, "filter-papers": 1 }), 3099);
  for (const cart of [null, "x", {}, { "house-blend": 0 }, { "house-blend": -1 }, { "house-blend": 1.5 }, { "house-blend": "1" }, { gold: 1 }, { "enamel-mug": 21 }]) {
    assert.throws(() => amountOf(cart), Refused, JSON.stringify(cart));
  }
});

test("an order is paid by its whole amount alone, and stays paid", () => {
  const orders = new Orders();
  const settled = (payment) => {
    const order = orders.open(3099);
    orders.settle(order, { id: "payments:1", status: "SUCCEEDED", amount: 3099, currencyCode: CURRENCY, ...payment });
    return order;
  };
  assert.equal(settled({}).status, "paid");
  assert.equal(settled({ amount: 1 }).status, "check");
  assert.equal(settled({ currencyCode: "JPY" }).status, "check");
  assert.equal(settled({ status: "NO_ANSWER_FROM_PSP" }).status, "open");
  const declined = settled({ status: "DECLINED", reason: "INSUFFICIENT_FUNDS" });
  assert.deepEqual([declined.status, declined.reason], ["declined", "INSUFFICIENT_FUNDS"]);
  const paid = settled({});
  orders.settle(paid, { id: "payments:2", status: "DECLINED", amount: 3099, currencyCode: CURRENCY });
  assert.equal(paid.status, "paid");
});

test("an order has a number that can be read out, and an id that can't be guessed from it", () => {
  const orders = new Orders();
  const [first, second] = [orders.open(1), orders.open(1)];
  assert.deepEqual([first.number, second.number], ["HC-1001", "HC-1002"]);
  assert.match(first.id, /^[0-9a-f-]{36}$/);
});

test("a webhook counts when it is signed, whole and new", () => {
  const key = Buffer.from("a key of thirty-two bytes, or so.");
  const secret = `whsec_${key.toString("base64")}`;
  const body = Buffer.from('{"type":"payment.captured"}');
  const now = 1_767_225_600;
  const sign = (id, time, text) => `v1,${createHmac("sha256", key).update(`${id}.${time}.${text}`).digest("base64")}`;
  const headers = { "webhook-id": "a:1", "webhook-timestamp": `${now}`, "webhook-signature": `v1,AAAA ${sign("a:1", now, body)}` };
  assert.equal(verified(secret, headers, body, now).type, "payment.captured");
  assert.equal(verified(secret, headers, Buffer.from('{"type":"payment.refunded"}'), now), null);
  assert.equal(verified(secret, { ...headers, "webhook-id": "a:2" }, body, now), null);
  assert.equal(verified(secret, headers, body, now + 301), null);
  assert.equal(verified(secret, headers, body, now - 301), null);
  assert.equal(verified("whsec_AAAA", headers, body, now), null);
  assert.equal(verified("", headers, body, now), null);
  assert.equal(verified(secret, {}, body, now), null);
});

test("a feed that breaks while nobody waits for it ends the timeline, not the shop", async () => {
  let answer = (_) => {};
  const service = {
    must: () => new Promise((done) => { answer = done; }),
    async *payments() { throw new Error("cut off"); },
  };
  const shop = new Shop(service, "http://localhost:8081");
  const first = shop.timelines(shop.orders.open(1).id, new AbortController().signal).next();
  // The feed has broken by now; an error that nobody takes would be thrown here.
  await new Promise((done) => { setImmediate(() => setImmediate(done)); });
  answer({ getIntent: null });
  await assert.rejects(first, /cut off/);
});
