/** Rules of the form's fields. What is wrong is named by a message key. */
import { brandOf, codeLengths, lengthsOf, type Brand } from "./brands.js";
import { digitsOf } from "./digits.js";
import { isExpired, parseExpiry } from "./expiry.js";
import { hasCheckDigit } from "./luhn.js";
import type { FieldKey } from "./messages/en.js";

type Problem = FieldKey | undefined;

export function checkNumber(text: string): Problem {
  const digits = digitsOf(text);
  if (text.trim() === "") return "card.number.errors.required";
  const lengths = lengthsOf(brandOf(digits));
  if (digits.length < Math.min(...lengths)) return "card.number.errors.min-length";
  // Letters may stand for nothing that we could guess.
  const isNumber = lengths.includes(digits.length) && hasCheckDigit(digits) && !/\p{L}/u.test(text);
  return isNumber ? undefined : "card.number.errors.invalid-number";
}

export function checkExpiry(text: string, now: Date): Problem {
  if (text.trim() === "") return "card.expiry.errors.required";
  const expiry = parseExpiry(text);
  if (!expiry) return "card.expiry.errors.pattern";
  return isExpired(expiry, now) ? "card.expiry.errors.expired" : undefined;
}

export function checkCode(text: string, brand: Brand | undefined): Problem {
  const digits = digitsOf(text);
  if (digits === "") return "card.cvc.errors.required";
  const { least, most } = codeLengths(brand);
  if (digits.length < least) return "card.cvc.errors.min-length";
  return digits.length > most ? "card.cvc.errors.max-length" : undefined;
}

/** Longest name that is taken. Unit: characters. */
const NAME_MAX = 100;
/** Digits in a name from which on it looks like a card number. */
const NUMBER_IN_NAME = /(\d[\s-]*){6}/;

/** Some processors' test platforms read names such as `NOT_ENOUGH_BALANCE` and `Chargeback:4853`. */
export function checkName(text: string): Problem {
  const name = text.trim();
  if (name === "") return "card.billing-name.errors.required";
  if (NUMBER_IN_NAME.test(name) || !/^[\p{L}\p{M}\p{N}\p{Zs}.,:'’`´&/()+_-]+$/u.test(name) || !/\p{L}/u.test(name)) {
    return "card.billing-name.errors.invalid-characters";
  }
  if ([...name].length < 2) return "card.billing-name.errors.min-length";
  return [...name].length > NAME_MAX ? "card.billing-name.errors.max-length" : undefined;
}
