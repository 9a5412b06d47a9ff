/** Orders: what is bought, what it costs, and whether it is paid. Prices are here and nowhere else. */

import { randomUUID } from "node:crypto";

/** In minor units: 1200 is €12.00. */
export const PRODUCTS = [
  { id: "house-blend", name: "House blend, 250 g", price: 1200 },
  { id: "filter-papers", name: "Filter papers, 100", price: 699 },
  { id: "enamel-mug", name: "Enamel mug", price: 1850 },
];
export const CURRENCY = "EUR";
const MOST = 20;
/** The number before the first order's. A restarted example begins again. */
const NUMBER_BEFORE_FIRST = 1000;

/** What a shopper did wrong, for the shopper. */
export class Refused extends Error {}

/**
 * What a cart costs, by our own prices.
 *
 * @param {unknown} items Quantities by product.
 * @returns {number} Minor units.
 */
export function amountOf(items) {
  if (items === null || typeof items !== "object") throw new Refused("There is no cart.");
  let sum = 0;
  for (const [id, quantity] of Object.entries(items)) {
    const product = PRODUCTS.find((one) => one.id === id);
    if (!product) throw new Refused("The cart holds something that we do not sell.");
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > MOST) throw new Refused(`Between 0 and ${MOST} of each, please.`);
    sum += product.price * quantity;
  }
  if (sum === 0) throw new Refused("Put something into the cart first.");
  return sum;
}

/** The orders of this process. A real shop has a database. */
export class Orders {
  constructor() {
    /**
     * By id, which only the buyer knows. The number is for people, and no secret.
     *
     * @type {Map<string, { id: string, number: string, amount: number, intent: string, payment: string, status: string, reason: string }>}
     */
    this.all = new Map();
  }

  /** @param {number} amount */
  open(amount) {
    const number = `HC-${NUMBER_BEFORE_FIRST + this.all.size + 1}`;
    const order = { id: randomUUID(), number, amount, intent: "", payment: "", status: "open", reason: "" };
    this.all.set(order.id, order);
    return order;
  }

  /** @param {string} id */
  find(id) {
    return this.all.get(id);
  }

  /** @param {string} intent */
  ofIntent(intent) {
    return [...this.all.values()].find((order) => order.intent === intent && intent !== "");
  }

  /** @param {string} payment */
  ofPayment(payment) {
    return [...this.all.values()].find((order) => order.payment === payment && payment !== "");
  }

  /**
   * Takes over how a payment of an order stands, as the service said it. Only the full amount in our currency pays an order.
   *
   * @param {{ amount: number, payment: string, status: string, reason: string }} order
   * @param {{ id: string, status: string, amount: number, currencyCode: string, reason?: string }} payment
   */
  settle(order, payment) {
    if (order.status === "paid") return;
    order.payment = payment.id;
    if (payment.status === "SUCCEEDED") {
      const isWhole = payment.amount === order.amount && payment.currencyCode === CURRENCY;
      order.status = isWhole ? "paid" : "check";
    } else if (payment.status === "DECLINED" || payment.status === "FAILED") {
      order.status = "declined";
      order.reason = payment.reason ?? "";
    } else {
      order.status = "open";
    }
  }
}
