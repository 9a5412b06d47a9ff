/**
 * Where 3D Secure and other methods lead back to. Tells the page that waits, in each of the ways in which it may: as the frame
 * inside our challenge document, as a window of the shop, or by going on. What stands in the address decides nothing.
 */
import { loadMessages } from "../shared/messages.js";
import { PROTOCOL, type Returned } from "../shared/protocol.js";
import { hasLeft, readPlace } from "./place.js";

/** Given to the opener before the window closes itself. Milliseconds. */
const CLOSE_AFTER_MS = 300;

/** Parameters that the merchant's page gets. */
const RESULTS = ["id", "3ds_status", "apm_status", "decline_code"];

/** The merchant's page with the results, where it is of the origin that the server has checked. */
function shopAddress(parameters: URLSearchParams, shop: string): URL | undefined {
  try {
    const address = new URL(parameters.get("to") || shop);
    if (address.origin !== shop || !/^https?:$/.test(address.protocol)) return undefined;
    for (const name of RESULTS) {
      const value = parameters.get(name);
      if (value !== null) address.searchParams.set(name, value);
    }
    return address;
  } catch {
    return undefined;
  }
}

function main(): void {
  const parameters = new URLSearchParams(location.search);
  const attempt = parameters.get("attempt") ?? "";
  const shop = document.body.dataset["origin"] ?? "";
  const message: Returned = { pointsman: PROTOCOL, returned: attempt };
  if (window.parent !== window) return window.parent.postMessage(message, location.origin);
  const place = readPlace();
  if (place?.action === attempt) return location.replace(place.address);
  const address = shopAddress(parameters, shop);
  // No window could be opened: this is the customer's own tab, whatever the errand was begun for.
  if (address && hasLeft(attempt)) return location.replace(address);
  const opener = window.opener as Window | null;
  // The customer's own tab may have an opener too, another site's page: only a window that the shop opened is closed.
  const isWindow = parameters.get("window") === "1";
  if (shop) opener?.postMessage(message, shop);
  if (opener && isWindow) window.setTimeout(() => window.close(), CLOSE_AFTER_MS);
  // A bank may have cut the window off from the shop: then nothing says whether this is the shop's window or the customer's only one.
  else if (address && !isWindow) return location.replace(address);
  showWayBack(address, parameters.get("language") ?? "en");
}

/** The texts stand in the document in English. */
function showWayBack(address: URL | undefined, language: string): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-part="BackLink"]');
  if (link) {
    link.hidden = !address;
    if (address) link.href = address.href;
  }
  void loadMessages(language, {}).then((messages) => {
    document.documentElement.lang = messages.language;
    for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
      const text = messages.find(element.dataset["text"] ?? "");
      if (text !== undefined) element.textContent = text;
    }
  });
}

main();
