/** Says something to screen readers by the live regions that stand in the document from its first paint. */

/** How long a text stands in a region: long enough to be read, short enough not to be found later. Milliseconds. */
const STANDS_MS = 5_000;

export type Announce = (text: string, urgency?: "polite" | "assertive") => void;

export function announcer(polite: HTMLElement, assertive: HTMLElement): Announce {
  const timers = new Map<HTMLElement, number>();
  return (text, urgency = "polite") => {
    const region = urgency === "polite" ? polite : assertive;
    clearTimeout(timers.get(region));
    // The same text again would be no change, hence nothing to say.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
    timers.set(region, window.setTimeout(() => { region.textContent = ""; }, STANDS_MS));
  };
}
