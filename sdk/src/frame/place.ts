/**
 * What a tab keeps. With the hosted page: its address with the client token, which has left the address bar, so that the page can
 * be loaded again; and the payment that waits or is paid, with the client token that made it, so that a return from the bank and a
 * reload show how it stands. A payment link's page has a token of its own each time it is loaded, which can't read that payment.
 */

export interface Place {
  /** Of the hosted page, with its client token. */
  readonly address: string;
  /** The errand from which the customer comes back; empty once the payment is paid. */
  readonly action: string;
  readonly payment: string;
  readonly token: string;
}

const PLACE = "pointsman.payment";
const ADDRESS = "pointsman.address";
const LEFT = "pointsman.left";

/** Where storage is switched off nothing is kept: the return page then leads to the shop, and a reload needs the token again. */
function keep(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // As said above.
  }
}

function read(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function keepPlace(place: Place): void {
  keep(PLACE, JSON.stringify(place));
}

export function forgetPlace(): void {
  keep(PLACE, "");
}

export function readPlace(): Place | undefined {
  try {
    return JSON.parse(read(PLACE)) as Place;
  } catch {
    return undefined;
  }
}

/** The customer's own tab goes to the bank for this errand: the way back ends in the shop, not in a window that is closed. */
export function keepLeft(action: string): void {
  keep(LEFT, action);
}

export function hasLeft(action: string): boolean {
  return action !== "" && read(LEFT) === action;
}

export function keepAddress(address: string): void {
  keep(ADDRESS, address);
}

/** An address as the address bar shows it. */
export function withoutToken(text: string): string {
  const address = new URL(text);
  address.searchParams.delete("apiKey");
  return address.href;
}

/** The whole address of a hosted page whose visible one is given; `undefined` where this tab has not shown it. */
export function wholeAddress(visible: string): string | undefined {
  const whole = read(ADDRESS);
  return whole !== "" && whole !== visible && withoutToken(whole) === withoutToken(visible) ? whole : undefined;
}
