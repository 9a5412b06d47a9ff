/**
 * The hosted page: options from the document, events to the app around it, errands by redirect. The client token leaves the
 * address at once, and is kept in this tab's session storage for loading the page again.
 */
import { loadMessages } from "../shared/messages.js";
import { fields, page, payment } from "../shared/messages/en.js";
import { readOptions } from "../shared/options.js";
import { standingOf, type Payment } from "../shared/paymentstatus.js";
import type { BrowserData, FrameOptions } from "../shared/protocol.js";
import { tellApp } from "./bridge.js";
import { Checkout } from "./checkoutform.js";
import { find, findOptional } from "./dom.js";
import { forgetPlace, keepAddress, keepPlace, readPlace, withoutToken } from "./place.js";
import type { Errand, Surroundings } from "./surroundings.js";

const ENGLISH = { ...fields, ...payment, ...page };

/** The options that the server has checked and written into the document. */
function writtenOptions(): object {
  return JSON.parse(find("#pm-form").dataset["options"] ?? "{}") as object;
}

function browserData(): BrowserData {
  return {
    colorDepth: screen.colorDepth, javaEnabled: false, language: navigator.language, screenHeight: screen.height, screenWidth: screen.width,
    timeZoneOffset: new Date().getTimezoneOffset(), userAgent: navigator.userAgent,
  };
}

/** A page of its own: errands by redirect, from which the return page leads back here. */
function ownPage(address: string): Surroundings {
  const leave = ({ action, payment, url }: Errand) => {
    keepPlace({ action, address, payment });
    location.assign(url);
  };
  return {
    act: leave,
    acted: () => undefined,
    cancelled: forgetPlace,
    changed: () => undefined,
    completed: (result) => {
      const { authorizePayment: payment } = result.data as { readonly authorizePayment: Payment | null };
      if (payment && standingOf(payment) === "paid") keepPlace({ action: "", address, payment: payment.id });
      else forgetPlace();
      tellApp("paymentComplete", result);
    },
    configured: () => undefined,
    failed: (error) => tellApp("error", { error }),
    focused: () => undefined,
    leave,
    shop: location.origin,
    stands: () => undefined,
  };
}

async function main(): Promise<void> {
  const address = location.href;
  keepAddress(address);
  history.replaceState(null, "", withoutToken(address));
  const place = readPlace();
  const options: FrameOptions = {
    ...readOptions({ layout: "compact", ...writtenOptions() }), redirectOnly: true,
    ...(place?.address === address ? { resumePayment: place.payment } : {}),
  };
  const checkout = new Checkout(options, await loadMessages(options.language, ENGLISH), ownPage(address), browserData());
  followLanguage(checkout);
  await checkout.start(() => undefined);
}

/** The customer's own choice of a language. */
function followLanguage(checkout: Checkout): void {
  const select = findOptional<HTMLSelectElement>('[data-part="Language"]');
  if (!select) return;
  select.value = document.documentElement.lang.slice(0, 2);
  // A merchant's own texts may be of a language that the list does not have.
  select.hidden = select.value === "";
  select.addEventListener("change", () => {
    const language = select.value;
    void loadMessages(language, ENGLISH).then((messages) => checkout.update({ ...checkout.options, language }, messages));
  });
}

void main();
