/**
 * JSON as elements, painted; addresses of pages are links.
 */

import { element } from "./elements.js";

const WORD = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The text of JSON with its words painted, and with links that open in a tab of their own.
 *
 * @param {string} text Laid out already.
 * @returns {DocumentFragment}
 */
export function painted(text) {
  const made = document.createDocumentFragment();
  let at = 0;
  for (const match of text.matchAll(WORD)) {
    made.append(text.slice(at, match.index));
    const [whole, string, colon] = match;
    if (string && colon) {
      made.append(element("span", { class: "label" }, string), colon);
    } else if (string) {
      made.append(element("span", { class: "string" }, linked(string)));
    } else {
      made.append(element("span", { class: "number" }, whole));
    }
    at = match.index + whole.length;
  }
  made.append(text.slice(at));
  return made;
}

/**
 * A text of JSON, as a link when it is the address of a page.
 *
 * @param {string} string With its quotes.
 * @returns {Node}
 */
function linked(string) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(string);
  } catch {
    return document.createTextNode(string);
  }
  if (typeof value !== "string" || !/^https?:\/\/[^\s]+$/.test(value)) return document.createTextNode(string);
  return element("a", { href: value, target: "_blank", rel: "noopener noreferrer" }, string);
}

/**
 * The value at a JSON pointer.
 *
 * @param {unknown} json
 * @param {string} pointer
 * @returns {unknown}
 */
export function valueAt(json, pointer) {
  /** @type {any} */
  let here = json;
  for (const part of pointer.split("/").slice(1)) {
    if (here === null || typeof here !== "object") return undefined;
    here = here[part];
  }
  return here;
}

/**
 * What is wrong with a text that should be a JSON object; empty when nothing is.
 *
 * @param {string} text
 * @returns {string}
 */
export function wrongObject(text) {
  if (text.trim() === "") return "";
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? "" : "Variables are a JSON object.";
  } catch (error) {
    return `Variables are no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
