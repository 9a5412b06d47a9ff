/** What the files may weigh, in bytes after `gzip -9`. */
import { gzipSync } from "node:zlib";

const KIB = 1024;

const BUDGET = {
  "pointsman.js": 7.25 * KIB,
  "card.js": 12 * KIB,
  "checkout.js": 17 * KIB,
  "frame.css": 3 * KIB,
};

/** What a customer's browser loads before it can type in the card form of Elements, in French. */
const BEFORE_TYPING = ["pointsman.js", "card.js", "frame.css", "messages.fr.js"];
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
  const total = BEFORE_TYPING.reduce((sum, name) => sum + (weights.get(name) ?? 0), 0);
  report("before typing", total, BEFORE_TYPING_BYTES);
  return { lines, isWithin };
}
