/** Amounts as the customer reads them: layout and symbol of the language, decimals of ISO 4217. */

/** Currencies whose decimals are not 2, as the form's document says them: `0:JPY KRW 3:KWD`. */
export class Exponents {
  readonly #exponents = new Map<string, number>();

  constructor(table: string) {
    let exponent = 2;
    for (const word of table.split(/[\s:]+/)) {
      if (/^\d$/.test(word)) exponent = Number(word);
      else if (word !== "") this.#exponents.set(word, exponent);
    }
  }

  of(currency: string): number {
    return this.#exponents.get(currency) ?? 2;
  }

  /** `amount` in minor units. The browser's own tables give some currencies fewer decimals (HUF, IDR), so ours count. */
  format(amount: number, currency: string, language: string): string {
    const digits = this.of(currency);
    const options = { currency, maximumFractionDigits: digits, minimumFractionDigits: digits, style: "currency" } as const;
    try {
      return new Intl.NumberFormat(language, options).format(amount / 10 ** digits);
    } catch {
      return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
    }
  }
}
