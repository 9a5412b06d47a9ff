/** Card data stays in the service's frame: hostile pages can't read, drive or imitate it, and nothing writes a number down. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INSUFFICIENT_FUNDS, MASTERCARD, THREE_D_SECURE, VISA } from "../support/cards.mjs";
import { assertNoLeaks } from "../support/leaks.mjs";
import { payPage } from "../support/visit.mjs";
import { until } from "../support/wait.mjs";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

/** Notes everything that the merchant's page could overhear: messages to the window and on every port. */
function eavesdrop() {
  const heard = [];
  window.heard = heard;
  window.addEventListener("message", (event) => heard.push(JSON.stringify(event.data)), true);
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...values) {
    heard.push(JSON.stringify(values[0]));
    return postMessage.apply(this, values);
  };
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(handler) {
      set.call(this, (event) => {
        heard.push(JSON.stringify(event.data));
        handler.call(this, event);
      });
    },
  });
  const { addEventListener } = MessagePort.prototype;
  MessagePort.prototype.addEventListener = function (type, handler, ...rest) {
    addEventListener.call(this, type, (event) => {
      if (type === "message") heard.push(JSON.stringify(event.data));
      handler.call(this, event);
    }, ...rest);
  };
}

describe("isolation", { concurrency: 2 }, () => {
  test("no number is anywhere but in what the frame sends to the vault: paid, declined, 3D Secure", async (t) => {
    const numbers = [VISA, INSUFFICIENT_FUNDS, THREE_D_SECURE];
    const visit = await world.visit(t);
    for (const number of numbers) {
      await visit.open();
      await visit.pay(number);
      if (number === THREE_D_SECURE) await visit.answerBank("complete");
      if (number === INSUFFICIENT_FUNDS) await visit.part("Error").getByText(/funds/i).waitFor();
      else await visit.paid();
    }
    const sent = await assertNoLeaks(visit, numbers);
    assert.ok(sent >= numbers.length, "the scan does see what the frame sends");
    assert.deepEqual(await visit.context.cookies(), [], "no cookie, of anybody");
  });

  test("Elements leaks nothing either, and the merchant's server sees the token alone", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ surface: "card" });
    await visit.fill(MASTERCARD);
    await visit.page.locator("#buy").click();
    const [{ token }] = await visit.called("onPaymentRequest");
    await visit.page.evaluate((value) => fetch("/orders", { method: "POST", body: value }), token);
    await assertNoLeaks(visit, [MASTERCARD]);
  });

  test("nothing that the page can overhear has a digit of the number or an IIN", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(eavesdrop);
    await visit.open();
    const number = "4012888888881881";
    await visit.pay(number);
    await visit.paid();
    const heard = await visit.page.evaluate(() => window.heard);
    assert.ok(heard.length > 5, "messages are overheard");
    for (const message of heard) {
      assert.ok(!message.includes(number.slice(0, 6)) && !message.includes("737"), `digits in ${message}`);
    }
  });

  test("the host page can neither look into the frame nor reach its fields", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.fill(VISA);
    const reached = await visit.page.evaluate(() => {
      const element = document.querySelector("iframe");
      const tries = {
        contentDocument: () => element.contentDocument?.body.innerHTML,
        document: () => element.contentWindow.document.body.innerHTML,
        location: () => element.contentWindow.location.href,
        frames: () => window.frames[0].document.title,
        fields: () => window.frames[0].document.forms[0].cardnumber.value,
        evaluated: () => window.frames[0].eval("1"),
      };
      return Object.entries(tries).flatMap(([name, attempt]) => {
        try {
          const value = attempt();
          return value === undefined || value === null ? [] : [`${name}: ${value}`];
        } catch (error) {
          return error.name === "SecurityError" || error instanceof TypeError ? [] : [`${name}: ${error}`];
        }
      });
    });
    assert.deepEqual(reached, []);
  });

  test("500 invented and replayed messages change nothing, and the form pays", async (t) => {
    const visit = await world.visit(t);
    await visit.context.addInitScript(eavesdrop);
    await visit.open();
    await visit.page.evaluate(() => {
      const target = document.querySelector("iframe").contentWindow;
      const junk = [null, 0, "", "init", [], {}, { pointsman: 1 }, { pointsman: 2, welcome: "x" }, { __proto__: null, type: "submit" }, { type: "init", options: {} }];
      const replayed = window.heard.map((message) => { try { return JSON.parse(message); } catch { return message; } });
      for (let count = 0; count < 500; count += 1) {
        const all = [...junk, ...replayed];
        const message = all[count % all.length];
        if (count % 2) target.postMessage(message, "*");
        else target.postMessage(message, "*", [new MessageChannel().port1]);
        window.postMessage(message, "*");
      }
    });
    await visit.pay(VISA);
    const { id } = await visit.paid();
    assert.equal((await world.service.charges(id)).length, 1);
    assert.deepEqual(visit.console.filter((line) => line.startsWith("uncaught")), []);
  });

  test("a second frame that imitates the service is not talked to", async (t) => {
    const visit = await world.visit(t);
    const imitation = world.evil.page(`<!doctype html><title>imitation</title><script>
      addEventListener("message", (event) => { document.title = "got a message"; });
      setInterval(() => { for (const id of ["x", ""]) parent.postMessage({ pointsman: 1, hello: id }, "*"); }, 20);
    </script>`);
    await visit.open({ body: `<iframe src="${imitation}" title="advertisement"></iframe>` });
    await visit.pay(VISA);
    await visit.paid();
    const frame = visit.page.frames().find((one) => one.url() === imitation);
    assert.equal(await frame.title(), "imitation");
  });

  test("the evil shop can't steal the frame of a shop: the document is served for one origin", async (t) => {
    const visit = await world.visit(t);
    visit.page = await visit.context.newPage();
    const address = `${world.service.url}/sdk/v1/frame/checkout?origin=${encodeURIComponent(world.shop.origin)}#stolen`;
    await visit.page.goto(world.evil.page(`<!doctype html><title>evil</title><iframe src="${address}" title="stolen"></iframe>`));
    await until("the browser refuses to show it", () => visit.console.some((line) => /frame-ancestors|Refused to frame|Framing/.test(line)));
    assert.equal(visit.page.frames().filter((frame) => frame.url().includes("/sdk/v1/frame/")).length, 0);
  });

  test("options can't carry markup, styles, addresses or prototypes into the frame", async (t) => {
    const visit = await world.visit(t);
    const nasty = "</style><script>parent.postMessage('pwned','*')</script><img src=x onerror=alert(1)>";
    const before = visit.requests.length;
    await visit.open({
      waits: false,
      more: {
        payButton: nasty,
        orderId: nasty,
        language: { "card.number.aria-label": nasty, "card.number.placeholder": nasty, ...JSON.parse('{"__proto__": {"polluted": true}}') },
        theme: {
          fontFamily: "x; } * { background: url(http://evil.example/x) } y {",
          borderRadius: "1px; background: url(//evil.example)",
          backgroundColor: "white",
          variables: { "--x": "url(http://evil.example/variable)" },
          rules: { PayButton: { background: "url(http://evil.example/rule)", "background-image": "image-set('http://evil.example/set' 1x)", color: "red;} body{display:none}" }, "*": { display: "none" } },
        },
      },
    });
    await visit.typable();
    await visit.pay(VISA);
    await visit.paid();
    const foreign = visit.requests.slice(before).filter(({ url }) => ![world.service.url, world.shop.origin].some((origin) => url.startsWith(origin)));
    assert.deepEqual(foreign.map(({ url }) => url), []);
    assert.equal(await visit.formFrame().evaluate(() => document.querySelectorAll("img,script:not([src])").length), 0);
    assert.equal(await visit.page.evaluate(() => ({}).polluted), undefined);
  });

  test("options of a megabyte, or of the wrong type, are refused with a message for each", async (t) => {
    const visit = await world.visit(t);
    await visit.open({ waits: false, more: { amount: 50.99, currencyCode: "euro", apiKey: "sk_test_secret", payButton: "x".repeat(1_000_000), unknownOption: 1 } });
    await visit.called("refused");
    const messages = (await visit.seen("onError")).map(({ values }) => values[0].error.message);
    for (const name of ["apiKey", "amount", "currencyCode", "unknownOption"]) {
      assert.ok(messages.some((message) => message.startsWith(name)), `${name} in ${messages.join(" | ").slice(0, 500)}`);
    }
    assert.ok(!visit.console.join().includes("sk_test_secret"), "a secret key is not repeated");
  });

  test("the credential stands in no address", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    await visit.open({ token });
    await visit.pay(THREE_D_SECURE);
    await visit.answerBank("complete");
    await visit.paid();
    assert.deepEqual(visit.requests.filter(({ url }) => url.includes(token) || url.includes(encodeURIComponent(token))).map(({ url }) => url), []);
    assert.ok(!world.service.output.includes(token), "nor in the log");
  });

  test("the frame keeps nothing: no storage, no cookie, no worker", async (t) => {
    const visit = await world.visit(t);
    await visit.open();
    await visit.pay(VISA);
    await visit.paid();
    const kept = await visit.formFrame().evaluate(async () => ({
      local: localStorage.length, session: sessionStorage.length, cookie: document.cookie,
      databases: (await indexedDB.databases()).length, workers: (await navigator.serviceWorker?.getRegistrations?.().catch(() => []))?.length ?? 0,
    }));
    assert.deepEqual(kept, { local: 0, session: 0, cookie: "", databases: 0, workers: 0 });
  });

  test("a page that is no origin (a file, a sandboxed frame) is refused in words", async (t) => {
    const visit = await world.visit(t);
    const { token } = await world.service.clientToken({ amount: 5099, currency: "EUR" });
    const inner = world.shop.page(payPage({ service: world.service, options: { apiKey: token, flowId: "default", amount: 5099, currencyCode: "EUR" } }));
    visit.page = await visit.context.newPage();
    await visit.page.goto(world.shop.page(`<!doctype html><title>outer</title><iframe sandbox="allow-scripts" src="${inner}" title="inner"></iframe>`));
    await until("a message about it", () => visit.console.some((line) => /no origin/.test(line)));
  });
});
