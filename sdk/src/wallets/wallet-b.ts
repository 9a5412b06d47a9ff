/** Wallet B (Apple Pay): the button and the session of its sheet. */
import { make } from "../loader/dom.js";
import type { WalletBOption } from "../loader/types.js";
import type { WalletPage } from "./wallets.js";

/** What the loader uses of the platform's `ApplePaySession`. The stand-in has the same members. */
export interface WalletBSession {
  onvalidatemerchant: ((event: { validationURL: string }) => void) | null;
  onpaymentauthorized: ((event: { payment: { token: unknown } }) => void) | null;
  oncancel: (() => void) | null;
  begin(): void;
  abort(): void;
  completeMerchantValidation(session: unknown): void;
  completePayment(result: { status: number }): void;
}

export interface WalletBSessionConstructor {
  new (version: number, request: object): WalletBSession;
  canMakePayments(): boolean;
  readonly STATUS_SUCCESS: number;
  readonly STATUS_FAILURE: number;
}

/** The first version for the web that all of the request's members are part of. */
const VERSION = 3;

/** The wallet's button, or undefined where the customer can't pay with it. */
export function walletBButton(Session: WalletBSessionConstructor | undefined, option: WalletBOption, page: WalletPage): HTMLElement | undefined {
  if (!Session?.canMakePayments()) return undefined;
  if (!page.configuration.walletB) throw new Error("wallet B is not set up: its merchant identifier is missing from the configuration");
  const button = make("button", { type: "button", className: "wallet-b" }, "Apple Pay");
  button.ariaLabel = page.text("applepay.label", "Apple Pay");
  // The platform wants the session made within the gesture: nothing is awaited before.
  button.onclick = () => page.once(() => runSheet(Session, option, page));
  return button;
}

/** Shows the sheet; ends when the customer has paid or closed it. */
function runSheet(Session: WalletBSessionConstructor, { paymentRequest }: WalletBOption, page: WalletPage): Promise<void> {
  const session = new Session(VERSION, { merchantCapabilities: ["supports3DS"], ...paymentRequest });
  return new Promise((resolve, reject) => {
    session.onvalidatemerchant = async ({ validationURL }) => {
      try {
        session.completeMerchantValidation(await page.merchantSession(validationURL, paymentRequest.total.label));
      } catch (failure) {
        session.abort();
        reject(failure);
      }
    };
    session.onpaymentauthorized = async ({ payment }) => {
      const isPaid = await page.pay({ type: "WALLETB_PAY", walletToken: JSON.stringify(payment.token) }, payment).catch((thrown: unknown) => {
        reportError(thrown);
        return false;
      });
      session.completePayment({ status: isPaid ? Session.STATUS_SUCCESS : Session.STATUS_FAILURE });
      resolve();
    };
    session.oncancel = () => resolve(page.cancel());
    session.begin();
  });
}
