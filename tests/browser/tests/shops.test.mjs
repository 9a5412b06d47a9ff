/** The demo's shop and the example in Node: what a newcomer does within the first minute, in the browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INSUFFICIENT_FUNDS, MASTERCARD, THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { assertAccessible, assertStrictPolicy, assertValid } from "../support/checks.mjs";
import { assertNoLeaks } from "../support/leaks.mjs";
import { startDemo, startExample } from "../support/shops.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();
const shops = {};

before(async () => {
  shops.demo = await startDemo();
  shops.example = await startExample(world.service);
}, { timeout: 200_000 });
after(async () => {
  await shops.demo?.end();
  await shops.example?.end();
});

/** Opens the shop and checks out. */
async function checkOut(visit, shop, way) {
  visit.page = await visit.context.newPage();
  await visit.page.goto(shop.origin);
  await visit.page.locator("#lines li").first().waitFor();
  if (way === "elements") await visit.page.locator('input[name=way][value="elements"]').check();
  await visit.page.locator("#check-out").click();
  await visit.typable();
}

/** Fills the card in, and presses the button of the way. */
async function pay(visit, way, number) {
  await visit.fill(number);
  await (way === "elements" ? visit.page.locator("#pay") : visit.payButton).click();
}

const outcome = (visit, pattern) => visit.page.locator("#outcome-title").getByText(pattern).waitFor();

/** What the timeline beside the checkout says, once it says how the payment ended. */
async function timeline(visit, ending) {
  await visit.page.locator("#status").getByText(ending).waitFor();
  return await visit.page.locator("#timeline li strong").allInnerTexts();
}

describe("shops", { concurrency: 1 }, () => {
  for (const name of ["demo", "example"]) {
    for (const way of ["drop-in", "elements"]) {
      test(`${name}, ${way}: a newcomer pays, and sees the timeline as it happens`, async (t) => {
        const visit = await world.visit(t);
        await checkOut(visit, shops[name], way);
        await visit.page.locator("#status").getByText("No payment yet").waitFor();
        // The page lists some numbers to try; this is none of them.
        await pay(visit, way, MASTERCARD);
        await outcome(visit, "Thank you");
        const rows = await timeline(visit, /SUCCEEDED/);
        assert.ok(rows.length >= 3, rows.join(", "));
        assert.deepEqual(visit.complaints(), []);
        assert.match(await visit.page.locator("#outcome-text").innerText(), /Its number is \S+\.$/);
        if (name === "example") await assertNoLeaks(visit, [MASTERCARD]);
      });

      test(`${name}, ${way}: a decline is said in words, then the bank asks, then it is paid`, async (t) => {
        const visit = await world.visit(t);
        await checkOut(visit, shops[name], way);
        await pay(visit, way, INSUFFICIENT_FUNDS);
        if (way === "elements") await visit.page.locator("#trouble").getByText(/not enough funds/).waitFor();
        else await visit.part("Error").getByText(/funds/i).waitFor();
        await pay(visit, way, THREE_D_SECURE);
        if (way === "elements") {
          await visit.page.waitForURL(/\/sandbox\/pages\//);
          await visit.page.locator('button[value="complete"]').click();
        } else {
          await visit.answerBank("complete");
        }
        await outcome(visit, "Thank you");
        const rows = await timeline(visit, /SUCCEEDED/);
        assert.ok(rows.some((row) => /3D Secure/.test(row)), rows.join(", "));
        assert.ok(!rows.includes("Declined"), `of the payment that was paid alone: ${rows.join(", ")}`);
      });
    }
  }

  test("the demo is there within a minute, and its payment link can be paid", async (t) => {
    // A debug build on a busy machine; a release build takes some seconds.
    assert.ok(shops.demo.seconds < 120, `${shops.demo.seconds} s`);
    t.diagnostic(`the demo's story took ${shops.demo.seconds.toFixed(1)} s`);
    const visit = await world.visit(t);
    visit.isHosted = true;
    visit.page = await visit.context.newPage();
    await visit.page.goto(shops.demo.link);
    await visit.typable();
    await visit.pay(VISA);
    await visit.part("Status").getByText(/thank you/i).first().waitFor();
  });

  for (const name of ["demo", "example"]) {
    test(`${name}: its page is valid, with a strict policy`, async () => {
      const answer = await fetch(shops[name].origin);
      await assertValid(await answer.text(), name);
      assertStrictPolicy(answer.headers.get("content-security-policy"), name);
      assert.equal(answer.headers.get("set-cookie"), null);
    });
  }

  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      test(`axe finds nothing in the demo's shop: ${width} px, ${colorScheme}`, async (t) => {
        const visit = await world.visit(t, { colorScheme, reducedMotion: "reduce", viewport: { width, height } });
        // The cart has no form any more, or not yet.
        const check = (state) => assertAccessible(state === "payment" ? visit.page.frames() : [visit.page.mainFrame()], state);
        await checkOut(visit, shops.demo, "drop-in");
        // By its key: a click right after scrolling goes to where the frame was.
        await visit.page.locator("#back").press("Enter");
        await visit.page.locator("#cart").waitFor();
        await check("cart");
        await visit.page.locator("#check-out").click();
        await visit.typable();
        await check("payment");
        await pay(visit, "drop-in", VISA);
        await outcome(visit, "Thank you");
        await timeline(visit, /SUCCEEDED/);
        await check("outcome");
      });
    }
  }
});
