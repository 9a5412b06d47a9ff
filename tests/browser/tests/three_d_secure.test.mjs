/** 3D Secure: the dialog, windows of their own, redirects, and returns that lie. Only the service decides how it ended. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, THREE_D_SECURE_DECLINED, VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** A visit that has come as far as the bank's question. */
async function atTheBank(t, { number = THREE_D_SECURE, open, context } = {}) {
  const visit = await world.visit(t, context);
  await visit.open(open);
  await visit.pay(number);
  return visit;
}

/** The bank's page in a window of its own, since it does not load in the dialog; `headers` are the bank's own there. */
async function inWindowOfItsOwn(t, headers = {}) {
  const visit = await world.visit(t);
  // The offer comes after 8 s; in this page after 200 ms.
  await visit.context.addInitScript(() => {
    const { setTimeout } = window;
    window.setTimeout = (run, delay, ...rest) => setTimeout(run, delay === 8_000 ? 200 : delay, ...rest);
  });
  await visit.context.route(/\/sandbox\/pages\//, async (route) => {
    // Never answered in the dialog.
    if (route.request().frame().parentFrame()) return;
    const answer = await route.fetch({ maxRedirects: 0 });
    await route.fulfill({ response: answer, headers: { ...answer.headers(), ...headers } });
  });
  await visit.open();
  await visit.pay(THREE_D_SECURE);
  const [page] = await Promise.all([visit.context.waitForEvent("page"), visit.dialog.getByRole("button", { name: /new window/i }).click()]);
  return { visit, page };
}

describe("3D Secure", { concurrency: 2 }, () => {
  test("the challenge is passed in a dialog, and the payment is charged once", async (t) => {
    const visit = await atTheBank(t);
    await visit.dialog.getByText(/€50\.99/).waitFor();
    await visit.answerBank("complete");
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    await visit.dialog.waitFor({ state: "detached" });
    assert.deepEqual(visit.complaints(), []);
  });

  test("a failed challenge is a decline in the customer's words, and another card pays", async (t) => {
    const visit = await atTheBank(t);
    await visit.answerBank("fail");
    await visit.part("Error").getByText(/confirm that it is you|bank/i).first().waitFor();
    await visit.dialog.waitFor({ state: "detached" });
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("a challenge that is passed and then declined says so", async (t) => {
    const visit = await atTheBank(t, { number: THREE_D_SECURE_DECLINED });
    await visit.answerBank("complete");
    await visit.part("Error").getByText(/refused|declined/i).waitFor();
    const statuses = (await visit.seen("onPaymentComplete")).map(({ values }) => values[0].data.authorizePayment.status);
    assert.deepEqual(statuses, ["DECLINED"]);
  });

  test("closing the dialog asks once, then gives the payment up and lets the customer pay again", async (t) => {
    const visit = await atTheBank(t);
    await visit.frameAt("/sandbox/pages/");
    await visit.dialog.getByRole("button", { name: "Close" }).click();
    await visit.dialog.getByRole("button", { name: "Go on" }).click();
    assert.ok(await visit.dialog.isVisible(), "going on keeps the dialog");
    await visit.dialog.getByRole("button", { name: "Close" }).click();
    await visit.dialog.getByRole("button", { name: "Stop paying" }).click();
    await visit.called("onCancel");
    await until("the payment is given up", async () => (await world.service.books()).some((entry) => entry.challenge === "over"));
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("the customer passes at the bank and closes the dialog at that moment: paid, not given up", async (t) => {
    const visit = await atTheBank(t);
    const bank = await visit.frameAt("/sandbox/pages/");
    // The bank has the customer's answer; the way back is lost.
    await visit.context.route(/\/sdk\/v1\/return/, (route) => route.abort());
    let press;
    const pressed = new Promise((done) => { press = done; });
    // Until the customer has stopped, the form does not find out by itself.
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if ((route.request().postData() ?? "").includes("getPayment(")) await pressed;
      await route.fallback();
    });
    await bank.locator('button[value="complete"]').click();
    await visit.dialog.getByRole("button", { name: "Close" }).click();
    await visit.dialog.getByRole("button", { name: "Stop paying" }).click();
    press();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("the return page is lost: the form finds out by asking the service", async (t) => {
    const visit = await atTheBank(t);
    await visit.context.route(/\/sdk\/v1\/return/, (route) => route.abort());
    await visit.answerBank("complete");
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("a bank's page that does not load in the dialog is offered in a window of its own, and completes there", async (t) => {
    const opened = await inWindowOfItsOwn(t);
    await opened.page.locator('button[value="complete"]').click();
    const { id } = await opened.visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("a bank's page that cuts its opener off and looks closed still completes", async (t) => {
    const { visit, page } = await inWindowOfItsOwn(t, { "cross-origin-opener-policy": "same-origin" });
    await page.locator('button[value="complete"]').waitFor();
    // The shop's page gets the focus and sees a window that looks closed.
    await visit.page.bringToFront();
    await visit.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await visit.form.getByText(/waiting for your bank/i).first().waitFor();
    assert.deepEqual(await visit.seen("onCancel"), [], "closed is never taken for cancelled");
    await page.locator('button[value="complete"]').click();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("a forged return decides nothing", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    await visit.open({ token, more: { orderId: "order-forged" } });
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    const waiting = (await world.service.payments()).find(({ orderId }) => orderId === "order-forged");
    const forged = await visit.context.newPage();
    await forged.goto(`${world.service.url}/sdk/v1/return?attempt=x&origin=${encodeURIComponent(world.shop.origin)}&id=${waiting.id}&3ds_status=COMPLETED`);
    await visit.page.evaluate(() => {
      const message = { pointsman: 1, returned: "x" };
      window.postMessage(message, "*");
      for (let index = 0; index < window.length; index += 1) window[index].postMessage(message, "*");
    });
    assert.deepEqual(await visit.seen("onPaymentComplete"), []);
    assert.equal((await world.service.charges(waiting.id)).length, 0);
    await visit.answerBank("complete");
    const { id } = await visit.paid();
    assert.equal(id, waiting.id);
  });

  test("a tab that was closed during the challenge can be opened again, and pays once", async (t) => {
    const visit = await world.visit(t);
    const intentId = await world.service.intent(5099, "EUR");
    const { token } = await world.service.clientToken({ intentId });
    await visit.open({ token, more: { intentId } });
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await visit.page.close();
    await visit.open({ token, more: { intentId } });
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges()).filter((entry) => entry.reference.startsWith(id.replace("payments:", ""))).length, 1);
    const { getIntent } = await world.service.graphql(`query($id: ID!) { getIntent(id: $id) { linkedPayments { paymentId status } } }`, { id: intentId });
    assert.equal(getIntent.linkedPayments.filter(({ status }) => status === "SUCCEEDED").length, 1);
  });

  test("on a phone the customer is sent on, comes back to the shop, and the page tells the merchant", async (t) => {
    const userAgent = "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
    const visit = await atTheBank(t, { context: { userAgent, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } });
    const outcome = await Promise.race([
      visit.page.waitForURL(/\/sandbox\/pages\//).then(() => "redirected"),
      visit.dialog.waitFor().then(() => "dialog"),
    ]);
    if (outcome === "dialog") await visit.answerBank("complete");
    else {
      await visit.page.locator('button[value="complete"]').click();
      await visit.page.waitForURL(/\/checkout\//);
    }
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("the issuer is given what native challenges ask of a browser", async (t) => {
    const visit = await atTheBank(t);
    await visit.frameAt("/sandbox/pages/");
    const sent = visit.requests.find(({ body }) => body.includes("authorizePayment") && body.includes("perform3DSecure"));
    const { browser } = findIn(JSON.parse(sent.body).variables, "perform3DSecure");
    for (const member of ["language", "colorDepth", "screenHeight", "screenWidth", "timeZoneOffset", "userAgent"]) {
      assert.ok(browser[member] !== undefined && browser[member] !== "", member);
    }
  });
});

/** The first member of this name, however deep. */
function findIn(value, name) {
  if (typeof value !== "object" || value === null) return undefined;
  if (name in value) return value[name];
  return Object.values(value).map((inner) => findIn(inner, name)).find(Boolean);
}
