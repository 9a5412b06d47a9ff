/** The hosted page: what it needs, what an app around it hears, what stays in the address, and that it works without help. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INSUFFICIENT_FUNDS, THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { assertAccessible, assertStrictPolicy, assertValid } from "../support/checks.mjs";
import { assertNoLeaks } from "../support/leaks.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** The bridge of a mobile app's web view. */
function bridge() {
  window.heard = [];
  window.checkoutBridge = { handleEvent: (type, payload) => window.heard.push([type, payload]) };
}

/** Keeps what the live regions of each page of the tab say. */
function hearAnnouncements() {
  window.announced = [];
  const hear = () => {
    for (const id of ["pm-live", "pm-alert"]) {
      const text = document.getElementById(id)?.textContent;
      if (text && window.announced.at(-1) !== text) window.announced.push(text);
    }
  };
  new MutationObserver(hear).observe(document, { childList: true, characterData: true, subtree: true });
}

describe("payment links", { concurrency: 2 }, () => {
  test("a link is paid once; opened again it shows that it is paid, and lists no card", async (t) => {
    const link = await world.service.paymentLink({ orderId: "order-link", description: "2 × House <b>blend</b>", returnUrl: `${world.shop.origin}/` });
    const visit = await world.visit(t);
    await visit.follow(link);
    await visit.page.getByText("2 × House <b>blend</b>").first().waitFor();
    await visit.typable();
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    assert.ok(await visit.page.getByRole("link", { name: /back to shop/i }).first().isVisible());
    const paid = (await world.service.payments()).filter(({ orderId }) => orderId === "order-link");
    assert.deepEqual(paid.map(({ status }) => status), ["SUCCEEDED"]);
    const again = await world.visit(t);
    const answer = await again.follow(link);
    await again.page.getByText(/paid/i).first().waitFor();
    await assertValid(await answer.text(), "receipt");
    assertStrictPolicy(answer.headers()["content-security-policy"], "receipt");
    assert.equal(await again.page.locator("input[name=cardnumber]:visible").count(), 0);
    assert.equal((await world.service.charges(paid[0].id)).length, 1);
    await assertAccessible([again.page.mainFrame()], "a link that is paid");
    for (const width of [390, 1280]) {
      await again.page.setViewportSize({ height: 800, width });
      assert.ok(await again.page.locator('[data-part="Shop"]').isVisible(), `${width} px: the shop's name`);
      const top = async (part) => (await again.page.locator(part).boundingBox()).y;
      assert.ok(await top("main a") > await top("main h1"), `${width} px: the way back stands below what is said`);
    }
  });

  test("a payment that fails at the bank is said on the link's page, and another card pays", async (t) => {
    const link = await world.service.paymentLink({ orderId: "order-link-bank" });
    const visit = await world.visit(t);
    await visit.follow(link);
    await visit.typable();
    await visit.page.addInitScript(hearAnnouncements);
    await visit.pay(THREE_D_SECURE);
    const bank = await visit.frameAt("/sandbox/pages/");
    await bank.locator('button[value="fail"]').click();
    await visit.part("Error").getByText(/confirm that it is you|bank/i).first().waitFor();
    assert.deepEqual((await visit.page.evaluate(() => window.announced)).filter((text) => /Paying/.test(text)), [], "nothing is being paid");
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    const made = (await world.service.payments()).filter(({ orderId }) => orderId === "order-link-bank");
    assert.deepEqual(made.map(({ status }) => status).sort(), ["DECLINED", "SUCCEEDED"]);
  });

  test("a link that can be paid by many shows its receipt again, and another visit a form", async (t) => {
    const link = await world.service.paymentLink({ isSingleUse: false, orderId: "order-link-many" });
    const visit = await world.visit(t);
    await visit.follow(link);
    await visit.typable();
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    await visit.page.reload();
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    const another = await world.visit(t);
    await another.follow(link);
    await another.typable();
  });

  test("a page whose kept token has ended says that nothing is known, and loaded again is open", async (t) => {
    const link = await world.service.paymentLink({ isSingleUse: false });
    const visit = await world.visit(t);
    await visit.follow(link);
    await visit.typable();
    await visit.pay(THREE_D_SECURE);
    await visit.frameAt("/sandbox/pages/");
    await visit.page.goto(link.url);
    await visit.part("Status").getByText(/waiting/i).first().waitFor();
    await visit.page.evaluate(() => {
      const place = JSON.parse(sessionStorage.getItem("pointsman.payment"));
      sessionStorage.setItem("pointsman.payment", JSON.stringify({ ...place, token: place.token.replace(/.{4}$/, "0000") }));
    });
    await visit.page.reload();
    await visit.part("Status").getByText(/pay again/i).first().waitFor();
    await visit.page.reload();
    await visit.typable();
  });

  test("a link that was ended says so, and takes no card", async (t) => {
    const link = await world.service.paymentLink();
    await world.service.graphql(`mutation($id: ID!) { endPaymentLink(id: $id) }`, { id: link.id });
    const visit = await world.visit(t);
    await visit.follow(link);
    await visit.page.getByText(/ended/i).first().waitFor();
    assert.equal(await visit.page.locator("input[name=cardnumber]:visible").count(), 0);
    await assertAccessible([visit.page.mainFrame()], "a link that was ended");
  });

  test("an invented link, or one that was cut off, is a page that says what to do", async (t) => {
    const visit = await world.visit(t);
    for (const path of ["/pay/invented", "/pay/", "/pay"]) {
      const answer = await visit.follow({ url: world.service.url + path });
      assert.equal(answer.status(), 404, path);
      assert.match(answer.headers()["content-type"], /text\/html/, path);
      await assertAccessible([visit.page.mainFrame()], path);
    }
  });
});

describe("hosted", { concurrency: 2 }, () => {
  test("a payment, with the shop's way back and a receipt", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ orderId: "order-7" });
    assert.match(await visit.form.locator("body").innerText(), /50\.99/);
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    const [payment] = await until("it is paid", async () => {
      const all = (await world.service.payments()).filter(({ orderId, status }) => orderId === "order-7" && status === "SUCCEEDED");
      return all.length > 0 && all;
    });
    assert.equal((await world.service.charges(payment.id)).length, 1);
    assert.deepEqual(visit.complaints(), []);
    await assertNoLeaks(visit, [VISA]);
  });

  test("the credential leaves the address at once, and no referrer has it", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const answer = await visit.hosted({}, { token });
    assert.equal(answer.headers()["referrer-policy"], "no-referrer");
    assert.match(answer.headers()["cache-control"], /no-store/);
    assert.ok(!visit.page.url().includes(token), visit.page.url());
    const others = visit.requests.filter(({ url, headers }) => url !== answer.url() && (url.includes(token) || (headers.referer ?? "").includes(token)));
    assert.deepEqual(others.map(({ url }) => url), []);
    assert.ok(!world.service.output.includes(token), "nor the log");
  });

  test("the form is in the first response, and nobody may frame the page", async () => {
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const answer = await fetch(`${world.service.url}/checkout?${new URLSearchParams({ apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR" })}`);
    const html = await answer.text();
    assert.equal(answer.status, 200);
    for (const name of ["cardnumber", "cc-exp", "cvc", "ccname"]) assert.match(html, new RegExp(`name="${name}"`));
    assert.match(answer.headers.get("content-security-policy"), /frame-ancestors 'none'/);
    assert.equal(answer.headers.get("set-cookie"), null);
  });

  for (const missing of ["apiKey", "flowId", "amount", "currencyCode"]) {
    test(`without ${missing} the page names it, and the app hears an error`, async (t) => {
      const visit = await world.visit(t);
      await visit.context.addInitScript(bridge);
      const answer = await visit.hosted({ [missing]: undefined }, { waits: false });
      assert.equal(answer.status(), 400);
      await visit.page.getByText(missing).first().waitFor();
      const [type, payload] = await until("the bridge is called", async () => (await visit.page.evaluate(() => window.heard))[0]);
      assert.equal(type, "error");
      assert.match(payload, new RegExp(missing));
      await assertAccessible([visit.page.mainFrame()], `without ${missing}`);
    });
  }

  test("the app hears the completion once, as JSON with data and errors", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(bridge);
    await visit.hosted();
    await visit.pay(VISA);
    await until("the bridge is called", async () => (await visit.page.evaluate(() => window.heard)).some(([type]) => type === "paymentComplete"));
    const heard = await visit.page.evaluate(() => window.heard);
    const completions = heard.filter(([type]) => type === "paymentComplete").map(([, payload]) => JSON.parse(payload));
    assert.equal(completions.length, 1);
    assert.ok(completions[0].data.authorizePayment.id);
    assert.deepEqual(completions[0].errors, []);
  });

  test("3D Secure: passed at the bank, and back", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ orderId: "order-3ds" });
    await visit.pay(THREE_D_SECURE);
    const bank = await visit.frameAt("/sandbox/pages/");
    await bank.locator('button[value="complete"]').click();
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    const paid = (await world.service.payments()).filter(({ orderId }) => orderId === "order-3ds");
    assert.deepEqual(paid.map(({ status }) => status), ["SUCCEEDED"]);
  });

  test("a decline keeps the form, and says it in the page's language", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ language: "fr" });
    assert.equal(await visit.page.evaluate(() => document.documentElement.lang), "fr");
    await visit.pay(INSUFFICIENT_FUNDS);
    await visit.part("Error").getByText(/provision|fonds|solde/i).waitFor();
    assert.notEqual(await visit.field("ccname").inputValue(), "");
  });

  test("the customer chooses another language", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted();
    await visit.field("ccname").fill("Ada");
    await visit.field("language").selectOption("de");
    await visit.form.locator("label[for=cardnumber]").getByText("Kartennummer").waitFor();
    assert.equal(await visit.field("ccname").inputValue(), "Ada", "what is typed stays");
  });

  test("parameters that are no JSON mean the default", async (t) => {
    const visit = await world.visit(t);
    await visit.hosted({ theme: "{not json", language: "{neither", countries: "[", alternativePaymentMethods: "x" });
    assert.equal(await visit.form.locator("label[for=cardnumber]").innerText(), "Card number");
  });

  test("an amount other than the token's is said before anything is typed", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    await visit.hosted({ amount: 1 }, { token, waits: false });
    await visit.page.getByText(/not set up|amount|5099|50\.99/i).first().waitFor();
    assert.equal((await world.service.charges()).filter((entry) => entry.authorised === 1).length, 0);
  });

  test("without scripts the page says why nothing works", async (t) => {
    const visit = await world.visit(t, { javaScriptEnabled: false });
    await visit.hosted({}, { waits: false });
    await visit.page.getByText(/JavaScript/).first().waitFor();
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      test(`axe finds nothing at ${width} px, ${colorScheme}: empty, wrong, paid`, async (t) => {
        const visit = await world.visit(t, { colorScheme, viewport: { width, height } });
        await visit.hosted();
        const check = (state) => assertAccessible(visit.page.frames(), `${state}, ${width}, ${colorScheme}`);
        await check("empty");
        await visit.payButton.click();
        await visit.form.locator("#error-cardnumber").getByText(/./).waitFor();
        await check("wrong");
        await visit.pay(VISA);
        await visit.part("Status").getByText(/50\.99/).first().waitFor();
        await check("paid");
      });
    }
  }
});
