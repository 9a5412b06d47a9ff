/** Calls of the service's API from a merchant's page. Part of the packages that need it. */

export interface ApiError {
  message: string;
  /** The API's code, such as `error.validation`; `network` where there was no answer. */
  type: string;
}

/** What every operation resolves to: the operation's own result, or null with errors. */
export interface ApiResult<Data> {
  data: Data | null;
  errors: ApiError[];
}

export interface ClientOptions {
  /** A client token or a public key. */
  apiKey: string;
  /** The origin of your Pointsman, such as `https://pay.example`. Default: where `pointsman.js` was loaded from. */
  serviceUrl?: string;
}

interface GraphQlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** Sends operations. Where there was no answer, an operation is sent again under the same idempotency key. */
export class ApiClient {
  readonly #address: string;
  readonly #apiKey: string;

  constructor({ apiKey, serviceUrl }: ClientOptions) {
    const service = serviceUrl ?? (globalThis as { Pointsman?: { service: string } }).Pointsman?.service;
    if (!service) throw new TypeError("serviceUrl is missing: the origin of your Pointsman, such as https://pay.example");
    if (!/^(ct|pk)_/.test(apiKey ?? "")) throw new TypeError("apiKey must be a client token (ct_…) or a public key (pk_…)");
    this.#address = new URL("/api/graphql", service).href;
    this.#apiKey = apiKey;
  }

  /** Runs a document with one root field, and resolves to that field's value. */
  async run<Data>(query: string, variables: Record<string, unknown> = {}): Promise<ApiResult<Data>> {
    const request: RequestInit = {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.#apiKey}`, "x-idempotency-key": randomKey() },
      body: JSON.stringify({ query, variables }),
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(this.#address, request);
        return readAnswer<Data>((await response.json()) as GraphQlAnswer);
      } catch (failure) {
        if (attempt === ATTEMPTS) return { data: null, errors: [{ message: `no answer: ${(failure as Error).message}`, type: "network" }] };
        await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE_MS));
      }
    }
  }
}

/** The value of the only root field, and the errors in the form of this interface. */
export function readAnswer<Data>({ data, errors = [] }: GraphQlAnswer): ApiResult<Data> {
  const value = Object.values(data ?? {})[0] as Data | null | undefined;
  return { data: value ?? null, errors: errors.map(({ message, extensions }) => ({ message, type: extensions?.code ?? "error" })) };
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
