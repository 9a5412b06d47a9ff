/** Where the checkout stands: inside a merchant's page, or as a page of its own. */
import type { Messages } from "../shared/messages.js";
import type { Action, FieldName, FormState, SdkConfiguration, ToFrame, ToLoader } from "../shared/protocol.js";

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
  /** How the checkout stands from now on. */
  stands(state: FormState): void;
  focused(field: FieldName, isFocused: boolean): void;
  configured(configuration: SdkConfiguration, messages: Messages): void;
  completed(result: CompleteResult): void;
  cancelled(): void;
  failed(error: Of<"error">["error"]): void;
  /** Brings the customer to the errand; called again when the customer asks for it. */
  act(errand: Errand, texts: Action["texts"]): void;
  /** No window may be opened: the whole page goes to the errand. */
  leave(errand: Errand): void;
  /** This payment is followed from now on. A document that takes this one's place hears of it; a page of its own has its own way. */
  underWay?(payment: string, errand: Errand | undefined): void;
  /** The errand is over: its dialog or window may go. */
  acted(action: string): void;
}

/** Addresses that the service takes have at most 2,000 characters; what is added on the way back needs room too. */
const ADDRESS_MAX = 1_700;

export interface WayBack {
  /** Origins of the pages around the merchant's: they show what we show. */
  readonly ancestors: readonly string[];
  /** The customer's language. */
  readonly language: string;
  /** The merchant's page, where it is too long left out: the return page then leads to the shop's front page. */
  readonly to: string;
  /** `1` where the errand may have a window of its own. */
  readonly window: string;
}

/** Where the payment's page leads back to, below our own origin. */
export function returnAddress(attempt: string, origin: string, { ancestors, to, ...rest }: WayBack): string {
  const address = `${location.origin}/sdk/v1/return?${new URLSearchParams({ attempt, origin, ...rest }).toString()}${around(ancestors)}`;
  const whole = `${address}&to=${encodeURIComponent(to)}`;
  return whole.length <= ADDRESS_MAX ? whole : address;
}

/** What a document of ours is opened for. */
export type ChallengeUse = "frame" | "leave";

/** Our document that frames the bank's page, or from which the customer's own tab leaves for it. The address stands in the fragment: it is nobody's business but that document's. */
export function challengeAddress({ action, url }: Errand, shop: string, ancestors: readonly string[], use: ChallengeUse = "frame"): string {
  const fragment = new URLSearchParams({ attempt: action, url, use }).toString();
  return `${location.origin}/sdk/v1/frame/challenge?origin=${encodeURIComponent(shop)}${around(ancestors)}#${fragment}`;
}

function around(ancestors: readonly string[]): string {
  return ancestors.map((origin) => `&ancestor=${encodeURIComponent(origin)}`).join("");
}
