/**
 * Paying: one attempt has one idempotency key. When an answer is lost the same request is repeated under the same key, which
 * charges once however often it arrives.
 */
import { PAYMENT_MEMBERS, type Payment } from "../shared/paymentstatus.js";
import { isNotBegun, isOurs, type Api, type ApiError } from "./api.js";
import { sleep, type Sleep } from "./sleep.js";

export type Outcome =
  | { readonly kind: "payment"; readonly payment: Payment }
  /** The customer has to act at `url` first. */
  | { readonly kind: "errand"; readonly id: string; readonly url: string; readonly errand: "3ds" | "apm" }
  /** This checkout has a live or paid payment: it is to be read, not made again. */
  | { readonly kind: "already"; readonly id: string }
  /** The service refused the request; nothing was charged. */
  | { readonly kind: "refused"; readonly errors: readonly ApiError[] }
  /** The client token has ended; nothing was charged. */
  | { readonly kind: "unauthorized" }
  /** Not known: the payment with `id`, or, without one, whether the request arrived at all. */
  | { readonly kind: "unknown"; readonly id?: string };

export interface Attempt {
  readonly key: string;
  readonly input: object;
}

const MUTATION = `mutation($input:AuthorisedPaymentInput!){authorizePayment(authorisePayment:$input){${PAYMENT_MEMBERS}}}`;

/** Waits between repetitions after a lost answer. Seconds. */
const WAITS = [1, 2, 4];

/**
 * Sends the attempt until an answer comes, four times at most. `onRetry` hears of each repetition.
 *
 * `mayBeMade`: an earlier answer was lost, so the payment may have been made: only an answer about the payment itself ends that. No
 * refusal does, whatever its code: a proxy may answer in the service's words, and some refusals are older than the look at the key.
 */
export async function authorise(api: Api, attempt: Attempt, onRetry: () => void, mayBeMade = false, wait: Sleep = sleep): Promise<Outcome> {
  for (const seconds of [...WAITS, undefined]) {
    const reply = await api.ask<{ readonly authorizePayment: Payment | null }>(MUTATION, { input: attempt.input }, attempt.key);
    if (reply.kind === "unauthorized") return mayBeMade ? { kind: "unknown" } : reply;
    const outcome = reply.kind === "answer" ? readOutcome(reply.data?.authorizePayment ?? null, reply.errors) : undefined;
    if (outcome && !(mayBeMade && outcome.kind === "refused")) return outcome;
    mayBeMade ||= reply.kind === "lost" || (reply.kind === "answer" && !isNotBegun(reply.errors));
    if (seconds === undefined) break;
    onRetry();
    await wait(reply.kind === "later" ? Math.max(seconds, Math.min(reply.seconds, 10)) : seconds);
  }
  return mayBeMade ? { kind: "unknown" } : { errors: BUSY, kind: "refused" };
}

const BUSY: readonly ApiError[] = [{ extensions: { code: "error.unavailable" }, message: "The service is busy" }];

/** What an answer says; nothing where the same has to be sent again. */
function readOutcome(payment: Payment | null, errors: readonly ApiError[]): Outcome | undefined {
  if (payment) return { kind: "payment", payment };
  const { code, id, url } = errors[0]?.extensions ?? {};
  switch (code) {
    case "error.authorize.requires3DSecure":
    case "error.authorize.requiresApmAuthorization":
      return id && url ? { errand: code === "error.authorize.requires3DSecure" ? "3ds" : "apm", id, kind: "errand", url } : undefined;
    case "error.authorize.payment-already-authorized":
      return id ? { id, kind: "already" } : { errors, kind: "refused" };
    case "error.unavailable":
    case "error.unknown":
      return id ? { id, kind: "unknown" } : undefined;
    // Something was made under the key, or is being made.
    case "error.idempotency.key-reused":
    case "error.idempotency.in-progress":
      return undefined;
    default:
      return isOurs(errors) ? { errors, kind: "refused" } : undefined;
  }
}

export type Reading =
  | { readonly kind: "payment"; readonly payment: Payment }
  /** There is no payment with this id: it was never made. */
  | { readonly kind: "none" }
  | { readonly kind: "unauthorized" }
  /** It can't be learned now. */
  | { readonly kind: "silent" };

/** The payment as it stands. Nothing else decides how the customer's errand went. */
export async function readPayment(api: Api, id: string): Promise<Reading> {
  const reply = await api.ask<{ readonly getPayment: Payment | null }>(`query($id:ID!){getPayment(id:$id){${PAYMENT_MEMBERS}}}`, { id });
  if (reply.kind === "unauthorized") return reply;
  if (reply.kind !== "answer") return { kind: "silent" };
  if (reply.data?.getPayment) return { kind: "payment", payment: reply.data.getPayment };
  const isMissing = reply.errors.some(({ extensions }) => extensions?.code === "error.payment.not-found");
  return { kind: isMissing ? "none" : "silent" };
}

/** Gives up a payment that waits for the customer. What the processor has approved meanwhile stays: read it afterwards. */
export async function abandonPayment(api: Api, id: string): Promise<void> {
  await api.ask("mutation($id:ID!){abandonPayment(id:$id){id}}", { id });
}
