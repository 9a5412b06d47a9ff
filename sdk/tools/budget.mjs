/** What the files may weigh, in bytes as they are sent: files compressed, the hosted page's document as it is. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const KIB = 1024;
const TEMPLATES = new URL("../../crates/web/templates/sdk/", import.meta.url);

const BUDGET = {
  "pointsman.js": 8.5 * KIB,
  "card.js": 13 * KIB,
  "checkout.js": 14 * KIB,
  "hosted.js": 14 * KIB,
  "frame.css": 3 * KIB,
  "hosted.css": 4 * KIB,
};

/** What a customer's browser loads before it can type in a card form in French, by the surface of the form. */
const BEFORE_TYPING = {
  "Elements": ["pointsman.js", "frame's document", "card.js", "frame.css", "messages.fr.js"],
  "Drop-In": ["pointsman.js", "frame's document", "checkout.js", "frame.css", "messages.fr.js"],
  "hosted page": ["hosted document", "hosted.js", "hosted.css", "messages.fr.js"],
};
const BEFORE_TYPING_BYTES = 30 * KIB;

const kib = (bytes) => `${(bytes / KIB).toFixed(2).padStart(6)} KiB`;

/** The templates of a document without their tags: all that any surface has of it, with their values' names for the values. */
function documentText(...templates) {
  const text = templates.map((name) => readFileSync(new URL(name, TEMPLATES), "utf8")).join("");
  return text.replace(/\{#.*?#\}|\{%.*?%\}/gs, "");
}

/** The frame's documents are compressed; a page of our own holds the token's options, and is not. Tests measure both as they are sent. */
function documentWeights() {
  return [
    ["frame's document", gzipSync(documentText("base.html", "frame.html", "form.html")).length],
    ["hosted document", Buffer.byteLength(documentText("base.html", "hosted.html", "shop.html", "form.html", "footer.html"))],
  ];
}

/** One line a file, and whether all are within the budget. */
export function budgetReport({ current, files, names }) {
  const weights = new Map([["pointsman.js", gzipSync(files.get(current.file), { level: 9 }).length], ...documentWeights()]);
  for (const [name, hashed] of names) weights.set(name, gzipSync(files.get(hashed), { level: 9 }).length);
  const lines = [];
  let isWithin = true;
  const report = (name, bytes, limit) => {
    isWithin &&= bytes <= (limit ?? Infinity);
    lines.push(`${name.padEnd(20)} ${kib(bytes)}${limit ? ` of ${limit / KIB}` : ""}${bytes > limit ? "  TOO BIG" : ""}`);
  };
  for (const [name, bytes] of weights) report(name, bytes, BUDGET[name]);
  for (const [surface, parts] of Object.entries(BEFORE_TYPING)) {
    const missing = parts.find((name) => !weights.has(name));
    if (missing) throw new Error(`${surface}: there is no ${missing}`);
    report(surface, parts.reduce((sum, name) => sum + weights.get(name), 0), BEFORE_TYPING_BYTES);
  }
  return { lines, isWithin };
}
