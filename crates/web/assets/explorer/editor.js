/**
 * An editor: a textarea, which does all that a textarea does, over a painted copy of its text. Tab leaves it, as it leaves any
 * field; completions are asked for with Ctrl and space, and come by themselves while a word is typed.
 */

import { announce, element } from "./elements.js";
import { paintOf, words } from "./language.js";
import { painted } from "./json.js";

/**
 * @typedef {import("./completion.js").Completion} Completion
 * @typedef {import("./completion.js").Item} Item
 *
 * @typedef {object} Options
 * @property {string} id Of the textarea; a label of the page names it.
 * @property {string} [label] Where no label of the page does.
 * @property {"graphql" | "json" | "plain"} language
 * @property {number} rows
 * @property {string} [placeholder]
 * @property {((text: string, cursor: number) => Completion) | undefined} [complete]
 * @property {(text: string) => void} [changed]
 */

const INDENT = "  ";
/** So many completions are shown at a time. The list has no scroll bar, which a keyboard could not reach: it moves with the choice. */
const SHOWN = 10;

export class Editor {
  /**
   * @param {HTMLElement} place
   * @param {Options} options
   */
  constructor(place, options) {
    this.options = options;
    this.area = element("textarea", {
      id: options.id,
      rows: options.rows,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      placeholder: options.placeholder,
      "aria-label": options.label,
    });
    this.paint = element("pre", { class: "paint", "aria-hidden": "true" });
    this.list = element("ul", { class: "completions", role: "listbox", id: `${options.id}-list`, "aria-label": "Completions", hidden: true });
    /** @type {Completion} */
    this.completion = { from: 0, to: 0, items: [] };
    this.chosen = 0;
    place.replaceChildren(this.paint, this.area, this.list);
    if (options.complete) {
      this.area.setAttribute("aria-autocomplete", "list");
      this.area.setAttribute("aria-controls", this.list.id);
    }
    this.area.addEventListener("input", (event) => this.typed(event));
    this.area.addEventListener("keydown", (event) => this.pressed(event));
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("blur", () => this.hide());
    this.area.addEventListener("click", () => this.hide());
    this.repaint();
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.hide();
    this.repaint();
    this.options.changed?.(text);
  }

  /** Puts a text in place of a part, so that the browser can undo it. */
  /** @param {number} from @param {number} to @param {string} text */
  replace(from, to, text) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    // The only way that keeps the history of changes; where it is gone, the text is replaced without one.
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, from, to, "end");
      this.area.dispatchEvent(new InputEvent("input", { inputType: "insertReplacementText" }));
    }
  }

  /** @param {Event} event */
  typed(event) {
    this.repaint();
    this.options.changed?.(this.text);
    const isLetter = event instanceof InputEvent && event.inputType === "insertText" && /^[\w$@]$/.test(event.data ?? "");
    const isShorter = event instanceof InputEvent && event.inputType.startsWith("delete") && !this.list.hidden;
    if (isLetter || isShorter) this.offer(false);
    else this.hide();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const isShown = !this.list.hidden;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.offer(true);
    } else if (isShown && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.choose(this.chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (isShown && event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.accept(this.chosen);
    } else if (isShown && event.key === "Escape") {
      event.preventDefault();
      this.hide();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && this.options.language !== "plain") {
      event.preventDefault();
      this.newLine();
    }
  }

  /** A new line with the indentation of this one, and one level more behind a bracket. */
  newLine() {
    const { selectionStart: start, selectionEnd: end } = this.area;
    const before = this.text.slice(0, start);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = /^ */.exec(line)?.[0] ?? "";
    const opens = /[{[(]\s*$/.test(line);
    const closes = opens && /^\s*[}\])]/.test(this.text.slice(end));
    const deeper = opens ? indent + INDENT : indent;
    this.replace(start, end, closes ? `\n${deeper}\n${indent}` : `\n${deeper}`);
    if (closes) {
      const at = start + 1 + deeper.length;
      this.area.setSelectionRange(at, at);
    }
  }

  /** @param {boolean} isAsked Whether the reader asked for it. */
  offer(isAsked) {
    const found = this.options.complete?.(this.text, this.area.selectionStart);
    if (!found || found.items.length === 0) {
      this.hide();
      if (isAsked) announce("No completions here.");
      return;
    }
    const typed = this.text.slice(found.from, this.area.selectionStart);
    const isDone = found.items.length === 1 && found.items[0]?.label === typed;
    if (isDone && !isAsked) {
      this.hide();
      return;
    }
    this.completion = found;
    this.list.hidden = false;
    this.choose(0);
    this.moveList();
    if (isAsked) announce(`${found.items.length} completions.`);
  }

  /** @param {Item} item @param {number} index @returns {HTMLElement} */
  row(item, index) {
    const row = element(
      "li",
      {
        role: "option",
        id: `${this.options.id}-${index}`,
        "aria-selected": index === this.chosen ? "true" : "false",
        "aria-setsize": this.completion.items.length,
        "aria-posinset": index + 1,
        title: item.description,
      },
      element("span", {}, item.label),
      element("span", { class: "type" }, item.detail),
    );
    // Before the textarea loses the focus.
    row.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.accept(index);
    });
    return row;
  }

  /** @param {number} wanted */
  choose(wanted) {
    const { items } = this.completion;
    this.chosen = (wanted + items.length) % items.length;
    const first = Math.max(0, Math.min(this.chosen - SHOWN / 2, items.length - SHOWN));
    const shown = items.slice(first, first + SHOWN);
    this.list.replaceChildren(...shown.map((item, index) => this.row(item, first + index)));
    this.area.setAttribute("aria-activedescendant", `${this.options.id}-${this.chosen}`);
  }

  /** @param {number} index */
  accept(index) {
    const item = this.completion.items[index];
    const { from, to } = this.completion;
    this.hide();
    if (item) this.replace(from, to, item.insert);
    this.hide();
  }

  hide() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** Puts the list below the word that is completed; the letters have one width. */
  moveList() {
    const style = getComputedStyle(this.area);
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return;
    context.font = `${style.fontSize} ${style.fontFamily}`;
    const before = this.text.slice(0, this.completion.from);
    const column = before.length - before.lastIndexOf("\n") - 1;
    const line = before.split("\n").length;
    const left = parseFloat(style.paddingLeft) + column * context.measureText("0").width - this.area.scrollLeft;
    const top = parseFloat(style.paddingTop) + line * parseFloat(style.lineHeight) - this.area.scrollTop;
    const room = Math.max(0, this.area.clientWidth - this.list.offsetWidth);
    this.list.style.setProperty("left", `${Math.min(Math.max(0, left), room)}px`);
    this.list.style.setProperty("top", `${Math.min(top, this.area.clientHeight)}px`);
  }

  follow() {
    this.paint.scrollTop = this.area.scrollTop;
    this.paint.scrollLeft = this.area.scrollLeft;
    this.hide();
  }

  repaint() {
    const { language } = this.options;
    if (language === "json") this.paint.replaceChildren(painted(this.text));
    else if (language === "graphql") this.paint.replaceChildren(...paintedDocument(this.text));
    else this.paint.replaceChildren(this.text);
    // A last line without letters has a height in a textarea, and none in a `pre`.
    this.paint.append("\n");
    this.paint.scrollTop = this.area.scrollTop;
    this.paint.scrollLeft = this.area.scrollLeft;
  }
}

/**
 * A document with its words painted.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function paintedDocument(text) {
  /** @type {(Node | string)[]} */
  const made = [];
  let at = 0;
  const all = words(text);
  all.forEach((word, index) => {
    made.push(text.slice(at, word.start), element("span", { class: paintOf(word, all[index + 1]) }, word.text));
    at = word.end;
  });
  made.push(text.slice(at));
  return made;
}
