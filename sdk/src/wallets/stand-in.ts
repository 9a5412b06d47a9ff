/**
 * Test mode's wallets: the two interfaces of the networks, without the networks. A sheet of our own asks for a test card
 * and gives the sandbox's unsigned token (docs/wallets.md). In live mode the service serves no payment of such a token.
 */
import { make, shadowOf } from "../loader/dom.js";
import { minorUnits } from "./minor-units.js";
import css from "./stand-in.css";
import type { PaymentsClient } from "./wallet-a.js";
import type { WalletBSession } from "./wallet-b.js";

const CARDS = [
  { label: "Visa 4242: is paid", number: "4242424242424242" },
  { label: "Mastercard 4444: is paid", number: "5555555555554444" },
  { label: "Visa 9995: insufficient funds", number: "4000000000009995" },
  { label: "Visa 0002: declined", number: "4000000000000002" },
];

/** The sandbox's token of a card. */
function tokenOf(number: string, money: object = {}): object {
  return { sandbox: { number, expMonth: 12, expYear: new Date().getFullYear() + 3, ...money } };
}


/** Shows the sheet. `onPaid` gets the card's number, `onClosed` is called when the customer closes it without paying. */
function openSheet(shown: { wallet: string; merchant: string; amount: string }, onPaid: (number: string) => void, onClosed: () => void): { close(): void } {
  const host = make("div");
  host.style.display = "contents";
  const select = make("select", { id: "card" }, ...CARDS.map(({ label, number }) => make("option", { value: number }, label)));
  const pay = make("button", { type: "button", className: "pay" }, "Pay");
  const cancel = make("button", { type: "button" }, "Cancel");
  const dialog = make(
    "dialog",
    { ariaLabel: `${shown.wallet}, test mode` },
    make("div", { className: "band" }),
    make("h2", {}, shown.merchant),
    make("p", { className: "amount" }, shown.amount),
    make("p", { className: "note" }, `Stands in for ${shown.wallet} in test mode. No money moves.`),
    make("label", { htmlFor: "card" }, "Test card"),
    select,
    pay,
    cancel,
  );
  const close = () => {
    dialog.close();
    host.remove();
  };
  const giveUp = () => {
    close();
    onClosed();
  };
  pay.onclick = () => {
    pay.disabled = cancel.disabled = select.disabled = true;
    onPaid(select.value);
  };
  cancel.onclick = giveUp;
  dialog.oncancel = (event) => {
    event.preventDefault();
    if (!pay.disabled) giveUp();
  };
  shadowOf(host, css).append(dialog);
  document.body.append(host);
  dialog.showModal();
  return { close };
}

interface RequestA {
  merchantInfo?: { merchantName?: string };
  transactionInfo: { totalPrice?: string; currencyCode: string };
}

interface ButtonA {
  onClick(): void;
  buttonColor: string;
  buttonType: string;
}

class StandInPaymentsClient implements PaymentsClient {
  async isReadyToPay() {
    return { result: true, paymentMethodPresent: true };
  }

  loadPaymentData({ merchantInfo, transactionInfo }: RequestA) {
    const { totalPrice = "", currencyCode } = transactionInfo;
    const shown = { wallet: "Google Pay", merchant: merchantInfo?.merchantName ?? "", amount: `${currencyCode} ${totalPrice}` };
    return new Promise<{ paymentMethodData: { type: string; description: string; tokenizationData: { type: string; token: string } } }>((resolve, reject) => {
      const paid = (number: string) => {
        sheet.close();
        const tokenizationData = { type: "PAYMENT_GATEWAY", token: JSON.stringify(tokenOf(number)) };
        resolve({ paymentMethodData: { type: "CARD", description: `•••• ${number.slice(-4)}`, tokenizationData } });
      };
      const sheet = openSheet(shown, paid, () => reject({ statusCode: "CANCELED" }));
    });
  }

  createButton({ onClick, buttonColor, buttonType }: ButtonA): HTMLElement {
    const isWhite = buttonColor === "white";
    const button = make("button", { type: "button", onclick: onClick }, buttonType === "plain" ? "G Pay" : `${buttonType[0]?.toUpperCase()}${buttonType.slice(1)} with G Pay`);
    button.style.cssText =
      "border-radius:6px;font:500 18px system-ui,sans-serif;cursor:pointer;" +
      (isWhite ? "color:#16211c;background:#fff;border:1px solid #7c877f" : "color:#fff;background:#000;border:1px solid #747775");
    return button;
  }
}

interface RequestB {
  currencyCode: string;
  total: { label: string; amount: string };
}

class StandInSession implements WalletBSession {
  static readonly STATUS_SUCCESS = 0;
  static readonly STATUS_FAILURE = 1;
  static canMakePayments = () => true;

  onvalidatemerchant: WalletBSession["onvalidatemerchant"] = null;
  onpaymentauthorized: WalletBSession["onpaymentauthorized"] = null;
  oncancel: WalletBSession["oncancel"] = null;
  readonly #request: RequestB;
  #sheet: { close(): void } | undefined;
  #validate: () => void = () => {};
  readonly #validated = new Promise<void>((resolve) => (this.#validate = resolve));

  constructor(_version: number, request: RequestB) {
    this.#request = request;
  }

  begin(): void {
    const { total, currencyCode } = this.#request;
    const paid = async (number: string) => {
      await this.#validated;
      const amount = minorUnits(total.amount, currencyCode);
      // A token without an amount stands for a checkout that costs nothing: the sandbox's tokens hold positive ones alone.
      const token = tokenOf(number, amount > 0 ? { amount, currencyCode } : {});
      this.onpaymentauthorized?.({ payment: { token } });
    };
    const shown = { wallet: "Apple Pay", merchant: total.label, amount: `${currencyCode} ${total.amount}` };
    this.#sheet = openSheet(shown, paid, () => this.oncancel?.());
    this.onvalidatemerchant?.({ validationURL: "https://apple-pay-gateway.apple.com/paymentservices/startSession" });
  }

  abort(): void {
    this.#sheet?.close();
  }

  completeMerchantValidation(session: unknown): void {
    if (session) this.#validate();
  }

  completePayment(): void {
    this.#sheet?.close();
  }
}

/** Both networks, by the names of their interfaces. */
export const standIns = { PaymentsClient: StandInPaymentsClient, ApplePaySession: StandInSession };
