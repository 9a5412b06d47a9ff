/** The intent of a checkout: started, changed and completed from the page. */
import { ApiClient, type ApiError, type ApiResult, type ClientOptions } from "../client.js";

export type { ApiError, ApiResult } from "../client.js";

export interface IntentOptions extends ClientOptions {
  /** Takes up an intent that was started before. */
  intentId?: string;
}

export interface IntentFacts {
  customer?: { id?: string; email?: string; name?: string; isGuest?: boolean };
  /** Minor units; ISO 4217. */
  amount?: { amount: number; currency: string };
  /** ISO 3166-1 alpha-3. */
  location?: { country: string };
  cart?: { id?: string; weight?: number; itemCount?: number; items?: unknown[] };
}

export type StepStatus = "NOT_STARTED" | "IN_PROGRESS" | "COMPLETE" | "FAILED";

export interface IntentStart extends IntentFacts {
  trackingId: string;
  paymentFlowId: string;
  amount: { amount: number; currency: string };
}

export interface IntentChanges extends IntentFacts {
  trackingId?: string;
  billing?: { status: StepStatus };
  shipping?: { status: StepStatus };
  delivery?: { status: StepStatus };
}

export interface Intent {
  id: string;
  trackingId: string;
  paymentFlowId: string;
  status: "ACTIVE" | "INACTIVE" | "COMPLETE";
  amount: { rawAmount: number; currency: string; formattedAmount: string } | null;
}

export interface IntentClient {
  /** The id of the intent; undefined until one is started or taken up. */
  readonly intentId: string | undefined;
  /** Checks the key, and that an `intentId` can be read. */
  initialize(): Promise<{ errors: ApiError[] }>;
  startIntent(intent: IntentStart): Promise<ApiResult<Intent>>;
  updateIntent(changes: IntentChanges): Promise<ApiResult<Intent>>;
  /** Completes the intent with its newest payment, or with the one that is named. */
  completeIntent(paymentReference?: string): Promise<ApiResult<Intent>>;
}

const FIELDS = "id trackingId paymentFlowId status amount { rawAmount currency formattedAmount }";
const INITIALIZE = "query { initializeSDK }";
const GET = `query ($id: ID!) { getIntent(id: $id) { ${FIELDS} } }`;
const START = `mutation ($trackingId: ID!, $paymentFlowId: ID!, $customer: IntentCustomerInput, $amount: IntentAmountInput!, $location: IntentLocationInput, $cart: IntentCartInput) {
  startIntent(trackingId: $trackingId, paymentFlowId: $paymentFlowId, customer: $customer, amount: $amount, location: $location, cart: $cart) { ${FIELDS} } }`;
const UPDATE = `mutation ($id: ID!, $trackingId: String, $customer: IntentCustomerInput, $amount: IntentAmountInput, $location: IntentLocationInput, $cart: IntentCartInput, $billing: IntentShippingInput, $shipping: IntentShippingInput, $delivery: IntentDeliveryInput) {
  updateIntent(id: $id, trackingId: $trackingId, customer: $customer, amount: $amount, location: $location, cart: $cart, billing: $billing, shipping: $shipping, delivery: $delivery) { ${FIELDS} } }`;
const COMPLETE = `mutation ($id: ID!, $paymentReference: ID) { completeIntent(id: $id, paymentReference: $paymentReference) { ${FIELDS} } }`;

const NOT_STARTED = { data: null, errors: [{ message: "there is no intent yet: call startIntent, or give intentId", type: "no-intent" }] };

function makeIntent(options: IntentOptions): IntentClient {
  const client = new ApiClient(options);
  let id = options.intentId;
  return {
    get intentId() {
      return id;
    },
    initialize: async () => {
      const { errors } = id ? await client.run(GET, { id }) : await client.run(INITIALIZE);
      return { errors };
    },
    startIntent: async (intent) => {
      const result = await client.run<Intent>(START, { ...intent });
      id = result.data?.id ?? id;
      return result;
    },
    updateIntent: async (changes) => (id ? client.run<Intent>(UPDATE, { ...changes, id }) : NOT_STARTED),
    completeIntent: async (paymentReference) => (id ? client.run<Intent>(COMPLETE, { id, paymentReference }) : NOT_STARTED),
  };
}

/** A client of one intent, with `new` or without. */
export const PointsmanIntent = function (options: IntentOptions) {
  return makeIntent(options);
} as unknown as { (options: IntentOptions): IntentClient; new (options: IntentOptions): IntentClient };
