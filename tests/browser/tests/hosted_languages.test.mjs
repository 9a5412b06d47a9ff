/** The hosted page in the customer's language from the first byte: nothing moves when the script comes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AMEX, VISA } from "../support/cards.mjs";
import { assertAccessible, assertValid } from "../support/checks.mjs";
import { startSlowLine } from "../support/slowly.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** Notes layout shifts from the first paint on: what moved, from where to where. */
function noteShifts() {
  window.shifts = [];
  const place = ({ x, y, width, height }) => `${width}x${height}+${x}+${y}`;
  const named = ({ node, previousRect, currentRect }) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    return `<${element?.localName ?? "removed"} ${element?.dataset?.part ?? element?.id ?? ""}> ${place(previousRect)} to ${place(currentRect)}`;
  };
  const add = (list) => { for (const { sources, value } of list.getEntries()) window.shifts.push(`${value}: ${sources.map(named).join(", ")}`); };
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}

const METHODS = JSON.stringify([{ type: "klarna" }, { type: "paypal" }]);
const WORDS = { de: "Kartennummer", en: "Card number", es: "Número de tarjeta", fr: "Numéro de carte", nl: "Kaartnummer", pt: "Número do cartão" };

describe("hosted page, languages", { concurrency: 2 }, () => {
  for (const [language, label] of Object.entries(WORDS)) {
    test(`${language}: nothing moves, with other methods too`, async (t) => {
      const visit = await world.visit(t, { locale: "en-GB", viewport: { width: 390, height: 900 } });
      await visit.context.addInitScript(noteShifts);
      const more = { alternativePaymentMethods: METHODS, language, orderId: "a", payButton: "" };
      const answer = await visit.hosted(more, { waits: false });
      const html = await answer.text();
      assert.ok(html.includes(`>${label}<`), html);
      await visit.typable();
      await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
      assert.deepEqual(await visit.page.evaluate(() => window.shifts), []);
      assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), label);
      assert.equal(await visit.form.locator("input[name=method]").count(), 3);
    });
  }

  test("with a theme nothing moves either", async (t) => {
    const visit = await world.visit(t, { viewport: { width: 390, height: 900 } });
    await visit.context.addInitScript(noteShifts);
    const theme = { backgroundColor: "rgb(255, 250, 240)", fontFamily: "monospace", fontSize: { primary: "20px", secondary: "18px" }, lineHeight: "2" };
    await visit.hosted({ alternativePaymentMethods: METHODS, theme: JSON.stringify(theme) });
    await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    assert.equal(await visit.field("cardnumber").evaluate((field) => getComputedStyle(field).fontSize), "20px");
    assert.deepEqual(await visit.page.evaluate(() => window.shifts), []);
    const without = await world.visit(t, { javaScriptEnabled: false });
    await without.hosted({ theme: JSON.stringify(theme) }, { waits: false });
    await without.page.getByText(/JavaScript/).first().waitFor();
  });

  for (const width of [320, 390, 1280]) {
    test(`nothing moves while the document comes, ${width} px`, async (t) => {
      const line = await startSlowLine(/<\/(option|select|a|p|span|h1|header|div|svg|section|dt|dd)>/g, 40);
      t.after(line.end);
      const visit = await world.visit(t, { proxy: line.proxy, viewport: { width, height: 900 } });
      await visit.context.addInitScript(noteShifts);
      const intentId = await world.service.intent(5099, "EUR", { items: [{ quantity: 1, title: "House blend", lineTotal: 5099 }] });
      const open = [
        () => visit.hosted({ alternativePaymentMethods: METHODS, intentId }),
        async () => visit.follow(await world.service.paymentLink({ description: "House blend", returnUrl: `${world.shop.origin}/` })),
      ];
      for (const openPage of open) {
        await openPage();
        await visit.typable();
        await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        assert.deepEqual(await visit.page.evaluate(() => window.shifts), []);
        assert.ok(await visit.page.evaluate(() => performance.getEntriesByType("navigation")[0].responseEnd) > 500, "the document came slowly");
      }
    });
  }

  for (const isSavedCardCvcRequired of [false, true]) {
    for (const width of [320, 1280]) {
      test(`saved cards are there from the start${isSavedCardCvcRequired ? ", with the code" : ""}, ${width} px: nothing moves`, async (t) => {
        const cards = [{ number: VISA, expMonth: 12, expYear: 2040, cvc: "123", name: "Ada Lovelace" }, { number: AMEX, expMonth: 1, expYear: 2039, cvc: "1234", name: "Ada Lovelace" }];
        const { id, tokens } = await world.service.customer(cards);
        await world.service.graphql(`mutation($token: String!) { updateDefaultPaymentMethod(token: $token) }`, { token: tokens[1] });
        const { token } = await world.service.clientToken({ customerId: id, amount: 5099, currency: "EUR" });
        const visit = await world.visit(t, { viewport: { width, height: 900 } });
        await visit.context.addInitScript(noteShifts);
        const more = { allowSaveCard: "true", customerId: id, ...(isSavedCardCvcRequired ? { isSavedCardCvcRequired: "true" } : {}), orderId: `saved-${width}-${isSavedCardCvcRequired}` };
        const answer = await visit.hosted(more, { token, waits: false });
        const html = await answer.text();
        assert.ok(html.includes("American Express •••• 0005") && html.includes("Visa •••• 4242"), html);
        await assertValid(html, "hosted page with saved cards");
        await visit.form.locator("#pm-fields:enabled").waitFor();
        await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        assert.deepEqual(await visit.page.evaluate(() => window.shifts), []);
        assert.equal(await visit.form.locator(".SavedCard").count(), 3, "none is there twice");
        assert.ok(await visit.form.getByLabel(/American Express/).isChecked(), "the default one is chosen");
        assert.equal(await visit.field("cardnumber").isVisible(), false);
        assert.equal(await visit.field("cvc").isVisible(), isSavedCardCvcRequired);
        assert.deepEqual(visit.requests.filter(({ body }) => body.includes("getPaymentMethods")), [], "nobody asks for them again");
        if (isSavedCardCvcRequired) await visit.field("cvc").fill("1234");
        await visit.field("language").selectOption("de");
        await visit.form.getByText("Andere Karte verwenden").waitFor();
        await visit.payButton.click();
        await visit.part("Status").getByText(/50[.,]99/).first().waitFor();
        const paid = (await world.service.payments()).filter(({ orderId }) => orderId === more.orderId);
        assert.deepEqual(paid.map(({ status }) => status), ["SUCCEEDED"]);
      });
    }
  }

  test("another customer's cards are on no page", async (t) => {
    const card = { number: VISA, expMonth: 12, expYear: 2040, cvc: "123", name: "Ada Lovelace" };
    const [mine, other] = [await world.service.customer([card]), await world.service.customer([card])];
    const visit = await world.visit(t);
    for (const [given, customerId] of [[{ customerId: mine.id }, other.id], [{}, other.id], [{ customerId: mine.id }, "customers:invented"]]) {
      const { token } = await world.service.clientToken({ ...given, amount: 5099, currency: "EUR" });
      const answer = await visit.hosted({ customerId }, { token });
      assert.doesNotMatch(await answer.text(), /4242/, customerId);
      assert.equal(await visit.part("SavedCards").isVisible(), false);
      await visit.page.close();
    }
  });

  test("without a parameter it is the browser's language, also for the pages in place of the form", async (t) => {
    const visit = await world.visit(t, { locale: "de-AT" });
    await visit.hosted();
    assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), "Kartennummer");
    assert.equal(await visit.page.locator("#language").inputValue(), "de");
    await visit.hosted({ amount: undefined }, { waits: false });
    await visit.page.getByRole("heading", { name: "Diese Seite kann nicht angezeigt werden" }).waitFor();
    await visit.page.getByText("amount is missing.").waitFor();
    await assertAccessible([visit.page.mainFrame()], "an address that is not complete, in German");
    const unknown = await visit.page.goto(`${world.service.url}/pay/invented?language=fr`);
    assert.equal(unknown.status(), 404);
    assert.equal(await visit.page.locator("html").getAttribute("lang"), "fr");
  });
});
