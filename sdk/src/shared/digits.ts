/** Digits as keyboards and pages give them: ASCII, full-width, Arabic-Indic and others. */

/** The code point of zero in each family of ten: ASCII, Arabic-Indic, Persian, Devanagari, Bengali, full-width. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xff10];

/** The same text with every digit as an ASCII digit. */
export function toAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((first) => code >= first && code < first + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** The ASCII digits of a text, without anything else. */
export function digitsOf(text: string): string {
  return toAsciiDigits(text).replace(/[^0-9]/g, "");
}
