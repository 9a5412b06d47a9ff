/** What the files may weigh, in bytes after `gzip -9`. */
import { gzipSync } from "node:zlib";

const KIB = 1024;

const BUDGET = {
  "pointsman.js": 7.25 * KIB,
  "card.js": 12 * KIB,
  "checkout.js": 17.5 * KIB,
  "hosted.js": 17 * KIB,
  "frame.css": 3 * KIB,
  "hosted.css": 4 * KIB,
};

/** What a customer's browser loads before it can type in a card form in French, by the surface of the form. */
const BEFORE_TYPING = {
  "Elements": ["pointsman.js", "card.js", "frame.css", "messages.fr.js"],
  "Drop-In": ["pointsman.js", "checkout.js", "frame.css", "messages.fr.js"],
  "hosted page": ["hosted.js", "hosted.css", "messages.fr.js"],
};
const BEFORE_TYPING_BYTES = 30 * KIB;

const kib = (bytes) => `${(bytes / KIB).toFixed(2).padStart(6)} KiB`;

/** One line a file, and whether all are within the budget. */
export function budgetReport({ current, files, names }) {
  const weights = new Map([["pointsman.js", gzipSync(files.get(current.file), { level: 9 }).length]]);
  for (const [name, hashed] of names) weights.set(name, gzipSync(files.get(hashed), { level: 9 }).length);
  const lines = [];
  let isWithin = true;
  const report = (name, bytes, limit) => {
    isWithin &&= bytes <= (limit ?? Infinity);
    lines.push(`${name.padEnd(20)} ${kib(bytes)}${limit ? ` of ${limit / KIB}` : ""}${bytes > limit ? "  TOO BIG" : ""}`);
  };
  for (const [name, bytes] of weights) report(name, bytes, BUDGET[name]);
  for (const [surface, names] of Object.entries(BEFORE_TYPING)) {
    report(surface, names.reduce((sum, name) => sum + (weights.get(name) ?? 0), 0), BEFORE_TYPING_BYTES);
  }
  return { lines, isWithin };
}
