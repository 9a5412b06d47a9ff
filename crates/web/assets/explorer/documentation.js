/**
 * The schema's documentation, to browse and to search.
 */

import { button, element } from "./elements.js";
import { named, search, written } from "./schema.js";

/**
 * @typedef {import("./schema.js").Schema} Schema
 * @typedef {import("./schema.js").Type} Type
 * @typedef {import("./schema.js").Field} Field
 * @typedef {import("./schema.js").InputValue} InputValue
 * @typedef {import("./schema.js").TypeRef} TypeRef
 */

/** So many results of a search are shown. */
const RESULTS = 40;

export class Documentation {
  /**
   * @param {HTMLElement} place
   * @param {Schema} schema
   */
  constructor(place, schema) {
    this.schema = schema;
    /** @type {string[]} The types that led here. */
    this.trail = [];
    this.box = element("input", { type: "search", id: "docs-search", autocomplete: "off", spellcheck: "false", placeholder: "Search types and fields" });
    this.box.addEventListener("input", () => this.show());
    this.content = element("div", { class: "content" });
    const label = element("label", { for: "docs-search", class: "hidden" }, "Search the documentation");
    place.replaceChildren(label, this.box, this.content);
    this.show();
  }

  /** @param {string} type @param {string} [member] */
  open(type, member = "") {
    this.box.value = "";
    if (this.trail.at(-1) !== type) this.trail.push(type);
    this.show(member);
    const title = this.content.querySelector("h3");
    if (title instanceof HTMLElement && !member) title.focus();
  }

  back() {
    this.trail.pop();
    this.show();
    this.box.focus();
  }

  /** @param {string} [member] */
  show(member = "") {
    const text = this.box.value.trim();
    const type = this.schema.types.get(this.trail.at(-1) ?? "");
    if (text !== "") this.content.replaceChildren(...this.results(text));
    else if (type) this.content.replaceChildren(...this.page(type));
    else this.content.replaceChildren(...this.beginning());
    const target = member && this.content.querySelector(`[data-member="${CSS.escape(member)}"]`);
    if (target instanceof HTMLElement) {
      target.scrollIntoView({ block: "nearest" });
      target.tabIndex = -1;
      target.focus();
    }
  }

  /** @returns {Node[]} */
  beginning() {
    const roots = Object.entries(this.schema.roots).filter(([, name]) => name !== "");
    return roots.flatMap(([root, name]) => {
      const fields = this.schema.types.get(name)?.fields ?? [];
      const list = element("ul", { class: "plain" }, ...fields.map((field) => element("li", {}, this.link(field.name, name, field.name))));
      const title = `${root.charAt(0).toUpperCase()}${root.slice(1)} · ${fields.length}`;
      return [element("details", { open: root !== "query" ? undefined : true }, element("summary", {}, title), list)];
    });
  }

  /** @param {string} text @returns {Node[]} */
  results(text) {
    const found = search(this.schema, text, RESULTS);
    if (found.length === 0) return [element("p", { class: "empty" }, "Nothing has these words.")];
    const rows = found.map((one) =>
      element("li", {}, this.link(one.path, one.type, one.member), element("p", { class: "small" }, brief(one.description))),
    );
    return [element("ul", { class: "plain found" }, ...rows)];
  }

  /** @param {Type} type @returns {Node[]} */
  page(type) {
    const isRoot = Object.values(this.schema.roots).includes(type.name);
    const members = [
      ...(type.fields ?? []).map((field) => this.field(field)),
      ...(type.inputFields ?? []).map((input) => this.input(input)),
      ...(type.enumValues ?? []).map((value) =>
        element("li", { "data-member": value.name }, element("code", {}, value.name), text(value.description)),
      ),
      ...(type.possibleTypes ?? []).map((one) => element("li", {}, this.link(named(one), named(one)))),
    ];
    /** @type {(Node | false)[]} */
    const parts = [
      element("p", { class: "trail" }, button(this.trail.length > 1 ? "← Back" : "← All operations", () => this.back())),
      element("h3", { tabindex: "-1" }, isRoot ? "Operations of " : "", type.name, " ", element("span", { class: "small" }, type.kind.toLowerCase().replace("_", " "))),
      text(type.description),
      element("ul", { class: "plain members" }, ...members),
    ];
    return parts.filter((part) => part !== false);
  }

  /** @param {Field} field @returns {HTMLElement} */
  field(field) {
    const head = element("p", { class: "signature" }, element("code", { class: "name" }, field.name), ": ", this.type(field.type));
    const args = field.args.length > 0 && element("ul", { class: "plain args" }, ...field.args.map((one) => this.input(one)));
    const old = field.isDeprecated && element("p", { class: "small" }, `Deprecated: ${field.deprecationReason ?? ""}`);
    return element("li", { "data-member": field.name }, head, text(field.description), old, args);
  }

  /** @param {InputValue} input @returns {HTMLElement} */
  input(input) {
    const usual = input.defaultValue === null ? "" : ` = ${input.defaultValue}`;
    const head = element("p", { class: "signature" }, element("code", { class: "label" }, input.name), ": ", this.type(input.type), usual);
    return element("li", { "data-member": input.name }, head, text(input.description));
  }

  /** @param {TypeRef} type @returns {Node} */
  type(type) {
    const whole = written(type);
    const name = named(type);
    const [before, after] = whole.split(name);
    return element("code", {}, before, this.link(name, name), after);
  }

  /** @param {string} label @param {string} type @param {string} [member] @returns {HTMLElement} */
  link(label, type, member) {
    return button(label, () => this.open(type, member), { class: "link" });
  }
}

/** @param {string | null} description @returns {HTMLElement | false} */
function text(description) {
  if (!description) return false;
  // Names stand between backquotes.
  const parts = description.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
  return element("p", { class: "description" }, ...parts);
}

/** @param {string} description @returns {string} The first sentence. */
function brief(description) {
  const sentence = /^[^]*?[.;](?=\s|$)/.exec(description.replaceAll("`", ""))?.[0] ?? description.replaceAll("`", "");
  return sentence.replaceAll("\n", " ");
}
