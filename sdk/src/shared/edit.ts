/** Typing in a field that lays out its own text: where the caret belongs afterwards. */
import { digitsOf } from "./digits.js";

export interface Edit {
  readonly value: string;
  readonly caret: number;
}

export interface Typed extends Edit {
  /** The text before the change. */
  readonly before: string;
  /** The `inputType` of the event; empty for autofill and `change`. */
  readonly inputType: string;
}

/** Lays out what was typed and keeps the caret behind the same digit. */
export function applyLayout(typed: Typed, layout: (text: string, isDeleting: boolean) => string): Edit {
  const isDeleting = typed.inputType.startsWith("delete");
  const { value, caret } = isDeleting ? deleteDigitAtSeparator(typed) : typed;
  const laidOut = layout(value, isDeleting);
  if (caret >= value.length) return { value: laidOut, caret: laidOut.length };
  // A leading zero that was added counts as typed.
  const added = Math.max(0, digitsOf(laidOut).length - digitsOf(value).length);
  const digits = digitsOf(value.slice(0, caret)).length;
  return { value: laidOut, caret: placeBehind(laidOut, digits === 0 ? 0 : digits + added, isDeleting) };
}

/** Deleting a separator alone changes nothing, so the digit next to it is meant. */
function deleteDigitAtSeparator({ before, value, caret, inputType }: Typed): Edit {
  if (value === before || digitsOf(before) !== digitsOf(value)) return { value, caret };
  if (inputType.endsWith("Forward")) {
    const next = value.slice(caret).search(/\d/);
    return next < 0 ? { value, caret } : { value: value.slice(0, caret + next) + value.slice(caret + next + 1), caret };
  }
  const kept = value.slice(0, caret).replace(/\d\D*$/, "");
  return { value: kept + value.slice(caret), caret: kept.length };
}

/** The place behind a number of digits, and behind the separator that follows unless something is being deleted. */
function placeBehind(text: string, digits: number, isDeleting: boolean): number {
  let place = 0;
  for (let seen = 0; place < text.length && seen < digits; place += 1) {
    if (/\d/.test(text[place] ?? "")) seen += 1;
  }
  while (!isDeleting && digits > 0 && place < text.length && /\D/.test(text[place] ?? "")) place += 1;
  return place;
}
