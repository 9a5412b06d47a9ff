/** Calls of the service's API with the customer's client token. */
import { sleep, type Sleep } from "./sleep.js";

export interface ApiError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly id?: string;
    readonly url?: string;
    readonly field?: string;
    readonly reason?: string;
    readonly retryAfter?: number;
    readonly faults?: readonly { readonly field: string; readonly reason: string }[];
  };
}

export type Reply<Data> =
  | { readonly kind: "answer"; readonly data: Data | null; readonly errors: readonly ApiError[] }
  /** The service has not begun: send the same again after this time. */
  | { readonly kind: "later"; readonly seconds: number }
  /** No answer came, or none that can be understood: what was asked may have been done. */
  | { readonly kind: "lost" }
  /** The client token is unknown, expired or revoked. */
  | { readonly kind: "unauthorized" };

/** Above the service's own limit for a request, so that it answers first. Milliseconds. */
const TIMEOUT_MS = 45_000;

/** For what the form waits for before it is shown. Milliseconds. */
const READ_MS = 5_000;
/** Waits between its tries. Seconds. */
const READ_WAITS = [0.5, 1.5];

export class Api {
  readonly #token: string;
  readonly #fetch: typeof fetch;

  constructor(token: string, fetcher: typeof fetch = (...request) => fetch(...request)) {
    this.#token = token;
    this.#fetch = fetcher;
  }

  /** Asks for what changes nothing, until there is an answer of the service's: three times at most, and not for long. */
  async read<Data>(query: string, variables: object, wait: Sleep = sleep): Promise<Reply<Data>> {
    for (const seconds of READ_WAITS) {
      const reply = await this.ask<Data>(query, variables, undefined, READ_MS);
      if (reply.kind === "unauthorized" || (reply.kind === "answer" && (reply.data || isOurs(reply.errors)))) return reply;
      await wait(seconds);
    }
    return this.ask<Data>(query, variables, undefined, READ_MS);
  }

  /** Sends one document. Under the same `key` a repetition does nothing twice. */
  async ask<Data>(query: string, variables: object, key?: string, limit = TIMEOUT_MS): Promise<Reply<Data>> {
    const headers: Record<string, string> = { "Authorization": `Bearer ${this.#token}`, "Content-Type": "application/json" };
    if (key) headers["X-Idempotency-Key"] = key;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), limit);
    try {
      const response = await this.#fetch("/api/graphql", {
        body: JSON.stringify({ query, variables }), cache: "no-store", credentials: "omit", headers, method: "POST", signal: abort.signal,
      });
      if (response.status === 401) return { kind: "unauthorized" };
      const answer = readAnswer<Data>(await response.json());
      if (response.status < 500 && response.status !== 429) return answer;
      // In the service's own words: a balancer between may answer with these statuses too, after the request has gone on.
      return answer.kind === "answer" && isNotBegun(answer.errors) ? { kind: "later", seconds: secondsOf(response) } : { kind: "lost" };
    } catch {
      return { kind: "lost" };
    } finally {
      clearTimeout(timer);
    }
  }
}

const codeOf = (errors: readonly ApiError[]) => errors[0]?.extensions?.code;

/** Whether the service said it: without a code of its own somebody between has answered. */
export function isOurs(errors: readonly ApiError[]): boolean {
  return /^(error|api)\./.test(codeOf(errors) ?? "");
}

/** Refused for who asks or how often, which says nothing of what an earlier request under the key has come to. */
export function isOfVisitor(errors: readonly ApiError[]): boolean {
  return /^(api\.key\.|error\.rate-|error\.authorize\.too-many-attempts)/.test(codeOf(errors) ?? "");
}

export function isNotBegun(errors: readonly ApiError[]): boolean {
  return isOfVisitor(errors) || (codeOf(errors) === "error.unavailable" && !errors[0]?.extensions?.id);
}

function secondsOf(response: Response): number {
  const seconds = Number(response.headers.get("Retry-After"));
  return seconds > 0 && seconds < 3_600 ? seconds : 1;
}

function readAnswer<Data>(body: unknown): Reply<Data> {
  if (typeof body !== "object" || body === null) return { kind: "lost" };
  const { data, errors } = body as { readonly data?: Data | null; readonly errors?: readonly ApiError[] };
  return { kind: "answer", data: data ?? null, errors: Array.isArray(errors) ? errors.filter((error) => typeof error === "object" && error !== null) : [] };
}
