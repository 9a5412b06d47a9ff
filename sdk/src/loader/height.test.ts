import assert from "node:assert/strict";
import test from "node:test";
import { expectedHeight } from "./height.js";

const plain = { layout: "stacked", hideBillingAddress: false, allowSaveCard: false, alternativePaymentMethods: [] } as const;

test("heights are those that the form has in Chromium", () => {
  assert.equal(expectedHeight("card", plain, 500), 496);
  assert.equal(expectedHeight("card", { ...plain, hideBillingAddress: true }, 500), 328);
  assert.equal(expectedHeight("card", { ...plain, layout: "compact" }, 320), 328);
  assert.equal(expectedHeight("card", { ...plain, layout: "single" }, 500), 244);
  assert.equal(expectedHeight("card", { ...plain, layout: "single" }, 320), 328);
  assert.equal(expectedHeight("card", { ...plain, layout: "single" }, 280), 496);
  assert.equal(expectedHeight("card", { ...plain, allowSaveCard: true, customerId: "c" }, 500), 556);
  assert.equal(expectedHeight("checkout", plain, 500), 560);
  assert.equal(expectedHeight("checkout", { ...plain, hideBillingAddress: true, layout: "compact" }, 500), 308);
  assert.equal(expectedHeight("checkout", { ...plain, alternativePaymentMethods: [{ type: "bnpla" }, { type: "paypal" }] }, 500), 708);
});
