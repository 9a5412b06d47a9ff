/** The React package, mounted by React 18 and 19 in StrictMode: one frame, kept while a customer pays. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { DECLINED, THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { reactApp } from "../support/react.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** A page of the shop with the checkout as a component. */
async function mounted(t, number, { surface = "checkout" } = {}) {
  const visit = await world.visit(t);
  const { id, token } = await world.service.clientToken(surface === "checkout" ? { amount: 5099, currency: "EUR" } : {});
  const money = surface === "checkout" ? { flowId: "default", amount: 5099, currencyCode: "EUR" } : {};
  const options = { serviceUrl: world.service.url, apiKey: token, ...money };
  const json = JSON.stringify({ surface, options }).replaceAll("<", "\\u003c");
  visit.tokenId = id;
  visit.page = await visit.context.newPage();
  await visit.page.goto(world.shop.page(`<!doctype html><html lang="en"><title>Harbour Coffee</title><main><h1>Harbour Coffee</h1>
    <form id="order"><div id="root"></div><button id="buy">Buy</button></form></main>
    <script type="application/json" id="options">${json}</script><script src="/react-${number}.js"></script></html>`));
  await visit.typable();
  return visit;
}

const change = (visit, more) => visit.page.evaluate((given) => window.change(given), more);
const anotherToken = async () => (await world.service.clientToken({ amount: 5099, currency: "EUR" })).token;
const frameCount = (visit) => visit.page.locator("iframe").count();

for (const number of [18, 19]) {
  describe(`React ${number}`, { concurrency: 2 }, () => {
    before(async () => {
      const { script, version } = await reactApp(number);
      assert.ok(version.startsWith(`${number}.`), version);
      world.shop.show(`/react-${number}.js`, script, { "content-type": "text/javascript" });
    });

    test("StrictMode mounts one checkout, which pays; the last callback counts", async (t) => {
      const visit = await mounted(t, number);
      assert.match(await visit.page.evaluate(() => window.reactVersion), new RegExp(`^${number}\\.`));
      assert.equal(await frameCount(visit), 1);
      await change(visit, { label: "second" });
      await visit.pay(VISA);
      const { id } = await visit.paid();
      assert.equal((await world.service.charges(id)).length, 1);
      const completed = (await visit.seen("onPaymentComplete")).map(({ label }) => label);
      assert.deepEqual(completed, ["second"]);
      assert.deepEqual(visit.complaints([/React DevTools/]), []);
    });

    test("Elements gives the token to the component's callback", async (t) => {
      const visit = await mounted(t, number, { surface: "card" });
      await visit.fill(VISA);
      await visit.page.locator("#buy").click();
      const [{ token }] = await visit.called("onPaymentRequest");
      assert.ok(token);
    });

    test("an option that changes while it loads is not lost", async (t) => {
      let release;
      const released = new Promise((done) => { release = done; });
      const visit = await mounted(t, number);
      await visit.context.route(/\/sdk\/v1\/f\/checkout\./, async (route) => {
        await released;
        await route.fallback();
      });
      await visit.page.reload({ waitUntil: "commit" });
      await until("the frame is asked for", async () => (await frameCount(visit).catch(() => 0)) === 1);
      await change(visit, { options: { payButton: "Order for {amount}" } });
      release();
      await visit.payButton.getByText("Order for €50.99").waitFor();
      assert.equal(await frameCount(visit), 1);
    });

    test("other options are an update: what is typed stays", async (t) => {
      const visit = await mounted(t, number);
      await visit.fill(VISA);
      await change(visit, { options: { payButton: "Order for {amount}" } });
      await visit.payButton.getByText("Order for €50.99").waitFor();
      assert.match(await visit.field("cardnumber").inputValue(), /^4242 4242/);
    });

    test("another key while a payment is under way does not take the checkout away", async (t) => {
      const visit = await mounted(t, number);
      await visit.pay(THREE_D_SECURE);
      await visit.frameAt("/sandbox/pages/");
      await change(visit, { options: { apiKey: await anotherToken() } });
      assert.ok(await visit.dialog.isVisible(), "the bank's question is still there");
      await visit.answerBank("complete");
      const { id } = await visit.paid();
      assert.equal((await world.service.charges(id)).length, 1);
      await change(visit, { options: { apiKey: await anotherToken() } });
      await visit.part("Status").getByText(/payment complete/i).waitFor();
      assert.equal(await visit.payButton.isVisible(), false, "a paid checkout is not made new");
    });

    test("a key that came in mid-payment waits after a decline, and takes over once the first has ended", async (t) => {
      const visit = await mounted(t, number);
      let release;
      const released = new Promise((done) => { release = done; });
      await visit.context.route(`${world.service.url}/api/graphql`, async (route) => {
        if ((route.request().postData() ?? "").includes("authorizePayment(")) await released;
        await route.fallback();
      });
      await visit.pay(DECLINED.GENERAL_DECLINE);
      await until("it is being paid", () => visit.page.evaluate(() => window.instanceRef.current.state === "paying"));
      const second = await anotherToken();
      await change(visit, { options: { apiKey: second } });
      release();
      await visit.part("Error").getByText(/refused without a reason/i).waitFor();
      assert.match(await visit.field("cardnumber").inputValue(), /0002$/, "the customer's card is still there");
      // The first token ends: its next attempt is refused, and the second has its turn.
      await world.service.graphql(`mutation($id: ID!) { revokeClientToken(id: $id) }`, { id: visit.tokenId });
      await visit.field("cvc").fill("737");
      await visit.payButton.click();
      await until("the new one is empty", async () => (await visit.field("cardnumber").inputValue().catch(() => "x")) === "");
      await visit.typable();
      await visit.pay(VISA);
      const { id } = await visit.paid();
      assert.equal((await world.service.charges(id)).length, 1);
    });

    test("a key that changes before anything is paid is another checkout", async (t) => {
      const visit = await mounted(t, number);
      await visit.fill(VISA);
      const token = await anotherToken();
      await change(visit, { options: { apiKey: token } });
      await until("the new one is empty", async () => (await visit.field("cardnumber").inputValue().catch(() => "x")) === "");
      await visit.typable();
      assert.equal(await frameCount(visit), 1);
      await visit.pay(VISA);
      await visit.paid();
      assert.ok(visit.requests.some(({ body, headers }) => body.includes("authorizePayment(") && headers.authorization === `Bearer ${token}`));
    });

    test("an unmounted checkout leaves nothing in the page", async (t) => {
      const visit = await mounted(t, number);
      await change(visit, { isShown: false });
      await visit.page.getByText("The order was left.").waitFor();
      assert.equal(await frameCount(visit), 0);
      assert.equal(await visit.page.evaluate(() => window.instanceRef.current), null);
    });
  });
}
