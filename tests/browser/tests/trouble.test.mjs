/** What goes wrong: impatient customers, lost answers, networks that fail, tokens that end. Never a second charge. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UNKNOWN_CHARGED, UNKNOWN_NOT_CHARGED, VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const isPaying = (request) => (request.postData() ?? "").includes("authorizePayment(");

/** Handles the frame's requests that pay; others go through. */
async function onPaying(visit, handle) {
  let count = 0;
  await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
    if (!isPaying(route.request())) return await route.fallback();
    count += 1;
    return await handle(route, count);
  });
}

/** A visit to an intent's checkout, filled in; nothing else is charged under it. */
async function filled(t, { number = VISA, open = {}, intentId } = {}) {
  const visit = await world.visit(t);
  visit.intentId = intentId ?? (await world.service.intent(5099, "EUR"));
  const { token } = await world.service.clientToken({ intentId: visit.intentId });
  await visit.open({ token, more: { intentId: visit.intentId }, ...open });
  await visit.fill(number);
  return visit;
}

/** The intent's payments with money; whatever else was tried. */
async function chargesOf({ intentId }) {
  const { getIntent } = await world.service.graphql(`query($id: ID!) { getIntent(id: $id) { linkedPayments { paymentId } } }`, { id: intentId });
  const all = await Promise.all(getIntent.linkedPayments.map(({ paymentId }) => world.service.charges(paymentId)));
  return all.flat();
}

describe("trouble", { concurrency: 2 }, () => {
  test("a double click charges once", async (t) => {
    const visit = await filled(t);
    await visit.payButton.dblclick();
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
    assert.equal((await visit.seen("onPaymentComplete")).length, 1);
  });

  test("ten clicks within 50 ms charge once", async (t) => {
    const visit = await filled(t);
    await visit.payButton.evaluate((button) => { for (let click = 0; click < 10; click += 1) button.click(); });
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
  });

  test("Enter in a field and a click charge once", async (t) => {
    const visit = await filled(t);
    await Promise.all([visit.field("cvc").press("Enter"), visit.payButton.evaluate((button) => button.click())]);
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
  });

  test("an answer that is lost after charging is asked for again under the same key", async (t) => {
    const visit = await filled(t);
    const keys = [];
    await onPaying(visit, async (route, count) => {
      keys.push(route.request().headers()["x-idempotency-key"] ?? route.request().headers()["idempotency-key"]);
      if (count > 1) return await route.continue();
      await route.fetch();
      return await route.abort("connectionreset");
    });
    await visit.payButton.click();
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
    assert.ok(keys.length >= 2 && keys[0], "it was repeated");
    assert.equal(new Set(keys).size, 1, "under one key");
  });

  test("offline in the middle of paying: the customer reads that it is still being tried, then it is paid once", async (t) => {
    const visit = await filled(t);
    await visit.context.setOffline(true);
    await visit.payButton.click();
    await visit.form.getByText(/still trying/i).first().waitFor();
    await visit.context.setOffline(false);
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
  });

  test("an answer 500 is no decline: it is tried again", async (t) => {
    const visit = await filled(t);
    await onPaying(visit, (route, count) => (count === 1 ? route.fulfill({ status: 500, body: "oops" }) : route.continue()));
    await visit.payButton.click();
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
  });

  test("an answer 429 is waited for as long as it says", async (t) => {
    const visit = await filled(t);
    const times = [];
    await onPaying(visit, (route, count) => {
      times.push(Date.now());
      return count === 1 ? route.fulfill({ status: 429, headers: { "retry-after": "1" }, body: "{}" }) : route.continue();
    });
    await visit.payButton.click();
    await visit.paid();
    assert.ok(times[1] - times[0] >= 950, `after ${times[1] - times[0]} ms`);
  });

  test("a slow answer: a line asks for patience, and the button can't be pressed again", async (t) => {
    const visit = await filled(t);
    let release;
    const released = new Promise((done) => { release = done; });
    await onPaying(visit, async (route) => {
      await released;
      await route.continue();
    });
    await visit.payButton.click();
    await visit.form.getByText(/taking a moment/i).first().waitFor();
    await visit.payButton.click({ force: true, timeout: 500 }).catch(() => {});
    release();
    await visit.paid();
    assert.equal((await chargesOf(visit)).length, 1);
  });

  for (const [number, isCharged] of [[UNKNOWN_CHARGED, true], [UNKNOWN_NOT_CHARGED, false]]) {
    test(`no answer from the bank (${isCharged ? "charged" : "not charged"}): never called a failure, found out, said truly`, async (t) => {
      const visit = await filled(t, { number });
      await visit.payButton.click();
      await visit.form.getByText(/asking your bank/i).first().waitFor();
      assert.equal(await visit.payButton.isVisible(), false, "nobody is led to pay again");
      if (isCharged) await visit.paid(30_000);
      else await visit.part("Error").getByText(/again|another/i).first().waitFor({ timeout: 30_000 });
      assert.equal((await chargesOf(visit)).length, isCharged ? 1 : 0);
    });
  }

  test("a token that has ended: the customer reads that this checkout has ended", async (t) => {
    const visit = await world.visit(t);
    const { id, token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    await visit.open({ token });
    await visit.fill(VISA);
    await world.service.graphql(`mutation($id: ID!) { revokeClientToken(id: $id) }`, { id });
    await visit.payButton.click();
    await visit.form.getByText(/has ended|open for too long/i).first().waitFor();
    assert.deepEqual(visit.requests.filter(({ body }) => body.includes("authorizePayment(")).length, 1, "it is not tried again");
  });

  for (const surface of ["card", "checkout"]) {
    test(`${surface}: a token that has ended before the page is opened`, async (t) => {
      const visit = await world.visit(t);
      const { id, token } = await world.service.clientToken(surface === "card" ? {} : { amount: 5099, currency: "EUR" });
      await world.service.graphql(`mutation($id: ID!) { revokeClientToken(id: $id) }`, { id });
      await visit.open({ surface, token, waits: false });
      const [{ error }] = await visit.called("onError");
      assert.equal(error.type, "api.key.unauthorized");
      if (surface === "checkout") await visit.part("Status").getByText(/has ended/i).waitFor();
      else await visit.called("onLoaded");
    });
  }

  test("a clock that is hours ahead ends nothing: only the service knows the token's end", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 5 * 3_600_000;
    });
    await visit.open();
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("after the last attempt of a token the customer reads that no more are taken, not that the shop is wrong", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const paymentMethod = { type: "CARD", card: { number: "4000000000000002", expMonth: 12, expYear: 2040, cvc: "737", name: "Ada Lovelace" } };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await world.service.graphql(
        `mutation($payment: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $payment) { status } }`,
        { payment: { amount: 5099, currencyCode: "EUR", flowId: "default", paymentMethod } }, { key: token });
    }
    await visit.open({ token });
    await visit.pay(VISA);
    await visit.part("Status").getByText(/takes no further tries/i).waitFor();
    assert.doesNotMatch(await visit.form.locator("body").innerText(), /set up/i);
    assert.equal(await visit.payButton.isVisible(), false);
  });

  test("what pays can't be loaded: the customer reads that there is no connection, and can pay when there is one", async (t) => {
    const visit = await world.visit(t);
    await visit.context.route(/\/sdk\/v1\/f\/paying\./, (route) => route.abort());
    await visit.open();
    await visit.pay(VISA);
    await visit.part("Error").getByText(/no connection/i).waitFor();
    await visit.context.unroute(/\/sdk\/v1\/f\/paying\./);
    await visit.field("cvc").fill("737");
    await visit.payButton.click();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("nobody is asked for patience once it is paid", async (t) => {
    const visit = await world.visit(t);
    // What comes after 4 s comes at once.
    await visit.context.addInitScript(() => {
      const { setTimeout } = window;
      window.setTimeout = (run, delay, ...rest) => setTimeout(run, delay === 4_000 ? 1_500 : delay, ...rest);
      window.said = [];
      addEventListener("DOMContentLoaded", () => {
        const live = document.getElementById("pm-live");
        if (live) new MutationObserver(() => window.said.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true });
      });
    });
    await visit.open();
    await visit.pay(VISA);
    await visit.paid();
    const frame = visit.formFrame();
    await frame.evaluate(() => new Promise((done) => { setTimeout(done, 2_000); }));
    assert.deepEqual((await frame.evaluate(() => window.said)).filter((text) => /moment/.test(text)), []);
  });

  test("an amount other than the token's is reported at once, not at the end", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    await visit.open({ token, amount: 99, waits: false });
    const [{ error }] = await visit.called("onError");
    assert.match(error.message, /amount/i);
    assert.match(error.message, /5099/);
  });

  test("the back button after paying does not pay again", async (t) => {
    const visit = await filled(t);
    await visit.payButton.click();
    await visit.paid();
    await visit.page.goto(world.shop.page("<!doctype html><title>Thank you</title>"));
    // A page out of the browser's cache of pages has no load event.
    await visit.page.goBack({ waitUntil: "commit" });
    await visit.form.locator("body").waitFor();
    const status = visit.part("Status").getByText(/50\.99/);
    await Promise.race([status.waitFor(), visit.typable()]);
    if (!(await status.isVisible())) {
      await visit.pay(VISA);
      await visit.form.getByText(/paid already|paid/i).first().waitFor();
    }
    assert.equal((await chargesOf(visit)).length, 1);
  });

  test("two tabs on one intent pay once, and neither says that nothing was charged", async (t) => {
    const first = await filled(t);
    const second = await filled(t, { intentId: first.intentId });
    await Promise.all([first.payButton.click(), second.payButton.click()]);
    await Promise.all([first, second].map((visit) => visit.part("Status").getByText(/paid already|payment complete/i).first().waitFor()));
    assert.equal((await chargesOf(first)).length, 1);
  });

  test("a reload while it is being paid: the intent is charged once", async (t) => {
    const visit = await filled(t);
    await onPaying(visit, async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await visit.payButton.click();
    await until("it is charged", async () => (await chargesOf(visit)).length === 1);
    // The answer that is held back may still be on its way to the handler.
    await visit.context.unrouteAll({ behavior: "ignoreErrors" });
    await visit.page.reload();
    await Promise.race([visit.part("Status").getByText(/paid|complete|thank you/i).first().waitFor(), visit.typable()]);
    if (await visit.field("cardnumber").isEnabled().catch(() => false)) {
      await visit.pay(VISA);
      await visit.part("Status").getByText(/paid|complete|thank you/i).first().waitFor();
    }
    assert.equal((await chargesOf(visit)).length, 1);
  });

});

describe("trouble with the service itself", () => {
  test("the service is restarted while the form is open: what is typed stays and pays", async (t) => {
    const visit = await filled(t);
    await world.service.kill();
    await visit.payButton.click();
    await visit.form.getByText(/still trying|no connection/i).first().waitFor();
    await world.service.resume();
    await visit.paid(30_000);
    assert.equal((await chargesOf(visit)).length, 1);
  });
});
