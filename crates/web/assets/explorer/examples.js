/**
 * The examples: each a step of a payment, ready to send. What an answer brings (a token, an id) is remembered for the next ones.
 */

import { valueAt } from "./json.js";

/**
 * @typedef {object} Example
 * @property {string} id
 * @property {string} title
 * @property {string} text What it shows.
 * @property {string[]} document Its lines.
 * @property {Record<string, unknown>} [variables]
 * @property {Record<string, string>} [headers]
 * @property {Record<string, string>} [keeps] What is remembered of the answer: a name, and a JSON pointer.
 */

/**
 * Loads the examples.
 *
 * @returns {Promise<Example[]>}
 */
export async function loadExamples() {
  const response = await fetch(new URL("./examples.json", import.meta.url), { credentials: "omit" });
  return response.json();
}

/**
 * The text with what is known in the place of `{{name}}`; `{{random}}` is another text each time.
 *
 * @param {string} text
 * @param {Map<string, string>} known
 * @returns {string}
 */
export function filled(text, known) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, /** @type {string} */ name) =>
    name === "random" ? crypto.randomUUID() : (known.get(name) ?? whole),
  );
}

/**
 * The names that are left open in a text.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function missing(text) {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? ""))];
}

/**
 * Remembers what an example keeps of its answer.
 *
 * @param {Example} example
 * @param {unknown} json
 * @param {Map<string, string>} known
 */
export function remember(example, json, known) {
  for (const [name, pointer] of Object.entries(example.keeps ?? {})) {
    const value = valueAt(json, pointer);
    if (typeof value === "string" && value !== "") known.set(name, value);
  }
}
