/** Brands, with the packages `credit-card-type` and `card-validator` as oracles. */
import assert from "node:assert/strict";
import test from "node:test";
import validator from "card-validator";
import creditCardType from "credit-card-type";
import { brandOf, codeLengths, groupNumber, lengthsOf, type Brand } from "./brands.js";
import { digitsOf } from "./digits.js";
import { checkNumber } from "./validation.js";

const THEIR_NAMES: Readonly<Record<string, Brand>> = {
  "american-express": "AMEX", "diners-club": "DINERS", "discover": "DISCOVER", "jcb": "JCB", "maestro": "MAESTRO", "mastercard": "MASTERCARD",
  "unionpay": "UNIONPAY", "visa": "VISA",
};

/** Numbers that every list of test numbers has. */
const NUMBERS = [
  "4242424242424242", "4000056655665556", "4111111111111111", "5555555555554444", "2223003122003222", "5200828282828210", "378282246310005",
  "371449635398431", "6011111111111117", "6011000990139424", "3566002020360505", "30569309025904", "36227206271667", "6759649826438453",
];

test("test numbers have the brand, the code and the groups that card-validator gives them", () => {
  for (const number of NUMBERS) {
    const theirs = validator.number(number);
    const brand = brandOf(number);
    assert.equal(brand, THEIR_NAMES[theirs.card?.type ?? ""], number);
    assert.equal(codeLengths(brand).most, theirs.card?.code.size, number);
    assert.equal(checkNumber(number) === undefined, theirs.isValid, number);
    const gaps = new Set(theirs.card?.gaps);
    const grouped = [...number].map((digit, place) => (gaps.has(place) ? ` ${digit}` : digit)).join("");
    assert.equal(groupNumber(number), grouped, number);
  }
});

test("where we name a brand, the oracle thinks it possible", () => {
  // Differences that are meant, by the service's table: `62` is UnionPay's as a whole, 3095 Diners', 38 and 39 as well.
  const isMeant = (start: string) => /^(62|81|309|38|39|30[0-5]|5019|64[4-9])/.test(start) || brandOf(start) === "MAESTRO";
  for (let start = 1; start < 10_000; start += 1) {
    const digits = String(start);
    const brand = brandOf(digits);
    if (!brand || isMeant(digits)) continue;
    const theirs = creditCardType(digits).map(({ type }) => THEIR_NAMES[type]);
    assert.ok(theirs.includes(brand), `${digits}: ${brand}, they: ${theirs.join(" ")}`);
  }
});

test("a brand is named as soon as no other is possible", () => {
  const cases = [
    ["", undefined], ["4", "VISA"], ["5", undefined], ["51", "MASTERCARD"], ["50", undefined], ["5019", "DANKORT"], ["5018", "MAESTRO"],
    ["2", "MASTERCARD"], ["3", undefined], ["34", "AMEX"], ["36", "DINERS"], ["3528", "JCB"], ["35", "JCB"], ["6", undefined], ["62", "UNIONPAY"],
    ["65", "DISCOVER"], ["6011", "DISCOVER"], ["601", undefined], ["9", undefined], ["1", undefined],
  ] as const;
  for (const [start, brand] of cases) assert.equal(brandOf(start), brand, start);
});

test("the ranges end where the service's do", () => {
  const cases = [
    ["222099", undefined], ["222100", "MASTERCARD"], ["272099", "MASTERCARD"], ["272100", undefined], ["306000", undefined], ["309500", "DINERS"],
    ["309600", undefined], ["350000", undefined], ["352799", undefined], ["358999", "JCB"], ["359000", undefined], ["501900", "DANKORT"],
    ["502000", "MAESTRO"], ["590000", undefined], ["601099", "MAESTRO"], ["601200", "MAESTRO"], ["643999", "MAESTRO"], ["644000", "DISCOVER"],
    ["660000", "MAESTRO"], ["817199", "UNIONPAY"], ["817200", undefined],
  ] as const;
  for (const [start, brand] of cases) assert.equal(brandOf(start), brand, start);
});

test("lengths hold those that the oracle has", () => {
  for (const [theirs, ours] of Object.entries(THEIR_NAMES)) {
    const lengths = creditCardType.getTypeInfo(theirs).lengths;
    assert.deepEqual(lengths.filter((length) => !lengthsOf(ours).includes(length)), [], ours);
  }
  assert.equal(digitsOf("4242 4242"), "42424242");
});
