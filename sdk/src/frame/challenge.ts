/**
 * The inside of the dialog: frames the bank's page, and tells the page around us when the customer is back. In a window of its
 * own it goes on to the bank's page.
 */
import { PROTOCOL, type Opened, type Returned, type Shown } from "../shared/protocol.js";
import { keepLeft } from "./place.js";

/** The bank's page, where it is an address that a browser may be sent to. */
function bankAddress(text: string | null): URL | undefined {
  try {
    const address = new URL(text ?? "");
    const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(address.hostname);
    return address.protocol === "https:" || (address.protocol === "http:" && isLocal) ? address : undefined;
  } catch {
    return undefined;
  }
}

/** A window of its own, or the customer's own tab, which leaves the shop for the bank where no window may be opened: `left` is its errand. */
function alone(address: URL, shop: string, left: string): void {
  const isOfShop = document.referrer !== "" && new URL(document.referrer).origin === shop;
  if (left === "" ? window.opener : isOfShop) {
    keepLeft(left);
    return location.replace(address);
  }
  // Nobody opened this window for an errand: a link with our name must not bring people to any address. They see where it leads.
  const link = document.createElement("a");
  link.className = "Button";
  link.href = address.href;
  link.textContent = address.host;
  link.addEventListener("click", () => keepLeft(left));
  return document.body.append(link);
}

function main(): void {
  const details = new URLSearchParams(location.hash.slice(1));
  const attempt = details.get("attempt") ?? "";
  const address = bankAddress(details.get("url"));
  const shop = document.body.dataset["origin"] ?? "";
  if (!address) return;
  if (window.parent === window) {
    return alone(address, shop, details.get("use") === "leave" ? attempt : "");
  }
  const opened: Opened = { pointsman: PROTOCOL, opened: attempt };
  window.parent.postMessage(opened, shop);
  const frame = document.createElement("iframe");
  frame.title = document.title;
  // Banks ask for passkeys and for secure payment confirmation.
  frame.allow = "payment *; publickey-credentials-get *";
  frame.src = address.href;
  frame.addEventListener("load", () => {
    const message: Shown = { pointsman: PROTOCOL, shown: attempt };
    window.parent.postMessage(message, shop);
  });
  window.addEventListener("message", ({ data, origin, source }: MessageEvent<Partial<Returned> | null>) => {
    // The return page is ours, and stands where the bank's page was.
    if (source !== frame.contentWindow || origin !== location.origin || data?.pointsman !== PROTOCOL || data.returned !== attempt) return;
    const message: Returned = { pointsman: PROTOCOL, returned: attempt };
    window.parent.postMessage(message, shop);
  });
  document.body.append(frame);
}

main();
