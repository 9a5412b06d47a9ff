/**
 * The texts in English that are needed late or seldom, in a file of their own: the words for declines, one for each code, and
 * keys of the contract that our form has no place for.
 */

export const later = {
  "card.brand.label": "Pay with",
  "error.invalid_cvc": "The security code is wrong. Please check it, then try again.",
  "error.authorization_required": "Your bank wants you to confirm this payment. Please try again.",
  "error.contact_card_issuer": "Your bank refused and asks you to call it. You can also use another card.",
  "error.unsupported_card": "This card can't be used here. Please use another one.",
  "error.insufficient_funds": "Your bank refused: not enough funds. Please use another card.",
  "error.unsupported_currency": "This card can't pay in this currency. Please use another one.",
  "error.card_rejected": "Your bank refused this card. Please use another one.",
  "error.expired_card": "This card has expired. Please use another one.",
  "error.suspected_fraud": "Your bank refused this payment. Please call it or use another card.",
  "error.general_decline": "Your bank refused without a reason. Please use another card or call your bank.",
  "error.incorrect_number": "The card number is wrong. Please check it, then try again.",
  "error.incorrect_pin": "The PIN was wrong. Please try again.",
  "error.invalid_address": "The billing address does not match the card. Please check it, then try again.",
  "error.invalid_card_or_account": "Your bank does not know this card or account. Please check it or use another one.",
  "error.invalid_amount": "This card can't pay this amount. Please use another one.",
  "error.invalid_date": "The expiry date is wrong. Please check it, then try again.",
  "error.lost_restricted_or_stolen_card": "This card can't be used. Please use another one or call your bank.",
  "error.blocked_list": "This card can't be used here. Please use another one.",
  "error.not_permitted": "Your bank does not allow this payment with this card. Please use another one.",
  "error.offline_or_online_pin_required": "Your bank asks for your PIN, which is not possible here. Please use another card.",
  "error.pin_retry_exceeded": "The PIN was wrong too often. Please use another card.",
  "error.processing_error": "The payment could not be processed. Nothing was charged. Please try again.",
  "error.withdrawal_count_limit_exceeded": "This card has reached its limit. Please use another one or try again later.",
  "error.fraud": "This payment was refused. Please use another way to pay.",
  "error.three_d_secure": "Your bank could not confirm that it is you. Please try again or use another card.",
  "error.custom_rule": "The shop does not accept this payment. Please use another way to pay.",
  "error.payment_rejected": "The payment was not confirmed. Please try again or use another way to pay.",
  "error.internal_server_error": "The payment could not be processed. Nothing was charged. Please try again.",
  "error.institution_not_responding": "Your bank can't be reached. Please try again or use another card.",
  "billing-address.same-as-shipping.label": "Same as the shipping address",
  "payment-methods.show-less.label": "Show fewer ways to pay",
  "payment-methods.show-more.label": "Show more ways to pay",
  "payment-methods.applepay.label": "Apple Pay",
  "payment-methods.googlepay.label": "Google Pay",
  "payment-methods.paypal.aria-label": "Pay with PayPal",
  "payment-methods.paypal.overlay.continue": "Open the window again",
  "payment-methods.paypal.overlay.message": "Confirm the payment in the other window.",
} as const;

export type LaterKey = keyof typeof later;
