/** A customer's visit: one browser context, with a record of every request and console line of every origin. */
import assert from "node:assert/strict";
import { card } from "./cards.mjs";
import { until } from "./wait.mjs";

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The merchant's page with the SDK on it. */
export function payPage({ service, surface = "checkout", options, head = "", body = "", script = "/sdk/v1/pointsman.js", lang = "en", dir = "ltr" }) {
  const json = JSON.stringify({ surface, options }).replaceAll("<", "\\u003c");
  const mount = surface === "card"
    ? `<form id="shop-form" action="/orders" method="post"><div id="checkout"></div><button id="buy">Buy</button></form>`
    : `<div id="checkout"></div>`;
  return `<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harbour Coffee: checkout</title>
${head}
</head>
<body>
<main>
<h1>Harbour Coffee</h1>
${body}
${mount}
</main>
<script type="application/json" id="options">${json}</script>
<script src="${service.url}${escaped(script)}"></script>
<script src="/pay.js"></script>
</body>
</html>`;
}

export class Visit {
  /** Every request of every page and frame: method, url, headers, body, the address of the frame that sent it. */
  requests = [];
  /** Every console line and uncaught error. */
  console = [];

  constructor(world, context) {
    this.world = world;
    this.context = context;
    context.setDefaultTimeout(15_000);
    context.on("request", (request) => this.requests.push(seenRequest(request)));
    context.on("console", (line) => this.console.push(`${line.type()}: ${line.text()}`));
    context.on("weberror", (error) => this.console.push(`uncaught: ${error.error()}`));
  }

  /** Opens a page of the merchant with the SDK on it, and waits until the form can be typed in. */
  async open({ amount = 5099, currencyCode = "EUR", surface = "checkout", token, more = {}, headers, waits = true, page, ...rest } = {}) {
    const { service, shop } = this.world;
    const apiKey = token ?? (await service.clientToken(surface === "checkout" ? { amount, currency: currencyCode } : {})).token;
    const options = surface === "checkout" ? { apiKey, flowId: "default", amount, currencyCode, ...more } : { apiKey, ...more };
    const address = shop.page(payPage({ service, surface, options, ...rest }), headers);
    this.page = page ?? (await this.context.newPage());
    await this.page.goto(address);
    if (waits) await this.typable();
    return this.page;
  }

  /** Opens the hosted page, and waits until the form can be typed in. */
  async hosted(more = {}, { amount = 5099, currencyCode = "EUR", token, waits = true } = {}) {
    const { service } = this.world;
    const apiKey = token ?? (await service.clientToken({ amount, currency: currencyCode })).token;
    const given = { apiKey, flowId: "default", amount, currencyCode, ...more };
    const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined));
    this.page = await this.context.newPage();
    this.isHosted = true;
    const answer = await this.page.goto(`${service.url}/checkout?${query}`);
    if (waits) await this.typable();
    return answer;
  }

  /** Opens a payment link as a customer does. */
  async follow(link) {
    this.isHosted = true;
    this.page = await this.context.newPage();
    return await this.page.goto(link.url);
  }

  /** The document with the card form. */
  get form() {
    return this.isHosted ? this.page : this.page.frameLocator('iframe[src*="/sdk/v1/frame/"]').first();
  }

  /** The frame of the card form itself. */
  formFrame() {
    if (this.isHosted) return this.page.mainFrame();
    const frame = this.page.frames().find((one) => /\/sdk\/v1\/frame\/(card|checkout)/.test(one.url()));
    assert.ok(frame, "the page has the form's frame");
    return frame;
  }

  async typable() {
    await this.form.locator("input[name=cardnumber]:enabled").waitFor();
  }

  field(name) {
    return this.form.locator(`[name="${name}"]`);
  }

  part(name) {
    return this.form.locator(`[data-part="${name}"]`);
  }

  get payButton() {
    return this.part("PayButton");
  }

  /** Fills the form in; fields that are not shown are left out. */
  async fill(number, more) {
    for (const [name, value] of Object.entries(card(number, more))) {
      const field = this.field(name);
      if (value === undefined || !(await field.isVisible())) continue;
      if ((await field.evaluate((element) => element.localName)) === "select") await field.selectOption(value);
      else await field.fill(value);
    }
  }

  /** Fills the form in and presses the button. */
  async pay(number, more) {
    await this.fill(number, more);
    await this.payButton.click();
  }

  /** What the merchant's callbacks were given so far. */
  async seen(name) {
    return await this.page.evaluate((wanted) => (window.seen ?? []).filter((one) => !wanted || one.name === wanted), name);
  }

  /** Waits for a callback: what it was given. */
  async called(name, boundMs) {
    const [first] = await until(`${name} is called`, async () => {
      const found = await this.seen(name).catch(() => []);
      return found.length > 0 && found;
    }, boundMs);
    return first.values;
  }

  /** Waits for the completion of a payment with money, whatever was declined before: that payment. */
  async paid(boundMs) {
    return await until("the payment is completed", async () => {
      const completions = await this.seen("onPaymentComplete").catch(() => []);
      const payments = completions.map(({ values }) => values[0].data?.authorizePayment).filter(Boolean);
      return payments.find(({ status }) => status === "SUCCEEDED" || status === "AUTHORISED");
    }, boundMs);
  }

  /** The frame whose address has this path, once it has loaded. */
  async frameAt(path, page = this.page) {
    const frame = await until(`a frame at ${path}`, () => page.frames().find((one) => new URL(one.url() || "about:blank").pathname.startsWith(path)));
    await frame.waitForLoadState();
    return frame;
  }

  /** Answers the simulated bank's question in the dialog: `complete` or `fail`. */
  async answerBank(outcome) {
    const bank = await this.frameAt("/sandbox/pages/");
    await bank.locator(`button[value="${outcome}"]`).click();
  }

  /** The loader's dialog in the merchant's page. */
  get dialog() {
    return this.page.locator("dialog[open]");
  }

  /** Uncaught errors, and console lines of type error, but for those that the test expects. */
  complaints(expected = []) {
    const isExpected = (line) => expected.some((pattern) => pattern.test(line));
    return this.console.filter((line) => /^(error|uncaught|warning)/.test(line) && !isExpected(line));
  }

  async end() {
    await this.context.close();
  }
}

function seenRequest(request) {
  let frame = "";
  try {
    frame = request.frame().url();
  } catch {
    // A request of a worker, or of a page that is not there yet.
  }
  return { method: request.method(), url: request.url(), headers: request.headers(), body: request.postData() ?? "", frame, request };
}
