/** A merchant's web server on an origin of its own: pages that a test writes, and a record of everything that it was asked for. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** The script of the pay page. */
const PAY_SCRIPT = readFileSync(new URL("pay.js", import.meta.url));

export class Shop {
  /** Every request: method, address, headers, body. */
  requests = [];
  #pages = new Map();
  #server;
  #pageCount = 0;

  static async start() {
    const shop = new Shop();
    shop.#server = createServer((request, response) => shop.#answer(request, response));
    await new Promise((listening) => shop.#server.listen(0, "127.0.0.1", listening));
    // Another site than 127.0.0.1 to a browser, so that the service's frame has a process and storage of its own.
    shop.origin = `http://localhost:${shop.#server.address().port}`;
    shop.show("/pay.js", PAY_SCRIPT, { "content-type": "text/javascript" });
    shop.show("/", '<!doctype html><html lang="en"><title>Harbour Coffee</title><main><h1>Harbour Coffee</h1></main></html>');
    shop.show("/favicon.ico", "", { "content-type": "image/png" });
    return shop;
  }

  /** Serves this at `path`; `body` may be a function of the request. Returns the address. */
  show(path, body, headers = {}) {
    this.#pages.set(path, { body, headers: { "content-type": "text/html; charset=utf-8", ...headers } });
    return this.origin + path;
  }

  /** Serves this page at a path that no other has. */
  page(body, headers) {
    this.#pageCount += 1;
    return this.show(`/checkout/${this.#pageCount}`, body, headers);
  }

  end() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request, response) {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const seen = { method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() };
      this.requests.push(seen);
      const page = this.#pages.get(new URL(request.url, this.origin).pathname);
      if (!page) {
        response.writeHead(404).end("not found");
        return;
      }
      const body = typeof page.body === "function" ? page.body(seen) : page.body;
      response.writeHead(200, { "cache-control": "no-store", ...page.headers }).end(body);
    });
  }
}
