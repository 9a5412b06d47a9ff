/** The frame's own check of its options: what is not of the right type is left out. */
import type { FrameOptions } from "./protocol.js";

type Options = { -readonly [Name in keyof FrameOptions]: FrameOptions[Name] };

const TEXTS = ["customerId", "currencyCode", "flowId", "orderId", "intentId", "payButton", "returnUrl", "resumePayment"] as const;
const FLAGS = ["isSavedCardCvcRequired", "allowSaveCard", "hideBillingAddress", "redirectOnly"] as const;
const TEXT_MAX = 2_000;
/** Pages around the merchant's. What is beyond is left out, and the browser then shows no bank's page in a dialog. */
const ANCESTORS_MAX = 10;

export const DEFAULT_OPTIONS: FrameOptions = {
  allowSaveCard: false, alternativePaymentMethods: [], ancestors: [], apiKey: "", hideBillingAddress: false, isSavedCardCvcRequired: false,
  language: "en", layout: "stacked", redirectOnly: false, theme: {},
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= TEXT_MAX;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads what is given over what was there. */
export function readOptions(given: unknown, before: FrameOptions = DEFAULT_OPTIONS): FrameOptions {
  if (!isRecord(given)) return before;
  const options: Options = { ...before };
  if (isText(given["apiKey"])) options.apiKey = given["apiKey"];
  for (const name of TEXTS) if (isText(given[name])) options[name] = given[name];
  for (const name of FLAGS) if (typeof given[name] === "boolean") options[name] = given[name];
  const { alternativePaymentMethods, amount, ancestors, colorScheme, countries, language, layout, theme } = given;
  if (Number.isSafeInteger(amount)) options.amount = amount as number;
  if (isText(language) || isRecord(language)) options.language = language;
  if (isRecord(theme)) options.theme = theme;
  if (layout === "stacked" || layout === "compact" || layout === "single") options.layout = layout;
  if (colorScheme === "light" || colorScheme === "dark") options.colorScheme = colorScheme;
  if (Array.isArray(ancestors)) options.ancestors = ancestors.filter(isText).slice(0, ANCESTORS_MAX);
  if (Array.isArray(countries)) options.countries = countries.filter(isCountry);
  if (Array.isArray(alternativePaymentMethods)) {
    options.alternativePaymentMethods = alternativePaymentMethods.filter((method) => isRecord(method) && isText(method["type"]));
  }
  return options;
}

function isCountry(value: unknown): value is { readonly name: string; readonly code: string } {
  return isRecord(value) && isText(value["name"]) && isText(value["code"]) && /^[A-Z]{3}$/.test(value["code"]);
}
