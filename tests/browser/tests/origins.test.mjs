/** Where origins are listed, a shop's page gets the form only when its team, or the service, has named it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VISA } from "../support/cards.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile({ POINTSMAN_SERVER__ALLOWED_ORIGINS: "https://other.example" });

const frameOf = (origin) => fetch(`${world.service.url}/sdk/v1/frame/card?origin=${encodeURIComponent(origin)}`);

async function allow(allowedOrigins) {
  await world.service.graphql(`mutation($settings: TeamSettingsInput!) { updateTeam(settings: $settings) { id } }`, { settings: { allowedOrigins } });
}

describe("origins", () => {
  test("a page that nobody has named gets no form, and its developer reads what to set", async (t) => {
    assert.equal((await frameOf("https://other.example")).status, 200);
    const refused = await frameOf(world.shop.origin);
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /allowed/i);
    const visit = await world.visit(t);
    await visit.open({ waits: false });
    const [{ error }] = await visit.called("onError");
    assert.match(error.message, /allowed origins/);
    assert.ok(error.message.includes(world.shop.origin));
  });

  test("once the team names it, the shop is paid, and another shop still gets nothing", async (t) => {
    await allow([world.shop.origin]);
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    assert.equal((await frameOf(world.evil.origin)).status, 403);
  });

  test("a page that the service allows and the token's own team does not: the form ends before anything is typed", async (t) => {
    await allow(["https://only.example"]);
    // The document is served for the service's list; the page's real origin asks the token's team.
    const visit = await world.visit(t);
    await visit.context.route(/\/sdk\/v1\/frame\/checkout/, async (route) => {
      const address = new URL(route.request().url());
      address.searchParams.set("origin", "https://other.example");
      const answer = await fetch(address);
      const html = (await answer.text()).replace('data-origin="https://other.example"', `data-origin="${world.shop.origin}"`);
      assert.ok(html.includes(world.shop.origin));
      await route.fulfill({ body: html, contentType: "text/html; charset=utf-8" });
    });
    await visit.open({ waits: false });
    const [{ error }] = await visit.called("onError");
    assert.equal(error.type, "api.key.forbidden");
    await visit.part("Status").getByText(/not set up this checkout correctly/i).waitFor();
    assert.equal(await visit.field("cardnumber").isVisible(), false);
    assert.equal(await visit.payButton.isVisible(), false);
  });
});
