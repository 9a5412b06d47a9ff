/** The hosted page in the customer's language from the first byte: nothing moves when the script comes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertAccessible } from "../support/checks.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** Counts layout shifts from the first paint on. */
function countShifts() {
  window.shift = 0;
  const add = (list) => { for (const entry of list.getEntries()) window.shift += entry.value; };
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}

const METHODS = JSON.stringify([{ type: "klarna" }, { type: "paypal" }]);
const WORDS = { de: "Kartennummer", en: "Card number", es: "Número de tarjeta", fr: "Numéro de carte", nl: "Kaartnummer", pt: "Número do cartão" };

describe("hosted page, languages", { concurrency: 2 }, () => {
  for (const [language, label] of Object.entries(WORDS)) {
    test(`${language}: nothing moves, with other methods too`, async (t) => {
      const visit = await world.visit(t, { locale: "en-GB", viewport: { width: 390, height: 900 } });
      await visit.context.addInitScript(countShifts);
      const more = { alternativePaymentMethods: METHODS, language, orderId: "a", payButton: "" };
      const answer = await visit.hosted(more, { waits: false });
      const html = await answer.text();
      assert.ok(html.includes(`>${label}<`), html);
      await visit.typable();
      await visit.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
      assert.equal(await visit.page.evaluate(() => window.shift), 0);
      assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), label);
      assert.equal(await visit.form.locator("input[name=method]").count(), 3);
    });
  }

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
