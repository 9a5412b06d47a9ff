/** Cards go straight to the vault: a new one becomes a token, a saved one gets its security code for the next payment. */
import type { CardFacts } from "../shared/protocol.js";
import type { Api, ApiError, Reply } from "./api.js";
import type { ProcessorToken } from "./hostedfields.js";
import { sleep, type Sleep } from "./sleep.js";

/** A card as the form gives it. */
export interface CardInput {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
  readonly name: string;
  readonly preferredBrand?: string;
  readonly billingAddress?: { readonly country: string; readonly postalCode?: string };
}

/** What the vault shows of a card. */
interface MaskedCard {
  /** Masked, all but the last four. */
  readonly number: string | null;
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly brand: string | null;
}

export interface SavedCard extends MaskedCard {
  readonly token: string;
  readonly isDefault: boolean | null;
}

export type Stored =
  | { readonly kind: "stored"; readonly token: string; readonly card: CardFacts }
  | { readonly kind: "refused"; readonly errors: readonly ApiError[] }
  | { readonly kind: "unauthorized" }
  | { readonly kind: "lost" };

interface CardToken {
  readonly token: string;
  readonly card: MaskedCard | null;
}

const TOKENISE = "mutation($data:TokenInput!){tokenisePaymentMethod(data:$data){token card{number brand expMonth expYear}}}";

/** Stores a card or the token of a processor's fields, for a customer when the customer agreed to it. `key` makes a repetition the same card. */
export async function storeCard(api: Api, paymentMethod: { readonly card: CardInput } | { readonly processorToken: ProcessorToken }, key: string, customerId?: string): Promise<Stored> {
  const data = { paymentMethod, ...(customerId ? { customer: { id: customerId } } : {}) };
  const reply = await persist(() => api.ask<{ readonly tokenisePaymentMethod: CardToken | null }>(TOKENISE, { data }, key));
  if (reply.kind === "unauthorized") return reply;
  if (reply.kind !== "answer") return { kind: "lost" };
  const stored = reply.data?.tokenisePaymentMethod;
  return stored ? { card: stored.card ? factsOf(stored.card) : {}, kind: "stored", token: stored.token } : { errors: reply.errors, kind: "refused" };
}

/** What a merchant may know of it. */
export function factsOf({ brand, expMonth, expYear, number }: MaskedCard): CardFacts {
  return {
    ...(brand ? { brand } : {}), ...(number ? { last4: number.slice(-4) } : {}),
    ...(expMonth ? { expiryMonth: expMonth } : {}), ...(expYear ? { expiryYear: expYear } : {}),
  };
}

/** Keeps the security code of a saved card for the payment that follows. */
export async function attachCode(api: Api, token: string, cvc: string): Promise<Reply<unknown>> {
  return persist(() => api.ask("mutation($token:String!,$cvc:String!){attachSecurityCode(token:$token,cvc:$cvc)}", { cvc, token }));
}

/** For how long the form waits for saved cards, so that it does not move once it is seen. Seconds. */
const PATIENCE_SECONDS = 1.5;

/** The cards that a customer has saved; none where they can't be read soon, since the form works without them. */
export async function savedCards(api: Api, customerId: string | undefined): Promise<readonly SavedCard[]> {
  if (!customerId) return [];
  return Promise.race([readSavedCards(api, customerId), sleep(PATIENCE_SECONDS).then(() => [])]);
}

async function readSavedCards(api: Api, customerId: string): Promise<readonly SavedCard[]> {
  const query = "query($id:String!){getPaymentMethods(customerId:$id){token number expMonth expYear brand isDefault}}";
  const reply = await api.ask<{ readonly getPaymentMethods: readonly (SavedCard | null)[] | null }>(query, { id: customerId });
  const methods = reply.kind === "answer" ? reply.data?.getPaymentMethods ?? [] : [];
  return methods.filter((method) => method !== null).filter(({ expMonth }) => expMonth !== null);
}

/** Repeats after a lost answer: storing the same twice under one key stores it once. */
async function persist<Data>(send: () => Promise<Reply<Data>>, wait: Sleep = sleep): Promise<Reply<Data>> {
  for (const seconds of [1, 2]) {
    const reply = await send();
    if (reply.kind === "answer" || reply.kind === "unauthorized") return reply;
    await wait(reply.kind === "later" ? Math.min(reply.seconds, 10) : seconds);
  }
  return send();
}
