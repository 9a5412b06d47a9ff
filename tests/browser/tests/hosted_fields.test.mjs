/** Processors with card fields of their own, played by the sandbox's stand-in: the same checkout, and no digit comes to us. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { assertAccessible } from "../support/checks.mjs";
import { DECLINED, FAILED, MASTERCARD, THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();
const FLOW = "own";
const CONNECTION = "own-fields";

/** A connection that takes no numbers, and a flow that leads to it. */
async function stage() {
  const { service } = world;
  const connect = `mutation($id: ID, $settings: JSON!) { saveConnection(id: $id, processor: "simulator", name: "Own", settings: $settings) { id } }`;
  await service.graphql(connect, { id: CONNECTION, settings: { fields: "shop" } });
  const document = { name: FLOW, steps: [{ authorise: { connection: CONNECTION } }, { capture: "now" }], trigger: "payment" };
  const { saveFlow } = await service.graphql("mutation($id: ID, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }", { document, id: FLOW });
  await service.graphql("mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }", { id: FLOW, version: saveFlow.version });
}

/** Opens a form under the flow, and waits for the processor's fields. */
async function opened(visit, { more = {}, ...rest } = {}) {
  await visit.open({ more: { flowId: FLOW, ...more }, waits: false, ...rest });
  return fieldsOf(visit);
}

/** The frame of the stand-in's fields, once it can be typed in. */
async function fieldsOf(visit) {
  const frame = await until("the processor's fields", () => visit.page.frames().find((one) => one.url().endsWith("/sandbox/fields-frame")));
  await frame.locator("#number:enabled").waitFor();
  await visit.form.locator('[name="ccname"]:enabled').waitFor();
  return frame;
}

async function fill(visit, fields, number) {
  await fields.locator("#number").fill(number);
  await fields.locator("#expiry").fill("12 / 40");
  await fields.locator("#cvc").fill("123");
  await visit.field("ccname").fill("Ada Lovelace");
  const country = visit.field("country");
  if (await country.isVisible()) await country.selectOption("IRL");
}

/** Fails where a number was in a request of ours: only the stand-in's own server may get it. */
function assertNoDigits(visit, number) {
  const { service } = world;
  for (const { body, headers, url } of visit.requests) {
    if (url.startsWith(`${service.url}/sandbox/fields/`)) continue;
    const text = `${url}${JSON.stringify(headers)}${body}`.replaceAll(/[\s-]/g, "");
    assert.ok(!text.includes(number), `no digits in ${url}`);
  }
  assert.ok(visit.requests.some(({ url }) => url.startsWith(`${service.url}/sandbox/fields/`)), "the processor got the card");
  for (const line of visit.console) assert.ok(!line.includes(number), line);
  assert.ok(!service.output.includes(number), "the service's log");
}

describe("hosted fields", { concurrency: 2 }, () => {
  before(stage);

  test("Drop-In pays by the processor's fields, and no request of ours has a digit", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit);
    assert.equal(await visit.field("cardnumber").isVisible(), false);
    assert.equal(await visit.field("cvc").isVisible(), false);
    await fill(visit, fields, VISA);
    await visit.payButton.click();
    const { id } = await visit.paid();
    const charges = await world.service.charges(id);
    assert.deepEqual(charges.map((entry) => [entry.connection, entry.captured]), [[CONNECTION, 5099]]);
    await visit.part("Status").getByText(/50\.99/).waitFor();
    assert.equal((await visit.seen("onPaymentComplete")).length, 1);
    assertNoDigits(visit, VISA);
    assert.deepEqual(visit.complaints(), []);
  });

  test("Elements gives a token that the merchant's server charges once", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit, { surface: "card" });
    await fill(visit, fields, MASTERCARD);
    await visit.page.locator("#buy").click();
    const [result] = await visit.called("onPaymentRequest");
    assert.ok(result.token, JSON.stringify(result));
    assert.deepEqual(result.card ?? {}, {});
    const order = { amount: 1200, currencyCode: "EUR", flowId: FLOW, paymentMethod: { token: result.token, type: "CARD" } };
    const payment = await world.service.authorise(order);
    assert.equal(payment.status, "SUCCEEDED");
    await assert.rejects(() => world.service.authorise(order), /payment method|not/i);
    assertNoDigits(visit, MASTERCARD);
  });

  test("Enter in the processor's fields submits the merchant's form in Elements, and pays in Drop-In", async (t) => {
    const elements = await world.visit(t);
    let fields = await opened(elements, { surface: "card" });
    await fill(elements, fields, VISA);
    await fields.locator("#cvc").press("Enter");
    await elements.called("onPaymentRequest");
    const dropIn = await world.visit(t);
    fields = await opened(dropIn);
    await fill(dropIn, fields, VISA);
    await fields.locator("#cvc").press("Enter");
    await dropIn.paid();
  });

  test("a decline is said in the customer's words, and another card pays", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit);
    await fill(visit, fields, DECLINED.INSUFFICIENT_FUNDS);
    await visit.payButton.click();
    await visit.part("Error").getByText(/not enough funds/i).first().waitFor();
    await fill(visit, fields, FAILED);
    await visit.payButton.click();
    await visit.part("Error").getByText(/did not go through/i).first().waitFor();
    await fields.locator("#number").fill(VISA);
    await visit.payButton.click();
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("3D Secure is the processor's page in our dialog", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit);
    await fill(visit, fields, THREE_D_SECURE);
    await visit.payButton.click();
    await visit.dialog.getByText(/€50\.99/).waitFor();
    await visit.answerBank("complete");
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    assertNoDigits(visit, THREE_D_SECURE);
  });

  test("ten presses within 50 ms charge once", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit);
    await fill(visit, fields, VISA);
    await visit.payButton.evaluate((button) => { for (let press = 0; press < 10; press += 1) button.click(); });
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    assert.equal(visit.requests.filter(({ body }) => body.includes("authorizePayment(")).length, 1, "one payment was asked for");
    assert.equal(visit.requests.filter(({ url }) => url.includes("/sandbox/fields/")).length, 1, "one token was asked for");
  });

  test("what is wrong is shown in the fields, nothing is sent, and onChange tells", async (t) => {
    const visit = await world.visit(t);
    const fields = await opened(visit);
    await visit.payButton.click();
    await fields.locator("#error-number").getByText("Enter the card number.").waitFor();
    assert.equal(await fields.locator("#number").getAttribute("aria-invalid"), "true");
    await visit.form.locator("#error-ccname").getByText("Enter the name on the card.").waitFor();
    await fill(visit, fields, "4242424242424241");
    await visit.payButton.click();
    await until("the number is refused", async () => (await fields.locator("#error-number").innerText()) !== "");
    assert.equal(visit.requests.filter(({ body }) => body.includes("authorizePayment")).length, 0);
    await fields.locator("#number").fill(VISA);
    await until("onChange says complete", async () => (await visit.seen("onChange")).at(-1)?.values[0].isComplete === true);
    const changes = (await visit.seen("onChange")).map(({ values }) => values[0]);
    assert.ok(changes.some(({ errors }) => errors.number === "card.number.errors.required"), "the error had its key");
    assert.equal(JSON.stringify(changes).includes("4242"), false);
  });

  test("the fields have the theme's look and the customer's language, and reset, disable and focus reach them", async (t) => {
    const visit = await world.visit(t);
    const theme = { borderRadius: "2px", colors: { border: "rgb(1, 2, 3)" }, textColor: "rgb(9, 8, 7)" };
    const fields = await opened(visit, { more: { language: "fr", layout: "compact", theme } });
    const look = await fields.locator("#number").evaluate((input) => {
      const { borderRadius, borderTopColor, color } = getComputedStyle(input);
      return { borderRadius, borderTopColor, color, lang: document.documentElement.lang };
    });
    assert.deepEqual(look, { borderRadius: "2px", borderTopColor: "rgb(1, 2, 3)", color: "rgb(9, 8, 7)", lang: "fr" });
    const label = await fields.locator('label[for="number"]').innerText();
    assert.match(label, /carte/i);
    const ours = await visit.field("ccname").evaluate((input) => input.getBoundingClientRect().width);
    const theirs = await fields.locator("#number").evaluate((input) => input.getBoundingClientRect().width);
    assert.ok(Math.abs(ours - theirs) <= 1, `as wide as our own: ${theirs}, ${ours}`);
    await fields.locator("#number").fill(VISA);
    await visit.page.evaluate(() => window.instance.reset());
    await until("the number is gone", async () => (await fields.locator("#number").inputValue()) === "");
    await visit.page.evaluate(() => window.instance.disable());
    await fields.locator("#number:disabled").waitFor();
    await visit.page.evaluate(() => window.instance.enable());
    await fields.locator("#number:enabled").waitFor();
  });

  test("a flow with a connection that takes numbers shows our own fields", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    assert.ok(await visit.field("cardnumber").isVisible());
    assert.equal(visit.page.frames().some((one) => one.url().includes("fields")), false);
  });

  test("the hosted page shows them too, and says nothing of where its own fields send cards", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ flowId: FLOW }, { waits: false });
    const fields = await fieldsOf(visit);
    assert.equal(await visit.part("Trust").count(), 0);
    await fill(visit, fields, VISA);
    await visit.payButton.click();
    await visit.part("Status").getByText(/50\.99/).waitFor();
    assertNoDigits(visit, VISA);
  });

  test("the processor's document reaches neither the form nor the client token", async (t) => {
    const visit = await world.visit(t);
    await opened(visit);
    const document = visit.page.frames().find((one) => one.url().includes("/sdk/v1/frame/fields"));
    const reached = await document.evaluate(() => {
      const tried = [() => window.parent.document.body, () => window.parent.location.href, () => localStorage.length];
      return tried.filter((look) => { try { look(); return true; } catch { return false; } }).length;
    });
    assert.equal(reached, 0);
    assert.ok(!document.url().includes("ct_test"));
  });

  test("a processor's script that does not come leaves words in its place, and charges nothing", async (t) => {
    const visit = await world.visit(t);
    await visit.context.route("**/sandbox/fields.js", (route) => route.abort());
    await visit.open({ more: { flowId: FLOW }, waits: false });
    await visit.form.getByText("There is no connection. Please try again.").waitFor();
    await visit.payButton.click();
    assert.equal(visit.requests.filter(({ body }) => body.includes("authorizePayment")).length, 0);
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing in the form and in the fields, ${colorScheme}`, async (t) => {
      const visit = await world.visit(t, { colorScheme });
      const fields = await opened(visit);
      const document = visit.page.frames().find((one) => one.url().includes("/sdk/v1/frame/fields"));
      const frames = [visit.page.mainFrame(), visit.formFrame(), document, fields];
      await assertAccessible(frames, "fresh");
      await visit.payButton.click();
      await fields.locator("#error-number").getByText(/./).waitFor();
      await assertAccessible(frames, "with errors");
    });
  }

  for (const [how, lose] of [["is cut off", (route) => route.abort("connectionreset")], ["is answered 503", (route) => route.fulfill({ body: "busy", status: 503 })]]) {
    test(`the configuration ${how} once: the processor's fields come all the same, and never ours`, async (t) => {
      const visit = await world.visit(t);
      let count = 0;
      await visit.context.route(`${world.service.url}/api/graphql`, (route) => {
        count += 1;
        return count === 1 ? lose(route) : route.continue();
      });
      await opened(visit);
      assert.equal(await visit.field("cardnumber").isVisible(), false);
    });
  }

  test("the configuration never comes: no card fields but a button, which loads the form once there is an answer", async (t) => {
    const visit = await world.visit(t);
    let isAway = true;
    await visit.context.route(`${world.service.url}/api/graphql`, (route) => (isAway ? route.abort("connectionreset") : route.continue()));
    await visit.open({ more: { flowId: FLOW }, waits: false });
    const again = visit.part("Reload");
    await again.waitFor();
    assert.equal(await visit.field("cardnumber").isVisible(), false);
    await assertAccessible([visit.formFrame()], "no fields");
    isAway = false;
    await again.click();
    await fieldsOf(visit);
  });
});
