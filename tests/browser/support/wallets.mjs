/** The wallets' options, their buttons, and the sheets of their stand-ins. */
import { until } from "./wait.mjs";

export const walletA = (more = {}) => ({
  type: "walleta",
  option: {
    merchantInfo: { merchantName: "Harbour Coffee", merchantId: "0123456789" },
    transactionInfo: { currencyCode: "EUR", transactionId: crypto.randomUUID(), totalPriceStatus: "FINAL", totalPrice: "50.99", countryCode: "IE" },
    ...more,
  },
});

export const walletB = (more = {}) => ({
  type: "walletb",
  option: { paymentRequest: { countryCode: "IE", currencyCode: "EUR", total: { label: "Harbour Coffee", amount: "50.99" }, supportedNetworks: ["visa", "masterCard"] }, ...more },
});

/** The wallet's button on the page. */
export function walletButton(visit, wallet) {
  return visit.page.getByRole("button", { name: wallet === "A" ? /google|wallet a|g pay/i : /apple|wallet b/i }).first();
}

/** Opens the stand-in's sheet and answers it. */
export async function sheetOf(visit, wallet, answer) {
  await walletButton(visit, wallet).click();
  const sheet = visit.page.locator("dialog[open]");
  await sheet.waitFor();
  const buttons = sheet.getByRole("button", { name: answer === "pay" ? /pay|approve|confirm/i : /cancel|close|stop/i });
  await until("a button in the sheet", async () => (await buttons.count()) > 0);
  await buttons.first().click();
}
