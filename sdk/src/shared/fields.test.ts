/** What people and autofills put into the card fields, and what the form makes of it. */
import assert from "node:assert/strict";
import test from "node:test";
import { groupNumber } from "./brands.js";
import { digitsOf } from "./digits.js";
import { applyLayout } from "./edit.js";
import { formatExpiry, isExpired, parseExpiry } from "./expiry.js";
import { checkCode, checkExpiry, checkName, checkNumber } from "./validation.js";

const NOW = new Date("2026-11-23T12:00:00Z");
const number = (text: string) => groupNumber(digitsOf(text));

test("numbers are laid out in the groups of their brand", () => {
  const cases: readonly (readonly [typed: string, shown: string])[] = [
    ["4", "4"],
    ["42424", "4242 4"],
    ["4242424242424242", "4242 4242 4242 4242"],
    ["4242 4242 4242 4242", "4242 4242 4242 4242"],
    ["4242-4242-4242-4242", "4242 4242 4242 4242"],
    ["4242.4242.4242.4242", "4242 4242 4242 4242"],
    ["  4242\t4242\u00a04242\u20094242 \n", "4242 4242 4242 4242"],
    ["４２４２４２４２４２４２４２４２", "4242 4242 4242 4242"],
    ["٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242 4242 4242 4242"],
    ["۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲", "4242 4242 4242 4242"],
    ["४२४२४२४२४२४२४२४२", "4242 4242 4242 4242"],
    ["378282246310005", "3782 822463 10005"],
    ["3782822463", "3782 822463"],
    ["36227206271667", "3622 720627 1667"],
    ["3622720627166712", "3622 7206 2716 6712"],
    ["6200000000000005123", "6200 0000 0000 0005 123"],
    ["6759649826438453", "6759 6498 2643 8453"],
  ];
  for (const [typed, shown] of cases) assert.equal(number(typed), shown, typed);
});

test("numbers are judged by length and check digit", () => {
  const cases: readonly (readonly [typed: string, problem: string | undefined])[] = [
    ["4242 4242 4242 4242", undefined],
    ["4222222222222", undefined],
    ["5555555555554444", undefined],
    ["2223003122003222", undefined],
    ["3782 822463 10005", undefined],
    ["36227206271667", undefined],
    ["6011111111111117", undefined],
    ["3566002020360505", undefined],
    ["6200000000000005", undefined],
    ["5019717010103742", undefined],
    ["6759649826438453", undefined],
    ["", "card.number.errors.required"],
    ["   ", "card.number.errors.required"],
    ["4242", "card.number.errors.min-length"],
    ["42424242424242421", "card.number.errors.invalid-number"],
    ["4242424242424241", "card.number.errors.invalid-number"],
    ["4242 4242 4242 4242 O", "card.number.errors.invalid-number"],
    ["37828224631000", "card.number.errors.min-length"],
    ["55555555555544440000", "card.number.errors.invalid-number"],
    ["card number", "card.number.errors.min-length"],
  ];
  for (const [typed, problem] of cases) assert.equal(checkNumber(typed), problem, typed);
});

test("expiries are read as people and autofills write them", () => {
  const cases: readonly (readonly [typed: string, shown: string])[] = [
    ["1230", "12 / 30"],
    ["12/30", "12 / 30"],
    ["12-30", "12 / 30"],
    ["12.30", "12 / 30"],
    ["12 30", "12 / 30"],
    ["12/2030", "12 / 30"],
    ["122030", "12 / 30"],
    ["12 / 2030", "12 / 30"],
    ["2030-12", "12 / 30"],
    ["2030/12", "12 / 30"],
    ["203012", "12 / 30"],
    ["1 / 30", "01 / 30"],
    ["1/30", "01 / 30"],
    ["130", "01 / 30"],
    ["530", "05 / 30"],
    ["5", "05 / "],
    ["1", "1"],
    ["0", "0"],
    ["2", "2"],
    ["20", "20"],
    ["230", "02 / 30"],
    ["12", "12 / "],
    ["13", "01 / 3"],
    ["１２３０", "12 / 30"],
    ["١٢٣٠", "12 / 30"],
    ["12'30", "12 / 30"],
    ["0231", "02 / 31"],
    ["13/20", "13/20"],
    ["", ""],
  ];
  for (const [typed, shown] of cases) assert.equal(formatExpiry(typed), shown, typed);
});

test("what is no expiry is refused", () => {
  for (const typed of ["00/30", "1", "12", "2030", "abc", "12/3", "12 / 300", "//", "0030", "13/30", "1330/"]) assert.equal(parseExpiry(typed), undefined, typed);
  const cases: readonly (readonly [typed: string, problem: string | undefined])[] = [
    ["12 / 30", undefined],
    ["11 / 26", undefined],
    ["10 / 26", "card.expiry.errors.expired"],
    ["01 / 20", "card.expiry.errors.expired"],
    ["", "card.expiry.errors.required"],
    ["12 / ", "card.expiry.errors.pattern"],
  ];
  for (const [typed, problem] of cases) assert.equal(checkExpiry(typed, NOW), problem, typed);
});

test("a month ends when it is over in the last time zone", () => {
  assert.equal(isExpired({ month: 11, year: 2026 }, new Date("2026-12-01T11:59:59Z")), false);
  assert.equal(isExpired({ month: 11, year: 2026 }, new Date("2026-12-01T12:00:00Z")), true);
  assert.equal(isExpired({ month: 12, year: 2026 }, new Date("2027-01-01T11:59:59Z")), false);
});

test("codes have the digits of their brand", () => {
  const cases = [
    ["123", "VISA", undefined], ["１２３", "VISA", undefined], ["1234", "AMEX", undefined], ["123", "AMEX", "card.cvc.errors.min-length"],
    ["1234", "VISA", "card.cvc.errors.max-length"], ["123", undefined, undefined], ["1234", undefined, undefined],
    ["12", undefined, "card.cvc.errors.min-length"], ["12345", undefined, "card.cvc.errors.max-length"], ["", "VISA", "card.cvc.errors.required"],
    ["abc", "VISA", "card.cvc.errors.required"],
  ] as const;
  for (const [typed, brand, problem] of cases) assert.equal(checkCode(typed, brand), problem, `${typed} ${brand}`);
});

test("names are those of people and firms, never a card number", () => {
  const cases = [
    ["Ada Lovelace", undefined], ["Łukasz Żółć", undefined], ["李小龍", undefined], ["O’Brien-Smith, J. (Sr.)", undefined], ["A & B Ltd.", undefined], ["NOT_ENOUGH_BALANCE", undefined], ["Chargeback:4853", undefined],
    ["محمد علي", undefined], ["", "card.billing-name.errors.required"], ["A", "card.billing-name.errors.min-length"],
    ["4242 4242 4242 4242", "card.billing-name.errors.invalid-characters"], ["Ada 424242", "card.billing-name.errors.invalid-characters"],
    ["<script>", "card.billing-name.errors.invalid-characters"], ["123", "card.billing-name.errors.invalid-characters"],
    ["x".repeat(101), "card.billing-name.errors.max-length"],
  ] as const;
  for (const [typed, problem] of cases) assert.equal(checkName(typed), problem, typed);
});

/** `|` is the caret. */
function edit(before: string, after: string, inputType: string, layout: (text: string, isDeleting: boolean) => string): string {
  const caret = after.indexOf("|");
  const result = applyLayout({ before: before.replace("|", ""), caret, inputType, value: after.replace("|", "") }, layout);
  return `${result.value.slice(0, result.caret)}|${result.value.slice(result.caret)}`;
}

test("the caret stays behind the digit that was typed or deleted", () => {
  const cases = [
    ["4242|", "42424|", "insertText", "4242 4|"],
    ["4242 4|", "4242 |", "deleteContentBackward", "4242|"],
    ["4242 |4242", "4242|4242", "deleteContentBackward", "424|4 242"],
    ["4242| 4242", "4242|4242", "deleteContentForward", "4242| 242"],
    ["42|42 4242", "425|42 4242", "insertText", "425|4 2424 2"],
    ["4242| 4242", "42425| 4242", "insertText", "4242 5|424 2"],
    ["|4242", "3|4242", "insertText", "3|424 2"],
    ["|", "4242424242424242|", "insertFromPaste", "4242 4242 4242 4242|"],
    ["4242 |4242", "4242 1111|4242", "insertFromPaste", "4242 1111 |4242"],
    ["4242 4|242", "4242 |242", "deleteContentBackward", "4242| 242"],
    ["4242 4242|", "|", "deleteByCut", "|"],
    ["", "4242424242424242|", "", "4242 4242 4242 4242|"],
  ] as const;
  for (const [before, after, inputType, expected] of cases) assert.equal(edit(before, after, inputType, number), expected, `${after} ${inputType}`);
});

test("an expiry can be typed and deleted one character at a time", () => {
  const type = (before: string, key: string) => edit(before, before.replace("|", `${key}|`), "insertText", formatExpiry);
  const erase = (before: string) => edit(before, before.replace(/.\|/, "|"), "deleteContentBackward", formatExpiry);
  assert.equal([..."1230"].reduce(type, "|"), "12 / 30|");
  assert.equal([..."12/30"].reduce(type, "|"), "12 / 30|");
  assert.equal([..."1/30"].reduce(type, "|"), "01 / 30|");
  assert.equal([..."530"].reduce(type, "|"), "05 / 30|");
  assert.equal([..."2030-12"].reduce(type, "|"), "12 / 30|");
  assert.equal([..."122030"].reduce(type, "|"), "12 / 30|");
  assert.equal(erase("12 / 3|"), "12|");
  assert.equal(erase("12|"), "1|");
  assert.equal(erase("1|"), "|");
  assert.equal(type("12|", "3"), "12 / 3|");
});
