/**
 * Draws the main states, on desktop and phone, light and dark.
 *
 *   node pictures.mjs DIRECTORY   every state, as PNG
 *   node pictures.mjs --docs      the eight of docs/pictures, as WebP of at most 60 KB
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AMEX, INSUFFICIENT_FUNDS, THREE_D_SECURE, UNKNOWN_CHARGED, VISA } from "./support/cards.mjs";
import { walletA, walletB, walletButton } from "./support/wallets.mjs";
import { World } from "./support/world.mjs";

const LIMIT_BYTES = 60_000;
const DOCS = resolve(fileURLToPath(import.meta.url), "../../../docs/pictures");
const SCREENS = { desktop: { width: 1280, height: 720 }, phone: { width: 390, height: 844 } };

/** What surrounds the form in the merchant's page of the pictures. */
const SHOP_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; background: light-dark(#faf7f2, #16130f); color: light-dark(#2a211a, #efe7dd) }
  main { max-width: 60rem; margin: 2.5rem auto; padding: 0 1.25rem } h1 { font-size: 1.4rem; margin: 0 0 1.5rem }
  dl { margin: 0 0 2rem } dl div { display: flex; justify-content: space-between; padding: .6rem 0; border-bottom: 1px solid light-dark(#e4dccf, #3a322a) }
  dd { margin: 0 } dl div:last-child { font-weight: 650; border: 0 } #buy { font: inherit; padding: .7rem 1.5rem; margin-top: 1rem }
  @media (min-width: 50rem) { main { display: grid; grid-template-columns: 1fr 26rem; column-gap: 5rem } h1 { grid-column: 1 / -1 } }`;
const HEAD = '<link rel="stylesheet" href="/shop.css">';
const CART = `<dl><div><dt>2 × House blend</dt><dd>€24.00</dd></div><div><dt>1 × Filter papers</dt><dd>€6.99</dd></div>
  <div><dt>Shipping</dt><dd>€20.00</dd></div><div><dt>Total</dt><dd>€50.99</dd></div></dl>`;

const more = { layout: "compact", allowSaveCard: true, alternativePaymentMethods: [{ type: "bnpla" }, { type: "walletc" }] };

/** A payment link. */
async function linkOf({ world: { service, shop } }) {
  const { createPaymentLink } = await service.graphql(
    `mutation($returnUrl: String) { createPaymentLink(amount: 5099, currencyCode: "EUR", orderId: "1001", description: "Two boxes of tea", returnUrl: $returnUrl) { id url } }`,
    { returnUrl: `${shop.origin}/` });
  return createPaymentLink;
}

/** How each state is reached. */
const STATES = {
  "drop-in": async (visit) => { await visit.open({ head: HEAD, body: CART, more }); },
  "drop-in-filled": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.fill(VISA);
  },
  "drop-in-wrong": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.payButton.click();
    await visit.form.locator("#error-cardnumber").getByText(/./).waitFor();
  },
  "drop-in-declined": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.pay(INSUFFICIENT_FUNDS);
    await visit.part("Error").getByText(/funds/i).waitFor();
  },
  "drop-in-paid": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.pay(VISA);
    await visit.paid();
  },
  "challenge": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.pay(THREE_D_SECURE);
    await (await visit.frameAt("/sandbox/pages/")).locator("button").first().waitFor();
  },
  "elements": async (visit) => { await visit.open({ surface: "card", head: HEAD, body: CART, more: { layout: "compact" } }); },
  "hosted": async (visit) => { await visit.hosted({ alternativePaymentMethods: JSON.stringify(more.alternativePaymentMethods) }); },
  "hosted-filled": async (visit) => {
    await visit.hosted();
    await visit.fill(VISA);
  },
  "hosted-declined": async (visit) => {
    await visit.hosted();
    await visit.pay(INSUFFICIENT_FUNDS);
    await visit.part("Error").getByText(/funds/i).waitFor();
  },
  "hosted-paid": async (visit) => {
    await visit.hosted({ orderId: "1001" });
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
  },
  "hosted-unknown": async (visit) => {
    await visit.hosted();
    await visit.pay(UNKNOWN_CHARGED);
    await visit.form.getByText(/asking your bank/i).first().waitFor();
  },
  "hosted-wallets": async (visit) => {
    await visit.hosted({ alternativePaymentMethods: JSON.stringify([walletA(), walletB(), ...more.alternativePaymentMethods]) });
    await walletButton(visit, "B").waitFor();
  },
  "hosted-saved": async (visit) => {
    const { id } = await visit.world.service.customer([
      { number: VISA, expMonth: 12, expYear: 2040, cvc: "123", name: "Ada Lovelace" }, { number: AMEX, expMonth: 1, expYear: 2039, cvc: "1234", name: "Ada Lovelace" },
    ]);
    const { token } = await visit.world.service.clientToken({ customerId: id, amount: 5099, currency: "EUR" });
    await visit.hosted({ customerId: id, isSavedCardCvcRequired: "true" }, { token, waits: false });
    await visit.form.locator("#pm-fields:enabled").waitFor();
  },
  "hosted-cart": async (visit) => {
    const line = (title, quantity, price) => ({ id: title, lineTotal: price * quantity, price, quantity, title });
    const intent = await visit.world.service.intent(5099, "EUR", { items: [line("House blend", 2, 1200), line("Filter papers", 1, 699), line("Shipping", 1, 2000)] });
    const { token } = await visit.world.service.clientToken({ intentId: intent });
    await visit.hosted({ intentId: intent, returnUrl: `${visit.world.shop.origin}/` }, { token });
  },
  "drop-in-wallets": async (visit) => {
    await visit.open({ head: HEAD, body: CART, more: { ...more, alternativePaymentMethods: [walletA(), walletB(), ...more.alternativePaymentMethods] } });
    await walletButton(visit, "B").waitFor();
  },
  "drop-in-sheet": async (visit) => {
    await STATES["drop-in-wallets"](visit);
    await walletButton(visit, "A").click();
    await visit.dialog.waitFor();
  },
  "drop-in-unknown": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.pay(UNKNOWN_CHARGED);
    await visit.form.getByText(/asking your bank/i).first().waitFor();
  },
  "link-receipt": async (visit) => {
    visit.isHosted = true;
    visit.page = await visit.context.newPage();
    const { url } = await linkOf(visit);
    await visit.page.goto(url);
    await visit.typable();
    await visit.pay(VISA);
    await visit.part("Status").getByText(/50\.99/).first().waitFor();
    await visit.page.goto(url);
  },
  "link-ended": async (visit) => {
    visit.page = await visit.context.newPage();
    const { id, url } = await linkOf(visit);
    await visit.world.service.graphql(`mutation($id: ID!) { endPaymentLink(id: $id) }`, { id });
    await visit.page.goto(url);
  },
  "hosted-missing": async (visit) => { await visit.hosted({ apiKey: undefined }, { waits: false }); },
  "hosted-french": async (visit) => { await visit.hosted({ language: "fr" }); },
  "bank": async (visit) => {
    await STATES["drop-in"](visit);
    await visit.pay(THREE_D_SECURE);
    const bank = await visit.frameAt("/sandbox/pages/");
    await visit.page.goto(bank.url());
  },
  "start-page": async (visit) => {
    visit.page = await visit.context.newPage();
    await visit.page.goto(visit.world.service.url);
  },
};

/** The pictures of the documents: state, screen, scheme. */
const KEPT = [
  ["drop-in-filled", "desktop", "light"],
  ["challenge", "desktop", "light"],
  ["drop-in-wrong", "desktop", "dark"],
  ["start-page", "desktop", "light"],
  ["hosted-filled", "phone", "dark"],
  ["drop-in-declined", "phone", "light"],
  ["hosted-paid", "phone", "light"],
  ["bank", "phone", "dark"],
];

/** The page as WebP, by the browser itself, in the best quality that fits. */
async function webp(page) {
  const session = await page.context().newCDPSession(page);
  for (let quality = 90; quality > 10; quality -= 10) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length <= LIMIT_BYTES) return bytes;
  }
  throw new Error("a picture can't be made small enough");
}

const [target] = process.argv.slice(2);
if (!target) {
  console.error("usage: node pictures.mjs DIRECTORY | --docs");
  process.exit(2);
}
const isForDocs = target === "--docs";
const directory = isForDocs ? DOCS : resolve(target);
mkdirSync(directory, { recursive: true });
const all = Object.keys(STATES).flatMap((state) => Object.keys(SCREENS).flatMap((screen) => ["light", "dark"].map((scheme) => [state, screen, scheme])));
const only = process.argv[3];

const world = new World();
await world.start();
world.shop.show("/shop.css", SHOP_STYLE, { "content-type": "text/css" });
const ends = [];
for (const [state, screen, colorScheme] of isForDocs ? KEPT : all.filter(([name]) => !only || name === only)) {
  const context = { after: (end) => ends.push(end) };
  const visit = await world.visit(context, { viewport: SCREENS[screen], colorScheme, isMobile: screen === "phone" });
  const name = `${state}-${screen}-${colorScheme}`;
  try {
    await STATES[state](visit);
    await visit.page.evaluate(() => document.fonts.ready);
    if (isForDocs) writeFileSync(join(directory, `${name}.webp`), await webp(visit.page));
    else await visit.page.screenshot({ path: join(directory, `${name}.png`), caret: "hide", animations: "disabled" });
  } catch (error) {
    console.error(`${name}: ${error.message.split("\n")[0]}`);
    await visit.page?.screenshot({ path: join(directory, `FAILED-${name}.png`) }).catch(() => {});
    process.exitCode = 1;
  }
  await visit.end();
}
await world.end();
