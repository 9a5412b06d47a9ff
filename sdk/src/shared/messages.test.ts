/** Texts: every language has every key, with the same values in them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fillIn, loadMessages, soon, supplyLater } from "./messages.js";
import { fields, page, payment } from "./messages/en.js";
import { later } from "./messages/later.js";
import { outcome } from "./messages/outcome.js";

const ENGLISH: Readonly<Record<string, string>> = { ...fields, ...payment, ...later, ...outcome, ...page };
const namesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test("every language has every text with the same values, and its own words", async () => {
  for (const language of ["de", "es", "fr", "nl", "pt"]) {
    const messages = await loadMessages(language, {});
    assert.equal(messages.find("status.unknown.title"), undefined, "what is needed late is loaded late");
    await supplyLater(messages);
    assert.equal(messages.language.slice(0, 2), language);
    let same = 0;
    for (const [key, english] of Object.entries(ENGLISH)) {
      const text = messages.find(key);
      assert.notEqual(text, undefined, `${language} ${key}`);
      assert.deepEqual(namesIn(text ?? ""), namesIn(english), `${language} ${key}`);
      if (text === english && english !== "") same += 1;
    }
    assert.ok(same <= 12, `${language}: ${same} texts are English`);
  }
});

test("a language that does not come is English after 5 s", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const loading = soon(new Promise<string>(() => {}), "late");
  t.mock.timers.tick(5_000);
  assert.equal(await loading, "late");
  assert.equal(await soon(Promise.resolve("there"), "late"), "there");
  assert.equal(await soon(Promise.reject(new Error("404")), "late"), "late");
});

test("every decline code has its words", async () => {
  const source = readFileSync("../crates/domain/src/decline.rs", "utf8");
  const codes = [...source.matchAll(/^ {8}\w+ = "([A-Z_]+)",$/gm)].map(([, code = ""]) => code).filter((code) => code !== "SOFT" && code !== "HARD");
  assert.equal(codes.length, 31);
  for (const code of codes) assert.ok(ENGLISH[`error.${code.toLowerCase()}`], code);
});

test("a merchant's texts stand in the place of ours, nested or flat", async () => {
  const own = { "card": { number: { "aria-label": "Numer karty" } }, "direction": "rtl", "language": "pl", "pay-button.label": "Zapłać {amount}" };
  const messages = await loadMessages(own, ENGLISH);
  assert.equal(messages.get("card.number.aria-label"), "Numer karty");
  assert.equal(messages.get("pay-button.label", { amount: "5 zł" }), "Zapłać 5 zł");
  assert.equal(messages.get("card.cvc.aria-label"), "Security code");
  assert.equal(messages.language, "pl");
  assert.equal(messages.direction, "rtl");
});

test("what is no language is English", async () => {
  for (const language of ["xx", "", undefined, null, 7, "__proto__", "constructor", "english", ["fr"]]) {
    assert.equal((await loadMessages(language, ENGLISH)).get("card.number.aria-label"), "Card number", String(language));
  }
  assert.equal((await loadMessages("fr-CA", ENGLISH)).language, "fr");
  assert.equal((await loadMessages("pt_BR", ENGLISH)).language, "pt-PT");
});

test("declines are added below a merchant's own words", async () => {
  const messages = await loadMessages({ "error.fraud": "No." }, { ...fields, ...payment });
  await supplyLater(messages);
  assert.equal(messages.find("error.fraud"), "No.");
  assert.equal(messages.find("error.insufficient_funds"), later["error.insufficient_funds"]);
  assert.equal(messages.find("toString"), undefined);
});

test("a text that no file brought is the English one, until one does", async () => {
  const messages = await loadMessages("fr", {});
  messages.fallBackOn(outcome);
  assert.equal(messages.get("status.unknown.title"), outcome["status.unknown.title"]);
  await supplyLater(messages);
  assert.equal(messages.get("status.unknown.title"), "Pas encore confirmé");
});

test("values are put in once", () => {
  assert.equal(fillIn("{a} and {b} and {c}", { a: "{b}", b: "2" }), "{b} and 2 and {c}");
});
