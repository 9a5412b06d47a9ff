import assert from "node:assert/strict";
import test from "node:test";
import { serviceOrigin } from "./service.js";

test("the service is the origin that the script came from", () => {
  assert.equal(serviceOrigin("https://pay.example:8443/sdk/v1/pointsman.js?x=1"), "https://pay.example:8443");
});

test("a script without an address is refused with what to do", () => {
  assert.throws(() => serviceOrigin(""), /script element with src/);
  assert.throws(() => serviceOrigin(undefined), /script element with src/);
});
