/** The shop's use cases, without HTTP. */

import { CURRENCY, Orders, Refused, amountOf } from "./orders.mjs";
import { verified } from "./webhook.mjs";

/** Every payment of this shop runs along this flow: captured at once. */
const FLOW = "default";
const PAYMENT = "id status amount { rawAmount formattedAmount currency } paymentCore { outcome { declineCode } }";
const TIMELINE = `query($id: ID!) { getPayment(id: $id) { ${PAYMENT} paymentTimeline { overview { title message time } } } }`;

export class Shop {
  /**
   * @param {import("./service.mjs").Service} service
   * @param {string} origin Where the shop is, such as `http://localhost:8081`.
   */
  constructor(service, origin) {
    this.service = service;
    this.origin = origin;
    this.orders = new Orders();
    this.secret = "";
  }

  /** Registers the address of our webhooks. An endpoint of an earlier start is kept, with a new secret. */
  async register() {
    const url = `${this.origin}/hooks`;
    const { listWebhookEndpoints: known } = await this.service.must("{ listWebhookEndpoints { id url } }", {});
    const old = known.find((endpoint) => endpoint.url === url);
    const data = old
      ? await this.service.must("mutation($id: ID!) { endpoint: rotateWebhookSecret(id: $id) { secret } }", { id: old.id })
      : await this.service.must('mutation($url: String!) { endpoint: saveWebhookEndpoint(url: $url, kinds: ["payment.*"]) { secret } }', { url });
    this.secret = data.endpoint.secret;
  }

  /** A cart becomes an order, an intent of the service, and a token for the browser. */
  async checkOut(/** @type {unknown} */ items) {
    const amount = amountOf(items);
    const order = this.orders.open(amount);
    const { startIntent: intent } = await this.service.must(
      "mutation($id: ID!, $flow: ID!, $amount: IntentAmountInput!) { startIntent(trackingId: $id, paymentFlowId: $flow, amount: $amount) { id } }",
      { id: order.number, flow: FLOW, amount: { amount, currency: CURRENCY } },
    );
    order.intent = intent.id;
    // The token pays this intent, along this flow, and nothing else.
    const { generateClientToken: client } = await this.service.must(
      "mutation($intent: String, $flow: String) { generateClientToken(intentId: $intent, flowId: $flow) { token } }",
      { intent: intent.id, flow: FLOW },
    );
    return { order: order.id, number: order.number, intent: intent.id, clientToken: client.token, amount, currencyCode: CURRENCY, flowId: FLOW };
  }

  /** Elements: the browser has a vault token, and we pay with it. The amount is the intent's, which is ours. */
  async pay(/** @type {string} */ id, /** @type {unknown} */ token) {
    const order = this.known(id);
    if (typeof token !== "string" || token === "") throw new Refused("There is no card.");
    const { data, errors } = await this.service.ask(
      `mutation($payment: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $payment) { ${PAYMENT} } }`,
      { payment: { intentId: order.intent, orderId: order.number, paymentMethod: { type: "CARD", token }, perform3DSecure: { redirectUrl: `${this.origin}/?order=${id}` } } },
      // A second press with the same card is the same payment; another card is another one.
      `${id}-${token}`,
    );
    const extensions = errors[0]?.extensions ?? {};
    if (extensions.code === "error.authorize.requires3DSecure") return { url: extensions.url };
    if (errors.length > 0) throw new Refused(errors[0].message);
    this.settle(order, data.authorizePayment);
    return { status: order.status };
  }

  /** How an order stands. Until a webhook has said it, the service is asked. */
  async statusOf(/** @type {string} */ id) {
    const order = this.known(id);
    if (order.status !== "paid") {
      const payment = await this.newestPayment(order.intent);
      if (payment) this.settle(order, payment);
    }
    return { status: order.status, number: order.number, amount: order.amount, reason: order.reason };
  }

  /** A webhook. Only what is signed counts; how the payment stands now is read from the service. */
  async notified(/** @type {import("node:http").IncomingHttpHeaders} */ headers, /** @type {Buffer} */ body) {
    const event = verified(this.secret, headers, body);
    if (!event) return false;
    const { paymentId, intentId } = event.data;
    // The first event of a payment names its intent; the events of one payment come in their order.
    const order = intentId ? this.orders.ofIntent(intentId) : this.orders.ofPayment(paymentId);
    if (!order) return true;
    order.payment = paymentId;
    const payment = await this.newestPayment(order.intent);
    if (payment) this.settle(order, payment);
    return true;
  }

  /** @param {any} order @param {any} payment */
  settle(order, payment) {
    const { rawAmount: amount, currency: currencyCode } = payment.amount;
    const reason = payment.paymentCore?.outcome?.declineCode ?? "";
    this.orders.settle(order, { id: payment.id, status: payment.status, amount, currencyCode, reason });
  }

  /** The newest payment of an intent, with its timeline. */
  async newestPayment(/** @type {string} */ intent) {
    const { getIntent } = await this.service.must("query($id: ID!) { getIntent(id: $id) { linkedPayments { paymentId } } }", { id: intent });
    const id = getIntent?.linkedPayments?.at(-1)?.paymentId;
    return id ? (await this.service.must(TIMELINE, { id })).getPayment : null;
  }

  /** The timeline of an order's payment: as it is, then after each event of the feed. */
  async *timelines(/** @type {string} */ id, /** @type {AbortSignal} */ signal) {
    const order = this.known(id);
    const events = this.service.payments(signal);
    const ahead = () => {
      const next = events.next();
      // The feed may break while nobody waits for it: that is thrown where it is awaited, and ends no process.
      next.catch(() => {});
      return next;
    };
    // The feed is opened first, so that nothing happens between.
    let next = ahead();
    let last = "";
    for (;;) {
      const payment = await this.newestPayment(order.intent);
      const shown = payment && JSON.stringify({ status: payment.status, amount: payment.amount.formattedAmount, timeline: payment.paymentTimeline.overview });
      if (shown && shown !== last) yield (last = shown);
      if ((await next).done) return;
      next = ahead();
    }
  }

  known(/** @type {string} */ id) {
    const order = this.orders.find(id);
    if (!order) throw new Refused("There is no such order.");
    return order;
  }
}
