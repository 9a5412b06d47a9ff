import assert from "node:assert/strict";
import test from "node:test";
import { frameOptions, mistakesOf, type Options } from "./options.js";

const dropIn = { apiKey: "ct_test_x", flowId: "default", amount: 5099, currencyCode: "EUR" };
test("good options have no mistakes", () => {
  assert.deepEqual(mistakesOf("card", { apiKey: "ct_live_x" }), []);
  assert.deepEqual(mistakesOf("checkout", dropIn), []);
  const alternativePaymentMethods = [{ type: "walleta", option: {} }, { type: "applepay" }, { type: "klarna" }];
  assert.deepEqual(mistakesOf("checkout", { ...dropIn, amount: 0, language: { "pay-button.label": "Go" }, alternativePaymentMethods }), []);
});

test("each mistake has a message, all at once", () => {
  const found = mistakesOf("checkout", {
    apiKey: "sk_test_x", amount: 50.99, currencyCode: "euro", hideBillingAddress: "no", countries: [{ name: "Ireland", code: "IE" }], amout: 1,
    language: "ga", onLoaded: "loaded", theme: { colors: { primry: "red" } },
  });
  assert.deepEqual(found.map((message) => message.split(" ")[0]), [
    "apiKey", "hideBillingAddress", "countries[0].code", "language", "theme.colors.primry", "onLoaded", "flowId", "amount", "currencyCode", "amout",
  ]);
  assert.match(found[0] ?? "", /generateClientToken/);
  assert.match(found[7] ?? "", /5099 for 50\.99/);
});

test("options of the other way of integrating are not known", () => {
  assert.match(mistakesOf("card", { apiKey: "ct_test_x", amount: 1 })[0] ?? "", /^amount is not known; known are apiKey/);
  assert.match(mistakesOf("checkout", { ...dropIn, onPaymentRequest: () => {} })[0] ?? "", /^onPaymentRequest is not known/);
});

test("something else than an object is one mistake", () => {
  for (const given of [undefined, null, "x", []]) assert.equal(mistakesOf("card", given).length, 1, String(given));
});

test("alternative payment methods have types that are known", () => {
  assert.match(mistakesOf("checkout", { ...dropIn, alternativePaymentMethods: [{ type: "walletd" }] })[0] ?? "", /\[0\]\.type must be one of walleta/);
});

test("countries are of no use without a billing address", () => {
  const countries = [{ name: "Ireland", code: "IRL" }];
  assert.deepEqual(mistakesOf("card", { apiKey: "ct_test_x", countries, hideBillingAddress: true }), ["countries needs hideBillingAddress to be false"]);
  assert.deepEqual(mistakesOf("card", { apiKey: "ct_test_x", countries }), []);
});

test("the frame gets neither callbacks nor the wallets of the merchant's page", () => {
  const given = { ...dropIn, onLoaded: () => {}, customerId: undefined, allowSaveCard: true, alternativePaymentMethods: [{ type: "walleta", option: {} }, { type: "bnpla" }] };
  assert.deepEqual(frameOptions(given as unknown as Options, { ancestors: [], redirectOnly: false }), {
    ...dropIn, allowSaveCard: true, hideBillingAddress: false, isSavedCardCvcRequired: false, language: "en", layout: "stacked", theme: {},
    ancestors: [], redirectOnly: false, alternativePaymentMethods: [{ type: "bnpla" }],
  });
});
