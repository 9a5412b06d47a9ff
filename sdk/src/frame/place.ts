/**
 * What a tab with the hosted page keeps: its address with the client token, which has left the address bar, so that the page can
 * be loaded again; and during a redirect the payment that waits.
 */

export interface Place {
  /** Of the hosted page, with its client token. */
  readonly address: string;
  /** The payment that waited. */
  readonly payment: string;
}

const NAME = "pointsman.";

export function savePlace(action: string, place: Place): void {
  try {
    sessionStorage.setItem(NAME + action, JSON.stringify(place));
  } catch {
    // Storage is switched off: the return page then leads to the shop, and says nothing of the payment.
  }
}

/** What was saved for an errand, and forgets it. */
export function takePlace(action: string | null): Place | undefined {
  const place = readPlace(action);
  if (place) sessionStorage.removeItem(NAME + action);
  return place;
}

export function readPlace(action: string | null): Place | undefined {
  try {
    const place = JSON.parse(sessionStorage.getItem(NAME + action) ?? "null") as Place | null;
    return place ?? undefined;
  } catch {
    return undefined;
  }
}

const ADDRESS = `${NAME}address`;

export function keepAddress(address: string): void {
  try {
    sessionStorage.setItem(ADDRESS, address);
  } catch {
    // Loading the page again then says that the address has no client token.
  }
}

/** The whole address of a hosted page whose visible one is given; `undefined` where this tab has not shown it. */
export function wholeAddress(visible: string): string | undefined {
  try {
    const address = new URL(sessionStorage.getItem(ADDRESS) ?? "");
    const whole = address.href;
    address.searchParams.delete("apiKey");
    return address.href === visible && whole !== visible ? whole : undefined;
  } catch {
    return undefined;
  }
}
