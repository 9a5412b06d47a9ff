/** The options of Elements and Drop-In: what is wrong with them, and what the frame gets of them. */
import type { FrameOptions, Surface } from "../shared/protocol.js";
import { callback, currency, flag, listOf, mistakesIn, object, oneOf, openObject, required, text, words, type Rule } from "./schema.js";
import type { CheckoutSdkDropInOptions, CheckoutSdkElementOptions } from "./types.js";
import { walletOf, WALLETS } from "./wallet-names.js";

/** Options of either way of integrating: those of Drop-In are there where it is one. */
export type Options = CheckoutSdkElementOptions & Partial<CheckoutSdkDropInOptions>;

const colour: Rule = {
  test: (value) => typeof value === "string" && (globalThis.CSS?.supports("color", value) ?? true),
  must: "must be a CSS colour",
};

const theme = object({
  colors: object({ primary: colour, secondary: colour, accent: colour, accentContrast: colour, border: colour, borderFocused: colour, error: colour }),
  fontFamily: words,
  fontSize: object({ primary: words, secondary: words }),
  borderType: oneOf("square", "round", "bottom"),
  borderRadius: words,
  backgroundColor: colour,
  textColor: colour,
  lineHeight: words,
  variables: openObject(),
  rules: openObject(),
});

const COMMON: Readonly<Record<string, Rule>> = {
  apiKey: required(text("must be a client token (ct_…), which your server makes by generateClientToken", /^ct_(test|live)_/)),
  customerId: words,
  isSavedCardCvcRequired: flag,
  allowSaveCard: flag,
  hideBillingAddress: flag,
  countries: listOf(object({ name: required(words), code: required(text("must be a country code of ISO 3166-1 alpha-3, such as IRL", /^[A-Z]{3}$/)) })),
  language: {
    test: (value) => ["en", "fr", "de", "es", "nl", "pt"].includes(value as string) || (typeof value === "object" && value !== null),
    must: "must be en, fr, de, es, nl, pt or an object of texts",
  },
  theme,
  layout: oneOf("stacked", "compact", "single"),
  alternativePaymentMethods: listOf(
    openObject({ type: required(oneOf(...Object.keys(WALLETS), "walletc", "paypal", "bnpla", "klarna")) }),
  ),
  onError: callback,
  onLoaded: callback,
  onChange: callback,
  onCancel: callback,
  onStateChange: callback,
};

const RULES: Readonly<Record<Surface, Rule>> = {
  card: required(object({ ...COMMON, flowId: words, onPaymentRequest: callback })),
  checkout: required(object({
    ...COMMON,
    flowId: required(words),
    amount: required({ test: (value) => Number.isSafeInteger(value) && (value as number) >= 0, must: "must be a whole number of minor units: 5099 for 50.99" }),
    currencyCode: required(currency),
    orderId: words,
    intentId: words,
    payButton: words,
    onPaymentComplete: callback,
  })),
};

const DEFAULTS = {
  isSavedCardCvcRequired: false, allowSaveCard: false, hideBillingAddress: false, language: "en", theme: {}, layout: "stacked",
};

/** What the frame has to know of the merchant's page. */
export type PageFacts = Pick<FrameOptions, "ancestors" | "redirectOnly" | "colorScheme" | "returnUrl" | "resumePayment">;

/** What is wrong with the options, one message for each mistake. */
export function mistakesOf(surface: Surface, given: unknown): string[] {
  const found = mistakesIn(given, RULES[surface]);
  if (found.length > 0) return found;
  const options = given as Options;
  if (options.countries && options.hideBillingAddress) found.push("countries needs hideBillingAddress to be false");
  return found;
}


/** What the frame gets: everything but callbacks and the wallets that the loader draws, as plain data. */
export function frameOptions(options: Options, page: PageFacts): FrameOptions {
  const methods = options.alternativePaymentMethods ?? [];
  const sent = {
    ...DEFAULTS,
    ...(JSON.parse(JSON.stringify(options)) as Options),
    ...page,
    alternativePaymentMethods: methods.filter((method) => !walletOf(method)),
  };
  return sent as FrameOptions;
}
