/** Languages, themes, widths, schemes: what is seen, measured. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const LANGUAGES = { en: "Card number", fr: "Numéro de carte", de: "Kartennummer", es: "Número de tarjeta", nl: "Kaartnummer", pt: "Número do cartão" };

/** What sticks out of the document to the side, or is cut off. */
const overflow = (frame) => frame.evaluate(() => {
  const width = document.documentElement.clientWidth;
  const out = [...document.querySelectorAll("body *")].filter((element) => {
    const style = getComputedStyle(element);
    if (style.position === "absolute" && element.classList.contains("Hidden")) return false;
    const { left, right, width: own } = element.getBoundingClientRect();
    return own > 0 && (right > width + 1 || left < -1);
  });
  return out.map((element) => `${element.localName}.${element.className}#${element.id}`);
});

/** Targets that are smaller than a finger. */
const smallTargets = (frame) => frame.evaluate(() => [...document.querySelectorAll("input:not([type=radio]):not([type=checkbox]), select, button")]
  .filter((element) => element.offsetHeight > 0 && element.offsetHeight < 44).map((element) => `${element.name || element.dataset.part}: ${element.offsetHeight}`));

describe("looks", { concurrency: 2 }, () => {
  for (const [language, label] of Object.entries(LANGUAGES)) {
    test(`in ${language} everything is in ${language}, and fits`, async (t) => {
      const visit = await world.visit(t, { viewport: { width: 320, height: 700 } });
      await visit.open({ more: { language, allowSaveCard: true, alternativePaymentMethods: [{ type: "bnpla" }] } });
      assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), label);
      const frame = visit.formFrame();
      assert.equal((await frame.evaluate(() => document.documentElement.lang)).split("-")[0], language);
      assert.deepEqual(await overflow(frame), []);
      await visit.payButton.click();
      assert.notEqual(await visit.form.locator("#error-cardnumber").innerText(), "");
      if (language !== "en") {
        const text = await visit.form.locator("body").innerText();
        assert.doesNotMatch(text, /Card number|Expiry date|Security code|Postal code|Enter the|Pay later with/);
      }
      const title = await visit.page.locator("iframe").getAttribute("title");
      assert.ok(title.length > 5);
      if (language !== "en") assert.notEqual(title, "Secure payment form");
    });
  }

  test("texts of the merchant's own replace those of English, flat or nested", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ more: { language: { card: { number: { "aria-label": "Uimhir an chárta" } }, "pay-button.label": "Íoc {amount}" } } });
    assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), "Uimhir an chárta");
    assert.match(await visit.payButton.innerText(), /Íoc €50\.99/);
    assert.equal(await visit.form.locator("label[for=cvc]").innerText(), "Security code");
  });

  for (const width of [320, 800]) {
    test(`a page and a form from right to left, ${width} px: everything fits, digits run from left to right`, async (t) => {
      const visit = await world.visit(t, { viewport: { width, height: 800 } });
      const language = { "language": "ar", "direction": "rtl", "card.number.aria-label": "رقم البطاقة", "pay-button.label": "ادفع {amount}" };
      await visit.open({ dir: "rtl", more: { language, layout: "compact", alternativePaymentMethods: [{ type: "bnpla" }] } });
      const frame = visit.formFrame();
      const direction = await frame.evaluate(() => [document.documentElement.dir, document.documentElement.lang, getComputedStyle(document.querySelector("[name=cardnumber]")).direction]);
      assert.deepEqual(direction, ["rtl", "ar", "ltr"]);
      assert.deepEqual(await overflow(frame), []);
      assert.deepEqual(await overflow(visit.page.mainFrame()), []);
      const box = async (selector) => await visit.form.locator(selector).boundingBox();
      const [label, input] = [await box("label[for=cardnumber]"), await box("[name=cardnumber]")];
      assert.ok(Math.abs(label.x + label.width - (input.x + input.width)) <= 2, "the label begins at the right, above its field");
      const [expiry, code] = [await box("[name=cc-exp]"), await box("[name=cvc]")];
      assert.ok(expiry.x > code.x, "the first field of a row is the right one");
      await visit.pay(THREE_D_SECURE);
      await visit.frameAt("/sandbox/pages/");
      const dialog = await visit.dialog.boundingBox();
      assert.ok(dialog.x >= -1 && dialog.x + dialog.width <= width + 1, JSON.stringify(dialog));
      await visit.answerBank("complete");
      await visit.paid();
      assert.deepEqual(await overflow(frame), []);
    });
  }

  for (const width of [320, 390, 768, 1280]) {
    test(`at ${width} px nothing sticks out, and what is pressed is big enough for a finger`, async (t) => {
      const visit = await world.visit(t, { viewport: { width, height: 800 } });
      await visit.open({ more: { allowSaveCard: true, payButton: "Pay the whole amount of {amount} to the shop with a long name now" } });
      const frame = visit.formFrame();
      assert.deepEqual(await overflow(frame), []);
      assert.deepEqual(await overflow(visit.page.mainFrame()), []);
      assert.deepEqual(await smallTargets(frame), []);
    });
  }

  test("text of twice the size fits", async (t) => {
    const visit = await world.visit(t, { viewport: { width: 390, height: 800 } });
    await visit.open();
    const frame = visit.formFrame();
    await frame.evaluate(() => { document.documentElement.style.setProperty("font-size", "200%"); });
    assert.deepEqual(await overflow(frame), []);
  });

  test("the frame is as high as its content, with errors too, and never scrolls", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.payButton.click();
    await visit.form.locator("#error-zip").getByText(/./).waitFor();
    const frame = visit.formFrame();
    await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight + 1 && document.documentElement.scrollHeight >= innerHeight - 60);
  });

  test("nothing shifts while it loads", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
    });
    // Nobody looks into the frame meanwhile: that would lay it out before its style sheet is there.
    await visit.open({ waits: false });
    await visit.called("onLoaded");
    await visit.typable();
    for (const frame of [visit.formFrame(), visit.page.mainFrame()]) assert.equal(await frame.evaluate(() => window.shift), 0, frame.url());
  });

  for (const surface of ["card", "checkout"]) {
    for (const width of [320, 800]) {
      test(`${surface}, ${width} px: the frame has its height from the start, in every layout`, async (t) => {
        const visit = await world.visit(t, { viewport: { width, height: 900 } });
        const { id } = await world.service.customer([]);
        await visit.open({ surface, token: (await world.service.clientToken({ customerId: id, amount: 5099, currency: "EUR" })).token });
        const wrong = [];
        for (const layout of ["stacked", "compact", "single"]) {
          for (const [hideBillingAddress, allowSaveCard, count] of [[false, false, 0], [true, true, 0], [false, true, 2], [true, false, 1]]) {
            const more = { allowSaveCard, customerId: id, hideBillingAddress, layout, alternativePaymentMethods: [{ type: "bnpla" }, { type: "walletc" }].slice(0, surface === "card" ? 0 : count) };
            const [before, after] = await visit.page.evaluate(async ({ given, name }) => {
              const { options } = JSON.parse(document.querySelector("#options").textContent);
              let loaded;
              const isLoaded = new Promise((done) => { loaded = done; });
              const loading = window.Pointsman[name]("#checkout", { ...options, ...given, onLoaded: loaded });
              const height = () => document.querySelector("#checkout iframe").getBoundingClientRect().height;
              const first = height();
              await loading;
              await isLoaded;
              await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
              return [first, height()];
            }, { given: more, name: surface === "card" ? "loadCheckoutSdkElement" : "loadCheckoutSdkDropIn" });
            if (before !== after) wrong.push(`${JSON.stringify(more)}: ${before}, then ${after}`);
          }
        }
        assert.deepEqual(wrong, []);
      });
    }
  }

  test("in a dark page the form is dark, and light in a light one", async (t) => {
    const ink = async (colorScheme, head) => {
      const visit = await world.visit(t, { colorScheme });
      await visit.open({ head });
      const color = await visit.form.locator("label[for=cardnumber]").evaluate((label) => getComputedStyle(label).color);
      return Math.max(...color.match(/[\d.]+/g).slice(0, 3).map(Number));
    };
    world.shop.show("/dark.css", ":root { color-scheme: dark; background: #101613; color: #fff }", { "content-type": "text/css" });
    world.shop.show("/light.css", ":root { color-scheme: light; background: #fff }", { "content-type": "text/css" });
    assert.ok(await ink("light", '<link rel="stylesheet" href="/dark.css">') > 128, "light ink on dark");
    assert.ok(await ink("dark", '<link rel="stylesheet" href="/light.css">') < 128, "dark ink on light, also where the system is dark");
    assert.ok(await ink("light", '<meta name="color-scheme" content="dark">') > 128, "a page that is dark by a meta element alone");
    assert.ok(await ink("dark", '<meta name="color-scheme" content="light dark">') > 128, "a page that follows the system by a meta element");
    assert.ok(await ink("dark", "") < 128, "a page without a scheme is light, also where the system is dark");
  });

  test("in forced colours borders and the focus stay", async (t) => {
    const visit = await world.visit(t, { forcedColors: "active" });
    await visit.open();
    await visit.field("cardnumber").focus();
    const [border, outline] = await visit.field("cardnumber").evaluate((element) => {
      const all = [element, element.closest(".Input"), element.closest(".Field")].filter(Boolean).map((one) => getComputedStyle(one));
      return [all.some((style) => parseFloat(style.borderBottomWidth) > 0 && style.borderBottomStyle !== "none"), all.some((style) => parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== "none")];
    });
    assert.ok(border, "a border");
    assert.ok(outline, "an outline around what has the focus");
  });

  test("with reduced motion nothing moves", async (t) => {
    const visit = await world.visit(t, { reducedMotion: "reduce" });
    await visit.open();
    await visit.context.route(`${world.service.url}/api/graphql`, () => {});
    await visit.pay(VISA);
    const moving = await visit.formFrame().evaluate(() => document.getAnimations().filter((animation) => animation.playState === "running" && (animation.effect.getComputedTiming().duration ?? 0) > 10).length);
    assert.equal(moving, 0);
    await visit.context.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("every key of a theme shows", async (t) => {
    const visit = await world.visit(t);
    const theme = {
      colors: { primary: "rgb(1, 2, 120)", secondary: "rgb(3, 4, 5)", accent: "rgb(120, 1, 1)", accentContrast: "rgb(250, 251, 252)", border: "rgb(9, 90, 9)", borderFocused: "rgb(10, 10, 200)", error: "rgb(200, 0, 100)" },
      fontFamily: "monospace", fontSize: { primary: "19px", secondary: "13px" }, borderType: "square", backgroundColor: "rgb(255, 250, 240)", textColor: "rgb(20, 20, 21)", lineHeight: "1.7",
      rules: { PayButton: { "letter-spacing": "3px" }, TextField__CardNumber: { "text-indent": "7px" } },
    };
    await visit.open({ more: { theme } });
    const { styles, everything } = await visit.formFrame().evaluate(() => {
      const of = (selector) => ({ ...Object.fromEntries(["color", "backgroundColor", "fontFamily", "fontSize", "lineHeight", "borderRadius", "borderColor", "letterSpacing", "textIndent"].map((name) => [name, getComputedStyle(document.querySelector(selector))[name]])) });
      return {
        styles: { button: of("[data-part=PayButton]"), input: of("[name=cardnumber]"), label: of("label[for=cardnumber]"), body: of("body") },
        everything: JSON.stringify([...document.querySelectorAll("*")].map((element) => { const style = getComputedStyle(element); return [style.color, style.backgroundColor, style.borderColor]; })),
      };
    });
    assert.equal(styles.button.letterSpacing, "3px");
    assert.equal(styles.input.textIndent, "7px");
    assert.equal(styles.input.fontSize, "19px");
    assert.match(styles.input.fontFamily, /monospace/);
    assert.equal(styles.button.borderRadius, "0px");
    for (const colour of ["rgb(9, 90, 9)", "rgb(255, 250, 240)", "rgb(20, 20, 21)"]) assert.ok(everything.includes(colour), colour);
    assert.ok(["rgb(1, 2, 120)", "rgb(120, 1, 1)"].includes(styles.button.backgroundColor), styles.button.backgroundColor);
    await visit.payButton.click();
    await visit.form.locator("#error-cardnumber").getByText(/./).waitFor();
    assert.equal(await visit.form.locator("#error-cardnumber").evaluate((error) => getComputedStyle(error).color), "rgb(200, 0, 100)");
  });

  /** Each key alone: what of the form has which style by it. `focus` before it is looked at. */
  const KEYS = {
    "colors.primary": [{ colors: { primary: "rgb(1, 2, 120)" } }, "[data-part=PayButton]", "backgroundColor", "rgb(1, 2, 120)"],
    "colors.secondary": [{ colors: { secondary: "rgb(3, 4, 5)" } }, ".RedirectNote", "color", "rgb(3, 4, 5)"],
    "colors.accent": [{ colors: { accent: "rgb(120, 1, 1)" } }, "[data-part=PayButton]", "backgroundColor", "rgb(120, 1, 1)"],
    "colors.accentContrast": [{ colors: { accentContrast: "rgb(250, 251, 252)" } }, "[data-part=PayButton]", "color", "rgb(250, 251, 252)"],
    "colors.border": [{ colors: { border: "rgb(9, 90, 9)" } }, "#ccname", "borderTopColor", "rgb(9, 90, 9)"],
    "colors.borderFocused": [{ colors: { borderFocused: "rgb(10, 10, 200)" } }, "#ccname", "borderTopColor", "rgb(10, 10, 200)", "#ccname"],
    "colors.error": [{ colors: { error: "rgb(200, 0, 100)" } }, "#error-cardnumber", "color", "rgb(200, 0, 100)"],
    "fontFamily": [{ fontFamily: "Georgia, serif" }, "#ccname", "fontFamily", "Georgia, serif"],
    "fontSize.primary": [{ fontSize: { primary: "19px" } }, "#ccname", "fontSize", "19px"],
    "fontSize.secondary": [{ fontSize: { secondary: "17px" } }, "label[for=ccname]", "fontSize", "17px"],
    "borderType round": [{ borderType: "round" }, "#ccname", "borderTopLeftRadius", "6px"],
    "borderType square": [{ borderType: "square" }, "#ccname", "borderTopLeftRadius", "0px"],
    "borderType bottom": [{ borderType: "bottom" }, "#ccname", "borderWidth", "0px 0px 1px"],
    "borderRadius": [{ borderRadius: "11px" }, "#ccname", "borderTopLeftRadius", "11px"],
    "backgroundColor": [{ backgroundColor: "rgb(255, 250, 240)" }, "body", "backgroundColor", "rgb(255, 250, 240)"],
    "textColor": [{ textColor: "rgb(20, 20, 21)" }, "label[for=ccname]", "color", "rgb(20, 20, 21)"],
    "lineHeight": [{ lineHeight: "2" }, "body", "lineHeight", "32px"],
    "variables": [{ variables: { surface: "rgb(240, 241, 242)" } }, "#ccname", "backgroundColor", "rgb(240, 241, 242)"],
    "rules": [{ rules: { "Label": { "letter-spacing": "2px" } } }, "label[for=ccname]", "letterSpacing", "2px"],
  };
  test("each key of a theme shows by itself, in the place of another theme's", async (t) => {
    const visit = await world.visit(t, { reducedMotion: "reduce" });
    await visit.open({ more: { alternativePaymentMethods: [{ type: "bnpla" }] } });
    await visit.fill("4242");
    await visit.payButton.click();
    await visit.form.locator("#error-cardnumber").getByText(/./).waitFor();
    for (const [key, [theme, selector, property, expected, focus]] of Object.entries(KEYS)) {
      const read = () => visit.form.locator(selector).first().evaluate((element, name) => getComputedStyle(element)[name], property);
      if (focus) await visit.form.locator(focus).focus();
      else await visit.field("zip").focus();
      const set = (given) => visit.page.evaluate((one) => window.instance.update({ theme: one }), given);
      const before = await read();
      assert.equal(await set(theme), true, key);
      await until(`${key}: ${selector} has ${property} ${expected}, not ${await read()}`, async () => (await read()) === expected, 5_000);
      if (key !== "borderType round") assert.notEqual(before, expected, `${key}: it had that before`);
      await set({});
      await until(`${key} is taken back`, async () => (await read()) === before, 5_000);
    }
  });

  for (const layout of ["stacked", "compact", "single"]) {
    test(`the layout ${layout} puts the fields where it says`, async (t) => {
      const visit = await world.visit(t, { viewport: { width: 900, height: 900 } });
      await visit.open({ surface: "card", more: { layout, hideBillingAddress: true } });
      const top = async (name) => Math.round((await visit.field(name).boundingBox()).y);
      const [number, expiry, cvc] = [await top("cardnumber"), await top("cc-exp"), await top("cvc")];
      assert.equal(expiry === cvc, layout !== "stacked", `expiry ${expiry}, code ${cvc}`);
      assert.equal(number === expiry, layout === "single", `number ${number}, expiry ${expiry}`);
    });
  }
});
