/** Everything that a file of tests stands on: the service, the shop, another shop that is hostile, a browser. */
import { after, before } from "node:test";
import { launchBrowser } from "./chromium.mjs";
import { Service } from "./service.mjs";
import { Shop } from "./shop.mjs";
import { Visit } from "./visit.mjs";

export class World {
  async start(environment) {
    this.service = await Service.start(environment);
    [this.shop, this.evil, this.browser] = await Promise.all([Shop.start(), Shop.start(), launchBrowser()]);
  }

  async end() {
    await this.browser?.close();
    this.shop?.end();
    this.evil?.end();
    await this.service?.end();
  }

  /** A customer's visit, ended with the test `t`. `options` are those of Playwright's contexts. */
  async visit(t, options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 800, height: 900 }, ...options });
    const visit = new Visit(this, context);
    t.after(() => visit.end());
    return visit;
  }
}

/** A world for the whole file. */
export function worldForFile(environment) {
  const world = new World();
  before(() => world.start(environment), { timeout: 90_000 });
  after(() => world.end());
  return world;
}
