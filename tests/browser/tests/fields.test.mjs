/** The fields: what may be typed, pasted, deleted and filled in by the browser, and what is said when it is wrong. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ACCEPTED, AMEX, VISA, card } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** What is put into a field, and what stands there then. */
const NUMBERS = [
  ["4242424242424242", "4242 4242 4242 4242"],
  ["4242 4242 4242 4242", "4242 4242 4242 4242"],
  ["4242-4242-4242-4242", "4242 4242 4242 4242"],
  ["  4242.4242.4242.4242  ", "4242 4242 4242 4242"],
  ["4242\u00a04242\u00a04242\u00a04242", "4242 4242 4242 4242"],
  ["４２４２４２４２４２４２４２４２", "4242 4242 4242 4242"],
  ["٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242 4242 4242 4242"],
  ["۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲", "4242 4242 4242 4242"],
  ["378282246310005", "3782 822463 10005"],
  ["3782 8224 6310 005", "3782 822463 10005"],
  ["36227206271667", "3622 720627 1667"],
  ["5555555555554444", "5555 5555 5555 4444"],
  ["6200000000000005", "6200 0000 0000 0005"],
  ["4242", "4242"],
  ["42424", "4242 4"],
  // Letters stay, so that a mistake is seen.
  ["abcd", "abcd"],
  ["", ""],
];

const EXPIRIES = [
  ["1240", "12 / 40"],
  ["12/40", "12 / 40"],
  ["12 / 40", "12 / 40"],
  ["12-40", "12 / 40"],
  ["12.40", "12 / 40"],
  ["12/2040", "12 / 40"],
  ["122040", "12 / 40"],
  ["2040-12", "12 / 40"],
  ["2040/12", "12 / 40"],
  ["1 / 40", "01 / 40"],
  ["1/40", "01 / 40"],
  ["01/2040", "01 / 40"],
  ["１２／４０", "12 / 40"],
  ["١٢٤٠", "12 / 40"],
  ["", ""],
];

/** A wrong value, and what the customer reads. */
const ERRORS = [
  ["cardnumber", "", /enter the card number/i],
  ["cardnumber", "4242", /too short/i],
  ["cardnumber", "4242424242424241", /not a valid/i],
  ["cc-exp", "", /enter the expiry/i],
  ["cc-exp", "1340", /month|enter month/i],
  ["cc-exp", "0120", /expired/i],
  ["cc-exp", "12", /month and year|enter month/i],
  ["cvc", "", /enter the security code/i],
  ["cvc", "12", /too short/i],
  ["ccname", "", /enter the name/i],
  ["ccname", "4242424242424242", /name as it stands|name/i],
  ["zip", "", /enter the postal code/i],
];

/** Puts a text into a field the way a paste does. */
async function paste(field, text) {
  await field.focus();
  await field.evaluate((element, value) => {
    element.select();
    const data = new DataTransfer();
    data.setData("text/plain", value);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    if (element.dispatchEvent(event)) document.execCommand("insertText", false, value) || (element.value = value);
  }, text);
}

describe("fields", { concurrency: 2 }, () => {
  test("numbers are grouped by brand, however they are pasted", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const [pasted, shown] of NUMBERS) {
      await visit.field("cardnumber").fill("");
      if (pasted !== "") await paste(visit.field("cardnumber"), pasted);
      assert.equal(await visit.field("cardnumber").inputValue(), shown, JSON.stringify(pasted));
    }
  });

  test("expiry dates are understood in every common form", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const [pasted, shown] of EXPIRIES) {
      await visit.field("cc-exp").fill("");
      if (pasted !== "") await paste(visit.field("cc-exp"), pasted);
      await visit.field("cc-exp").blur();
      assert.equal(await visit.field("cc-exp").inputValue(), shown, JSON.stringify(pasted));
    }
  });

  test("typing key by key groups as it goes, and no key is lost", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const number of [VISA, AMEX]) {
      await visit.field("cardnumber").fill("");
      await visit.field("cardnumber").pressSequentially(number);
      assert.equal((await visit.field("cardnumber").inputValue()).replaceAll(" ", ""), number);
    }
    await visit.field("cc-exp").pressSequentially("1240");
    assert.equal(await visit.field("cc-exp").inputValue(), "12 / 40");
    await visit.field("cvc").pressSequentially("12345");
    assert.ok((await visit.field("cvc").inputValue()).startsWith("123"));
  });

  test("the caret stays where the customer types, in the middle too", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const field = visit.field("cardnumber");
    await field.pressSequentially("424242424242");
    // Behind the fifth digit.
    await field.evaluate((element) => element.setSelectionRange(6, 6));
    await field.pressSequentially("99");
    assert.equal(await field.inputValue(), "4242 4992 4242 42");
    assert.equal(await field.evaluate((element) => element.selectionStart), 8);
    await field.press("Backspace");
    await field.press("Backspace");
    assert.equal(await field.inputValue(), "4242 4242 4242");
    await field.evaluate((element) => element.setSelectionRange(5, 5));
    await field.press("Backspace");
    assert.equal((await field.inputValue()).replaceAll(" ", ""), "42442424242", "a deletion over a gap takes the digit before it");
    await field.press("Delete");
    assert.equal((await field.inputValue()).replaceAll(" ", "").length, 10);
  });

  test("deleting everything by the key works from any place", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const [name, value] of [["cardnumber", VISA], ["cc-exp", "1240"]]) {
      await visit.field(name).pressSequentially(value);
      for (let count = 0; count < 24; count += 1) await visit.field(name).press("Backspace");
      assert.equal(await visit.field(name).inputValue(), "", name);
    }
  });

  test("each brand is known and shown", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const [brand, number] of Object.entries(ACCEPTED)) {
      await visit.field("cardnumber").fill(number);
      const expected = brand === "American Express" ? "amex" : brand.replace(" Debit", "").toLowerCase();
      await until(`${brand} is known`, async () => {
        const changes = await visit.seen("onChange");
        const known = (changes.at(-1)?.values[0].value.cardBrand ?? "").replace(/[^a-z]/gi, "").toLowerCase();
        return known === expected;
      });
      assert.notEqual(await visit.part("Brand").evaluate((element) => element.childElementCount + element.textContent.length + getComputedStyle(element).backgroundImage.length), 0);
    }
  });

  test("what the browser fills in at once is taken, by change events alone", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const values = card(VISA, { "cc-exp": "12/2040" });
    await visit.formFrame().evaluate((all) => {
      for (const [name, value] of Object.entries(all)) document.querySelector(`[name="${name}"]`).value = value;
      for (const name of Object.keys(all)) document.querySelector(`[name="${name}"]`).dispatchEvent(new Event("change", { bubbles: true }));
    }, values);
    await visit.payButton.click();
    await visit.paid();
  });

  test("what browsers need for filling in: one form, tokens of autofill, right keyboards, no maxlength", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    const fields = await visit.formFrame().evaluate(() => [...document.querySelectorAll("#pm-form input, #pm-form select")].map(({ name, autocomplete, inputMode, maxLength, type, form }) => ({ name, autocomplete, inputMode, maxLength, type, form: form?.id })));
    const tokens = Object.fromEntries(fields.map(({ name, autocomplete }) => [name, autocomplete]));
    for (const [name, token] of [["cardnumber", "cc-number"], ["cc-exp", "cc-exp"], ["cvc", "cc-csc"], ["ccname", "cc-name"], ["country", "country"], ["zip", "postal-code"]]) assert.equal(tokens[name], token);
    assert.ok(fields.every(({ form }) => form === "pm-form"));
    assert.ok(fields.every(({ maxLength }) => maxLength === undefined || maxLength < 0), "maxlength cuts what is filled in");
    for (const name of ["cardnumber", "cc-exp", "cvc"]) assert.equal(fields.find((field) => field.name === name).inputMode, "numeric");
  });

  test("each mistake is shown at its field and tied to it", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    for (const [name, value, words] of ERRORS) {
      // Germany has postal codes; Ireland's are optional.
      await visit.fill(VISA, { country: "DEU", zip: "10115", [name]: value });
      await visit.field(name).fill(value);
      await visit.payButton.click();
      const error = visit.form.locator(`#error-${name}`);
      await error.getByText(words).waitFor();
      assert.equal(await visit.field(name).getAttribute("aria-invalid"), "true", `${name}=${value}`);
      assert.ok((await visit.field(name).getAttribute("aria-describedby")).split(" ").includes(`error-${name}`));
      assert.equal(await visit.form.locator("[aria-invalid=true]").count(), 1, `${name} alone is wrong`);
      assert.equal(await visit.formFrame().evaluate(() => document.activeElement.name), name, "the focus is on the first wrong field");
    }
    assert.equal((await visit.seen("onPaymentComplete")).length, 0);
  });

  test("nothing is wrong while it is typed; when it is left it is said; when it is right it is gone", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.field("cardnumber").pressSequentially("4242");
    assert.equal(await visit.form.locator("[aria-invalid=true]").count(), 0);
    await visit.field("cardnumber").blur();
    await visit.form.locator("#error-cardnumber").getByText(/too short/i).waitFor();
    await visit.field("cardnumber").fill(VISA);
    await until("the error is gone", async () => (await visit.form.locator("#error-cardnumber").innerText()) === "");
    assert.equal(await visit.field("cardnumber").getAttribute("aria-invalid"), null);
  });

  test("the focus never moves by itself", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.field("cardnumber").focus();
    await visit.page.keyboard.type(VISA);
    assert.equal(await visit.formFrame().evaluate(() => document.activeElement.name), "cardnumber");
    await visit.field("cc-exp").focus();
    await visit.page.keyboard.type("1240");
    assert.equal(await visit.formFrame().evaluate(() => document.activeElement.name), "cc-exp");
  });

  test("a card number that is typed into another field never reaches the shop's page", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    await visit.field("country").selectOption("FRA");
    for (const name of ["zip", "ccname"]) await visit.field(name).fill(VISA);
    await visit.field("cvc").fill("737");
    const changes = await until("the change arrives", async () => {
      const seen = await visit.seen("onChange");
      return seen.some(({ values }) => values[0].value.billingAddress?.countryCode === "FRA") && seen;
    });
    const text = JSON.stringify(changes.map(({ values }) => values));
    assert.ok(!text.includes("4242") && !text.includes("737"), text);
    await visit.field("zip").fill("75001");
    await until("a real one does arrive", async () => (await visit.seen("onChange")).some(({ values }) => values[0].value.billingAddress?.postalCode === "75001"));
  });

  test("the postal code is asked for where the country has one", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.field("country").selectOption("DEU");
    assert.ok(await visit.field("zip").isVisible());
    await visit.field("country").selectOption("ARE");
    assert.equal(await visit.field("zip").isVisible(), false);
    await visit.fill(VISA, { country: "ARE", zip: undefined });
    await visit.payButton.click();
    await visit.paid();
  });

  test("countries are the merchant's own list, and the address can be hidden", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { countries: [{ name: "Ireland", code: "IRL" }, { name: "Éire <b>", code: "GBR" }] } });
    assert.deepEqual((await visit.field("country").locator("option:not([value=''])").allInnerTexts()).sort(), ["Ireland", "Éire <b>"]);
    const hidden = await world.visit(t);
    await hidden.open({ more: { hideBillingAddress: true } });
    assert.equal(await hidden.field("country").isVisible(), false);
    await hidden.pay(VISA);
    await hidden.paid();
  });

  test("the security code has four digits for American Express", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.fill(AMEX, { cvc: "737" });
    await visit.payButton.click();
    await visit.form.locator("#error-cvc").getByText(/too short/i).waitFor();
    await visit.field("cvc").fill("7373");
    await visit.payButton.click();
    await visit.paid();
  });
});
