/** Every page's markup, policy and speed: what is served, whatever a customer does. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { assertAccessible, assertStrictPolicy, assertValid } from "../support/checks.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** A bound that a busy machine keeps; `bench.mjs` measures against the promise of 300 ms. */
const TYPABLE_MS = 3_000;

/** Every page of ours that a customer or merchant sees, by what it is. */
async function pages() {
  const { service, shop } = world;
  const origin = encodeURIComponent(shop.origin);
  const paid = await service.graphql(`mutation($p: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $p) { id } }`, {
    p: { amount: 5099, currencyCode: "EUR", paymentMethod: { type: "CARD", card: { number: THREE_D_SECURE, expMonth: 12, expYear: 2040, cvc: "737" } }, perform3DSecure: { redirectUrl: `${shop.origin}/back` } },
  }).catch((error) => error.errors[0].extensions.url);
  const { token } = await service.clientToken({ amount: 5099, currency: "EUR" });
  const checkout = new URLSearchParams({ apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR" });
  const ended = new URLSearchParams({ apiKey: "ct_test_nothing000000000000", flowId: "default", amount: 5099, currencyCode: "EUR" });
  const link = async () => (await service.graphql(`mutation { createPaymentLink(amount: 5099, currencyCode: "EUR", description: "Tea") { id url } }`)).createPaymentLink;
  const [open, over] = [await link(), await link()];
  await service.graphql(`mutation($id: ID!) { endPaymentLink(id: $id) }`, { id: over.id });
  return {
    "start page": "/",
    "explorer": "/explorer",
    "hosted page": `/checkout?${checkout}`,
    "hosted page without parameters": "/checkout",
    "hosted page whose token has ended": `/checkout?${ended}`,
    "payment link": new URL(open.url).pathname,
    "payment link that has ended": new URL(over.url).pathname,
    "unknown payment link": "/pay/invented",
    "card frame": `/sdk/v1/frame/card?origin=${origin}`,
    "checkout frame": `/sdk/v1/frame/checkout?origin=${origin}`,
    "refused frame": "/sdk/v1/frame/card?origin=nonsense",
    "challenge": `/sdk/v1/frame/challenge?origin=${origin}`,
    "return": `/sdk/v1/return?attempt=x&origin=${origin}`,
    "bank": new URL(paid).pathname,
    "unknown page of the bank": "/sandbox/pages/unknown",
  };
}

/** The markup of a page once its scripts have run. */
async function markupOf(visit, path) {
  const page = await visit.context.newPage();
  await page.goto(world.service.url + path);
  return await page.content();
}

describe("pages", { concurrency: 2 }, () => {
  test("each page is valid HTML with a strict policy", async (t) => {
    const visit = await world.visit(t);
    for (const [name, path] of Object.entries(await pages())) {
      const answer = await fetch(world.service.url + path);
      // The explorer's labels are for editors that its script makes.
      const html = name === "explorer" ? await markupOf(visit, path) : await answer.text();
      assert.match(answer.headers.get("content-type"), /text\/html/, `${name}: ${answer.status}`);
      await assertValid(html, name);
      assertStrictPolicy(answer.headers.get("content-security-policy"), name);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff", name);
      assert.equal(answer.headers.get("set-cookie"), null, name);
    }
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing on each page, ${colorScheme}`, async (t) => {
      const visit = await world.visit(t, { colorScheme });
      const page = await visit.context.newPage();
      for (const [name, path] of Object.entries(await pages())) {
        await page.goto(world.service.url + path);
        await assertAccessible([page.mainFrame()], `${name}, ${colorScheme}`);
      }
    });
  }

  test("the form can be typed in soon, in the median of five", async (t) => {
    const times = [];
    const visit = await world.visit(t);
    for (let count = 0; count < 5; count += 1) {
      const before = Date.now();
      await visit.open({ surface: "card" });
      times.push(Date.now() - before);
      await visit.page.close();
    }
    const median = times.sort((one, other) => one - other)[2];
    assert.ok(median <= TYPABLE_MS, `${median} ms`);
  });

  test("files with a hash in their name are kept for a year, the rest is asked for again", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(VISA);
    await visit.paid();
    const answers = await Promise.all(visit.requests.filter(({ url }) => url.startsWith(`${world.service.url}/sdk/`)).map(async ({ url, request }) => [url, (await request.response())?.headers() ?? {}]));
    for (const [url, headers] of answers) {
      if (/\.[0-9a-f]{12}\.(js|css|svg)$/.test(url)) assert.match(headers["cache-control"], /max-age=31536000.*immutable/, url);
      else assert.doesNotMatch(headers["cache-control"] ?? "", /immutable/, url);
    }
    assert.ok(await until("the form's files are among them", () => answers.some(([url]) => url.includes("/sdk/v1/f/"))));
  });
});
