/** Amounts as wallets write them, in the units of the API. */

/** Decimals of currencies that have not two. Source: ISO 4217, amendment 177. */
const EXPONENTS: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/** `"50.99"` of EUR is 5099. */
export function minorUnits(decimal: string, currency: string): number {
  const found = Object.entries(EXPONENTS).find(([, codes]) => codes.includes(currency));
  const exponent = Number(found?.[0] ?? 2);
  const [whole = "0", part = ""] = decimal.split(".");
  return Number(whole + part.padEnd(exponent, "0").slice(0, exponent));
}
