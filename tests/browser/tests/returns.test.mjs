/** Ways to the bank and back: other tokens, tabs and windows of several origins, browsers that open no window. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, VISA, card } from "../support/cards.mjs";
import { payPage } from "../support/visit.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const PHONE = {
  userAgent: "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36",
  viewport: { width: 390, height: 844 },
};

/** A declined payment of one token, as its owner reads it. */
async function declinedPayment() {
  const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
  const paymentMethod = { type: "CARD", card: { number: "4000000000000002", expMonth: 12, expYear: 2040, cvc: "737", name: "Ada Lovelace" } };
  const { authorizePayment } = await world.service.graphql(
    `mutation($payment: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $payment) { id status } }`,
    { payment: { amount: 5099, currencyCode: "EUR", flowId: "default", paymentMethod } }, { key: token });
  assert.equal(authorizePayment.status, "DECLINED");
  return authorizePayment.id;
}

/** The shop's page in a tab that another site's page has opened. */
async function openedByAnother(visit, options) {
  const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
  const inner = world.shop.page(payPage({ service: world.service, options: { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR", ...options } }));
  const opener = await visit.context.newPage();
  await opener.goto(world.evil.page(`<!doctype html><html lang="en"><title>list of shops</title><button onclick="window.open('${inner}')">Go</button></html>`));
  const [page] = await Promise.all([visit.context.waitForEvent("page"), opener.locator("button").click()]);
  visit.page = page;
  await visit.typable();
  assert.equal(await page.evaluate(() => window.opener !== null), true);
  return page;
}

/** Windows are refused in every page of the shop. */
const refuseWindows = (visit) => visit.context.addInitScript((origin) => {
  if (location.origin === origin) window.open = () => null;
}, world.shop.origin);

/** The bank's page in the customer's own tab is answered; the tab ends in the shop. */
async function answerInOwnTab(visit) {
  await visit.page.waitForURL(/\/sandbox\/pages\//);
  await visit.page.locator('button[value="complete"]').click();
  await visit.page.waitForURL(/\/checkout\//);
}

describe("returns", { concurrency: 2 }, () => {
  test("a return with another token: not called paid, nor declined, and an intent's checkout goes on", async (t) => {
    const id = await declinedPayment();
    const intentId = await world.service.intent(5099, "EUR");
    for (const isIntent of [false, true]) {
      const visit = await world.visit(t);
      const { token } = await world.service.clientToken(isIntent ? { intentId } : { amount: 5099, currency: "EUR" });
      const options = { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR", ...(isIntent ? { intentId } : {}) };
      visit.page = await visit.context.newPage();
      await visit.page.goto(`${world.shop.page(payPage({ service: world.service, options }))}?id=${id}&3ds_status=success`);
      if (isIntent) {
        await visit.typable();
      } else {
        await visit.part("Status").getByText(/not confirmed yet/i).waitFor();
        const text = await visit.part("Status").innerText();
        assert.doesNotMatch(text, /is paid|paid already|complete|nothing was charged/i);
      }
      assert.deepEqual(await visit.seen("onPaymentComplete"), []);
      await visit.end();
    }
  });

  test("a payment that reads as not there is no refusal: nobody is led to pay again", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if (!(route.request().postData() ?? "").includes("getPayment(")) return await route.fallback();
      const errors = [{ message: "No such payment", extensions: { code: "error.payment.not-found" } }];
      return await route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ data: { getPayment: null }, errors }) });
    });
    await visit.pay("4000000000000903");
    await visit.part("Status").getByText(/has not answered yet/i).waitFor({ timeout: 20_000 });
    assert.equal(await visit.payButton.isVisible(), false);
    assert.equal((await visit.part("Error").innerText()).trim(), "");
  });

  test("the customer's own tab, which another page has opened, is not closed after the bank", async (t) => {
    const visit = await world.visit(t, PHONE);
    const page = await openedByAnother(visit);
    await visit.pay(THREE_D_SECURE);
    await answerInOwnTab(visit);
    const { id } = await visit.paid();
    assert.equal(page.isClosed(), false);
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("the challenge document leads nobody to another address by itself", async (t) => {
    const visit = await world.visit(t);
    const page = await visit.context.newPage();
    const elsewhere = world.evil.page("<!doctype html><title>elsewhere</title>");
    for (const use of ["", "&use=leave"]) {
      for (const origin of [world.shop.origin, world.service.url]) {
        await page.goto(`${world.service.url}/sdk/v1/frame/challenge?origin=${encodeURIComponent(origin)}#attempt=x${use}&url=${encodeURIComponent(elsewhere)}`);
        await page.getByRole("link", { name: new URL(elsewhere).host }).waitFor();
        assert.ok(page.url().startsWith(world.service.url), page.url());
        await page.goto("about:blank");
      }
    }
  });

  test("a shop inside a frame of another site's page shows the bank's dialog, and is paid", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const inner = world.shop.page(payPage({ service: world.service, options: { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR" } }));
    visit.page = await visit.context.newPage();
    const outer = world.evil.page(`<!doctype html><html lang="en"><title>outer</title><iframe src="${inner}" title="shop" width="780" height="850"></iframe></html>`);
    // The loader's page has the outer one as an ancestor of another host.
    await visit.page.goto(outer.replace("localhost", "127.0.0.1"));
    const form = visit.page.frameLocator("iframe").frameLocator('iframe[src*="/sdk/v1/frame/checkout"]');
    await form.locator("input[name=cardnumber]:enabled").waitFor();
    for (const [name, value] of Object.entries(card(THREE_D_SECURE))) {
      if (name === "country") await form.locator(`[name="${name}"]`).selectOption(value);
      else await form.locator(`[name="${name}"]`).fill(value);
    }
    await form.locator('[data-part="PayButton"]').click();
    const bank = await visit.frameAt("/sandbox/pages/");
    await bank.locator('button[value="complete"]').click();
    const shop = visit.page.frames().find((frame) => frame.url() === inner);
    const completed = await until("it is paid", async () => (await shop.evaluate(() => window.seen)).find(({ name }) => name === "onPaymentComplete"));
    assert.equal(completed.values[0].data.authorizePayment.status, "SUCCEEDED");
  });

  for (const isOpened of [false, true]) {
    test(`a browser that refuses windows: the tab goes to the bank and comes back by itself${isOpened ? ", also where another page has opened it" : ""}`, async (t) => {
      const visit = await world.visit(t);
      await refuseWindows(visit);
      const alternativePaymentMethods = [{ type: "bnpla" }];
      if (isOpened) await openedByAnother(visit, { alternativePaymentMethods });
      else await visit.open({ more: { alternativePaymentMethods } });
      await visit.form.locator('input[name=method][value="BNPLA"]').check({ force: true });
      await visit.payButton.click();
      await answerInOwnTab(visit);
      const { id } = await visit.paid();
      assert.equal((await world.service.charges(id)).length, 1);
      assert.equal(visit.page.isClosed(), false);
    });
  }

  test("a page that embeds by COEP without being isolated: the bank's page has a window at once", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ headers: { "cross-origin-embedder-policy": "require-corp" } });
    assert.equal(await visit.page.evaluate(() => self.crossOriginIsolated), false);
    await visit.fill(THREE_D_SECURE);
    const [bank] = await Promise.all([visit.context.waitForEvent("page"), visit.payButton.click()]);
    await bank.locator('button[value="complete"]').click();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    assert.equal(await visit.dialog.count(), 0);
  });

  test("the same page where windows are refused: the tab goes to the bank and comes back", async (t) => {
    const visit = await world.visit(t);
    await refuseWindows(visit);
    await visit.open({ headers: { "cross-origin-embedder-policy": "require-corp" } });
    await visit.pay(THREE_D_SECURE);
    await answerInOwnTab(visit);
    await visit.paid();
  });

  test("a card that needs no bank pays in one go, and the page learns how the checkout stands", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    assert.equal(await visit.page.evaluate(() => window.instance.state), "open");
    await visit.pay(VISA);
    await visit.paid();
    await until("it is paid", () => visit.page.evaluate(() => window.instance.state === "paid"));
    assert.deepEqual((await visit.seen("onStateChange")).map(({ values }) => values[0]), ["paying", "paid"]);
  });
});
