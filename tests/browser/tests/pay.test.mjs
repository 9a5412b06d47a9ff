/** Paying with a card: Drop-In, Elements, saved cards, currencies, and what is said about a decline. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ACCEPTED, DECLINED, FAILED, HELD, MASTERCARD, VISA, card } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** What a customer reads of a decline. */
const WORDS = {
  GENERAL_DECLINE: /refused without a reason/i,
  EXPIRED_CARD: /has expired/i,
  INSUFFICIENT_FUNDS: /not enough funds/i,
  LOST_RESTRICTED_OR_STOLEN_CARD: /card can't be used/i,
  SUSPECTED_FRAUD: /refused this payment/i,
  INVALID_CVC: /security code is wrong/i,
};

describe("pay", { concurrency: 2 }, () => {
  test("Drop-In takes a payment, tells the merchant once, and the books have one charge", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { orderId: "order-1001" } });
    assert.match(await visit.payButton.innerText(), /Pay €50\.99/);
    await visit.pay(VISA);
    const { id } = await visit.paid();
    const payment = await world.service.payment(id);
    assert.equal(payment.status, "SUCCEEDED");
    assert.deepEqual(payment.amount, { rawAmount: 5099, currency: "EUR" });
    assert.deepEqual((await world.service.charges(id)).map((entry) => entry.captured), [5099]);
    await visit.part("Status").getByText(/50\.99/).waitFor();
    assert.equal((await visit.seen("onPaymentComplete")).length, 1);
    assert.deepEqual(visit.complaints(), []);
  });

  test("Elements gives the merchant a token that its server charges", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    await visit.fill(MASTERCARD);
    await visit.page.locator("#buy").click();
    const [result] = await visit.called("onPaymentRequest");
    assert.ok(result.token, JSON.stringify(result));
    assert.ok(!JSON.stringify(result).includes(MASTERCARD.slice(0, 8)), "no digits but the last four");
    const payment = await world.service.authorise({ amount: 1200, currencyCode: "EUR", paymentMethod: { type: "CARD", token: result.token } });
    assert.equal(payment.status, "SUCCEEDED");
    await until("the code is asked for again, the rest is kept", async () => (await visit.field("cvc").inputValue()) === "");
    assert.match(await visit.field("cardnumber").inputValue(), /4444$/);
    assert.equal(visit.page.url().includes("/orders"), false, "the merchant's form is not posted by itself");
  });

  test("every accepted brand is charged, one after the other in Elements", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    let calls = 0;
    for (const [brand, number] of Object.entries(ACCEPTED)) {
      await visit.fill(number);
      await visit.page.locator("#buy").click();
      calls += 1;
      const seen = await until(`${brand} is tokenised`, async () => {
        const all = await visit.seen("onPaymentRequest");
        return all.length >= calls && all;
      });
      const { token } = seen[calls - 1].values[0];
      const payment = await world.service.authorise({ amount: 100 + calls, currencyCode: "EUR", paymentMethod: { type: "CARD", token } });
      assert.equal(payment.status, "SUCCEEDED", brand);
    }
  });

  test("each decline is said in the customer's words, and another card pays after them", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const panel = visit.part("Error");
    const texts = [];
    for (const [code, number] of Object.entries(DECLINED)) {
      await visit.pay(number);
      await panel.getByText(WORDS[code]).first().waitFor();
      texts.push(await panel.innerText());
      assert.equal(await visit.field("cvc").inputValue(), "", `${code}: the security code is cleared`);
      assert.notEqual(await visit.field("ccname").inputValue(), "", `${code}: the rest of the form is kept`);
    }
    for (const text of texts) assert.ok(!text.includes("_") && !text.includes("error."), `words, not a code: ${text}`);
    assert.equal(new Set(texts).size, texts.length, "each has words of its own");
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("a technical failure says that nothing was charged", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(FAILED);
    await visit.part("Error").getByText(/not (been )?charged|nothing was charged|no money/i).waitFor();
  });

  test("a payment that is held for review is no failure, and its end is reported", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(HELD);
    const { id } = await visit.paid();
    assert.notEqual((await world.service.payment(id)).status, "FAILED");
    assert.equal((await visit.seen("onPaymentComplete")).length, 1);
  });

  test("a card is saved only with the customer's consent, and listed at the next visit", async (t) => {
    const { id } = await world.service.customer([]);
    for (const consent of [false, true]) {
      const visit = await world.visit(t);
      const { token } = await world.service.clientToken({ customerId: id, amount: 700, currency: "EUR" });
      await visit.open({ amount: 700, token, more: { customerId: id, allowSaveCard: true } });
      assert.equal(await visit.field("save").isChecked(), false, "never ticked by us");
      assert.equal(await visit.part("SavedCards").isVisible(), false);
      await visit.fill(VISA);
      if (consent) await visit.form.locator("label[for=save]").click();
      await visit.payButton.click();
      await visit.paid();
      await visit.end();
    }
    const again = await world.visit(t);
    const { token } = await world.service.clientToken({ customerId: id, amount: 700, currency: "EUR" });
    await again.open({ amount: 700, token, more: { customerId: id }, waits: false });
    await again.part("SavedCards").getByText(/4242/).waitFor();
    assert.equal(await again.part("SavedCards").getByText(/4242/).count(), 1);
  });

  test("a saved card pays without its number, with the code where the merchant asks for it", async (t) => {
    const stored = { number: MASTERCARD, expMonth: 12, expYear: 2040, cvc: "123", name: "Ada Lovelace" };
    const { id } = await world.service.customer([stored]);
    for (const isSavedCardCvcRequired of [false, true]) {
      const visit = await world.visit(t);
      const { token } = await world.service.clientToken({ customerId: id, amount: 900, currency: "EUR" });
      await visit.open({ amount: 900, token, more: { customerId: id, isSavedCardCvcRequired }, waits: false });
      await visit.part("SavedCards").getByText(/4444/).click();
      assert.equal(await visit.field("cardnumber").isVisible(), false);
      assert.equal(await visit.field("cvc").isVisible(), isSavedCardCvcRequired);
      if (isSavedCardCvcRequired) await visit.field("cvc").fill("737");
      await visit.payButton.click();
      const { id: payment } = await visit.paid();
      assert.equal((await world.service.charges(payment)).length, 1);
      await visit.end();
    }
  });

  for (const [currencyCode, amount, text] of [["JPY", 1500, /¥1,500|1,500/], ["EUR", 1, /€0\.01/], ["KWD", 1234, /1\.234/], ["HUF", 12345, /123\.45/]]) {
    test(`${currencyCode} is shown with its decimals`, async (t) => {
      const visit = await world.visit(t);
      await visit.open({ amount, currencyCode });
      assert.match(await visit.payButton.innerText(), text);
      await visit.pay(VISA);
      const { id } = await visit.paid();
      assert.deepEqual((await world.service.payment(id)).amount, { rawAmount: amount, currency: currencyCode });
    });
  }

  test("the label of the button is the merchant's, with the amount", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { payButton: "Order for {amount}" } });
    assert.match(await visit.payButton.innerText(), /Order for €50\.99/);
  });

  test("an intent's checkout is paid, and the intent knows its payment", async (t) => {
    const visit = await world.visit(t);
    const intentId = await world.service.intent(6400, "EUR");
    const { token } = await world.service.clientToken({ intentId });
    await visit.open({ amount: 6400, token, more: { intentId } });
    await visit.pay(VISA);
    const { id } = await visit.paid();
    const { getIntent } = await world.service.graphql(`query($id: ID!) { getIntent(id: $id) { linkedPayments { paymentId status } } }`, { id: intentId });
    assert.deepEqual(getIntent.linkedPayments.map(({ paymentId }) => paymentId.replace("payments:", "")), [id.replace("payments:", "")]);
  });

  test("what is typed is kept when the merchant updates the amount", async (t) => {
    const visit = await world.visit(t);
    const intentId = await world.service.intent(5099, "EUR");
    const { token } = await world.service.clientToken({ intentId });
    await visit.open({ token, more: { intentId } });
    await visit.fill(VISA);
    await world.service.setAmount(intentId, 6099, "EUR");
    await visit.page.evaluate(() => window.instance.update({ amount: 6099 }));
    await visit.payButton.getByText("€60.99").waitFor();
    assert.match(await visit.field("cardnumber").inputValue(), /^4242 4242/);
    await visit.payButton.click();
    const { id } = await visit.paid();
    assert.equal((await world.service.payment(id)).amount.rawAmount, 6099);
  });

  test("the merchant hears whether the form is complete, and the brand, but no digit", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.fill(VISA);
    const last = await until("the form is complete", async () => (await visit.seen("onChange")).findLast((one) => one.values[0].isComplete));
    assert.match(last.values[0].value.cardBrand, /visa/i);
    assert.ok(!/\d{4}/.test(JSON.stringify(await visit.seen("onChange"), (key, value) => (key === "at" ? undefined : value)).replace(/D02 X285/g, "")), "no digits");
    assert.equal(card(VISA).cardnumber, VISA);
  });
});
