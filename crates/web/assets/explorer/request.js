/**
 * Calls of the API: one answer, or a stream of server-sent events.
 */

const API = "/api/graphql";

/**
 * @typedef {object} Wanted
 * @property {string} key
 * @property {string} document
 * @property {string} variables JSON, or nothing.
 * @property {string} headers A header a line.
 *
 * @typedef {object} Facts
 * @property {number} status
 * @property {number} ms How long it took.
 * @property {string} id The request's id.
 * @property {boolean} isReplayed Whether it is the stored response of an earlier request.
 *
 * @typedef {Facts & { text: string, json: unknown }} Answer
 */

/**
 * The headers of a request.
 *
 * @param {Wanted} wanted
 * @param {string} accept
 * @returns {Headers}
 */
function headersOf(wanted, accept) {
  const headers = new Headers({ "Content-Type": "application/json", Accept: accept });
  if (wanted.key) headers.set("Authorization", `Bearer ${wanted.key}`);
  for (const line of headerLines(wanted.headers)) headers.set(line.name, line.value);
  return headers;
}

/**
 * The headers in a text, a line each.
 *
 * @param {string} text
 * @returns {{ name: string, value: string }[]}
 */
export function headerLines(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) throw new Error(`A header is a name, a colon and a value: ${line}`);
      return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
    });
}

/**
 * The body of a request.
 *
 * @param {Wanted} wanted
 * @returns {string}
 */
export function bodyOf(wanted) {
  const variables = wanted.variables.trim() === "" ? undefined : JSON.parse(wanted.variables);
  return JSON.stringify({ query: wanted.document, variables });
}

/** @param {Response} response @param {number} began @returns {Facts} */
function factsOf(response, began) {
  return {
    status: response.status,
    ms: Math.round(performance.now() - began),
    id: response.headers.get("x-request-id") ?? "",
    isReplayed: response.headers.get("idempotency-replayed") === "true",
  };
}

/**
 * Sends a request, and gives its answer whatever the status.
 *
 * @param {Wanted} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export async function send(wanted, signal) {
  const began = performance.now();
  const response = await fetch(API, {
    method: "POST",
    headers: headersOf(wanted, "application/graphql-response+json, application/json;q=0.9"),
    body: bodyOf(wanted),
    signal: signal ?? null,
    credentials: "omit",
  });
  const text = await response.text();
  return { ...factsOf(response, began), text, json: parsed(text) };
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Follows a subscription until it ends or is stopped.
 *
 * @param {Wanted} wanted
 * @param {AbortSignal} signal
 * @param {{ opened: (facts: Facts) => void, event: (text: string) => void }} listener
 * @returns {Promise<void>}
 */
export async function follow(wanted, signal, listener) {
  const began = performance.now();
  const response = await fetch(API, {
    method: "POST",
    headers: headersOf(wanted, "text/event-stream"),
    body: bodyOf(wanted),
    signal,
    credentials: "omit",
  });
  listener.opened(factsOf(response, began));
  if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) {
    listener.event(await response.text());
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = dataOf(block);
      if (data) listener.event(data);
    }
  }
}

/**
 * The data of one server-sent event; empty for comments and for events without data.
 *
 * @param {string} block
 * @returns {string}
 */
export function dataOf(block) {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");
}

/**
 * The same request as a command for a shell. The key is left to the reader, so that it can be shown to others.
 *
 * @param {Wanted} wanted
 * @param {boolean} isStream
 * @returns {string}
 */
export function curlOf(wanted, isStream) {
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl -s${isStream ? "N" : ""} ${location.origin}${API}`,
    `-H "Authorization: Bearer $KEY"`,
    `-H 'Content-Type: application/json'`,
    ...(isStream ? [`-H 'Accept: text/event-stream'`] : []),
    ...headerLines(wanted.headers).map((line) => `-H ${quoted(`${line.name}: ${line.value}`)}`),
    `-d ${quoted(bodyOf(wanted))}`,
  ];
  return lines.join(" \\\n  ");
}
