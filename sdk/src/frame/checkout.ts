/** Drop-In: the whole checkout inside a merchant's page. */
import { loadMessages } from "../shared/messages.js";
import { fields, payment } from "../shared/messages/en.js";
import { DEFAULT_OPTIONS, readOptions } from "../shared/options.js";
import type { FrameOptions, ToFrame, UnderWay } from "../shared/protocol.js";
import { Api } from "./api.js";
import { openChannel, reportHeight, type Channel } from "./channel.js";
import { Checkout } from "./checkoutform.js";
import { challengeAddress, type Surroundings } from "./surroundings.js";
import { walletFacts } from "./configuration.js";
import { find } from "./dom.js";
import { walletSession } from "./walletsession.js";

const ENGLISH = { ...fields, ...payment };

/** What happens is reported to the loader, which shows dialogs and windows. */
function insidePage(channel: Channel, shop: string, options: () => FrameOptions): Surroundings {
  return {
    shop,
    act: (errand, texts) => {
      if (options().redirectOnly) return channel.post({ type: "redirect", url: errand.url });
      const supportsIframe = errand.kind === "3ds";
      const url = supportsIframe ? challengeAddress(errand, shop, options().ancestors) : errand.url;
      return channel.post({ action: { id: errand.action, kind: errand.kind, supportsIframe, texts, url }, type: "action" });
    },
    acted: (action) => channel.post({ action, type: "actionDone" }),
    cancelled: () => channel.post({ type: "cancel" }),
    changed: (change) => channel.post({ type: "change", ...change }),
    completed: (result) => channel.post({ result, type: "complete" }),
    configured: (configuration, messages) => channel.post(walletFacts(configuration, messages)),
    failed: (error) => channel.post({ error, type: "error" }),
    focused: (field, isFocused) => channel.post({ field, type: isFocused ? "focus" : "blur" }),
    // By a document of ours, which leaves word in this tab for the way back.
    leave: (errand) => channel.post({ type: "redirect", url: challengeAddress(errand, shop, options().ancestors, "leave") }),
    stands: (state) => channel.post({ state, type: "state" }),
    underWay: (payment, errand) => {
      const underWay: UnderWay = errand ? { errand: { action: errand.action, kind: errand.kind, url: errand.url }, payment } : { payment };
      channel.post({ type: "underWay", underWay });
    },
  };
}

/** The only origin that this document talks to. */
function shopOrigin(): string {
  return find("#pm-form").dataset["origin"] ?? "";
}

function receive(checkout: Checkout, channel: Channel, message: ToFrame): void {
  switch (message.type) {
    case "actionSignal": return checkout.signalled(message.action, message.signal);
    case "clearCode": return undefined;
    case "disable": return checkout.enable(false);
    case "enable": return checkout.enable(true);
    case "focus": return checkout.focus(message.field);
    case "reset": return checkout.reset();
    case "submit": return void checkout.payByForm();
    case "walletToken": return void checkout.payByWallet(message.wallet, message.token, message.transactionId);
    case "walletSession": return void walletSession(new Api(checkout.options.apiKey), message, shopOrigin()).then(channel.post);
    case "update": {
      const options = readOptions(message.options, checkout.options);
      return void loadMessages(options.language, ENGLISH).then((messages) => {
        channel.post({ title: messages.get("frame.title"), type: "title" });
        return checkout.update(options, messages);
      });
    }
    case "destroy": return channel.close();
    case "init": return undefined;
  }
}

async function main(): Promise<void> {
  const shop = shopOrigin();
  let checkout: Checkout | undefined;
  let options = DEFAULT_OPTIONS;
  let isStarted = false;
  const channel = await openChannel(shop, (message) => {
    if (checkout) return receive(checkout, channel, message);
    if (message.type !== "init" || isStarted) return undefined;
    isStarted = true;
    options = readOptions(message.options);
    return void loadMessages(options.language, ENGLISH).then((messages) => {
      const surroundings = insidePage(channel, shop, () => checkout?.options ?? options);
      checkout = new Checkout(options, messages, surroundings, message.browser);
      return checkout.start(() => {
        reportHeight(channel);
        channel.post({ title: messages.get("frame.title"), type: "title" });
        channel.post({ type: "ready" });
      }, message.underWay);
    });
  });
}

void main();
