/**
 * Card brands by the first digits of a number. The ranges are those of the service (`crates/domain/src/brand.rs`), so that
 * the mark in the form is the brand that the payment will have.
 */

export type Brand = "VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "DINERS" | "JCB" | "UNIONPAY" | "MAESTRO" | "DANKORT";

interface BrandFacts {
  readonly name: string;
  /** First and last number of each range, six digits. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly lengths: readonly number[];
  /** Digits of the security code. */
  readonly cvc: number;
}

const FACTS: Readonly<Record<Brand, BrandFacts>> = {
  VISA: { name: "Visa", ranges: [[400000, 499999]], lengths: [13, 16, 18, 19], cvc: 3 },
  MASTERCARD: { name: "Mastercard", ranges: [[510000, 559999], [222100, 272099]], lengths: [16], cvc: 3 },
  AMEX: { name: "American Express", ranges: [[340000, 349999], [370000, 379999]], lengths: [15], cvc: 4 },
  DISCOVER: { name: "Discover", ranges: [[601100, 601199], [644000, 659999]], lengths: [16, 17, 18, 19], cvc: 3 },
  DINERS: {
    name: "Diners Club", ranges: [[300000, 305999], [309500, 309599], [360000, 369999], [380000, 399999]],
    lengths: [14, 15, 16, 17, 18, 19], cvc: 3,
  },
  JCB: { name: "JCB", ranges: [[352800, 358999]], lengths: [16, 17, 18, 19], cvc: 3 },
  UNIONPAY: { name: "UnionPay", ranges: [[620000, 629999], [810000, 817199]], lengths: [14, 15, 16, 17, 18, 19], cvc: 3 },
  MAESTRO: {
    name: "Maestro",
    ranges: [
      [500000, 501899], [502000, 509999], [560000, 589999], [600000, 601099], [601200, 619999], [630000, 643999], [660000, 699999],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3,
  },
  DANKORT: { name: "Dankort", ranges: [[501900, 501999]], lengths: [16], cvc: 3 },
};

/** Every brand that the form knows. */
export const BRANDS = Object.keys(FACTS) as readonly Brand[];

/** Of a number whose brand is unknown: what the service takes. */
const UNKNOWN_LENGTHS: readonly number[] = [12, 13, 14, 15, 16, 17, 18, 19];

/** The brand that a number must have by its first digits; `undefined` while several are possible, or none is. */
export function brandOf(digits: string): Brand | undefined {
  if (digits === "") return undefined;
  const start = digits.slice(0, 6);
  const lowest = Number(start.padEnd(6, "0"));
  const highest = Number(start.padEnd(6, "9"));
  const possible = BRANDS.filter((brand) =>
    FACTS[brand].ranges.some(([first, last]) => first <= highest && lowest <= last));
  return possible.length === 1 ? possible[0] : undefined;
}

/** The brand's name for people. */
export function nameOfBrand(brand: string): string {
  return isBrand(brand) ? FACTS[brand].name : "";
}

export function isBrand(text: string): text is Brand {
  return Object.hasOwn(FACTS, text);
}

/** How many digits a number of the brand may have. */
export function lengthsOf(brand: Brand | undefined): readonly number[] {
  return brand ? FACTS[brand].lengths : UNKNOWN_LENGTHS;
}

/** The fewest and the most digits of a security code. */
export function codeLengths(brand: Brand | undefined): { readonly least: number; readonly most: number } {
  return brand ? { least: FACTS[brand].cvc, most: FACTS[brand].cvc } : { least: 3, most: 4 };
}

/** Digits in the groups that the card shows: 4-6-5 for American Express, 4-6-4 for Diners Club, else fours. */
export function groupNumber(digits: string): string {
  const brand = brandOf(digits);
  const isLongMiddle = brand === "AMEX" || (brand === "DINERS" && digits.length <= 14);
  const groups = isLongMiddle
    ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)]
    : digits.match(/.{1,4}/g) ?? [];
  return groups.filter((group) => group !== "").join(" ");
}
