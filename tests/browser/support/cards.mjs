/** Test numbers of the sandbox, and what is typed with them. */
export const VISA = "4242424242424242";
export const MASTERCARD = "5555555555554444";
export const AMEX = "378282246310005";
export const THREE_D_SECURE = "4000002760003184";
export const THREE_D_SECURE_DECLINED = "4000008400001629";
export const INSUFFICIENT_FUNDS = "4000000000009995";
export const UNKNOWN_CHARGED = "4000000000000903";
export const UNKNOWN_NOT_CHARGED = "4000000000000911";
export const HELD = "4000000000000929";
export const FAILED = "4000000000000119";

/** Numbers that are charged, by brand. */
export const ACCEPTED = {
  "Visa": VISA,
  "Visa Debit": "4000056655665556",
  "Mastercard": MASTERCARD,
  "American Express": AMEX,
  "Discover": "6011111111111117",
  "JCB": "3566002020360505",
  "Diners": "36227206271667",
  "UnionPay": "6200000000000005",
};

/** Numbers that are declined, by the code. */
export const DECLINED = {
  GENERAL_DECLINE: "4000000000000002",
  EXPIRED_CARD: "4000000000000069",
  INSUFFICIENT_FUNDS,
  LOST_RESTRICTED_OR_STOLEN_CARD: "4000000000009979",
  SUSPECTED_FRAUD: "4100000000000019",
  INVALID_CVC: "4000000000000127",
};

/** A card with this number; everything else is filled in too. */
export const card = (number, more = {}) => ({
  cardnumber: number,
  "cc-exp": "12 / 40",
  cvc: number.startsWith("37") ? "7373" : "737",
  ccname: "Ada Lovelace",
  country: "IRL",
  zip: "D02 X285",
  ...more,
});
