/**
 * What may stand at a place of a document, by the schema. The document is read up to the cursor, with whatever mistakes it has.
 */

import { words } from "./language.js";
import { named, written } from "./schema.js";

/**
 * @typedef {import("./schema.js").Schema} Schema
 * @typedef {import("./schema.js").InputValue} InputValue
 * @typedef {import("./schema.js").TypeRef} TypeRef
 * @typedef {import("./language.js").Word} Word
 *
 * @typedef {object} Item
 * @property {string} label What is shown, and found by what is typed.
 * @property {string} insert What is put in.
 * @property {string} detail Its type.
 * @property {string} description
 *
 * @typedef {object} Completion
 * @property {number} from Where the word begins that is replaced.
 * @property {number} to
 * @property {Item[]} items
 *
 * @typedef {{ form: "selection", type: string }} Selection
 * @typedef {{ form: "inputs", inputs: InputValue[], current: TypeRef | null, used: string[] }} Inputs
 * @typedef {{ form: "list", element: TypeRef | null }} List
 * @typedef {{ form: "variables", wantsType: boolean }} Variables
 * @typedef {Selection | Inputs | List | Variables} Frame
 *
 * @typedef {object} Place Where the cursor is.
 * @property {Frame | undefined} frame The innermost bracket that is open.
 * @property {string[]} variables Those that the operation declares, with their `$`.
 * @property {"" | "spread" | "on" | "alias" | "fragment"} after What was just written.
 */

const KEYWORDS = ["query", "mutation", "subscription", "fragment"];

/** @param {TypeRef | null} type @returns {TypeRef | null} */
function elementOf(type) {
  let here = type;
  while (here && here.kind === "NON_NULL") here = here.ofType ?? null;
  return here && here.kind === "LIST" ? (here.ofType ?? null) : here;
}

/** Reads a document word by word, and knows at each what may follow. */
class Reader {
  /** @param {Schema} schema */
  constructor(schema) {
    this.schema = schema;
    /** @type {Frame[]} */
    this.frames = [];
    /** @type {string[]} */
    this.variables = [];
    /** The type of the selection that opens next. */
    this.next = "";
    /** @type {InputValue[]} Of the field or directive before a bracket. */
    this.args = [];
    /** @type {Place["after"]} */
    this.after = "";
    /** What of the document's level was written: the word of the operation. */
    this.head = "";
  }

  /** @returns {Frame | undefined} */
  get frame() {
    return this.frames.at(-1);
  }

  /** @param {Word} word */
  read(word) {
    const frame = this.frame;
    if (word.kind === "comment") return;
    if (word.kind === "directive") {
      this.args = this.schema.directives.find((one) => `@${one.name}` === word.text)?.args ?? [];
      return;
    }
    if (!frame) this.readHead(word);
    else if (frame.form === "selection") this.readSelection(frame, word);
    else if (frame.form === "variables") this.readVariables(frame, word);
    else this.readInputs(frame, word);
  }

  /** @param {Word} word */
  readHead(word) {
    if (KEYWORDS.includes(word.text)) {
      this.head = word.text;
      this.variables = [];
      this.next = word.text === "fragment" ? "" : this.schema.roots[/** @type {import("./schema.js").Root} */ (word.text)];
      this.after = word.text === "fragment" ? "fragment" : "";
    } else if (word.text === "on" && this.head === "fragment") {
      this.after = "on";
    } else if (this.after === "on") {
      this.next = word.text;
      this.after = "";
    } else if (word.text === "(" && this.args.length > 0) {
      this.frames.push({ form: "inputs", inputs: this.args, current: null, used: [] });
    } else if (word.text === "(") {
      this.frames.push({ form: "variables", wantsType: false });
    } else if (word.text === "{") {
      this.frames.push({ form: "selection", type: this.head === "" ? this.schema.roots.query : this.next });
      this.head = "";
      this.args = [];
    }
  }

  /** @param {Selection} frame @param {Word} word */
  readSelection(frame, word) {
    if (word.kind === "spread") {
      this.after = "spread";
      this.next = frame.type;
      this.args = [];
    } else if (word.text === "on" && this.after === "spread") {
      this.after = "on";
    } else if (word.kind === "name" && this.after === "on") {
      this.next = word.text;
      this.after = "";
    } else if (word.kind === "name") {
      this.after = "";
      const field = this.schema.types.get(frame.type)?.fields?.find((one) => one.name === word.text);
      this.next = named(field?.type);
      this.args = field?.args ?? [];
    } else if (word.text === "(") {
      this.frames.push({ form: "inputs", inputs: this.args, current: null, used: [] });
    } else if (word.text === "{") {
      this.after = "";
      this.frames.push({ form: "selection", type: this.next });
    } else if (word.text === "}") {
      this.close();
    }
  }

  /** @param {Variables} frame @param {Word} word */
  readVariables(frame, word) {
    if (word.kind === "variable") this.variables.push(word.text);
    if (word.text === ":") frame.wantsType = true;
    else if (word.kind === "name") frame.wantsType = false;
    else if (word.text === ")") this.close();
  }

  /** @param {Inputs | List} frame @param {Word} word */
  readInputs(frame, word) {
    const wanted = frame.form === "list" ? frame.element : frame.current;
    if (word.text === "{") {
      const inputs = this.schema.types.get(named(wanted))?.inputFields ?? [];
      this.frames.push({ form: "inputs", inputs, current: null, used: [] });
    } else if (word.text === "[") {
      this.frames.push({ form: "list", element: elementOf(wanted) });
    } else if (")]}".includes(word.text)) {
      this.close();
    } else if (frame.form === "inputs" && word.kind === "name" && !frame.current) {
      frame.used.push(word.text);
    } else if (frame.form === "inputs" && word.text === ":") {
      const name = frame.used.at(-1);
      frame.current = frame.inputs.find((one) => one.name === name)?.type ?? null;
    } else if (frame.form === "inputs") {
      frame.current = null;
    }
  }

  close() {
    this.frames.pop();
    this.after = "";
    const frame = this.frame;
    if (frame?.form === "inputs") frame.current = null;
  }
}

/**
 * What may stand at the cursor.
 *
 * @param {string} text
 * @param {number} cursor
 * @param {Schema} schema
 * @returns {Completion}
 */
export function complete(text, cursor, schema) {
  const before = text.slice(0, cursor);
  const typed = /[$@]?[A-Za-z_0-9]*$/.exec(before)?.[0] ?? "";
  const from = cursor - typed.length;
  const rest = /^[A-Za-z_0-9]*/.exec(text.slice(cursor))?.[0] ?? "";
  const read = words(text.slice(0, from));
  const last = read.at(-1);
  const isQuoted = last && last.end === from && (last.kind === "comment" || last.kind === "string");
  if (isQuoted && (last.kind === "comment" || !/[^\\]"$/.test(last.text))) return { from, to: from, items: [] };
  const reader = new Reader(schema);
  for (const word of read) reader.read(word);
  const items = fitting(itemsAt(reader, last, typed), typed);
  return { from, to: cursor + rest.length, items };
}

/**
 * Those that what was typed may become, those that begin with it first.
 *
 * @param {Item[]} items
 * @param {string} typed
 * @returns {Item[]}
 */
function fitting(items, typed) {
  const wanted = typed.toLowerCase();
  const rank = (/** @type {Item} */ item) => {
    const at = item.label.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return items
    .filter((item) => rank(item) < 2)
    .sort((one, other) => rank(one) - rank(other));
}

/**
 * @param {Reader} reader
 * @param {Word | undefined} last
 * @param {string} typed
 * @returns {Item[]}
 */
function itemsAt(reader, last, typed) {
  const { schema, frame } = reader;
  if (typed.startsWith("@")) {
    return schema.directives.map((one) => item(`@${one.name}`, "", one.description));
  }
  if (reader.after === "on") {
    const types = [...schema.types.values()].filter((type) => type.fields && !type.name.startsWith("__"));
    return types.map((type) => item(type.name, type.kind.toLowerCase(), type.description));
  }
  if (!frame) return reader.head === "" ? KEYWORDS.map((word) => item(word, "", null)) : [];
  if (frame.form === "selection") {
    return reader.after === "spread" ? [item("on", "", null)] : fieldsOf(schema, frame.type);
  }
  if (frame.form === "variables") {
    return frame.wantsType && !typed.startsWith("$") ? inputTypes(schema) : [];
  }
  if (frame.form === "inputs" && !frame.current) {
    if (typed.startsWith("$") || last?.text === ":") return [];
    const left = frame.inputs.filter((one) => !frame.used.includes(one.name));
    return left.map((one) => ({ ...item(one.name, written(one.type), one.description), insert: `${one.name}: ` }));
  }
  const wanted = frame.form === "list" ? frame.element : frame.current;
  return valuesOf(schema, wanted, reader.variables);
}

/** @param {Schema} schema @param {string} name @returns {Item[]} */
function fieldsOf(schema, name) {
  const type = schema.types.get(name);
  const fields = (type?.fields ?? []).map((field) => item(field.name, written(field.type), field.description));
  return type ? [...fields, item("__typename", "String!", "The name of the type.")] : [];
}

/** @param {Schema} schema @returns {Item[]} */
function inputTypes(schema) {
  const types = [...schema.types.values()].filter(
    (type) => ["SCALAR", "ENUM", "INPUT_OBJECT"].includes(type.kind) && !type.name.startsWith("__"),
  );
  return types.map((type) => item(type.name, type.kind.toLowerCase().replace("_", " "), type.description));
}

/** @param {Schema} schema @param {TypeRef | null} wanted @param {string[]} variables @returns {Item[]} */
function valuesOf(schema, wanted, variables) {
  const type = schema.types.get(named(wanted));
  const values = (type?.enumValues ?? []).map((value) => item(value.name, type?.name ?? "", value.description));
  if (type?.name === "Boolean") values.push(item("true", "Boolean", null), item("false", "Boolean", null));
  return [...variables.map((name) => item(name, "variable", null)), ...values];
}

/** @param {string} label @param {string} detail @param {string | null} description @returns {Item} */
function item(label, detail, description) {
  return { label, insert: label, detail, description: description ?? "" };
}
