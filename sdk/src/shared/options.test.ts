/** The frame's own reading of its options. */
import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULT_OPTIONS, readOptions } from "./options.js";
import type { FrameOptions } from "./protocol.js";

/** Every member with a value that is not its default: a member that the reading forgets is found here. */
const GIVEN: Required<FrameOptions> = {
  allowSaveCard: true, alternativePaymentMethods: [{ type: "bnpla" }], amount: 5099, ancestors: ["https://outer.example"], apiKey: "ct_test_1",
  colorScheme: "dark", countries: [{ code: "IRL", name: "Ireland" }], currencyCode: "EUR", customerId: "c", flowId: "f", hideBillingAddress: true,
  intentId: "i", isSavedCardCvcRequired: true, language: "fr", layout: "single", orderId: "o", payButton: "Pay", redirectOnly: true,
  resumePayment: "payments:1", returnUrl: "https://shop.example/", theme: { lineHeight: "1.7" },
};

test("every option arrives", () => {
  assert.deepEqual(readOptions(GIVEN), GIVEN);
});

test("what is of another type is left out", () => {
  const wrong = Object.fromEntries(Object.keys(GIVEN).map((name) => [name, name === "language" ? 7 : () => undefined]));
  assert.deepEqual(readOptions(wrong), DEFAULT_OPTIONS);
  for (const nothing of [undefined, null, 7, "text", []]) assert.equal(readOptions(nothing), DEFAULT_OPTIONS);
});

test("an update changes what it names, and a long list of pages around has an end", () => {
  const before = readOptions(GIVEN);
  assert.deepEqual(readOptions({ amount: 1 }, before), { ...before, amount: 1 });
  assert.equal(readOptions({ ancestors: Array.from({ length: 50 }, () => "https://a.example") }).ancestors.length, 10);
});
