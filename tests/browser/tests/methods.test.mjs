/** Other ways to pay: pay later, and the buttons of wallets with their stand-ins. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { sheetOf, walletA, walletB, walletButton } from "../support/wallets.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** The page on which the customer approves or refuses, in a dialog or a window of its own. */
async function approvalPage(visit, act) {
  const opened = visit.context.waitForEvent("page", { timeout: 10_000 }).catch(() => undefined);
  await act();
  const framed = visit.frameAt("/sandbox/pages/").catch(() => undefined);
  const found = await Promise.race([opened.then((page) => page ?? framed), framed.then((frame) => frame ?? opened)]);
  assert.ok(found, "a page where the customer approves");
  return found;
}

async function choosePayLater(visit) {
  await visit.form.locator('input[name=method][value="BNPLA"]').check({ force: true });
  return await approvalPage(visit, () => visit.payButton.click());
}

describe("methods", { concurrency: 2 }, () => {
  test("pay later: approved, and charged once", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [{ type: "bnpla" }] } });
    const page = await choosePayLater(visit);
    await page.locator('button[value="complete"]').click();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("pay later: refused there, said in words, and a card pays after that", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [{ type: "bnpla" }] } });
    const page = await choosePayLater(visit);
    await page.locator('button[value="fail"]').click();
    await visit.part("Error").getByText(/not confirmed|refused|another way/i).first().waitFor();
    await visit.form.locator('input[name=method][value="card"]').check({ force: true });
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("pay later is not card: no card field is asked for", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [{ type: "bnpla" }, { type: "walletc" }] } });
    await visit.form.locator('input[name=method][value="WALLETC"]').check({ force: true });
    assert.equal(await visit.field("cardnumber").isVisible(), false);
    assert.equal(await visit.payButton.isEnabled(), true);
  });

  for (const [wallet, make] of [["A", walletA], ["B", walletB]]) {
    test(`wallet ${wallet}: its stand-in pays`, async (t) => {
      const visit = await world.visit(t);
      await visit.open({ more: { alternativePaymentMethods: [make()] } });
      await sheetOf(visit, wallet, "pay");
      const { id } = await visit.paid();
      assert.equal((await world.service.charges(id)).length, 1);
    });

    test(`wallet ${wallet}: closing its sheet is no failure, and a card pays`, async (t) => {
      const visit = await world.visit(t);
      await visit.open({ more: { alternativePaymentMethods: [make()] } });
      await sheetOf(visit, wallet, "cancel");
      await visit.called("onCancel");
      assert.deepEqual(await visit.seen("onError"), []);
      await visit.pay(VISA);
      await visit.paid();
    });
  }

  test("Elements gets the wallet's token and its payment data", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card", more: { alternativePaymentMethods: [walletA()] } });
    await sheetOf(visit, "A", "pay");
    const [result, paymentData] = await visit.called("onPaymentRequest");
    assert.ok(result.walletToken && paymentData, JSON.stringify(result));
  });

  test("a disabled checkout takes no wallet's token, and none is charged", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [walletA()] } });
    const before = (await world.service.payments()).length;
    await visit.page.evaluate(() => window.instance.disable());
    await sheetOf(visit, "A", "pay");
    const [{ error }] = await visit.called("onError");
    assert.equal(error.type, "disabled");
    await visit.page.evaluate(() => window.instance.enable());
    await visit.pay(VISA);
    await visit.paid();
    assert.equal(visit.requests.filter(({ body }) => body.includes("walletToken")).length, 0);
    assert.ok((await world.service.payments()).length > before);
  });

  test("once it is paid the wallets' buttons are gone, and while it is being paid they can't be pressed", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [walletA()] } });
    await walletButton(visit, "A").waitFor();
    let release;
    const released = new Promise((done) => { release = done; });
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if ((route.request().postData() ?? "").includes("authorizePayment(")) await released;
      await route.fallback();
    });
    await visit.pay(VISA);
    await until("they can't be pressed", () => visit.page.evaluate(() => document.querySelector("#checkout [inert]") !== null));
    release();
    await visit.paid();
    await walletButton(visit, "A").waitFor({ state: "hidden" });
  });

  test("a wallet's token that was used before: nothing is charged, the sheet goes, and a card pays", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [walletB()] } });
    // Tokens of the stand-in pay as often as one likes; networks' tokens once. This is the service's answer to the second time.
    const errors = [{ message: "The token was used before: each token pays once.", extensions: { code: "error.wallet.invalid-token", reason: "was used before" } }];
    let count = 0;
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if (!(route.request().postData() ?? "").includes("walletToken")) return await route.fallback();
      count += 1;
      return await route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ data: { authorizePayment: null }, errors }) });
    });
    await sheetOf(visit, "B", "pay");
    await visit.part("Error").getByText(/nothing was charged/i).waitFor();
    await visit.page.locator("dialog[open]").waitFor({ state: "detached" });
    assert.equal(count, 1, "it is not sent again");
    const [{ errors: reported }] = await visit.called("onPaymentComplete");
    assert.equal(reported[0].extensions.code, "error.wallet.invalid-token");
    await visit.pay(VISA);
    await visit.paid();
  });

  test("no script of a network is loaded where no button of it is asked for, and none at all for the stand-in", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { alternativePaymentMethods: [walletA(), walletB()] } });
    await walletButton(visit, "A").waitFor();
    const foreign = visit.requests.filter(({ url }) => !url.startsWith(world.service.url) && !url.startsWith(world.shop.origin));
    assert.deepEqual(foreign.map(({ url }) => url), []);
  });

  test("the place of the buttons is reserved: nothing moves when they come", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
    });
    await visit.open({ more: { alternativePaymentMethods: [walletA(), walletB()] } });
    await walletButton(visit, "B").waitFor();
    assert.equal(await visit.page.evaluate(() => window.shift), 0);
  });
});
