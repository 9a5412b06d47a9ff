/** Where a customer of the hosted page comes back to after a redirect: kept in this tab until then, and taken once. */

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
