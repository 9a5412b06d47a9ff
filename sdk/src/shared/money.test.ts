/** Amounts and countries as the customer reads them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { countryOfTag, listCountries, postalCodeRule } from "./countries.js";
import { Exponents } from "./money.js";
import { readOptions } from "./options.js";
import { isOver, standingOf } from "./paymentstatus.js";

const markup = readFileSync("src/frame/form.html", "utf8");
const exponents = new Exponents(/data-exponents="([^"]*)"/.exec(markup)?.[1] ?? "");
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

test("amounts have the decimals of ISO 4217 in the layout of the language", () => {
  const cases = [
    [5099, "EUR", "en", "€50.99"], [5099, "EUR", "de", "50,99 €"], [5099, "EUR", "fr", "50,99 €"], [500, "JPY", "en", "¥500"],
    [5099, "KWD", "en", "KWD 5.099"], [123456, "HUF", "en", "HUF 1,234.56"], [123456789, "USD", "en", "$1,234,567.89"], [0, "EUR", "nl", "€ 0,00"],
  ] as const;
  for (const [amount, currency, language, text] of cases) assert.equal(plain(exponents.format(amount, currency, language)), text, text);
});

test("a currency or a language that the browser can't lay out is still readable", () => {
  assert.equal(exponents.format(5099, "EURO", "en"), "50.99 EURO");
  assert.equal(exponents.format(5099, "EUR", "not a language"), "50.99 EUR");
});

test("countries are those of the service", () => {
  const source = /const CODES: &str = "([^"]*)"/.exec(readFileSync("../crates/domain/src/country.rs", "utf8"))?.[1] ?? "";
  const theirs = [...source.matchAll(/\b([A-Z]{2}):([A-Z]{3})\b/g)].map(([, alpha2 = "", alpha3 = ""]) => ({ alpha2, alpha3 }));
  assert.equal(theirs.length, 249);
  const ours = listCountries("en");
  assert.deepEqual(ours.map(({ code }) => code).sort(), theirs.map(({ alpha3 }) => alpha3).sort());
  for (const { alpha2, alpha3 } of theirs) assert.equal(countryOfTag(`en-${alpha2}`), alpha3);
  const names = new Intl.DisplayNames("en", { type: "region" });
  for (const { alpha2, alpha3 } of theirs) assert.equal(ours.find(({ code }) => code === alpha3)?.name, names.of(alpha2));
  assert.equal(countryOfTag("en"), undefined);
  assert.equal(countryOfTag("zh-Hant-TW"), "TWN");
});

test("postal codes are asked for where there are any", () => {
  assert.deepEqual(postalCodeRule("ARE"), { least: 0, need: "none" });
  assert.deepEqual(postalCodeRule("DEU"), { least: 5, need: "required" });
  assert.deepEqual(postalCodeRule("GBR"), { least: 3, need: "required" });
  assert.equal(postalCodeRule("IRL").need, "optional");
  assert.equal(postalCodeRule("").need, "required");
});

test("options of the wrong type are left out", () => {
  const options = readOptions({
    allowSaveCard: "true", alternativePaymentMethods: [{ type: "bnpla" }, "x", null, { type: 7 }], amount: 1.5, apiKey: "ct_test_x",
    countries: [{ code: "IRL", name: "Éire" }, { code: "<b>", name: "x" }], currencyCode: 7, language: ["en"], layout: "grid", theme: "dark",
  });
  assert.equal(options.allowSaveCard, false);
  assert.deepEqual(options.alternativePaymentMethods, [{ type: "bnpla" }]);
  assert.equal(options.amount, undefined);
  assert.deepEqual(options.countries, [{ code: "IRL", name: "Éire" }]);
  assert.equal(options.currencyCode, undefined);
  assert.equal(options.language, "en");
  assert.equal(options.layout, "stacked");
  assert.deepEqual(options.theme, {});
  assert.equal(readOptions({ amount: 7 }, options).apiKey, "ct_test_x");
  assert.equal(readOptions(null), readOptions(undefined));
});

test("every status of the service has a meaning, and a new one is unknown, never a failure", () => {
  const schema = readFileSync("../schema.graphql", "utf8");
  const statuses = [...(/enum PaymentStatus \{([^}]*)\}/.exec(schema)?.[1] ?? "").matchAll(/^ {2}([A-Z0-9_]+)$/gm)].map(([, name = ""]) => name);
  assert.ok(statuses.length >= 16);
  const isPayments = (status: string) => status !== "INACTIVE" && status !== "REMOVED";
  const unknown = statuses.filter(isPayments).filter((status) => standingOf({ id: "1", status }) === "unknown");
  assert.deepEqual(unknown, ["NO_ANSWER_FROM_PSP"]);
  assert.equal(standingOf({ id: "1", status: "SOMETHING_NEW" }), "unknown");
  assert.equal(standingOf({ id: "1", status: "constructor" }), "unknown");
  assert.equal(isOver("unknown"), false);
});
