/** The shop's server: pages, four addresses for the page, one for webhooks. Node's standard library alone. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { CURRENCY, PRODUCTS, Refused } from "./orders.mjs";
import { Service } from "./service.mjs";
import { Shop } from "./shop.mjs";

const PORT = Number(process.env.PORT ?? 8081);
const SERVICE = process.env.POINTSMAN_URL ?? "http://127.0.0.1:8080";
const KEY = process.env.POINTSMAN_KEY ?? "";
const ORIGIN = process.env.SHOP_ORIGIN ?? `http://localhost:${PORT}`;
/** The largest request. Unit: bytes. */
const LARGEST = 64 * 1024;
const FILES = { "/shop.js": "text/javascript; charset=utf-8", "/shop.css": "text/css; charset=utf-8", "/cup.svg": "image/svg+xml" };

if (!KEY) {
  console.error("POINTSMAN_KEY is missing: the secret key (sk_test_…) that the service printed at its first start.");
  process.exit(1);
}
const service = new Service(SERVICE, KEY);
const shop = new Shop(service, ORIGIN);

/** The page may load the service's script and frame, and talk to this server. That is all that the card form needs. */
const HEADERS = {
  "Content-Security-Policy":
    `default-src 'none'; script-src 'self' ${service.url}; frame-src ${service.url}; connect-src 'self'; style-src 'self'; img-src 'self'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

const file = (name) => readFile(new URL(`./public/${name}`, import.meta.url));

/** The page, with the loader of the day pinned by its hash. */
async function page() {
  const { address, integrity } = await service.loader();
  const text = await file("index.html");
  return text.toString("utf8").replaceAll("{{loader}}", address).replaceAll("{{integrity}}", integrity).replaceAll("{{service}}", service.url);
}

async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > LARGEST) throw new Refused("That is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function answer(response, status, type, body) {
  response.writeHead(status, { ...HEADERS, "Content-Type": type }).end(body);
}

function json(response, status, value) {
  answer(response, status, "application/json", JSON.stringify(value));
}

/** A request of our page. JSON alone: other sites can't send that without asking first. */
async function wanted(request) {
  if (request.headers["content-type"] !== "application/json") throw new Refused("This address takes JSON.");
  try {
    return JSON.parse(await bodyOf(request));
  } catch {
    throw new Refused("That is no JSON.");
  }
}

async function live(response, order) {
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  shop.known(order);
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" }).write(":\n\n");
  try {
    for await (const timeline of shop.timelines(order, stop.signal)) response.write(`data: ${timeline}\n\n`);
  } catch (error) {
    if (!stop.signal.aborted) console.error(`the timeline ended: ${error}`);
  }
  response.end();
}

async function handle(request, response) {
  const { pathname } = new URL(request.url, ORIGIN);
  const [, area, what, id = ""] = pathname.split("/");
  const route = `${request.method} ${pathname}`;
  if (route === "GET /") return answer(response, 200, "text/html; charset=utf-8", await page());
  if (request.method === "GET" && pathname in FILES) return answer(response, 200, FILES[pathname], await file(pathname.slice(1)));
  if (route === "GET /api/products") return json(response, 200, { products: PRODUCTS, currencyCode: CURRENCY });
  if (route === "POST /api/checkout") return json(response, 200, await shop.checkOut((await wanted(request)).items));
  if (route === "POST /api/pay") {
    const { order, token } = await wanted(request);
    return json(response, 200, await shop.pay(order, token));
  }
  if (request.method === "GET" && area === "api" && what === "orders") return json(response, 200, await shop.statusOf(id));
  if (request.method === "GET" && area === "api" && what === "live") return live(response, id);
  if (route === "POST /hooks") {
    const isOurs = await shop.notified(request.headers, await bodyOf(request));
    return response.writeHead(isOurs ? 204 : 400).end();
  }
  return json(response, 404, { message: "There is nothing at this address." });
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    if (!(error instanceof Refused)) console.error(error);
    if (response.headersSent) return response.end();
    json(response, error instanceof Refused ? 400 : 502, { message: error instanceof Refused ? error.message : "The shop can’t reach the payment service." });
  });
});
await shop.register();
server.listen(PORT, "127.0.0.1", () => console.log(`The shop is open: ${ORIGIN}`));
