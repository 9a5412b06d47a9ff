/**
 * Buttons of wallets on the hosted page, by the code that draws them in merchants' pages. A file of its own, loaded where a wallet is
 * asked for. Here it is a module: the page lets no script be made of an address but the network's own.
 */
import standInFile from "built:hostedstandin.js";
import type { Options } from "../loader/options.js";
import { loadScript, PAY_JS } from "../loader/script.js";
import type { Messages } from "../shared/messages.js";
import type { SdkConfiguration, ToFrame } from "../shared/protocol.js";
import { Wallets } from "../wallets/wallets.js";
import type { Checkout } from "./checkoutform.js";
import { walletFacts } from "./configuration.js";
import { loadPart } from "./part.js";
import { walletSession } from "./walletsession.js";

/** The network's script, or the stand-in for both. */
async function load(address: string): Promise<{ readonly exported?: unknown }> {
  if (address === PAY_JS) return loadScript(address);
  const part = await loadPart<typeof import("../wallets/stand-in.js")>(standInFile);
  if (!part) throw new Error("the wallets' stand-in can't be loaded");
  return { exported: part.standIns };
}

export class HostedWallets {
  readonly #checkout: Checkout;
  readonly #wallets: Wallets;
  #isBusy = false;

  constructor(area: HTMLElement, checkout: Checkout) {
    this.#checkout = checkout;
    const { surroundings } = checkout;
    this.#wallets = new Wallets({
      area, loadScript: load, once: (run) => this.#once(run), options: checkout.options as unknown as Options,
      report: (message, type = "wallet") => {
        console.error(`Pointsman: ${message}`);
        surroundings.failed({ message, type });
      },
      send: (message) => this.#send(message), service: location.origin, surface: "checkout",
    });
  }

  configure(configuration: SdkConfiguration, messages: Messages): void {
    this.#wallets.configure(walletFacts(configuration, messages));
  }

  settle(isPaid: boolean): void {
    this.#wallets.settle(isPaid);
  }

  /** One sheet at a time. It opens within the gesture: nothing is awaited before. */
  async #once(run: () => Promise<unknown>): Promise<unknown> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    try {
      return await run();
    } finally {
      this.#isBusy = false;
    }
  }

  #send(message: ToFrame): void {
    const { api } = this.#checkout;
    if (message.type === "walletToken") void this.#checkout.payByWallet(message.wallet, message.token, message.transactionId);
    else if (message.type === "walletSession") void walletSession(api, message, location.origin).then((answer) => this.#wallets.sessionAnswered(answer));
  }
}
