/** A request that is lost or hangs while the form loads: it comes all the same, or the customer reads that it can't. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const LOSSES = {
  hangs: () => new Promise(() => {}),
  "is cut off": (route) => route.abort("connectionreset"),
  "is answered 503": (route) => route.fulfill({ body: "busy", status: 503 }),
};

/** Loses the first request of a path; others go through. */
async function loseFirst(visit, path, lose) {
  let count = 0;
  await visit.context.route((url) => path.test(url.pathname), (route) => {
    count += 1;
    return count === 1 ? lose(route) : route.continue();
  });
}

describe("loading", { concurrency: 2 }, () => {
  for (const [what, path] of [["the frame's document", /\/sdk\/v1\/frame\/checkout/], ["its script", /\/f\/checkout\./], ["the configuration", /\/api\/graphql/], ["the language", /messages\.fr\./]]) {
    for (const [how, lose] of Object.entries(LOSSES)) {
      test(`${what} ${how} once: the form comes, and pays`, async (t) => {
        const visit = await world.visit(t);
        await loseFirst(visit, path, lose);
        await visit.open({ more: { language: "fr" } });
        await visit.called("onLoaded");
        assert.deepEqual((await visit.seen("onError")).map(({ values }) => values[0].error.type), []);
        assert.equal(await visit.page.evaluate(() => typeof window.instance?.submit), "function");
        await visit.pay(VISA);
        const { id } = await visit.paid();
        assert.equal((await world.service.charges(id)).length, 1);
      });
    }
  }

  test("the frame never comes: customer and merchant read so, nothing is left of it, and the page may try again", async (t) => {
    const visit = await world.visit(t);
    let isAway = true;
    await visit.context.route(/\/sdk\/v1\/frame\//, (route) => (isAway ? route.abort() : route.continue()));
    await visit.open({ more: { language: "de" }, waits: false });
    const [{ error }] = await visit.called("onError", 20_000);
    assert.equal(error.type, "frame-timeout");
    assert.match(error.message, /can't be reached.*allowed origins/);
    await visit.page.getByRole("alert").getByText(/konnte nicht geladen werden/).waitFor();
    assert.equal(await visit.page.locator("iframe").count(), 0);
    assert.equal((await visit.seen("onLoaded")).length, 0);
    isAway = false;
    await visit.page.evaluate(() => window.mount());
    await visit.typable();
    assert.equal(await visit.page.getByRole("alert").count(), 0);
  });
});

/** Moves the checkout to another place in the page, which loads its frame again. */
async function move(visit) {
  await visit.page.evaluate(() => document.querySelector("#other").append(document.querySelector("#checkout")));
}

const elsewhere = { body: '<div id="other"></div>' };

describe("a container that is moved or removed", { concurrency: 2 }, () => {
  test("at the bank: the dialog goes on, the payment is paid once, and the merchant hears of it once", async (t) => {
    const visit = await world.visit(t);
    await visit.open(elsewhere);
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await move(visit);
    await visit.part("Status").getByText(/bank/i).first().waitFor();
    assert.equal(await visit.page.evaluate(() => window.instance.state), "paying");
    await visit.answerBank("complete");
    const { id } = await visit.paid();
    await visit.dialog.waitFor({ state: "detached" });
    await visit.part("Status").getByText(/50\.99/).waitFor();
    await move(visit);
    await visit.part("Status").getByText(/50\.99/).waitFor();
    assert.equal((await world.service.charges(id)).length, 1);
    assert.equal((await visit.seen("onPaymentComplete")).length, 1);
    assert.equal(await visit.page.evaluate(() => window.instance.state), "paid");
  });

  test("at the bank, and the customer gives up afterwards: the form is open again", async (t) => {
    const visit = await world.visit(t);
    await visit.open(elsewhere);
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await move(visit);
    await visit.part("Status").getByText(/bank/i).first().waitFor();
    await visit.dialog.locator("button.close").click();
    await visit.dialog.getByRole("button", { name: /stop/i }).last().click();
    await visit.called("onCancel");
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("while the answer is under way: nobody is shown that nothing happened, and nobody can pay again", async (t) => {
    const visit = await world.visit(t);
    await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
      if (!(route.request().postData() ?? "").includes("authorizePayment(")) return route.continue();
      await route.fetch();
      return undefined;
    });
    await visit.open(elsewhere);
    await visit.pay(VISA);
    await until("the request is sent", () => visit.requests.some(({ body }) => body.includes("authorizePayment(")));
    await move(visit);
    await visit.part("Status").getByText(/don't pay again/i).first().waitFor();
    assert.equal(await visit.payButton.isVisible(), false);
    assert.equal(await visit.page.evaluate(() => window.instance.state), "paying");
  });

  test("removed at the bank: the dialog goes too; back in the page it says how the payment stands", async (t) => {
    const visit = await world.visit(t);
    await visit.open(elsewhere);
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await visit.page.evaluate(() => {
      window.removed = document.querySelector("#checkout");
      window.removed.remove();
    });
    await visit.dialog.waitFor({ state: "detached" });
    await visit.page.evaluate(() => document.querySelector("#other").append(window.removed));
    await visit.part("Status").getByText(/bank/i).first().waitFor();
  });

  test("Elements removed while it submits: the promise ends", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    await visit.fill(VISA);
    await visit.context.route(`${world.service.url}/api/graphql`, () => new Promise(() => {}));
    const answer = await visit.page.evaluate(async () => {
      const submitting = window.instance.submit();
      document.querySelector("#shop-form").remove();
      return String(await Promise.race([submitting, new Promise((done) => { setTimeout(() => done("pending"), 5_000); })]));
    });
    assert.equal(answer, "undefined");
  });
});
