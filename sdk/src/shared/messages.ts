/** The form's texts in the customer's language, with those of the merchant in their place where it gave some. */
import type { MessageKey as FirstKey } from "./messages/en.js";
import type { OutcomeKey } from "./messages/outcome.js";

export type MessageKey = FirstKey | OutcomeKey;
type Texts = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string>>;
/** What a customer reads before a card can be typed in. */
interface FirstTexts {
  readonly fields: Texts;
  readonly page: Texts;
  readonly payment: Texts;
}

/** What a customer reads once they pay. */
interface LaterTexts {
  readonly later: Texts;
  readonly outcome: Texts;
}

interface Language {
  readonly first: () => Promise<FirstTexts>;
  readonly later: () => Promise<LaterTexts>;
}

/** Other languages are two files each, loaded when they are needed. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  de: { first: () => import("./messages/de.js"), later: () => import("./messages/de-later.js") },
  es: { first: () => import("./messages/es.js"), later: () => import("./messages/es-later.js") },
  fr: { first: () => import("./messages/fr.js"), later: () => import("./messages/fr-later.js") },
  nl: { first: () => import("./messages/nl.js"), later: () => import("./messages/nl-later.js") },
  pt: { first: () => import("./messages/pt.js"), later: () => import("./messages/pt-later.js") },
};

/** Where the browser would take the code for another country's way of writing: `pt` alone is Brazil's. */
const LOCALES: Readonly<Record<string, string>> = { pt: "pt-PT" };

/** For how long a form waits for its language. Milliseconds. */
const PATIENCE_MS = 5_000;

/** Longest text that a merchant may give, in characters: a form of endless texts can't be read. */
const TEXT_MAX = 500;

/** The texts of one language. */
export class Messages {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  /** The language's texts that are not loaded yet. */
  readonly later: Language["later"] | undefined;
  #texts: Texts;
  #english: Texts = {};

  constructor(language: string, direction: "ltr" | "rtl", texts: Texts, later?: Language["later"]) {
    this.language = language;
    this.direction = direction;
    this.later = later;
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

  /** Texts for keys that have none, whatever comes later. */
  fallBackOn(english: Texts): void {
    this.#english = english;
  }

  /** The same for a key that may not exist, such as that of a decline code. */
  find(key: string, values: Values = {}): string | undefined {
    const text = [this.#texts, this.#english].find((texts) => Object.hasOwn(texts, key))?.[key];
    return text === undefined ? undefined : fillIn(text, values);
  }
}

/** Replaces `{name}` by its value. */
export function fillIn(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/**
 * Loads the texts of a language, or lays a merchant's own over the English ones. An object of messages may name its
 * `language` and its `direction` (`rtl`). A language that can't be loaded, or not soon, is English: the form must work.
 */
export async function loadMessages(language: unknown, english: Texts): Promise<Messages> {
  if (typeof language === "object" && language !== null) {
    const texts = flatten(language);
    const code = readCode(texts["language"]);
    return new Messages(code, texts["direction"] === "rtl" ? "rtl" : "ltr", { ...english, ...texts });
  }
  const code = readCode(language);
  const files = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (!files) return new Messages("en", "ltr", english);
  const first = await soon(files.first(), undefined);
  if (!first) return new Messages("en", "ltr", english);
  const { fields, page, payment } = first;
  return new Messages(LOCALES[code] ?? code, "ltr", { ...english, ...fields, ...payment, ...page }, files.later);
}

/** What is being loaded; `fallback` where it can't be loaded, or not soon. */
export async function soon<Loaded, Fallback>(loading: Promise<Loaded>, fallback: Fallback): Promise<Loaded | Fallback> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Fallback>((resolve) => { timer = setTimeout(() => resolve(fallback), PATIENCE_MS); });
  return Promise.race([loading.catch(() => fallback), late]).finally(() => clearTimeout(timer));
}

/**
 * Adds the texts that are needed once the customer pays: the language's own, in English where there are none. Where neither can be
 * loaded a decline is said in general words.
 */
export async function supplyLater(messages: Messages): Promise<void> {
  if (messages.find("error.general_decline") !== undefined) return;
  const texts = await (messages.later?.() ?? loadEnglish()).catch(loadEnglish).catch(() => undefined);
  if (texts) messages.supply({ ...texts.outcome, ...texts.later });
}

const loadEnglish = (): Promise<Omit<LaterTexts, "outcome"> & Partial<LaterTexts>> => import("./messages/later.js");

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
