/** The merchant's page: strict policies, isolation, frames, old style sheets, frameworks. The form works in all of them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { payPage } from "../support/visit.mjs";
import { until } from "../support/wait.mjs";
import { walletA, walletButton } from "../support/wallets.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** The strictest policy of a shop: nothing but its own files and the service's origin. */
const strictPolicy = () => `default-src 'none'; script-src 'self' ${world.service.url}; frame-src ${world.service.url}; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'`;

/** Pays on the page that is open, by 3D Secure, so that the dialog is used too. */
async function paysInDialog(visit) {
  await visit.pay(THREE_D_SECURE);
  await visit.answerBank("complete");
  const { id } = await visit.paid();
  assert.equal((await world.service.charges(id)).length, 1);
}

const violations = async (visit) => (await visit.seen("violation")).map(({ values }) => values.join(" "));

describe("hosts", { concurrency: 2 }, () => {
  test("a strict policy with nothing but our origin in script-src and frame-src", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ headers: { "content-security-policy": strictPolicy() } });
    await paysInDialog(visit);
    assert.deepEqual(await violations(visit), []);
    assert.deepEqual(visit.complaints(), []);
  });

  test("a page that enforces Trusted Types without any policy", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ headers: { "content-security-policy": `${strictPolicy()}; require-trusted-types-for 'script'; trusted-types 'none'` } });
    await paysInDialog(visit);
    assert.deepEqual(await violations(visit), []);
  });

  test("a page that is isolated from other origins (COOP and COEP)", async (t) => {
    const visit = await world.visit(t);
    const headers = { "cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin" };
    await visit.open({ headers });
    assert.equal(await visit.page.evaluate(() => self.crossOriginIsolated), true);
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
  });

  test("every loader that is listed is pinned by its hash, which the browser checks, and pays with today's frame", async (t) => {
    const { loaders } = await (await fetch(`${world.service.url}/sdk/v1/integrity.json`)).json();
    assert.ok(loaders.length > 0);
    const visit = await world.visit(t);
    visit.page = await visit.context.newPage();
    for (const { address, integrity, scriptTag } of loaders) {
      const path = new URL(address).pathname;
      const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
      const methods = [walletA()];
      const options = { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR", alternativePaymentMethods: methods };
      const page = payPage({ service: world.service, options, script: path }).replace(`<script src="${world.service.url}${path}"></script>`, scriptTag);
      assert.ok(page.includes(`integrity="${integrity}"`));
      await visit.page.goto(world.shop.page(page));
      await visit.typable();
      await walletButton(visit, "A").waitFor();
      await paysInDialog(visit);
      await visit.page.goto(world.shop.page(page.replace(integrity, `sha384-${"A".repeat(64)}`)));
      await until("a changed loader is refused", () => visit.console.some((line) => /integrity/i.test(line)));
    }
  });

  test("a policy that forbids the frame is reported with what to add", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ waits: false, headers: { "content-security-policy": strictPolicy().replace(`frame-src ${world.service.url}`, "frame-src 'none'") } });
    const [{ error }] = await visit.called("onError");
    assert.match(error.message, /frame-src/);
    assert.ok(error.message.includes(world.service.url));
  });

  test("a shop inside a frame of another page", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const inner = world.shop.page(payPage({ service: world.service, options: { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR" } }));
    visit.page = await visit.context.newPage();
    await visit.page.goto(world.evil.page(`<!doctype html><html lang="en"><title>outer</title><iframe src="${inner}" title="shop" width="700" height="800"></iframe></html>`));
    const shop = await until("the shop's frame", () => visit.page.frames().find((frame) => frame.url() === inner));
    const form = visit.page.frameLocator("iframe").frameLocator('iframe[src*="/sdk/v1/frame/"]');
    await form.locator("input[name=cardnumber]:enabled").waitFor();
    await form.locator("[name=cardnumber]").fill(VISA);
    await form.locator("[name=cc-exp]").fill("1240");
    await form.locator("[name=cvc]").fill("737");
    await form.locator("[name=ccname]").fill("Ada Lovelace");
    await form.locator("[name=country]").selectOption("IRL");
    await form.locator("[name=zip]").fill("D02 X285");
    await form.locator('[data-part="PayButton"]').click();
    await until("it is paid", async () => (await shop.evaluate(() => window.seen)).some(({ name }) => name === "onPaymentComplete"));
  });

  test("an old page with a style sheet for everything can't spoil the form or the dialog", async (t) => {
    const visit = await world.visit(t);
    const style = `* { margin: 3px !important; font: 9px/1 serif; color: red; float: left; box-sizing: content-box; text-transform: uppercase }
      div { position: relative; overflow: hidden } iframe { opacity: 1; border: 5px dotted red } button { display: block; width: 900px } dialog { width: 20px }`;
    world.shop.show("/old.css", style, { "content-type": "text/css" });
    await visit.open({ head: '<link rel="stylesheet" href="/old.css"><base target="_blank">' });
    await visit.pay(THREE_D_SECURE);
    const bank = await visit.frameAt("/sandbox/pages/");
    const box = await (await bank.frameElement()).boundingBox();
    assert.ok(box.width >= 250 && box.height >= 300, `the bank's page has ${box.width} × ${box.height}`);
    await visit.answerBank("complete");
    await visit.paid();
  });

  test("mounted, unmounted and mounted again twenty times: one frame, no listener left", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(() => {
      window.listeners = 0;
      const { addEventListener, removeEventListener } = window;
      window.addEventListener = function (...given) { window.listeners += 1; return addEventListener.apply(this, given); };
      window.removeEventListener = function (...given) { window.listeners -= 1; return removeEventListener.apply(this, given); };
    });
    await visit.open();
    const before = await visit.page.evaluate(() => ({ listeners: window.listeners, elements: document.querySelectorAll("*").length }));
    await visit.page.evaluate(async () => {
      for (let count = 0; count < 20; count += 1) {
        window.instance?.destroy();
        window.instance = undefined;
        const mounting = window.mount();
        // As React's StrictMode: destroyed while it loads, every other time.
        if (count % 2) await mounting;
      }
      await window.mount();
    });
    await visit.typable();
    const after = await visit.page.evaluate(() => ({ listeners: window.listeners, elements: document.querySelectorAll("*").length }));
    assert.deepEqual(after, before);
    assert.equal(await visit.page.locator("iframe").count(), 1);
    await visit.pay(VISA);
    await visit.paid();
  });

  test("two checkouts on one page don't disturb each other", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card", body: '<form id="other"><div id="second"></div></form>' });
    await visit.page.evaluate(() => window.mount("#second"));
    const frames = visit.page.locator('iframe[src*="/sdk/v1/frame/"]');
    await until("two frames", async () => (await frames.count()) === 2);
    await visit.page.frameLocator("#second iframe").locator("input[name=cardnumber]:enabled").fill(VISA);
    assert.equal(await visit.page.frameLocator("#checkout iframe").locator("[name=cardnumber]").inputValue(), "");
  });

  test("the service is away: the merchant reads why within its bound", async (t) => {
    const visit = await world.visit(t);
    await visit.context.route(/\/sdk\/v1\/frame\//, (route) => route.abort());
    await visit.open({ waits: false });
    const [{ error }] = await visit.called("onError");
    assert.match(error.message, /frame|reached|origin/i);
  });
});
