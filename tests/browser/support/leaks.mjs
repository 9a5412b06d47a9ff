/** Looks for card numbers wherever they must not be. */
import assert from "node:assert/strict";

/** A number with anything between its digits that people or programs write there. */
const patternOf = (number) => new RegExp([...number].join("(?:[ \\u00a0+.-]|%20){0,2}"));

/** The other forms in which a number could be written away. */
const formsOf = (number) => [Buffer.from(number).toString("base64").replace(/=+$/, "").slice(0, -1), [...number].reverse().join("")];

/** Where the text has one of the numbers; a part of the text around it without the digits. */
function leaksIn(text, numbers, where) {
  const found = [];
  for (const number of numbers) {
    const at = text.search(patternOf(number));
    const isThere = at >= 0 || formsOf(number).some((form) => text.includes(form));
    if (isThere) found.push(`${where}: number that ends with ${number.slice(-4)}: …${text.slice(Math.max(0, at - 60), Math.max(0, at))}…`);
  }
  return found;
}

/** What a page keeps where a script of its origin, or the next visitor, can read it. */
async function keptIn(frame) {
  return await frame.evaluate(async () => {
    const storageOf = (read) => {
      try {
        return JSON.stringify({ ...read() });
      } catch {
        return "";
      }
    };
    const databases = (await indexedDB.databases?.().catch(() => [])) ?? [];
    const values = [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes].map((attribute) => attribute.value));
    return {
      localStorage: storageOf(() => localStorage),
      sessionStorage: storageOf(() => sessionStorage),
      databases: JSON.stringify(databases),
      caches: JSON.stringify(self.caches ? await caches.keys().catch(() => []) : []),
      cookie: document.cookie,
      markup: document.documentElement.outerHTML,
      attributes: values.join("\n"),
      address: location.href,
      state: JSON.stringify(history.state),
      name: window.name,
      history: (self.navigation?.entries() ?? []).map((entry) => `${entry.url} ${JSON.stringify(entry.getState() ?? null)}`).join("\n"),
      entries: performance.getEntries().map((entry) => entry.name).join("\n"),
    };
  });
}

/** Fails when one of the numbers is anywhere but in a body that the form's own frame sent to the service. */
export async function assertNoLeaks(visit, numbers) {
  const { service, shop, evil } = visit.world;
  const found = [];
  const look = (text, where) => found.push(...leaksIn(text, numbers, where));
  let sentToService = 0;
  for (const { method, url, headers, body, frame } of visit.requests) {
    look(`${url}\n${JSON.stringify(headers)}`, `${method} ${new URL(url).origin}: address or headers`);
    const isOurs = url === `${service.url}/api/graphql` && frame.startsWith(`${service.url}/`);
    if (isOurs) sentToService += leaksIn(body, numbers, "").length;
    else look(body, `${method} ${url}: body`);
  }
  for (const { method, url, headers, body } of [...shop.requests, ...evil.requests]) look(`${url}\n${JSON.stringify(headers)}\n${body}`, `the shop's server: ${method}`);
  visit.console.forEach((line) => look(line, "console"));
  for (const page of visit.context.pages()) {
    for (const frame of page.frames()) {
      const kept = await keptIn(frame).catch(() => ({}));
      for (const [what, text] of Object.entries(kept)) look(String(text), `${what} of ${frame.url()}`);
    }
  }
  look(JSON.stringify(await visit.context.cookies()), "cookies");
  look(service.output, "the service's log");
  for (const [path, bytes] of service.files()) look(bytes.toString("latin1"), path);
  assert.deepEqual(found, []);
  return sentToService;
}
