/** The buttons of wallets on the hosted page: by their stand-ins, and by networks' scripts that the page's policy lets in for them alone. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VISA } from "../support/cards.mjs";
import { assertAccessible, assertStrictPolicy, assertValid } from "../support/checks.mjs";
import { until } from "../support/wait.mjs";
import { sheetOf, walletA, walletB, walletButton } from "../support/wallets.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const PAY_JS = "https://pay.google.com/gp/p/js/pay.js";
const asked = (...methods) => ({ alternativePaymentMethods: JSON.stringify(methods) });
const paidPanel = (visit) => visit.part("Status").getByText(/50\.99/).first();

/** Requests that left the service. */
const foreign = (visit) => visit.requests.map(({ url }) => url).filter((url) => !url.startsWith(world.service.url));

/** The app around the page, and what moves in it. */
function watchPage() {
  window.heard = [];
  window.checkoutBridge = { handleEvent: (type, payload) => window.heard.push([type, JSON.parse(payload)]) };
  window.shift = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
}

/** The network's script as far as the page uses it. */
function network(isReady) {
  window.google = { payments: { api: { PaymentsClient: class {
    constructor(options) { window.nonce = options.nonce; }
    async isReadyToPay() { return { result: isReady, paymentMethodPresent: true }; }
    async loadPaymentData() {
      const sandbox = { number: "4242424242424242", expMonth: 12, expYear: 2040 };
      return { paymentMethodData: { tokenizationData: { token: JSON.stringify({ sandbox }) } } };
    }
    createButton({ onClick }) {
      const style = document.createElement("style");
      style.setAttribute("nonce", window.nonce);
      style.append("#network-button { outline: 5px solid rgb(1, 2, 3) }");
      document.head.append(style);
      const button = document.createElement("button");
      Object.assign(button, { id: "network-button", onclick: onClick, textContent: "Pay with G Pay", type: "button" });
      return button;
    }
  } } } };
}

/** Serves the network's script, and notes what else is asked of it. */
async function withNetwork(visit, isReady = true) {
  await visit.context.route(/^https:\/\/(pay\.google|google|www\.gstatic)\.com\//, (route) => (
    route.request().url() === PAY_JS
      ? route.fulfill({ body: `(${network})(${isReady})`, contentType: "text/javascript" })
      : route.fulfill({ body: "", status: 404 })));
}

describe("hosted page, wallets", { concurrency: 2 }, () => {
  for (const [wallet, make] of [["A", walletA], ["B", walletB]]) {
    test(`wallet ${wallet}: its stand-in pays, and the app hears of it once`, async (t) => {
      const visit = await world.visit(t);
      await visit.context.addInitScript(watchPage);
      const answer = await visit.hosted({ ...asked(make()), orderId: `wallet-${wallet}` });
      assert.doesNotMatch(answer.headers()["content-security-policy"], /google/);
      await sheetOf(visit, wallet, "pay");
      await paidPanel(visit).waitFor();
      await walletButton(visit, wallet).waitFor({ state: "hidden" });
      const paid = (await world.service.payments()).filter(({ orderId }) => orderId === `wallet-${wallet}`);
      assert.deepEqual(paid.map(({ status }) => status), ["SUCCEEDED"]);
      assert.equal((await world.service.charges(paid[0].id)).length, 1);
      const heard = await visit.page.evaluate(() => window.heard.map(([type]) => type));
      assert.deepEqual(heard, ["paymentComplete"]);
      assert.deepEqual(foreign(visit), []);
      assert.deepEqual(visit.complaints(), []);
    });

    test(`wallet ${wallet}: closing its sheet is no failure, and a card pays`, async (t) => {
      const visit = await world.visit(t);
      await visit.context.addInitScript(watchPage);
      await visit.hosted(asked(make()));
      await sheetOf(visit, wallet, "cancel");
      await visit.page.locator("dialog[open]").waitFor({ state: "detached" });
      await visit.pay(VISA);
      await paidPanel(visit).waitFor();
      assert.deepEqual(await visit.page.evaluate(() => window.heard.filter(([type]) => type === "error")), []);
    });
  }

  test("a decline says so above the button, and the wallet can be tried again", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted(asked(walletA()));
    await walletButton(visit, "A").click();
    await visit.page.locator("dialog[open] select").selectOption({ label: "Visa 9995: insufficient funds" });
    await visit.page.locator("dialog[open]").getByRole("button", { name: "Pay" }).click();
    await visit.part("Error").getByText(/funds/i).waitFor();
    await sheetOf(visit, "A", "pay");
    await paidPanel(visit).waitFor();
  });

  test("an option that is wrong costs its button alone, and the app hears which", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(watchPage);
    const wrong = walletA();
    wrong.option.transactionInfo.totalPrice = "1.00";
    await visit.hosted(asked(wrong, walletB()));
    await walletButton(visit, "B").waitFor();
    assert.equal(await walletButton(visit, "A").count(), 0);
    const [[type, { error }]] = await visit.page.evaluate(() => window.heard);
    assert.equal(type, "error");
    assert.match(error.message, /alternativePaymentMethods\[0\]\.option has the price 1\.00/);
    await visit.pay(VISA);
    await paidPanel(visit).waitFor();
  });

  for (const width of [390, 1280]) {
    test(`at ${width} px nothing moves when the buttons come`, async (t) => {
      const visit = await world.visit(t, { viewport: { width, height: 900 } });
      await visit.context.addInitScript(watchPage);
      await visit.hosted(asked(walletA(), walletB(), { type: "klarna" }));
      await walletButton(visit, "B").waitFor();
      await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
      assert.equal(await visit.page.evaluate(() => window.shift), 0);
    });
  }

  test("their words are in the language that the customer chooses", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ ...asked(walletA()), language: "en" });
    await visit.page.getByText("or pay another way").waitFor();
    await visit.field("language").selectOption("de");
    await visit.page.getByText("oder anders bezahlen").waitFor();
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing with buttons and with a sheet, ${colorScheme}; the page is valid`, async (t) => {
      const visit = await world.visit(t, { colorScheme, viewport: { width: 390, height: 844 } });
      const answer = await visit.hosted(asked(walletA(), walletB()));
      await assertValid(await answer.text(), "hosted page with wallets");
      await walletButton(visit, "B").waitFor();
      await assertAccessible([visit.page.mainFrame()], "buttons");
      await walletButton(visit, "B").click();
      await visit.page.locator("dialog[open]").waitFor();
      await assertAccessible([visit.page.mainFrame()], "sheet");
    });
  }

  test("while a payment is under way the buttons can't be pressed", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted(asked(walletA()));
    await walletButton(visit, "A").waitFor();
    let release;
    const released = new Promise((done) => { release = done; });
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if ((route.request().postData() ?? "").includes("authorizePayment(")) await released;
      await route.fallback();
    });
    await visit.pay(VISA);
    await until("they can't be pressed", () => visit.part("Wallets").evaluate((area) => area.inert));
    release();
    await paidPanel(visit).waitFor();
  });
});

describe("hosted page, networks' scripts", { concurrency: 2 }, () => {
  test("wallet A's is loaded where it is asked for; the policy lets in its hosts and its styles, and nothing else", async (t) => {
    const visit = await world.visit(t);
    await withNetwork(visit);
    const answer = await visit.hosted({ ...asked(walletA({ useNetworkInTest: true })), orderId: "network-A" });
    const policy = answer.headers()["content-security-policy"];
    const hosts = [...new Set(policy.match(/https?:\/\/[^\s;]+/g))].sort();
    assert.deepEqual(hosts, ["https://google.com", "https://pay.google.com", "https://www.gstatic.com"]);
    assert.match(policy, /script-src 'self' https:\/\/pay\.google\.com;/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assertStrictPolicy(policy, "hosted page with wallet A's network");
    await assertValid(await answer.text(), "hosted page with wallet A's network");
    const button = visit.page.locator("#network-button");
    await button.waitFor();
    assert.match(policy, new RegExp(`style-src 'self' 'nonce-${await visit.page.evaluate(() => window.nonce)}';`));
    await button.click();
    await paidPanel(visit).waitFor();
    assert.deepEqual(foreign(visit), [PAY_JS]);
    assert.deepEqual(visit.complaints(), []);
    const again = await fetch(answer.url());
    assert.notEqual(again.headers.get("content-security-policy"), policy, "a nonce of its own for each page");
  });

  test("a customer without the wallet gets no button, and no gap in its place", async (t) => {
    const visit = await world.visit(t);
    await withNetwork(visit, false);
    await visit.hosted(asked(walletA({ useNetworkInTest: true })));
    await visit.part("Wallets").waitFor({ state: "hidden" });
    assert.equal(await walletButton(visit, "A").count(), 0);
    await visit.pay(VISA);
    await paidPanel(visit).waitFor();
  });

  test("a script that does not come costs its button alone", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(watchPage);
    await visit.context.route(PAY_JS, (route) => route.abort());
    await visit.hosted(asked(walletA({ useNetworkInTest: true })));
    await until("the app hears of it", async () => (await visit.page.evaluate(() => window.heard)).some(([, { error }]) => /pay\.js can't be loaded/.test(error?.message)));
    await visit.part("Wallets").waitFor({ state: "hidden" });
    await visit.pay(VISA);
    await paidPanel(visit).waitFor();
  });

  test("wallet B is the browser's own: no policy is opened, and no gap is left where there is none", async (t) => {
    const without = await world.visit(t);
    const answer = await without.hosted(asked(walletB({ useNetworkInTest: true })));
    assert.doesNotMatch(answer.headers()["content-security-policy"], /https:/);
    await without.part("Wallets").waitFor({ state: "hidden" });
    const visit = await world.visit(t);
    await visit.context.addInitScript(() => {
      window.ApplePaySession = class {
        static STATUS_SUCCESS = 0;
        static STATUS_FAILURE = 1;
        static canMakePayments = () => true;
        begin() {
          const token = { sandbox: { number: "4242424242424242", expMonth: 12, expYear: 2040, amount: 5099, currencyCode: "EUR" } };
          setTimeout(() => this.onpaymentauthorized({ payment: { token } }));
        }
        abort() {}
        completeMerchantValidation() {}
        completePayment({ status }) { window.completedWith = status; }
      };
    });
    await visit.hosted(asked(walletB({ useNetworkInTest: true })));
    await walletButton(visit, "B").click();
    await paidPanel(visit).waitFor();
    assert.equal(await visit.page.evaluate(() => window.completedWith), 0);
    assert.deepEqual(foreign(visit), []);
  });

  test("a network's name in another place opens nothing", async (t) => {
    const visit = await world.visit(t);
    const methods = [
      [{ type: "klarna", option: { useNetworkInTest: true } }], [{ type: "walleta" }], [{ type: "walleta", option: "useNetworkInTest" }],
      [{ type: ["walleta"], option: { useNetworkInTest: true } }], [null, 7, "walleta"],
    ];
    for (const list of methods) {
      const answer = await visit.hosted(asked(...list));
      assert.doesNotMatch(answer.headers()["content-security-policy"], /google/, JSON.stringify(list));
      await visit.page.close();
    }
  });
});
