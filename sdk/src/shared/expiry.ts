/** The month in which a card expires, as people and autofill write it. */
import { toAsciiDigits } from "./digits.js";

export interface Expiry {
  readonly month: number;
  readonly year: number;
}

const SEPARATOR = " / ";

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** `MM / YY`. */
export function displayExpiry({ month, year }: Expiry): string {
  return twoDigits(month) + SEPARATOR + twoDigits(year % 100);
}

/**
 * What was typed so far, laid out as `MM / YY`. Takes `1230`, `12/30`, `12/2030`, `2030-12`, `1 / 30`. While something is
 * being deleted no separator is added at the end, so that it can be deleted too.
 */
export function formatExpiry(typed: string, isDeleting = false): string {
  const text = toAsciiDigits(typed).replace(/[^0-9]+/g, "/").replace(/^\//, "");
  const yearFirst = /^(20\d\d)\/?(0[1-9]|1[0-2])$/.exec(text);
  if (yearFirst) return displayExpiry({ month: Number(yearFirst[2]), year: Number(yearFirst[1]) });
  // No card expires in 200x: what begins with 20 becomes a year.
  if (/^20\d{0,2}\/?[01]?$/.test(text)) return text.replace("/", "-");
  const parts = monthAndRest(text);
  if (!parts) return text;
  const year = parts.rest.replace(/\//g, "");
  const shown = /^20\d\d$/.test(year) ? year.slice(2) : year;
  if (shown === "" && isDeleting) return parts.isWhole ? parts.month : text;
  return shown === "" && !parts.isWhole ? parts.month : parts.month + SEPARATOR + shown;
}

/** Cuts `230` into `02` and `30`; nothing for what can't begin with a month. */
function monthAndRest(text: string): { readonly month: string; readonly rest: string; readonly isWhole: boolean } | undefined {
  const one = /^([1-9])\/(.*)$/.exec(text) ?? /^([3-9])(.*)$/.exec(text) ?? /^(2[1-9]|1[3-9])(?!\/)(.*)$/.exec(text);
  if (one) {
    const [first = "", rest = ""] = [one[1], one[2]];
    return { month: `0${first[0]}`, rest: first.slice(1) + rest, isWhole: true };
  }
  const two = /^(0[1-9]|1[0-2])(.*)$/.exec(text);
  if (two) return { month: two[1] ?? "", rest: two[2] ?? "", isWhole: true };
  return /^[012]$/.test(text) ? { month: text, rest: "", isWhole: false } : undefined;
}

/** The month and the year of a finished text; `undefined` when it is no expiry. */
export function parseExpiry(text: string): Expiry | undefined {
  const match = /^(\d\d) \/ (\d\d)$/.exec(formatExpiry(text));
  return match ? { month: Number(match[1]), year: 2000 + Number(match[2]) } : undefined;
}

/** Whether the month is over everywhere on Earth; the last zone to see its end is UTC−12. */
export function isExpired({ month, year }: Expiry, now: Date): boolean {
  return now.getTime() >= Date.UTC(year, month, 1, 12);
}
