/**
 * Messages between the loader on the merchant's page and the frame of the service's origin.
 *
 * The frame's first message is posted to its parent, at the exact origin that its document was served for. The loader
 * answers with a MessagePort; all that follows goes over that port. No message has a member for a card number, a
 * security code or an IIN: what is not in the protocol can't be sent by mistake.
 *
 * A pinned loader meets later frames, so members are only added within a version, and both sides drop what they don't know.
 */

/** The version of the protocol: that of `/sdk/v1`. */
export const PROTOCOL = 1;

/** Frame to parent, by `window.postMessage`: the frame has loaded. `channel` is what stands in its fragment. */
export interface Hello {
  readonly pointsman: typeof PROTOCOL;
  readonly hello: string;
}

/** Loader to frame, by `window.postMessage` with one MessagePort. */
export interface Welcome {
  readonly pointsman: typeof PROTOCOL;
  readonly welcome: string;
}

/**
 * Challenge document or return page to the merchant's page, by `window.postMessage` at its exact origin: the customer is back
 * from the errand with this `Action.id`. It decides nothing: the loader hands it on as `actionSignal`, and the frame asks the service.
 */
export interface Returned {
  readonly pointsman: typeof PROTOCOL;
  readonly returned: string;
}

/**
 * Challenge document to the merchant's page, by `window.postMessage` at its exact origin: the page inside the document of this
 * `Action.id` has fired its load event. Without it the loader offers a window of its own after 8 s.
 */
export interface Shown {
  readonly pointsman: typeof PROTOCOL;
  readonly shown: string;
}

/**
 * Challenge document to the merchant's page, by `window.postMessage` at its exact origin: the document of this `Action.id` runs.
 * Where its frame has loaded without it, the browser has shown nothing of it, as in a page whose `Cross-Origin-Embedder-Policy`
 * forbids it, and the loader opens a window.
 */
export interface Opened {
  readonly pointsman: typeof PROTOCOL;
  readonly opened: string;
}

/**
 * How the checkout stands: it can be paid, a payment is under way (or nobody knows how it ended), it is paid, or nobody can pay here
 * any more.
 */
export type FormState = "open" | "paying" | "paid" | "ended";

/** What the frame shows: the card fields alone (the merchant owns the button), or the whole checkout. */
export type Surface = "card" | "checkout";

/** The options of the merchant that the frame needs. Checked by the loader, and once more by the frame. */
export interface FrameOptions {
  readonly apiKey: string;
  readonly customerId?: string;
  readonly isSavedCardCvcRequired: boolean;
  readonly allowSaveCard: boolean;
  readonly hideBillingAddress: boolean;
  readonly countries?: readonly { readonly name: string; readonly code: string }[];
  /** A code of a language, or the texts that replace those of English. */
  readonly language: string | Readonly<Record<string, unknown>>;
  readonly theme: Readonly<Record<string, unknown>>;
  readonly layout: "stacked" | "compact" | "single";
  /** Drop-In alone. Minor units. */
  readonly amount?: number;
  readonly currencyCode?: string;
  readonly flowId?: string;
  readonly orderId?: string;
  readonly intentId?: string;
  readonly payButton?: string;
  /** Types that the frame itself draws as radio buttons (`bnpla`, `walletc`); wallets A and B are drawn by the loader. */
  readonly alternativePaymentMethods: readonly { readonly type: string; readonly option?: unknown }[];
  /** Origins of the pages around the merchant's own, outermost last. */
  readonly ancestors: readonly string[];
  /** Whether the loader's page is on a phone or in a web view: the customer is sent on by redirect. */
  readonly redirectOnly: boolean;
  /** The scheme of the merchant's page where the frame stands. Without it the frame follows the customer's system. */
  readonly colorScheme?: "light" | "dark";
  /** The merchant's page without its fragment: where the customer lands after a redirect, with `id` and a status added. */
  readonly returnUrl?: string;
  /** The payment that the customer comes back from, of the parameter `id` that comes with `3ds_status` or `apm_status`. The frame asks the service how it stands. */
  readonly resumePayment?: string;
}

/** Sizes of the merchant's window, for native challenges. Pixels, minutes. */
export interface BrowserData {
  readonly language: string;
  readonly colorDepth: number;
  readonly screenHeight: number;
  readonly screenWidth: number;
  readonly timeZoneOffset: number;
  readonly userAgent: string;
  readonly javaEnabled: boolean;
}

/**
 * A payment that an earlier document of the frame has begun: a container that is moved in the page loads its frame again. The loader
 * hands on what it heard last; without `payment` nobody knows how the attempt ended.
 */
export interface UnderWay {
  readonly payment?: string;
  /** What the customer does elsewhere, whose dialog or window the loader still shows. */
  readonly errand?: { readonly action: string; readonly kind: "3ds" | "apm"; readonly url: string };
}

/** Loader to frame. */
export type ToFrame =
  | { readonly type: "init"; readonly options: FrameOptions; readonly browser: BrowserData; readonly underWay?: UnderWay }
  | { readonly type: "update"; readonly options: Partial<FrameOptions> }
  | { readonly type: "focus"; readonly field?: FieldName }
  /** Elements: tokenise what was typed. `attempt` names the press of the button. */
  | { readonly type: "submit"; readonly attempt: string }
  | { readonly type: "reset" }
  /** Elements: the merchant has done with a token. A code pays once: it is asked for again. */
  | { readonly type: "clearCode" }
  | { readonly type: "enable" }
  | { readonly type: "disable" }
  /** A wallet's token from the loader's button: pay with it (Drop-In), or tokenise it (Elements). */
  | { readonly type: "walletToken"; readonly attempt: string; readonly wallet: "walleta" | "walletb"; readonly token: string; readonly transactionId?: string }
  /** Wallet B asks who the merchant is: answered by a `walletSession` with the same `request`. */
  | { readonly type: "walletSession"; readonly request: string; readonly merchantIdentifier: string; readonly validationUrl: string; readonly displayName: string }
  /** What the loader saw of the customer's errand. It decides nothing: the frame asks the service. */
  | { readonly type: "actionSignal"; readonly action: string; readonly signal: "returned" | "closed" | "givenUp" | "popupRefused" | "opened" }
  | { readonly type: "destroy" };

/** The fields that a processor's own may stand in the place of. */
export type CardFieldName = "number" | "expiry" | "cvc";

export type FieldName = CardFieldName | "name" | "country" | "zip";

/** Card facts that a merchant may know. */
export interface CardFacts {
  readonly brand?: string;
  readonly last4?: string;
  readonly expiryMonth?: number;
  readonly expiryYear?: number;
}

/** How the customer's errand is shown. */
export interface Action {
  readonly id: string;
  /**
   * Where `supportsIframe`: our own `/sdk/v1/frame/challenge?…`, which frames the page; opened as a window of its own it goes on to that
   * page, so it serves a popup as well. Otherwise the address to open in a popup.
   */
  readonly url: string;
  readonly kind: "3ds" | "apm";
  /** Whether the page may be shown in a frame. */
  readonly supportsIframe: boolean;
  /** The text of the dialog's head, such as "Confirm €50.99 with your bank", and of its buttons, in the customer's language. */
  readonly texts: Readonly<Record<"title" | "close" | "stopQuestion" | "stop" | "goOn" | "openWindow" | "nothingToSee", string>>;
}

/** Frame to loader. */
export type ToLoader =
  | { readonly type: "ready" }
  /** The name of the frame for screen readers, in the customer's language: at the start, and when the language changes. */
  | { readonly type: "title"; readonly title: string }
  /** Height of the frame's content, in CSS pixels. */
  | { readonly type: "size"; readonly height: number }
  | { readonly type: "change"; readonly isComplete: boolean; readonly isEmpty: boolean; readonly value: { readonly cardBrand?: string; readonly billingAddress?: { readonly countryCode?: string; readonly postalCode?: string } }; readonly errors: Readonly<Partial<Record<FieldName, string>>> }
  | { readonly type: "focus" | "blur"; readonly field: FieldName }
  /** Elements: the customer pressed Enter in a field. The loader submits the merchant's form, which leads to `submit`. */
  | { readonly type: "submitRequest" }
  /** The answer to `submit`. A field that is not filled in right is an error of type `invalid-field`: the frame shows it, `onError` does not report it. */
  | { readonly type: "result"; readonly attempt: string; readonly token?: string; readonly card?: CardFacts; readonly errors: readonly { readonly message: string; readonly type?: string }[] }
  /** The customer has to act elsewhere. */
  | { readonly type: "action"; readonly action: Action }
  /** The errand is over: the dialog or window may be closed. */
  | { readonly type: "actionDone"; readonly action: string }
  /** Drop-In: this payment is followed from now on, and perhaps this errand. */
  | { readonly type: "underWay"; readonly underWay: UnderWay }
  /** The whole page goes to this address: a redirect, or the merchant's own return address. */
  | { readonly type: "redirect"; readonly url: string }
  /** Drop-In: `{data, errors}` as `authorizePayment` answers it, read again after each errand. */
  | { readonly type: "complete"; readonly result: { readonly data: unknown; readonly errors: readonly unknown[] } }
  /** Drop-In: how the checkout stands from now on. At first it is `open`. */
  | { readonly type: "state"; readonly state: FormState }
  /** The customer gave up an errand or a wallet's sheet. */
  | { readonly type: "cancel" }
  /** Facts for the loader's wallet buttons: from the service's `sdkConfiguration`. */
  | { readonly type: "configuration"; readonly configuration: SdkConfiguration; readonly texts: Readonly<Record<string, string>>; /** Test mode alone: the address of the wallets' stand-in, from "built:wallet-stand-in.js". */ readonly standIn?: string }
  /** The session of wallet B's network, as `setupWallet` answers it; without one, why there is none. */
  | { readonly type: "walletSession"; readonly request: string; readonly session?: unknown; readonly error?: string }
  | { readonly type: "error"; readonly error: { readonly message: string; readonly type?: string } };

/** What a browser's credential may know of its team, by the query `sdkConfiguration`. */
export interface SdkConfiguration {
  readonly mode: "test" | "live";
  readonly shopName?: string | null;
  readonly shopLogo?: string | null;
  /** Of a client token that is bound to one. Minor units. */
  readonly amount?: number | null;
  readonly currencyCode?: string | null;
  readonly walletA?: { readonly gateway: string; readonly gatewayMerchantId: string } | null;
  readonly walletB?: { readonly merchantIdentifier: string } | null;
  /** When the credential ends, RFC 3339. */
  readonly expiresAt?: string | null;
  /** Whether a table of card ranges is there, so that brands can be asked for. */
  readonly cardRanges: boolean;
  /** The processor's own card fields, where a payment under the flow needs them. */
  readonly hostedFields?: SdkHostedFields | null;
}

/** Card fields of a processor's own. All of it is public. */
export interface SdkHostedFields {
  readonly connectionId: string;
  readonly processor: string;
  /** The document that holds them: a path at the service. */
  readonly frame: string;
  /** What the processor's script is given. */
  readonly parameters: unknown;
  /** Whether the fields ask for the cardholder's name too. */
  readonly asksForName: boolean;
  /** `token`: the script authenticates the customer before it gives the token. */
  readonly authentication: string;
}
