import assert from "node:assert/strict";
import test from "node:test";
import { readMessage } from "./messages.js";

const action = { id: "a", url: "https://pay.example/sdk/v1/frame/challenge?x", kind: "3ds", supportsIframe: true, texts: {} };

test("messages of the protocol are read", () => {
  for (const message of [{ type: "ready" }, { type: "size", height: 240.5 }, { type: "action", action }, { type: "underWay", underWay: { payment: "payments:1" } }, { type: "redirect", url: "com.shop.app://back" }]) {
    assert.equal(readMessage(message), message);
  }
});

test("what is not of the protocol is dropped", () => {
  for (const data of [undefined, null, "ready", 7, [], {}, { type: 1 }, { type: "later" }, { type: "constructor" }, { type: "__proto__" }]) {
    assert.equal(readMessage(data), undefined, JSON.stringify(data));
  }
});

test("messages without the members that they need are dropped", () => {
  for (const data of [
    { type: "size" }, { type: "size", height: -1 }, { type: "size", height: NaN }, { type: "size", height: "1px" }, { type: "size", height: 1e9 },
    { type: "result", attempt: "a" }, { type: "change", value: null, errors: {} }, { type: "action", action: { ...action, url: "javascript:alert(1)" } },
    { type: "redirect", url: " JavaScript:alert(1)" }, { type: "redirect", url: "\u0001javascript:x" }, { type: "action", action: null }, { type: "redirect", url: "data:text/html,x" }, { type: "complete", result: { data: {} } },
    { type: "underWay" }, { type: "underWay", underWay: {} }, { type: "error", error: { message: 1 } }, { type: "configuration", configuration: {} },
  ]) {
    assert.equal(readMessage(data), undefined, JSON.stringify(data));
  }
});
