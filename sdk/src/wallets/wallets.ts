/**
 * Buttons of wallets, which the merchant's page draws: networks refuse to show theirs in a frame of another domain. Until
 * the service has answered, their place is kept free, so that nothing moves.
 */
import type { SdkConfiguration, ToLoader } from "../shared/protocol.js";
import { randomId } from "../loader/channel.js";
import { make, shadowOf } from "../loader/dom.js";
import { walletOf, type Wallet } from "../loader/wallet-names.js";
import { notify } from "../loader/report.js";
import { PAY_JS } from "../loader/script.js";
import type { PaymentRequestResult, WalletAOption, WalletBOption } from "../loader/types.js";
import { NOT_SET_UP, walletAButton, type PaymentsClientConstructor } from "./wallet-a.js";
import { walletBButton, type WalletBSessionConstructor } from "./wallet-b.js";
import type { WalletsSetting } from "../loader/wallets.js";
import { mistakesOfWallet } from "./options.js";
import css from "./wallets.css";

/** The networks' own interfaces, or those of the stand-in. */
interface Networks {
  PaymentsClient?: PaymentsClientConstructor;
  ApplePaySession?: WalletBSessionConstructor;
}

/** What a button needs of the page around it. */
export interface WalletPage {
  readonly configuration: SdkConfiguration;
  readonly root: ShadowRoot;
  text(key: string, otherwise: string): string;
  once(run: () => Promise<void>): void;
  /** Hands the wallet's token on. True when the payment went well, as far as the sheet has to know. */
  pay(request: PaymentRequestResult, paymentData: unknown): Promise<boolean>;
  cancel(): void;
  /** What the page's policy asks of inline styles, which wallet A's network writes. */
  readonly nonce?: string | undefined;
  /** The session of wallet B's network, by the service. */
  merchantSession(validationUrl: string, displayName: string): Promise<unknown>;
}

type Configured = Extract<ToLoader, { type: "configuration" }>;
type Session = Extract<ToLoader, { type: "walletSession" }>;

interface WalletMethod {
  readonly wallet: Wallet;
  readonly option: WalletAOption & WalletBOption;
  readonly standsIn: boolean;
  /** The name of the option in messages. */
  readonly path: string;
}

const STAND_IN = /^\/sdk\/v1\/f\/wallet-stand-in\.\w+\.js$/;

/** The stand-in works before anything is set up. */
function withStandIn(configuration: SdkConfiguration): SdkConfiguration {
  const { walletA, walletB } = configuration;
  return { ...configuration, walletA: walletA ?? { gateway: "pointsman", gatewayMerchantId: "test" }, walletB: walletB ?? { merchantIdentifier: "test" } };
}

const networks = (): Networks => {
  const { google, ApplePaySession } = window as { google?: { payments: { api: Networks } } } & Networks;
  return { ...google?.payments.api, ...(ApplePaySession && { ApplePaySession }) };
};

/** The area of the buttons, and what happens in it. */
export class Wallets {
  readonly #root: ShadowRoot;
  readonly #of: WalletsSetting;
  #configured: Configured | undefined;
  #drawn = "";
  /** Ends the wait of a sheet for the outcome of its payment. */
  #settle: ((isPaid: boolean) => void) | undefined;
  #session: { request: string; resolve(session: unknown): void; reject(failure: Error): void } | undefined;

  constructor(setting: WalletsSetting) {
    this.#of = setting;
    this.#root = shadowOf(setting.area, css);
  }

  /** The service has answered: draws the buttons of those wallets that the customer can pay with. */
  configure(message: Configured): void {
    this.#configured = message;
    this.draw();
  }

  /** Draws the buttons again where the options of wallets have changed. */
  draw(): void {
    const methods = this.#methods();
    const wanted = JSON.stringify([methods, this.#configured?.texts]);
    if (!this.#configured || wanted === this.#drawn) return;
    this.#drawn = wanted;
    const configured = this.#configured;
    const { options, report } = this.#of;
    const made = methods.map(async (method) => {
      const mistakes = mistakesOfWallet(method.wallet, method.option, options, method.path);
      mistakes.forEach((message) => report(message, "invalid-option"));
      return mistakes.length > 0 ? undefined : this.#button(method, configured).catch((failure: Error) => report(failure.message));
    });
    void Promise.all(made).then((buttons) => {
      if (wanted !== this.#drawn) return;
      const shown = buttons.filter((button) => button instanceof HTMLElement);
      this.#of.area.style.display = shown.length > 0 ? "" : "none";
      this.#root.replaceChildren(make("div", {}, ...shown), make("p", {}, configured.texts["wallets.or.label"] ?? "or pay another way"));
    });
  }

  /** The payment of a wallet's token has an outcome, or the customer has to act elsewhere: the sheet may go. */
  settle(isPaid: boolean): void {
    this.#settle?.(isPaid);
  }

  /** The frame's answer to `merchantSession`. */
  sessionAnswered({ request, session, error }: Session): void {
    if (request !== this.#session?.request) return;
    if (session) this.#session.resolve(session);
    else this.#session.reject(new Error(`wallet B: ${error ?? "no session"}`));
  }

  #methods(): WalletMethod[] {
    const { alternativePaymentMethods = [], apiKey } = this.#of.options;
    return alternativePaymentMethods.flatMap((method, index) => {
      const wallet = walletOf(method);
      if (!wallet) return [];
      const option = method.option as WalletAOption & WalletBOption;
      const standsIn = apiKey.startsWith("ct_test_") && !option?.useNetworkInTest;
      return [{ wallet, option, standsIn, path: `alternativePaymentMethods[${index}].option` }];
    });
  }

  async #button({ wallet, option, standsIn }: WalletMethod, configured: Configured): Promise<HTMLElement | undefined> {
    const page = this.#page(standsIn ? withStandIn(configured.configuration) : configured.configuration, configured.texts);
    let network = networks();
    if (standsIn) {
      const path = configured.standIn ?? "";
      if (!STAND_IN.test(path)) throw new Error("the wallets' stand-in is missing from the service's answer");
      network = (await this.#of.loadScript(this.#of.service + path)).exported as Networks;
    } else if (wallet === "walleta" && !network.PaymentsClient) {
      if (!page.configuration.walletA) throw new Error(NOT_SET_UP);
      await this.#of.loadScript(PAY_JS);
      network = networks();
    }
    if (wallet === "walletb") return walletBButton(network.ApplePaySession, option, page);
    return network.PaymentsClient && walletAButton(network.PaymentsClient, option, page);
  }

  #page(configuration: SdkConfiguration, texts: Configured["texts"]): WalletPage {
    const { options, surface, once, send, report } = this.#of;
    return {
      configuration,
      root: this.#root,
      nonce: document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce,
      text: (key, otherwise) => texts[key] ?? otherwise,
      once: (run) => void once(() => run().catch((failure: Error) => report(failure.message))),
      cancel: () => notify(options.onCancel),
      pay: async ({ type, walletToken = "", transactionId }, paymentData) => {
        const request = { type, walletToken, ...(transactionId && { transactionId }) };
        if (surface === "card") {
          return (await notify(options.onPaymentRequest, request, paymentData)) !== false;
        }
        const wallet = type === "WALLETA_PAY" ? "walleta" : "walletb";
        send({ type: "walletToken", attempt: randomId(), wallet, token: walletToken, ...(transactionId && { transactionId }) });
        return new Promise((resolve) => (this.#settle = resolve));
      },
      merchantSession: (validationUrl, displayName) =>
        new Promise((resolve, reject) => {
          this.#session = { request: randomId(), resolve, reject };
          const merchantIdentifier = configuration.walletB?.merchantIdentifier ?? "";
          send({ type: "walletSession", request: this.#session.request, merchantIdentifier, validationUrl, displayName });
        }),
    };
  }
}
