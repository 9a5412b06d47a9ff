/** What a refusal of the service means for the form: which field it is about, and what to tell. */
import type { FieldKey } from "../shared/messages/en.js";
import type { FieldName } from "../shared/protocol.js";
import type { ApiError } from "./api.js";

export interface Refusal {
  readonly field?: FieldName;
  readonly key: FieldKey;
}

/** Ends of the paths that `error.validation` names. */
const FIELDS: readonly (readonly [RegExp, FieldName, FieldKey])[] = [
  [/card\.number$/, "number", "card.number.errors.invalid-number"],
  [/card\.exp(Month|Year)$|\.expiry$/, "expiry", "card.expiry.errors.expired"],
  [/(^|\.)cvc$/, "cvc", "card.cvc.errors.min-length"],
  [/card\.name$/, "name", "card.billing-name.errors.invalid-characters"],
  [/\.country$/, "country", "billing-address.country.errors.required"],
  [/\.postalCode$/, "zip", "billing-address.zip.errors.min-length"],
];

export function problemOf(errors: readonly ApiError[]): Refusal {
  const { code, field = "" } = errors[0]?.extensions ?? {};
  if (code === "error.rate-limited") return { key: "error.rate-limited" };
  const found = code === "error.validation" ? FIELDS.find(([path]) => path.test(field)) : undefined;
  return found ? { field: found[1], key: found[2] } : { key: "error.general" };
}
