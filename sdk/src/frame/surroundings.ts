/** Where the checkout stands: inside a merchant's page, or as a page of its own. */
import type { Messages } from "../shared/messages.js";
import type { Action, FieldName, SdkConfiguration, ToFrame, ToLoader } from "../shared/protocol.js";

/** The customer has to act at `url`, a page of a bank or of a payment method. */
export interface Errand {
  /** Names the errand: `Action.id`. */
  readonly action: string;
  readonly payment: string;
  readonly kind: "3ds" | "apm";
  readonly url: string;
}

export interface CompleteResult {
  readonly data: unknown;
  readonly errors: readonly unknown[];
}

type Of<Type extends ToLoader["type"]> = Omit<Extract<ToLoader, { readonly type: Type }>, "type">;
export type Signal = Extract<ToFrame, { readonly type: "actionSignal" }>["signal"];

export interface Surroundings {
  /** The origin of the page that the customer came from. */
  readonly shop: string;
  changed(change: Of<"change">): void;
  focused(field: FieldName, isFocused: boolean): void;
  configured(configuration: SdkConfiguration, messages: Messages): void;
  completed(result: CompleteResult): void;
  cancelled(): void;
  failed(error: Of<"error">["error"]): void;
  /** Brings the customer to the errand; called again when the customer asks for it. */
  act(errand: Errand, texts: Action["texts"]): void;
  /** No window may be opened: the whole page goes to the errand. */
  leave(errand: Errand): void;
  /** The errand is over: its dialog or window may go. */
  acted(action: string): void;
}

/** Where the payment's page leads back to, below our own origin. */
export function returnAddress(action: string, shop: string, details: { readonly to?: string; readonly language: string; readonly isWindow: boolean }): string {
  const address = new URL("/sdk/v1/return", location.origin);
  address.searchParams.set("attempt", action);
  address.searchParams.set("origin", shop);
  address.searchParams.set("language", details.language);
  if (details.isWindow) address.searchParams.set("window", "1");
  const plain = address.href;
  if (details.to) address.searchParams.set("to", details.to);
  return address.href.length <= ADDRESS_MAX ? address.href : plain;
}

/** Addresses that the service takes have at most 2,000 characters; what is added on the way back needs room too. */
const ADDRESS_MAX = 1_700;

/** Our document that frames the bank's page. The address stands in the fragment: it is nobody's business but that document's. */
export function challengeAddress(errand: Errand, shop: string): string {
  const address = new URL("/sdk/v1/frame/challenge", location.origin);
  address.searchParams.set("origin", shop);
  address.hash = new URLSearchParams({ attempt: errand.action, url: errand.url }).toString();
  return address.href;
}
