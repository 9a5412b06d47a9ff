/** What the customer sees once it is paid. */
import { nameOfBrand } from "../shared/brands.js";
import type { Messages } from "../shared/messages.js";
import type { Exponents } from "../shared/money.js";
import type { Payment } from "../shared/paymentstatus.js";
import type { Fact, Panel } from "./statuspanel.js";

export function paidPanel(payment: Payment, messages: Messages, exponents: Exponents): Panel {
  const { amount, paymentMethodDetails } = payment;
  const money = amount?.currency ? exponents.format(amount.rawAmount, amount.currency, messages.language) : "";
  const last4 = paymentMethodDetails?.number?.slice(-4);
  const brand = nameOfBrand(paymentMethodDetails?.brand ?? "");
  const facts: Fact[] = [];
  if (last4) facts.push({ label: messages.get("status.method.label"), value: `${brand} •••• ${last4}`.trim() });
  if (payment.orderId) facts.push({ label: messages.get("status.order.label"), value: payment.orderId });
  facts.push({ label: messages.get("status.reference.label"), value: payment.id.replace(/^payments:/, "") });
  const back = document.querySelector<HTMLAnchorElement>('[data-part="BackLink"]')?.href;
  const key = payment.status === "AUTHORISED" ? "status.paid.held" : "status.paid.text";
  return {
    buttons: back ? [{ label: messages.get("back-to-shop.label"), press: back }] : [],
    facts, text: messages.get(key, { amount: money }), title: messages.get("payment-success-state.label"), tone: "paid",
  };
}
