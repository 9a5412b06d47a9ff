/** What a customer's browser loads before a card can be typed in: 30 KiB as they are sent, the form's document among them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { worldForFile } from "../support/world.mjs";

const world = worldForFile();

const LIMIT_BYTES = 30 * 1024;

/** Notes in every frame when the form could be typed in. */
function noteTypable() {
  const look = () => {
    if (window.typableAt || !document.querySelector("input[name=cardnumber]:enabled")) return;
    window.typableAt = performance.now();
  };
  new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
}

/** Bytes of what had been asked for before: by the form's document, which can see its own files, and the loader. */
async function bytesBeforeTyping(visit) {
  const responses = [];
  visit.context.on("response", (response) => responses.push(response));
  return async () => {
    await visit.typable();
    const asked = await visit.formFrame().evaluate(() =>
      performance.getEntries().filter(({ entryType, startTime }) => ["navigation", "resource"].includes(entryType) && startTime < window.typableAt).map(({ name }) => name));
    const isBefore = (url) => asked.includes(url) || asked.some((name) => name.split("#")[0] === url.split("#")[0]) || /pointsman\.js$/.test(url);
    const files = await Promise.all(responses.filter((response) => isBefore(response.url())).map(async (response) => {
      const { responseBodySize } = await response.request().sizes();
      return { bytes: responseBodySize, name: new URL(response.url()).pathname };
    }));
    return files;
  };
}

describe("weight", () => {
  for (const surface of ["card", "checkout", "hosted"]) {
    test(`${surface}: at most 30 KiB before a card can be typed in, in a language other than English`, async (t) => {
      const visit = await world.visit(t);
      await visit.context.addInitScript(noteTypable);
      const measure = await bytesBeforeTyping(visit);
      if (surface === "hosted") await visit.hosted({ language: "fr" });
      else await visit.open({ surface, more: { language: "fr" } });
      const files = await measure();
      const names = files.map(({ name }) => name.replace(/\.[0-9a-f]{12}\./, "."));
      for (const needed of ["messages.fr.js", surface === "hosted" ? "/checkout" : `/frame/${surface}`, surface === "hosted" ? "hosted.css" : "pointsman.js"]) {
        assert.ok(names.some((name) => name.endsWith(needed)), `${needed} is counted: ${names.join(", ")}`);
      }
      const late = names.filter((name) => /paying|later|wallet/.test(name));
      assert.deepEqual(late, [], "what is needed later comes later");
      const sum = files.reduce((bytes, file) => bytes + file.bytes, 0);
      assert.ok(sum > 10_000 && sum <= LIMIT_BYTES, `${sum} bytes: ${files.map(({ bytes, name }) => `${name} ${bytes}`).join(", ")}`);
      assert.ok(files.length <= 7, `${files.length} requests`);
      const foreign = visit.requests.filter(({ url }) => !url.startsWith(world.service.url) && !url.startsWith(world.shop.origin));
      assert.deepEqual(foreign.map(({ url }) => url), []);
      t.diagnostic(`${surface}: ${sum} bytes of ${LIMIT_BYTES}`);
    });
  }
});
