import assert from "node:assert/strict";
import test from "node:test";
import type { WalletAOption } from "../loader/types.js";
import { paymentDataRequest } from "./wallet-a.js";

const option: WalletAOption = {
  merchantInfo: { merchantName: "Harbour Coffee", merchantId: "0123" },
  transactionInfo: { currencyCode: "EUR", transactionId: "t-1", totalPriceStatus: "FINAL", totalPrice: "50.99" },
};
const walletA = { gateway: "pointsman", gatewayMerchantId: "m-1" };

test("the request has the specification's tokenisation and its defaults", () => {
  const request = paymentDataRequest(option, walletA);
  const [method] = request.allowedPaymentMethods;
  assert.deepEqual(method?.tokenizationSpecification, { type: "PAYMENT_GATEWAY", parameters: walletA });
  assert.deepEqual(method?.parameters.allowedAuthMethods, ["PAN_ONLY", "CRYPTOGRAM_3DS"]);
  assert.equal(request.apiVersion, 2);
  assert.ok(!("emailRequired" in request), "what is not asked for is not sent");
});

test("the merchant's parameters win over the defaults", () => {
  const request = paymentDataRequest(
    { ...option, cardParameters: { allowedAuthMethods: ["CRYPTOGRAM_3DS"], allowPrepaidCards: false }, paymentData: { emailRequired: true } },
    walletA,
  );
  assert.deepEqual(request.allowedPaymentMethods[0]?.parameters.allowedAuthMethods, ["CRYPTOGRAM_3DS"]);
  assert.equal((request.allowedPaymentMethods[0]?.parameters as { allowPrepaidCards?: boolean }).allowPrepaidCards, false);
  assert.equal(request.emailRequired, true);
});
