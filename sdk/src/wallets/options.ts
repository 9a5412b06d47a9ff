/** What is wrong with the options of wallets. A wrong one costs its button; the rest of the checkout stays. */
import type { Options } from "../loader/options.js";
import { currency, flag, listOf, mistakesIn, oneOf, openObject, required, text, words } from "../loader/schema.js";
import type { WalletAOption, WalletBOption } from "../loader/types.js";
import type { Wallet } from "../loader/wallet-names.js";
import { minorUnits } from "./minor-units.js";

const walletA = required(
  openObject({
    merchantInfo: required(openObject({ merchantName: required(words), merchantId: required(words) })),
    transactionInfo: required(
      openObject({
        currencyCode: required(currency),
        transactionId: required(words),
        totalPriceStatus: required(oneOf("FINAL", "ESTIMATED", "NOT_CURRENTLY_KNOWN")),
        totalPrice: required(text("must be a text such as 50.99", /^\d+(\.\d+)?$/)),
        displayItems: listOf(openObject()),
      }),
    ),
    existingPaymentMethodRequired: flag,
    button: openObject({
      buttonColor: oneOf("black", "white"),
      buttonType: oneOf("buy", "book", "checkout", "donate", "order", "pay", "plain", "subscribe"),
      buttonLocale: words,
    }),
  }),
);

const walletB = required(
  openObject({
    paymentRequest: required(
      openObject({
        countryCode: required(words),
        currencyCode: required(currency),
        total: required(openObject({ label: required(words), amount: required(words) })),
        supportedNetworks: required(listOf(words)),
      }),
    ),
  }),
);

/** The mistakes in the option of one wallet, also against the options of the checkout. `path` is its name in the messages. */
export function mistakesOfWallet(wallet: Wallet, option: unknown, options: Options, path: string): string[] {
  const found = mistakesIn(option, wallet === "walleta" ? walletA : walletB, path);
  if (found.length > 0) return found;
  const { transactionInfo, paymentRequest } = option as Partial<WalletAOption & WalletBOption>;
  const { currencyCode } = transactionInfo ?? paymentRequest ?? {};
  if (options.currencyCode && currencyCode !== options.currencyCode) found.push(`${path} has the currency ${currencyCode}, currencyCode is ${options.currencyCode}`);
  const isFinal = !transactionInfo || transactionInfo.totalPriceStatus === "FINAL";
  const price = isFinal ? (transactionInfo?.totalPrice ?? paymentRequest?.total.amount) : undefined;
  // The customer agrees to the price on the wallet's sheet.
  if (options.amount !== undefined && price !== undefined && currencyCode === options.currencyCode && minorUnits(price, options.currencyCode ?? "") !== options.amount) {
    found.push(`${path} has the price ${price}, which is not the amount ${options.amount} in minor units`);
  }
  if (transactionInfo?.displayItems && !transactionInfo.totalPriceLabel) found.push(`${path}.transactionInfo.totalPriceLabel is missing: displayItems need it`);
  return found;
}
