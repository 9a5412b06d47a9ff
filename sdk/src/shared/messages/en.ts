/**
 * The texts in English: those of the fields, which every form needs, those of the button and of other methods,
 * and those of a page of our own. `{…}` is replaced. What is needed once the customer pays is in `outcome.ts` and `later.ts`.
 */

export const fields = {
  "card-information.header.label": "Card details",
  "card.number.aria-label": "Card number",
  "card.number.placeholder": "1234 1234 1234 1234",
  "card.number.errors.required": "Enter the card number.",
  "card.number.errors.min-length": "This card number is too short.",
  "card.number.errors.invalid-number": "This is not a valid card number. Please check the digits.",
  "card.expiry.aria-label": "Expiry date",
  "card.expiry.placeholder": "MM / YY",
  "card.expiry.errors.required": "Enter the expiry date.",
  "card.expiry.errors.pattern": "Enter month and year, such as 04 / 31.",
  "card.expiry.errors.expired": "This card has expired.",
  "card.cvc.aria-label": "Security code",
  "card.cvc.placeholder": "123",
  "card.cvc.hint": "The 3 digits on the back of the card",
  "card.cvc.hint-amex": "The 4 digits on the front of the card",
  "card.cvc.errors.required": "Enter the security code.",
  "card.cvc.errors.min-length": "This security code is too short.",
  "card.cvc.errors.max-length": "This security code is too long.",
  "card.billing-name.aria-label": "Name on card",
  "card.billing-name.placeholder": "",
  "card.billing-name.errors.required": "Enter the name on the card.",
  "card.billing-name.errors.min-length": "This name is too short.",
  "card.billing-name.errors.max-length": "This name is too long.",
  "card.billing-name.errors.invalid-characters": "Enter the name as it stands on the card.",
  "card.save.label": "Save this card for next time",
  "card.saved-cards.choose-card.label": "Choose a saved card",
  "card.saved-cards.clear-card.label": "Use another card",
  "card.saved-cards.saved-card.aria-label": "{brand} ending in {last4}, expires {expiry}",
  "card.saved-cards.expires-soon.label": "expires soon",
  "card.saved-cards.expired.label": "expired",
  "billing-address.label": "Billing address",
  "billing-address.country.aria-label": "Country",
  "billing-address.country.placeholder": "Choose a country",
  "billing-address.country.errors.required": "Choose a country.",
  "billing-address.zip.aria-label": "Postal code",
  "billing-address.zip.placeholder": "",
  "billing-address.zip.errors.required": "Enter the postal code.",
  "billing-address.zip.errors.min-length": "This postal code is too short.",
  "error.authorize.payment-already-authorized": "This order is paid already, or is being paid in another window.",
  "error.general": "Something went wrong. Nothing was charged. Please try again.",
  "error.network": "There is no connection. Please try again.",
  "retry.label": "Try again",
  "error.rate-limited": "There were too many tries. Please wait a moment, then try again.",
  "error.session-expired": "This page was open for too long. Please go back to the shop and begin again.",
  "wallets.or.label": "or pay another way",
  "frame.title": "Card details, secure form",
  "payment-methods.applepay.aria-label": "Pay with Apple Pay",
  "payment-methods.googlepay.aria-label": "Pay with Google Pay",
} as const;

export const payment = {
  "pay-button.label": "Pay {amount}",
  "pay-button.aria-label": "Pay {amount}",
  "pay-button.paying": "Paying…",
  "payment-methods.card.label": "Card",
  "payment-methods.klarna.label": "Klarna",
  "payment-methods.paypal.label": "PayPal",
  "redirect-note.label": "You will go on to {method} to confirm the payment.",
  "status.paying": "Paying {amount}",
} as const;

export const page = {
  "back-to-shop.label": "Back to shop",
  "language.label": "Language",
  "summary.pay": "Pay",
  "summary.details": "Details",
  "trust.label": "Card details go straight to {host}",
  "powered-by.label": "Powered by Pointsman",
  "return.title": "Back from your bank",
  "return.text": "The shop shows how the payment ended. You can close this window.",
} as const;

export type FieldKey = keyof typeof fields;
export type PaymentKey = keyof typeof payment;
export type PageKey = keyof typeof page;
export type MessageKey = FieldKey | PaymentKey | PageKey;
