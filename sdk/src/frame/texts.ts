/** Puts the customer's language in the place of the English that the server wrote. */
import type { Messages } from "../shared/messages.js";
import { fillIn } from "../shared/messages.js";

/** Texts that are attributes, and the attribute's marker in the markup. */
const ATTRIBUTES = ["placeholder", "aria-label"] as const;

/** Writes every `data-text` of the document. What has no text in the messages stays as the server wrote it. */
export function translate(messages: Messages, values: Readonly<Record<string, string>> = {}): void {
  document.documentElement.lang = messages.language;
  document.documentElement.dir = messages.direction;
  for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
    const text = messages.find(element.dataset["text"] ?? "", values);
    if (text !== undefined) element.textContent = text;
  }
  for (const name of ATTRIBUTES) {
    for (const element of document.querySelectorAll(`[data-text-${name}]`)) {
      const text = messages.find(element.getAttribute(`data-text-${name}`) ?? "", values);
      if (text !== undefined) element.setAttribute(name, text);
    }
  }
}

/** The merchant's own text for a button, with the amount in it. */
export function labelOf(own: string | undefined, fallback: string, values: Readonly<Record<string, string>>): string {
  return own ? fillIn(own, values) : fallback;
}
