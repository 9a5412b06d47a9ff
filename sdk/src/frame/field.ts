/** One input of the form: its layout while typing, its rule, and the error below it. */
import { applyLayout } from "../shared/edit.js";
import type { FieldKey } from "../shared/messages/en.js";
import { find } from "./dom.js";

export type Problem = FieldKey | undefined;

export interface FieldRules {
  /** What is wrong with a text, as a message key. */
  readonly check: (text: string) => Problem;
  /** How a text is laid out while it is typed. */
  readonly layout?: (text: string, isDeleting: boolean) => string;
}

/** What the form needs of a field, its own or a processor's. */
export interface FormField {
  readonly input: Pick<HTMLElement, "addEventListener" | "focus" | "hasAttribute" | "setAttribute" | "toggleAttribute">;
  value: string;
  readonly problem: Problem;
  readonly isHidden: boolean;
  hide(isHidden: boolean): void;
  show(problem: Problem): void;
  translate(): void;
}

export class Field implements FormField {
  readonly input: HTMLInputElement | HTMLSelectElement;
  readonly #error: HTMLElement;
  readonly #rules: FieldRules;
  readonly #textOf: (key: FieldKey) => string;
  #before = "";
  #problem: Problem;

  constructor(name: string, rules: FieldRules, textOf: (key: FieldKey) => string, changed: () => void, announce: (text: string) => void) {
    this.input = find<HTMLInputElement | HTMLSelectElement>(`#pm-form [name="${name}"]`);
    this.#error = find(`#error-${name}`);
    this.#rules = rules;
    this.#textOf = textOf;
    // Some autofills fire one of the two only. Composing text (an input method) is left alone until it is finished.
    const typed = (event: Event) => {
      if (event instanceof InputEvent && event.isComposing) return;
      this.#layOut(event instanceof InputEvent ? event.inputType : "");
      if (this.#problem) this.show(this.#rules.check(this.value));
      changed();
    };
    for (const type of ["input", "change", "compositionend"]) this.input.addEventListener(type, typed);
    this.input.addEventListener("blur", () => {
      this.#layOut("");
      if (this.value.trim() === "") return;
      const isNew = this.problem !== undefined && this.problem !== this.#problem;
      this.show(this.problem);
      // The field has been left: what stands below it is said, or nobody hears it who can't see it.
      if (isNew) announce(this.#error.textContent ?? "");
    });
  }

  get value(): string {
    return this.input.value;
  }

  set value(text: string) {
    this.input.value = text;
    this.#before = text;
  }

  /** What is wrong now, whether it is shown or not. A field that is not shown has no problem. */
  get problem(): Problem {
    return this.isHidden ? undefined : this.#rules.check(this.value);
  }

  get isHidden(): boolean {
    return this.input.closest("[hidden]") !== null;
  }

  hide(isHidden: boolean): void {
    const field = this.input.closest<HTMLElement>(".Field");
    if (field) field.hidden = isHidden;
  }

  /** Shows a problem below the field, or takes it away. */
  show(problem: Problem): void {
    this.#problem = problem;
    this.#error.textContent = problem ? this.#textOf(problem) : "";
    if (problem) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  /** Writes the error that is shown in another language. */
  translate(): void {
    this.show(this.#problem);
  }

  #layOut(inputType: string): void {
    const { input } = this;
    if (!this.#rules.layout || !(input instanceof HTMLInputElement)) return;
    const caret = input.selectionStart ?? input.value.length;
    const edit = applyLayout({ before: this.#before, caret, inputType, value: input.value }, this.#rules.layout);
    if (edit.value !== input.value) {
      input.value = edit.value;
      if (document.activeElement === input) input.setSelectionRange(edit.caret, edit.caret);
    }
    this.#before = edit.value;
  }
}
