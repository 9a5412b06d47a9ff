/** Keyboard alone, and what a screen reader is given; axe in every state. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HELD, INSUFFICIENT_FUNDS, MASTERCARD, THREE_D_SECURE, UNKNOWN_CHARGED, VISA, card } from "../support/cards.mjs";
import { assertAccessible } from "../support/checks.mjs";
import { until } from "../support/wait.mjs";
import { walletA, walletB, walletButton } from "../support/wallets.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/**
 * What has the focus: of the frame, else of the page. The frame has a process of its own: for a moment the page says that the frame has
 * the focus, and in the frame nothing has it yet.
 */
async function focused(visit) {
  return await until("something has the focus", async () => {
    const inPage = await visit.page.evaluate(() => document.activeElement?.localName ?? "");
    if (inPage !== "iframe" && !visit.isHosted) return inPage;
    return await visit.formFrame().evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body) return null;
      return at.name || at.dataset.part || at.localName;
    });
  });
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
  "asked whether to stop paying": async (visit) => {
    await STATES["at the bank"](visit);
    await visit.dialog.getByRole("button", { name: "Close" }).click();
    await visit.dialog.getByRole("button", { name: "Go on" }).waitFor();
  },
  "waiting for a window of the bank": async (visit) => {
    await visit.form.locator('input[name=method][value="BNPLA"]').check({ force: true });
    const opened = visit.context.waitForEvent("page");
    await visit.payButton.click();
    await (await opened).close();
    await visit.form.getByRole("button", { name: "I have stopped" }).waitFor();
  },
  "another way to pay": async (visit) => {
    await visit.form.locator('input[name=method][value="BNPLA"]').check({ force: true });
    await visit.field("cardnumber").waitFor({ state: "hidden" });
  },
  "paying, slowly": async (visit) => {
    await visit.context.route(`${world.service.url}/api/graphql`, () => {});
    await visit.pay(VISA);
    await visit.form.getByText(/taking a moment/i).first().waitFor();
  },
  "no connection": async (visit) => {
    await visit.context.setOffline(true);
    await visit.pay(VISA);
    await visit.form.getByText(/still trying/i).first().waitFor();
  },
  "outcome unknown": async (visit) => {
    await visit.pay(UNKNOWN_CHARGED);
    await visit.form.getByText(/asking your bank/i).first().waitFor();
  },
  "held for review": async (visit) => {
    await visit.pay(HELD);
    await visit.form.getByText(/being checked/i).first().waitFor();
  },
  "the checkout has ended": async (visit) => {
    await world.service.graphql(`mutation($id: ID!) { revokeClientToken(id: $id) }`, { id: visit.tokenId });
    await visit.pay(VISA);
    await visit.form.getByText(/has ended/i).first().waitFor();
  },
  "saved cards": async (visit) => {
    await visit.part("SavedCards").getByText(/4444/).waitFor();
  },
  "a saved card's code is wrong": async (visit) => {
    await visit.form.getByLabel(/Mastercard ending/).check({ force: true });
    await visit.payButton.click();
    await visit.form.locator("#error-cvc").getByText(/./).waitFor();
  },
  "wallets": async (visit) => {
    await walletButton(visit, "B").waitFor();
  },
  "a wallet's sheet": async (visit) => {
    await walletButton(visit, "B").click();
    await visit.dialog.waitFor();
  },
};

/** What the page has in some states. */
const OPTIONS = {
  "saved cards": { customer: true },
  "a saved card's code is wrong": { customer: true },
  "wallets": { methods: [walletA(), walletB()] },
  "a wallet's sheet": { methods: [walletA(), walletB()] },
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

  for (const surface of ["checkout", "hosted"]) {
    test(`${surface}: what is wrong, and what is refused, is brought into view with its label`, async (t) => {
      const visit = await world.visit(t, { viewport: { width: 390, height: 420 } });
      const body = '<div id="above"></div>';
      world.shop.show("/long.css", "#above { height: 700px } #checkout { margin-bottom: 700px }", { "content-type": "text/css" });
      if (surface === "hosted") await visit.hosted();
      else await visit.open({ body, head: '<link rel="stylesheet" href="/long.css">' });
      const isSeen = async (part) => {
        const { height, y } = await visit.form.locator(part).boundingBox();
        return y >= 0 && y + height <= 420;
      };
      await visit.fill(INSUFFICIENT_FUNDS, { cardnumber: "4242" });
      await visit.payButton.scrollIntoViewIfNeeded();
      assert.equal(await isSeen("label[for=cardnumber]"), false, "it is out of sight before");
      await visit.payButton.click();
      for (const part of ["label[for=cardnumber]", "#cardnumber", "#error-cardnumber"]) await until(`${part} is seen`, () => isSeen(part));
      await visit.pay(INSUFFICIENT_FUNDS);
      await visit.part("Error").getByText(/funds/i).waitFor();
      await until("the refusal is seen", () => isSeen("[data-part=Error]"));
      await visit.pay(VISA);
      await visit.part("Status").getByText(/50\.99/).first().waitFor();
      await until("the outcome is seen", () => isSeen("[data-part=Status] h2"));
    });
  }

  test("what is refused is in view, also where the button was at the lower edge", async (t) => {
    const visit = await world.visit(t, { viewport: { width: 390, height: 844 } });
    await visit.open({ more: { layout: "compact" } });
    await visit.fill(INSUFFICIENT_FUNDS);
    const { height, y } = await visit.payButton.boundingBox();
    await visit.page.setViewportSize({ height: Math.round(y + height + 4), width: 390 });
    await visit.payButton.click();
    await visit.part("Error").getByText(/funds/i).waitFor();
    await until("all of it is seen", async () => {
      const panel = await visit.part("Error").boundingBox();
      return panel.y >= 0 && panel.y + panel.height <= y + height + 4;
    });
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
        const { customer, methods = [] } = OPTIONS[state] ?? {};
        const card = { number: MASTERCARD, expMonth: 12, expYear: 2040, cvc: "123", name: "Ada Lovelace" };
        const given = customer ? { customerId: (await world.service.customer([card])).id } : {};
        const { id, token } = await world.service.clientToken({ ...given, amount: 5099, currency: "EUR" });
        visit.tokenId = id;
        await visit.open({
          head: '<link rel="stylesheet" href="/schemes.css">', token, waits: !customer,
          more: { ...given, isSavedCardCvcRequired: true, allowSaveCard: true, alternativePaymentMethods: [{ type: "bnpla" }, ...methods] },
        });
        await enter(visit);
        await assertAccessible(visit.page.frames(), `${state}, ${colorScheme}`);
        await visit.context.unrouteAll({ behavior: "ignoreErrors" });
      });
    }
  }
});
