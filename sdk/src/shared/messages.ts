/** The form's texts in the customer's language, with those of the merchant in their place where it gave some. */
import type { MessageKey } from "./messages/en.js";

type Texts = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string>>;
interface LanguageModule {
  readonly fields: Texts;
  readonly later: Texts;
  readonly page: Texts;
  readonly payment: Texts;
}

/** Other languages are files of their own, loaded when they are asked for. */
const LANGUAGES: Readonly<Record<string, () => Promise<LanguageModule>>> = {
  de: () => import("./messages/de.js"),
  es: () => import("./messages/es.js"),
  fr: () => import("./messages/fr.js"),
  nl: () => import("./messages/nl.js"),
  pt: () => import("./messages/pt.js"),
};

/** Where the browser would take the code for another country's way of writing: `pt` alone is Brazil's. */
const LOCALES: Readonly<Record<string, string>> = { pt: "pt-PT" };

/** Longest text that a merchant may give, in characters: a form of endless texts can't be read. */
const TEXT_MAX = 500;

/** The texts of one language. */
export class Messages {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  #texts: Texts;

  constructor(language: string, direction: "ltr" | "rtl", texts: Texts) {
    this.language = language;
    this.direction = direction;
    this.#texts = texts;
  }

  /** The text of a key with `{name}` replaced by its value; empty for a key that there is not. */
  get(key: MessageKey, values: Values = {}): string {
    return this.find(key, values) ?? "";
  }

  /** Adds texts of keys that have none yet. */
  supply(texts: Texts): void {
    this.#texts = { ...texts, ...this.#texts };
  }

  /** The same for a key that may not exist, such as that of a decline code. */
  find(key: string, values: Values = {}): string | undefined {
    const text = Object.hasOwn(this.#texts, key) ? this.#texts[key] : undefined;
    return text === undefined ? undefined : fillIn(text, values);
  }
}

/** Replaces `{name}` by its value. */
export function fillIn(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/**
 * Loads the texts of a language, or lays a merchant's own over the English ones. An object of messages may name its
 * `language` and its `direction` (`rtl`). A language that can't be loaded is English: the form must work.
 */
export async function loadMessages(language: unknown, english: Texts): Promise<Messages> {
  if (typeof language === "object" && language !== null) {
    const texts = flatten(language);
    const code = readCode(texts["language"]);
    return new Messages(code, texts["direction"] === "rtl" ? "rtl" : "ltr", { ...english, ...texts });
  }
  const code = readCode(language);
  const load = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (!load) return new Messages("en", "ltr", english);
  try {
    const { fields, later, page, payment } = await load();
    return new Messages(LOCALES[code] ?? code, "ltr", { ...english, ...fields, ...payment, ...page, ...later });
  } catch {
    return new Messages("en", "ltr", english);
  }
}

/**
 * Adds the English texts that are needed late, where the language has none. Where they can't be loaded a decline is told in general
 * words.
 */
export async function supplyLater(messages: Messages): Promise<void> {
  if (messages.find("error.general_decline") !== undefined) return;
  try {
    messages.supply((await import("./messages/later.js")).later);
  } catch {
    // As said above.
  }
}

/** `fr` of `fr-CA`; English for what is no language. */
function readCode(text: unknown): string {
  return (typeof text === "string" ? /^[a-zA-Z]{2,3}(?=$|[-_])/.exec(text)?.[0].toLowerCase() : undefined) ?? "en";
}

/** `{card: {number: {placeholder: "…"}}}` and `{"card.number.placeholder": "…"}` are the same. */
function flatten(value: object, prefix = "", texts: Record<string, string> = {}, depth = 0): Record<string, string> {
  for (const [name, member] of Object.entries(value)) {
    const key = prefix + name;
    if (typeof member === "string") texts[key] = member.slice(0, TEXT_MAX);
    else if (typeof member === "object" && member !== null && depth < 6) flatten(member, `${key}.`, texts, depth + 1);
  }
  return texts;
}
