/** The payment service, as a shop's server calls it: GraphQL over HTTP with the secret key. */

export class Service {
  /**
   * @param {string} url Such as `http://127.0.0.1:8080`.
   * @param {string} key A secret key.
   */
  constructor(url, key) {
    this.url = url.replace(/\/$/, "");
    this.key = key;
  }

  /** @param {string} accept @param {string} [once] */
  headers(accept, once) {
    const headers = { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json", Accept: accept };
    return once ? { ...headers, "X-Idempotency-Key": once } : headers;
  }

  /**
   * Runs an operation. Errors of the API are in the answer, as a decline is.
   *
   * @param {string} query
   * @param {Record<string, unknown>} variables
   * @param {string} [once] The idempotency key.
   * @returns {Promise<{ data: any, errors: any[] }>}
   */
  async ask(query, variables, once) {
    const response = await fetch(`${this.url}/api/graphql`, {
      method: "POST",
      headers: this.headers("application/json", once),
      body: JSON.stringify({ query, variables }),
    });
    const { data = null, errors = [] } = await response.json();
    return { data, errors };
  }

  /** Like `ask`; an error of the API is an error here. */
  async must(/** @type {string} */ query, /** @type {Record<string, unknown>} */ variables) {
    const { data, errors } = await this.ask(query, variables);
    if (errors.length > 0) throw new Error(errors[0].message);
    return data;
  }

  /**
   * Follows the feed of payments' events.
   *
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<any>}
   */
  async *payments(signal) {
    const response = await fetch(`${this.url}/api/graphql`, {
      method: "POST",
      headers: this.headers("text/event-stream"),
      body: JSON.stringify({ query: 'subscription { events(kinds: ["payment.*"]) { kind data } }' }),
      signal,
    });
    let rest = "";
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + bytes).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
        if (data.trim()) yield JSON.parse(data).data?.events;
      }
    }
  }

  /** The newest loader of the card form: its address, and the hash that a page pins it by. */
  async loader() {
    const response = await fetch(`${this.url}/sdk/v1/integrity.json`);
    const { loaders } = await response.json();
    return loaders.find((loader) => loader.newest);
  }
}
