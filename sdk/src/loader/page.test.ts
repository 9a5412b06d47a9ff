import assert from "node:assert/strict";
import test from "node:test";
import { isPhoneOrWebView, readReturn } from "./page.js";

test("an address without a return is kept, but for its fragment", () => {
  assert.deepEqual(readReturn("https://shop.example/pay?cart=7&id=9#top"), { returnUrl: "https://shop.example/pay?cart=7&id=9" });
});

test("the payment that a customer comes back from is read, and its parameters are taken out", () => {
  assert.deepEqual(readReturn("https://shop.example/pay?cart=7&id=payments%3A1&3ds_status=FAILED&decline_code=X"), {
    returnUrl: "https://shop.example/pay?cart=7", resumePayment: "payments:1",
  });
  assert.equal(readReturn("https://shop.example/pay?id=1&apm_status=COMPLETED").resumePayment, "1");
});

test("phones and web views are known by their user agent", () => {
  assert.equal(isPhoneOrWebView("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15"), true);
  assert.equal(isPhoneOrWebView("Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36"), true);
  assert.equal(isPhoneOrWebView("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36"), false);
});
