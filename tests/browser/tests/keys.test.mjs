/** Keyboard alone, and what a screen reader is given; axe in every state. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INSUFFICIENT_FUNDS, THREE_D_SECURE, VISA, card } from "../support/cards.mjs";
import { assertAccessible } from "../support/checks.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** What has the focus: of the frame, else of the page. */
async function focused(visit) {
  const inPage = await visit.page.evaluate(() => document.activeElement?.localName ?? "");
  if (inPage !== "iframe" && !visit.isHosted) return inPage;
  return await visit.formFrame().evaluate(() => { const at = document.activeElement; return at?.name || at?.dataset.part || at?.localName || ""; });
}

/** Brings the page into a state, by what a customer does. */
const STATES = {
  "empty": async () => {},
  "wrong fields": async (visit) => {
    await visit.payButton.click();
    await visit.form.locator("#error-cardnumber").getByText(/./).waitFor();
  },
  "filled": (visit) => visit.fill(VISA),
  "declined": async (visit) => {
    await visit.pay(INSUFFICIENT_FUNDS);
    await visit.part("Error").getByText(/funds/i).waitFor();
  },
  "paid": async (visit) => {
    await visit.pay(VISA);
    await visit.paid();
  },
  "at the bank": async (visit) => {
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await visit.dialog.waitFor();
  },
};

describe("keys and readers", { concurrency: 2 }, () => {
  test("a payment by the keyboard alone, in the order of reading", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const values = card(VISA, { "cc-exp": "1240" });
    const order = [];
    await visit.page.keyboard.press("Tab");
    for (let count = 0; count < 12; count += 1) {
      const at = await focused(visit);
      order.push(at);
      if (at === "PayButton") break;
      if (at === "country") await visit.page.keyboard.type("Ireland");
      else if (values[at]) await visit.page.keyboard.type(values[at]);
      await visit.page.keyboard.press("Tab");
    }
    assert.deepEqual(order.filter((name) => name !== "method"), ["cardnumber", "cc-exp", "cvc", "ccname", "country", "zip", "PayButton"]);
    await visit.page.keyboard.press("Enter");
    await visit.paid();
  });

  test("Enter in a field pays, also in Elements, where the merchant's form is submitted", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    await visit.fill(VISA);
    await visit.field("cvc").press("Enter");
    const [{ token }] = await visit.called("onPaymentRequest");
    assert.ok(token);
  });

  test("in the dialog the focus is kept, Escape asks, and afterwards the focus is back in the form", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await visit.dialog.getByRole("button", { name: "Close" }).focus();
    await visit.page.keyboard.press("Escape");
    await visit.dialog.getByRole("button", { name: "Go on" }).waitFor();
    const stays = await visit.page.evaluate(() => document.activeElement?.shadowRoot !== null);
    assert.ok(stays, "the focus is inside");
    await visit.dialog.getByRole("button", { name: "Stop paying" }).click();
    await visit.dialog.waitFor({ state: "detached" });
    await until("the form can be used", async () => await visit.payButton.isEnabled());
  });

  test("a screen reader is given the form as it is written", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    const snapshot = await visit.form.locator("body").ariaSnapshot();
    for (const expected of [/textbox "Card number"/, /textbox "Expiry date"/, /textbox "Security code"/, /textbox "Name on card"/, /combobox "Country"/, /textbox "Postal code"/, /group "Billing address"/]) {
      assert.match(snapshot, expected);
    }
  });

  test("live regions stand from the first paint, and say the brand, the mistakes and the end", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const html = await (await fetch(`${world.service.url}/sdk/v1/frame/checkout?origin=${encodeURIComponent(world.shop.origin)}`)).text();
    assert.match(html, /id="pm-live"[^>]*aria-live="polite"/);
    await visit.field("cardnumber").pressSequentially("42424242");
    await visit.form.locator("#pm-live").getByText(/visa/i).waitFor({ state: "attached" });
    await visit.pay(INSUFFICIENT_FUNDS);
    await visit.part("Error").getByText(/funds/i).waitFor();
    const said = await visit.form.locator("#pm-alert, [role=alert], [aria-live=assertive]").allInnerTexts();
    const focus = await focused(visit);
    assert.ok(said.some((text) => /funds/i.test(text)) || focus === "Error", `said: ${said}; focus: ${focus}`);
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const [state, enter] of Object.entries(STATES)) {
      test(`axe finds nothing: ${state}, ${colorScheme}`, async (t) => {
        const visit = await world.visit(t, { colorScheme });
        world.shop.show("/schemes.css", ":root { color-scheme: light dark }", { "content-type": "text/css" });
        await visit.open({ head: '<link rel="stylesheet" href="/schemes.css">', more: { allowSaveCard: true, alternativePaymentMethods: [{ type: "bnpla" }] } });
        await enter(visit);
        await assertAccessible(visit.page.frames(), `${state}, ${colorScheme}`);
      });
    }
  }
});
