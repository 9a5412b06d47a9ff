/**
 * The words of a GraphQL document: enough to paint it, to complete in it, and to lay it out. It never refuses a text.
 */

/**
 * @typedef {"punctuator" | "name" | "number" | "string" | "comment" | "variable" | "directive" | "spread" | "unknown"} WordKind
 * @typedef {object} Word
 * @property {WordKind} kind
 * @property {string} text
 * @property {number} start Where it begins in the document.
 * @property {number} end Where it ends.
 */

const PATTERNS = /** @type {const} */ ([
  ["comment", /#[^\n]*/y],
  ["string", /"""(?:\\"""|[^])*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?/y],
  ["variable", /\$[A-Za-z_0-9]*/y],
  ["directive", /@[A-Za-z_0-9]*/y],
  ["spread", /\.\.\./y],
  ["name", /[A-Za-z_][A-Za-z_0-9]*/y],
  ["number", /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ["punctuator", /[!()[\]{}:=|&]/y],
]);

/**
 * The words of a document, in their order. Blanks and commas are none.
 *
 * @param {string} text
 * @returns {Word[]}
 */
export function words(text) {
  /** @type {Word[]} */
  const found = [];
  let at = 0;
  while (at < text.length) {
    if (/[\s,\ufeff]/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const start = at;
    /** @type {WordKind} */
    let kind = "unknown";
    let end = at + 1;
    for (const [name, pattern] of PATTERNS) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match) {
        kind = name;
        end = at + match[0].length;
        break;
      }
    }
    found.push({ kind, text: text.slice(start, end), start, end });
    at = end;
  }
  return found;
}

const KEYWORDS = new Set(["query", "mutation", "subscription", "fragment", "on", "true", "false", "null"]);

/**
 * The class with which a word is painted.
 *
 * @param {Word} word
 * @param {Word | undefined} next
 * @returns {string}
 */
export function paintOf(word, next) {
  if (word.kind !== "name") return word.kind;
  if (KEYWORDS.has(word.text)) return "keyword";
  if (next?.text === ":") return "label";
  return /^[A-Z]/.test(word.text) ? "type" : "name";
}

/**
 * @typedef {object} Operation
 * @property {"query" | "mutation" | "subscription"} kind
 * @property {string} name Empty when it has none.
 */

/**
 * The operations of a document.
 *
 * @param {string} text
 * @returns {Operation[]}
 */
export function operations(text) {
  /** @type {Operation[]} */
  const found = [];
  let depth = 0;
  let isFragment = false;
  /** @type {Operation | null} */
  let open = null;
  for (const word of words(text)) {
    if (word.text === "{" || word.text === "(") {
      if (depth === 0 && word.text === "{" && !open && !isFragment) found.push({ kind: "query", name: "" });
      depth += 1;
    } else if (word.text === "}" || word.text === ")") {
      depth = Math.max(0, depth - 1);
      if (depth === 0 && word.text === "}") {
        open = null;
        isFragment = false;
      }
    } else if (depth === 0 && word.kind === "name") {
      if (word.text === "query" || word.text === "mutation" || word.text === "subscription") {
        open = { kind: word.text, name: "" };
        found.push(open);
      } else if (word.text === "fragment") {
        isFragment = true;
      } else if (open && open.name === "") {
        open.name = word.text;
      }
    }
  }
  return found;
}

/**
 * The document in the usual layout: two spaces a level, arguments in one line. Comments keep lines of their own.
 *
 * @param {string} text
 * @returns {string}
 */
export function tidied(text) {
  const all = words(text);
  let out = "";
  let level = 0;
  /** Round and square brackets that are open, and braces within them: what is in them stays in one line. */
  let inline = 0;
  const line = () => {
    out = `${out.trimEnd()}\n${"  ".repeat(level)}`;
  };
  all.forEach((word, index) => {
    const before = all[index - 1];
    const next = all[index + 1];
    if (word.kind === "comment") {
      if (out.trim() !== "") line();
      out += word.text;
      line();
      return;
    }
    if (inline > 0) {
      out += inlineGap(before, word) + word.text;
      if ("([{".includes(word.text)) inline += 1;
      if (")]}".includes(word.text)) inline -= 1;
      return;
    }
    switch (word.text) {
      case "{":
        out = `${out.trimEnd()}${out.trim() === "" ? "" : " "}{`;
        level += 1;
        line();
        return;
      case "}":
        level = Math.max(0, level - 1);
        line();
        out += "}";
        if (level === 0 && next) out += "\n\n";
        else if (next && next.text !== "}") line();
        return;
      case "(":
        out = `${out.trimEnd()}(`;
        inline += 1;
        return;
      default:
    }
    const startsField = level > 0 && before && startsLine(before, word);
    if (startsField) line();
    else if (before && needsGap(before, word) && !/\s$/.test(out)) out += " ";
    out += word.text;
  });
  return `${out.trim()}\n`;
}

/** @param {Word} before @param {Word} word */
function startsLine(before, word) {
  if (word.text === ":" || word.kind === "directive" || word.text === "=") return false;
  if (before.text === ":" || before.kind === "spread" || before.text === "on" || before.text === "{") return false;
  return before.kind !== "comment";
}

/** @param {Word} before @param {Word} word */
function needsGap(before, word) {
  if (before.kind === "spread") return word.text === "on" || word.kind === "directive";
  return word.text !== ":" && word.text !== "!";
}

/** @param {Word | undefined} before @param {Word} word */
function inlineGap(before, word) {
  if (!before || "([".includes(before.text) || ")]!:".includes(word.text)) return "";
  if (before.text === "{" || word.text === "}") return " ";
  const continues = before.text === ":" || before.text === "=" || word.text === "=" || word.kind === "directive";
  return continues ? " " : ", ";
}
