/**
 * The explorer of the API. It calls its own server alone, and keeps nothing, unless the reader wants the key kept in this tab.
 */

import { complete } from "./completion.js";
import { Documentation } from "./documentation.js";
import { Editor } from "./editor.js";
import { announce, button, byId, element } from "./elements.js";
import { filled, loadExamples, missing, remember } from "./examples.js";
import { painted, wrongObject } from "./json.js";
import { operations, tidied } from "./language.js";
import { curlOf, follow, send } from "./request.js";
import { INTROSPECTION, schemaOf } from "./schema.js";

/**
 * @typedef {import("./examples.js").Example} Example
 * @typedef {import("./request.js").Facts} Facts
 */

/** Under this name the key is kept in the tab. */
const KEPT = "pointsman.explorer.key";
/** After so long without a letter a key is tried. Unit: milliseconds. */
const PAUSE = 400;
/** So many events of a stream stay on the page. */
const EVENTS = 200;

/** @type {import("./schema.js").Schema | null} */
let schema = null;
/** @type {Map<string, string>} What answers have brought. */
const known = new Map();
/** @type {Example | null} */
let chosen = null;
/** @type {AbortController | null} */
let underWay = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

const key = byId("key", HTMLInputElement);
const keep = byId("keep", HTMLInputElement);
const response = byId("response", HTMLElement);
const facts = byId("facts", HTMLElement);
const stop = byId("stop", HTMLButtonElement);
const docs = byId("docs", HTMLElement);

const documentEditor = new Editor(byId("document", HTMLElement), {
  id: "document-text",
  label: "GraphQL document",
  language: "graphql",
  rows: 16,
  complete: (text, cursor) => (schema ? complete(text, cursor, schema) : { from: cursor, to: cursor, items: [] }),
});
const variablesEditor = new Editor(byId("variables", HTMLElement), { id: "variables-text", language: "json", rows: 9, placeholder: "{}" });
const headersEditor = new Editor(byId("headers", HTMLElement), { id: "headers-text", language: "plain", rows: 2, placeholder: "Name: value" });

function wanted() {
  return { key: key.value.trim(), document: documentEditor.text, variables: variablesEditor.text, headers: headersEditor.text };
}

/** @param {string} text @param {string} [tone] */
function say(text, tone = "empty") {
  response.replaceChildren(element("p", { class: tone }, text));
}

/** @param {Facts} of */
function showFacts(of) {
  const isGood = of.status < 300;
  facts.replaceChildren(
    element("span", { class: isGood ? "good" : "bad" }, String(of.status)),
    element("span", {}, `${of.ms} ms`),
    element("code", { title: "The id of the request: quote it to support" }, of.id),
    of.isReplayed ? element("span", { class: "waits" }, "stored response") : "",
  );
}

/** Sends what is written, and shows what comes back. */
async function run() {
  const request = wanted();
  const wrong = wrongObject(request.variables);
  const open = missing(`${request.variables}${request.headers}`);
  if (wrong) return refuse(wrong);
  if (open.length > 0) return refuse(`Send the example first that brings ${open.map((name) => `“${name}”`).join(", ")}, or put your own value in.`);
  if (request.document.trim() === "") return refuse("Write a document first, or choose an example.");
  if (!request.key) {
    key.focus();
    return refuse("The API needs a key: put your secret key (sk_test_…) at the top.");
  }
  underWay?.abort();
  const mine = new AbortController();
  underWay = mine;
  facts.replaceChildren();
  try {
    if (operations(request.document).some((one) => one.kind === "subscription")) await runStream(request, mine);
    else await runOnce(request, mine);
  } catch (error) {
    if (!mine.signal.aborted) refuse(error instanceof Error ? error.message : String(error));
  } finally {
    if (underWay === mine) {
      underWay = null;
      stop.hidden = true;
    }
  }
}

/** @param {string} text */
function refuse(text) {
  facts.replaceChildren();
  say(text, "bad");
  announce(text);
}

/** @param {ReturnType<typeof wanted>} request @param {AbortController} mine */
async function runOnce(request, mine) {
  response.setAttribute("aria-busy", "true");
  try {
    const example = chosen;
    const answer = await send(request, mine.signal);
    showFacts(answer);
    const text = answer.json === undefined ? answer.text : JSON.stringify(answer.json, null, 2);
    response.replaceChildren(element("pre", {}, painted(text)));
    response.scrollTop = 0;
    if (example) remember(example, answer.json, known);
    announce(`Status ${answer.status}, ${answer.ms} milliseconds.`);
  } finally {
    response.removeAttribute("aria-busy");
  }
}

/** @param {ReturnType<typeof wanted>} request @param {AbortController} mine */
async function runStream(request, mine) {
  stop.hidden = false;
  const list = element("ol", { class: "events", reversed: true });
  const note = element("p", { class: "empty" }, "The stream is open. Nothing has happened yet.");
  response.replaceChildren(note, list);
  await follow(request, mine.signal, {
    opened: showFacts,
    event: (text) => {
      /** @type {unknown} */
      let json;
      try {
        json = JSON.parse(text);
      } catch {
        json = text;
      }
      note.remove();
      list.prepend(element("li", {}, element("pre", {}, painted(JSON.stringify(json, null, 2)))));
      if (list.children.length > EVENTS) list.lastElementChild?.remove();
      announce("An event has come.");
    },
  });
  announce("The stream has ended.");
}

/** @param {Example} example @param {HTMLElement} row */
function choose(example, row) {
  chosen = example;
  const json = (/** @type {unknown} */ value) => (value === undefined ? "" : filled(JSON.stringify(value, null, 2), known));
  documentEditor.text = example.document.join("\n");
  variablesEditor.text = json(example.variables);
  headersEditor.text = Object.entries(example.headers ?? {})
    .map(([name, value]) => `${name}: ${filled(value, known)}`)
    .join("\n");
  for (const other of document.querySelectorAll("#examples [aria-current]")) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  facts.replaceChildren();
  say(example.text);
}

async function showExamples() {
  const examples = await loadExamples();
  const rows = examples.map((example) => {
    const row = button(example.title, () => choose(example, row), { "data-example": example.id });
    return row;
  });
  byId("examples", HTMLElement).append(element("ol", {}, ...rows.map((row) => element("li", {}, row))));
  const [first] = examples;
  if (first && rows[0]) choose(first, rows[0]);
}

/** Asks for the schema with the key that was given. */
async function loadSchema() {
  const given = key.value.trim();
  if (given === "") {
    docs.replaceChildren(element("p", { class: "empty" }, "Give your secret key at the top: the schema, its documentation and completion come with it."));
    return;
  }
  const answer = await send({ key: given, document: INTROSPECTION, variables: "", headers: "" });
  if (given !== key.value.trim()) return;
  try {
    schema = schemaOf(answer.json);
    new Documentation(docs, schema);
  } catch {
    schema = null;
    const reason = answer.status === 401 ? "This key is not known here." : `The schema did not come (status ${answer.status}).`;
    docs.replaceChildren(element("p", { class: "bad" }, reason));
  }
}

function keyChanged() {
  if (keep.checked) sessionStorage.setItem(KEPT, key.value.trim());
  else sessionStorage.removeItem(KEPT);
  clearTimeout(waiting);
  waiting = setTimeout(() => void loadSchema().catch(schemaFailed), PAUSE);
}

function schemaFailed() {
  docs.replaceChildren(element("p", { class: "bad" }, "The service does not answer."));
}

/** The key may stand in the address's fragment, which no server sees; it goes from there at once. */
function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) history.replaceState(null, "", location.pathname);
  const kept = sessionStorage.getItem(KEPT);
  keep.checked = kept !== null;
  key.value = given ?? kept ?? "";
}

async function copyCommand() {
  try {
    const request = wanted();
    const isStream = operations(request.document).some((one) => one.kind === "subscription");
    await navigator.clipboard.writeText(curlOf(request, isStream));
    announce("Copied. Put your key into the variable KEY of the shell.");
    const label = byId("curl", HTMLButtonElement);
    label.textContent = "Copied";
    setTimeout(() => (label.textContent = "Copy as curl"), 1500);
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}

key.addEventListener("input", keyChanged);
keep.addEventListener("change", keyChanged);
byId("send", HTMLButtonElement).addEventListener("click", () => void run());
stop.addEventListener("click", () => underWay?.abort());
byId("tidy", HTMLButtonElement).addEventListener("click", () => (documentEditor.text = tidied(documentEditor.text)));
byId("curl", HTMLButtonElement).addEventListener("click", () => void copyCommand());
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    void run();
  }
});

takeKey();
void showExamples();
void loadSchema().catch(schemaFailed);
