/**
 * The shop's page: a cart, a checkout by Drop-In or Elements, and next to it the payment's timeline as the service writes it.
 * Card data never comes here: it is typed into a frame of the service.
 */

/** @typedef {{ id: string, name: string, price: number }} Product In minor units. */
/** @typedef {{ order: string, number: string, intent: string, clientToken: string, amount: number, currencyCode: string, flowId: string }} Checkout */

const CARDS = [
  ["4242 4242 4242 4242", "paid"],
  ["4000 0027 6000 3184", "the bank asks you (3D Secure)"],
  ["4000 0000 0000 9995", "declined: not enough funds"],
  ["4000 0000 0000 0903", "no answer at first"],
];

/** What a shopper reads of a decline. Of all others the bank says nothing that helps. */
const DECLINES = {
  INSUFFICIENT_FUNDS: "there are not enough funds",
  EXPIRED_CARD: "the card has expired",
  INVALID_CVC: "the security code is wrong",
  THREE_D_SECURE: "it could not confirm that it is you",
};

/** @param {string} id @returns {any} */
const at = (id) => document.getElementById(id);

/** @type {Product[]} */
let products = [];
/** @type {{ destroy(): void } | null} */
let form = null;
/** @type {EventSource | null} */
let live = null;

/** @param {number} minor */
const euros = (minor) => new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(minor / 100);

/** @param {string} text */
function trouble(text) {
  at("trouble").textContent = text;
  if (text !== "") at("trouble").scrollIntoView({ block: "nearest" });
}

/**
 * Calls the shop's own server.
 *
 * @param {string} path
 * @param {unknown} [body]
 */
async function shop(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, options);
  const json = await response.json();
  if (!response.ok) throw new Error(json.message ?? "The shop does not answer.");
  return json;
}

function quantities() {
  return Object.fromEntries(products.map((product) => [product.id, Number(at(`quantity-${product.id}`).value) || 0]));
}

function showTotal() {
  const wanted = quantities();
  at("total").textContent = euros(products.reduce((sum, product) => sum + product.price * (wanted[product.id] ?? 0), 0));
}

function showCart() {
  const lines = products.map((product, index) => {
    const line = document.createElement("li");
    const name = document.createElement("label");
    name.htmlFor = `quantity-${product.id}`;
    name.textContent = product.name;
    const quantity = document.createElement("input");
    Object.assign(quantity, { id: `quantity-${product.id}`, type: "number", min: "0", max: "20", value: index < 2 ? "1" : "0", inputMode: "numeric" });
    quantity.addEventListener("input", showTotal);
    const price = document.createElement("span");
    price.className = "price";
    price.textContent = euros(product.price);
    line.append(name, quantity, price);
    return line;
  });
  at("lines").replaceChildren(...lines);
  showTotal();
}

function showCards() {
  const rows = CARDS.map(([number = "", result = ""]) => {
    const row = document.createElement("li");
    const card = document.createElement("code");
    card.textContent = number;
    const text = document.createElement("span");
    text.className = "small";
    text.textContent = result;
    const copy = document.createElement("button");
    copy.type = "button";
    copy.textContent = "Copy";
    copy.setAttribute("aria-label", `Copy ${number}`);
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(number.replaceAll(" ", ""));
      at("copied").textContent = `${number} is copied: paste it as the card number.`;
    });
    row.append(card, text, copy);
    return row;
  });
  at("cards").replaceChildren(...rows);
}

/**
 * Shows one part of the page. The focus goes to its heading: what had it before is hidden now.
 *
 * @param {"cart" | "payment" | "outcome"} part
 */
function show(part) {
  for (const id of ["cart", "payment", "outcome"]) at(id).hidden = id !== part;
  at(`${part}-title`).focus();
}

function language() {
  const code = navigator.language.slice(0, 2);
  return ["en", "fr", "de", "es", "nl", "pt"].includes(code) ? code : "en";
}

/** The shop's colours, as they are at the moment. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    colors: { primary: colour("--accent"), accentContrast: colour("--on-accent"), border: colour("--control"), error: colour("--signal") },
    backgroundColor: colour("--ground"),
    textColor: colour("--ink"),
  };
}

/** @param {SubmitEvent} event */
async function checkOut(event) {
  event.preventDefault();
  trouble("");
  at("check-out").disabled = true;
  try {
    const way = new FormData(at("cart")).get("way");
    /** @type {Checkout} */
    const checkout = await shop("/api/checkout", { items: quantities() });
    follow(checkout.order);
    show("payment");
    await (way === "elements" ? mountElements(checkout) : mountDropIn(checkout));
  } catch (error) {
    show("cart");
    trouble(error instanceof Error ? error.message : String(error));
  } finally {
    at("check-out").disabled = false;
  }
}

/** @param {Checkout} checkout */
function common(checkout) {
  return {
    apiKey: checkout.clientToken,
    language: language(),
    theme: theme(),
    onError: (/** @type {{ error: { message: string } }} */ { error }) => trouble(error.message),
  };
}

/** @param {Checkout} checkout */
async function mountDropIn(checkout) {
  const { order, number, intent, amount, currencyCode, flowId } = checkout;
  at("drop-in").hidden = false;
  at("own-form").hidden = true;
  const { Pointsman } = /** @type {any} */ (window);
  form = await Pointsman.loadCheckoutSdkDropIn("#drop-in", {
    ...common(checkout), intentId: intent, orderId: number, amount, currencyCode, flowId,
    alternativePaymentMethods: [{ type: "bnpla" }],
    onPaymentComplete: () => void conclude(order),
  });
}

/** @param {Checkout} checkout */
async function mountElements(checkout) {
  at("drop-in").hidden = true;
  at("own-form").hidden = false;
  at("pay").textContent = `Pay ${euros(checkout.amount)}`;
  const { Pointsman } = /** @type {any} */ (window);
  form = await Pointsman.loadCheckoutSdkElement("#elements", {
    ...common(checkout),
    onPaymentRequest: async (/** @type {{ token?: string }} */ { token }) => {
      at("pay").disabled = true;
      try {
        const answer = await shop("/api/pay", { order: checkout.order, token });
        // The bank's page; it leads back to this shop.
        if (answer.url) location.assign(answer.url);
        else await conclude(checkout.order);
      } catch (error) {
        trouble(error instanceof Error ? error.message : String(error));
      } finally {
        at("pay").disabled = false;
      }
    },
  });
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Asks the shop's server how an order stands. What the browser saw decides nothing.
 *
 * @param {string} order
 */
async function conclude(order) {
  for (let turn = 0; turn < 60; turn += 1) {
    const { status, number, amount, reason } = await shop(`/api/orders/${encodeURIComponent(order)}`);
    if (status === "paid") return end("Thank you", `Your order is paid: ${euros(amount)}. Its number is ${number}.`);
    if (status === "declined") {
      // Drop-In has said it already, in the customer's language.
      const why = DECLINES[/** @type {keyof typeof DECLINES} */ (reason)];
      if (at("payment").hidden || !at("own-form").hidden) trouble(`Your bank refused the payment${why ? `: ${why}` : ""}. Nothing was charged. Try another card.`);
      return;
    }
    if (status === "check") return end("We are checking your payment", "Please don’t pay again. We will write to you.");
    await pause(500);
  }
  end("We are asking your bank", "The outcome is not known yet. You will not be charged twice.");
}

/** @param {string} title @param {string} text */
function end(title, text) {
  form?.destroy();
  form = null;
  trouble("");
  at("outcome-title").textContent = title;
  at("outcome-text").textContent = text;
  show("outcome");
}

const TONES = { SUCCEEDED: "good", AUTHORISED: "good", DECLINED: "bad", FAILED: "bad" };

/**
 * Shows the timeline of an order's payment, live.
 *
 * @param {string} order
 */
function follow(order) {
  live?.close();
  at("timeline").replaceChildren();
  at("status").textContent = "The checkout has begun. No payment yet.";
  at("status").dataset.tone = "";
  live = new EventSource(`/api/live/${encodeURIComponent(order)}`);
  live.addEventListener("message", (event) => showTimeline(JSON.parse(event.data)));
}

/** @param {{ status: string, amount: string, timeline: { title: string, message: string, time: string }[] }} payment */
function showTimeline({ status, amount, timeline }) {
  at("status").textContent = `${amount} · ${status}`;
  const tone = TONES[/** @type {keyof typeof TONES} */ (status)] ?? "waits";
  at("status").dataset.tone = tone;
  at("timeline").dataset.tone = tone;
  const rows = [...at("timeline").children];
  // Another attempt is another payment, with a timeline of its own.
  if (rows.some((row, index) => row.querySelector("time")?.dateTime !== timeline[index]?.time)) at("timeline").replaceChildren();
  const shown = at("timeline").children.length;
  // What stands there already stays, so that only what is new moves.
  for (const { title, message, time } of timeline.slice(shown)) {
    const row = document.createElement("li");
    const name = document.createElement("strong");
    name.textContent = title;
    const when = document.createElement("time");
    when.dateTime = time;
    when.textContent = new Date(time).toLocaleTimeString("en-GB");
    const text = document.createElement("p");
    text.textContent = message;
    row.append(name, when, text);
    at("timeline").append(row);
  }
}

function backToCart() {
  form?.destroy();
  form = null;
  trouble("");
  show("cart");
}

at("cart").addEventListener("submit", checkOut);
at("own-form").addEventListener("submit", (/** @type {SubmitEvent} */ event) => event.preventDefault());
at("back").addEventListener("click", backToCart);
at("again").addEventListener("click", backToCart);
showCards();
products = (await shop("/api/products")).products;
showCart();
// Back from the bank's page.
const returned = new URLSearchParams(location.search).get("order");
if (returned) {
  history.replaceState(null, "", location.pathname);
  follow(returned);
  await conclude(returned);
}
