/** The tests' own tools: each finds what it is for. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VISA } from "../support/cards.mjs";
import { assertAccessible, assertStrictPolicy, assertValid } from "../support/checks.mjs";
import { assertNoLeaks } from "../support/leaks.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** A visit to a page of the shop with this markup. */
async function visitOf(t, body) {
  const visit = await world.visit(t);
  visit.page = await visit.context.newPage();
  await visit.page.goto(world.shop.page(`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${body}</main></html>`));
  return visit;
}

describe("harness", { concurrency: 2 }, () => {
  test("a frame's storage is apart from that of its origin's own pages, as customers have it", async (t) => {
    const visit = await world.visit(t);
    const inner = world.evil.page("<!doctype html><title>inner</title>").replace("localhost", "127.0.0.1");
    const page = await visit.context.newPage();
    await page.goto(world.shop.page(`<!doctype html><title>outer</title><iframe src="${inner}"></iframe>`));
    await page.frames()[1].evaluate(() => localStorage.setItem("mark", "framed"));
    const own = await visit.context.newPage();
    await own.goto(inner);
    assert.equal(await own.evaluate(() => localStorage.getItem("mark")), null);
  });

  test("a number in a storage, a request, the console or an attribute is found", async (t) => {
    const visit = await visitOf(t, "");
    await assertNoLeaks(visit, [VISA]);
    await visit.page.evaluate(async (number) => {
      localStorage.setItem("x", number);
      sessionStorage.setItem("x", number.replace(/(....)/g, "$1 "));
      document.cookie = `card=${number}`;
      history.replaceState({ number }, "", `?n=${number}`);
      document.body.setAttribute("data-x", number);
      console.log(number);
      await fetch("/orders", { method: "POST", body: btoa(number) });
    }, VISA);
    const found = await assertNoLeaks(visit, [VISA]).catch((error) => error.actual.join("\n"));
    for (const where of ["localStorage of", "sessionStorage of", "cookie of", "cookies", "address of", "state of", "history of", "attributes of", "console", "orders: body", "shop's server"]) {
      assert.ok(found.includes(where), `${where} in:\n${found}`);
    }
    world.shop.requests.length = 0;
  });

  test("axe, html-validate and csp_evaluator find what is wrong", async (t) => {
    const visit = await visitOf(t, "<input><p style='color:#ccc'>pale</p>");
    await assert.rejects(assertAccessible([visit.page.mainFrame()], "planted"), /color-contrast.*label/s);
    await assert.rejects(assertValid("<!doctype html><html lang=en><title>x</title><p id=a><p id=a>", "planted"), /no-dup-id/);
    assert.throws(() => assertStrictPolicy("default-src 'none'; script-src *", "planted"), /script-src/);
    assertStrictPolicy("default-src 'none'; script-src 'self'; base-uri 'none'", "right");
  });
});
