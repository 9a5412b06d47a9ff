import assert from "node:assert/strict";
import test from "node:test";
import { minorUnits } from "./minor-units.js";

test("decimals are those of the currency", () => {
  assert.equal(minorUnits("50.99", "EUR"), 5099);
  assert.equal(minorUnits("50", "EUR"), 5000);
  assert.equal(minorUnits("50.9", "EUR"), 5090);
  assert.equal(minorUnits("5099", "JPY"), 5099);
  assert.equal(minorUnits("1.234", "KWD"), 1234);
  assert.equal(minorUnits("0.00", "EUR"), 0);
});
