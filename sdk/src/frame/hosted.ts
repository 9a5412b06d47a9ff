/**
 * The hosted page: options from the document, events to the app around it, errands by redirect. The client token leaves the
 * address at once, and is kept in this tab's session storage for loading the page again.
 */
import walletsFile from "built:hostedwallets.js";
import { loadMessages, type Messages } from "../shared/messages.js";
import { fields, page, payment } from "../shared/messages/en.js";
import { readOptions } from "../shared/options.js";
import { standingOf, type Payment } from "../shared/paymentstatus.js";
import type { BrowserData, FrameOptions, SdkConfiguration } from "../shared/protocol.js";
import { tellApp } from "./bridge.js";
import { Checkout } from "./checkoutform.js";
import { TOKEN_ENDED } from "./configuration.js";
import { find, findOptional } from "./dom.js";
import type { HostedWallets } from "./hostedwallets.js";
import { loadPart } from "./part.js";
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

/** The place of the wallets' buttons, which the server has kept free where one is asked for. */
const walletsArea = find('[data-part="Wallets"]');

/** Loads the wallets' buttons behind the form, where one is asked for; without their code the form works. */
function walletsOf(checkout: () => Checkout) {
  let loading: Promise<HostedWallets | undefined> | undefined;
  const use = (call: (wallets: HostedWallets) => void) => void loading?.then((made) => made && call(made));
  const load = async () => {
    const part = await loadPart<typeof import("./hostedwallets.js")>(walletsFile);
    walletsArea.hidden = !part;
    return part && new part.HostedWallets(walletsArea, checkout());
  };
  return {
    configure: (configuration: SdkConfiguration, messages: Messages) => {
      if (walletsArea.hidden) return;
      loading ??= load();
      use((wallets) => wallets.configure(configuration, messages));
    },
    settle: (isPaid: boolean) => use((wallets) => wallets.settle(isPaid)),
  };
}

/** A page of its own: errands by redirect, from which the return page leads back here. */
function ownPage(address: string, token: string, { configure, settle }: ReturnType<typeof walletsOf>): Surroundings {
  const leave = ({ action, payment, url }: Errand) => {
    settle(true);
    keepPlace({ action, address, payment, token });
    location.assign(url);
  };
  return {
    act: leave,
    acted: () => undefined,
    cancelled: () => {
      settle(false);
      forgetPlace();
    },
    changed: () => undefined,
    completed: (result) => {
      const { authorizePayment: payment } = result.data as { readonly authorizePayment: Payment | null };
      settle(payment !== null && !["declined", "failed", "cancelled"].includes(standingOf(payment)));
      if (payment && standingOf(payment) === "paid") keepPlace({ action: "", address, payment: payment.id, token });
      else forgetPlace();
      tellApp("paymentComplete", result);
    },
    configured: configure,
    failed: (error) => {
      settle(false);
      // Nothing can be read with it any more: loaded again, the page is as the server has it.
      if (error.type === TOKEN_ENDED.type) forgetPlace();
      tellApp("error", { error });
    },
    focused: () => undefined,
    leave,
    shop: location.origin,
    // Where nobody can pay by card, nobody can pay by a wallet.
    stands: (state) => {
      walletsArea.inert = state !== "open";
    },
  };
}

async function main(): Promise<void> {
  const address = location.href;
  keepAddress(address);
  history.replaceState(null, "", withoutToken(address));
  const place = readPlace();
  const options: FrameOptions = {
    ...readOptions({ layout: "compact", ...writtenOptions() }), redirectOnly: true,
    ...(place?.address === address ? { apiKey: place.token, resumePayment: place.payment } : {}),
  };
  const messages = await loadMessages(options.language, ENGLISH);
  const checkout: Checkout = new Checkout(options, messages, ownPage(address, options.apiKey, walletsOf(() => checkout)), browserData());
  followLanguage(checkout);
  await checkout.start(() => document.body.removeAttribute("data-waits"));
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
