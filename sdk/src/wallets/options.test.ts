import assert from "node:assert/strict";
import test from "node:test";
import type { Options } from "../loader/options.js";
import { mistakesOfWallet } from "./options.js";

const walletA = {
  merchantInfo: { merchantName: "Harbour Coffee", merchantId: "0123" },
  transactionInfo: { currencyCode: "EUR", transactionId: "t-1", totalPriceStatus: "FINAL", totalPrice: "50.99" },
};
const walletB = { paymentRequest: { countryCode: "IE", currencyCode: "EUR", total: { label: "Harbour Coffee", amount: "50.99" }, supportedNetworks: ["visa"] } };

const checkout = { apiKey: "ct_test_x", currencyCode: "EUR" } as Options;
const ofA = (option: unknown, options = checkout) => mistakesOfWallet("walleta", option, options, "option");
const ofB = (option: unknown) => mistakesOfWallet("walletb", option, checkout, "option");

test("good options have no mistakes", () => {
  assert.deepEqual(ofA(walletA), []);
  assert.deepEqual(ofA({ ...walletA, button: { buttonType: "pay" }, existingPaymentMethodRequired: false, useNetworkInTest: true }), []);
  assert.deepEqual(ofB(walletB), []);
});

test("the price on the sheet is the amount that is charged, where it is final", () => {
  const options = { ...checkout, amount: 5099 } as Options;
  assert.deepEqual(ofA(walletA, options), []);
  assert.deepEqual(mistakesOfWallet("walletb", walletB, options, "option"), []);
  assert.match(ofA(walletA, { ...options, amount: 100 })[0] ?? "", /has the price 50\.99, which is not the amount 100/);
  const estimated = { ...walletA, transactionInfo: { ...walletA.transactionInfo, totalPriceStatus: "ESTIMATED" } };
  assert.deepEqual(ofA(estimated, { ...options, amount: 100 }), []);
});

test("what is missing or wrong has a message each", () => {
  assert.match(ofA(undefined)[0] ?? "", /^option is missing/);
  assert.equal(ofA({}).length, 2);
  assert.match(ofA({ ...walletA, button: { buttonColor: "red" } })[0] ?? "", /buttonColor must be one of black, white/);
  assert.match(ofA({ ...walletA, transactionInfo: { ...walletA.transactionInfo, totalPrice: "50,99" } })[0] ?? "", /such as 50\.99/);
  assert.match(ofA({ ...walletA, transactionInfo: { ...walletA.transactionInfo, displayItems: [] } })[0] ?? "", /totalPriceLabel/);
  assert.match(ofB({ paymentRequest: { ...walletB.paymentRequest, total: { label: "x" } } })[0] ?? "", /total\.amount is missing/);
});

test("the sheet and the checkout have one currency", () => {
  const inPounds = { ...walletA, transactionInfo: { ...walletA.transactionInfo, currencyCode: "GBP" } };
  assert.match(ofA(inPounds)[0] ?? "", /the currency GBP, currencyCode is EUR/);
  assert.deepEqual(ofA(inPounds, { apiKey: "ct_test_x" }), [], "Elements has no currency of its own");
});
