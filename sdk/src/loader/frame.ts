/** The frame element: its address, its name for screen readers, its height. */
import type { Surface } from "../shared/protocol.js";
import { ancestorOrigins } from "./page.js";

/** Passkeys and Secure Payment Confirmation of issuers need both, on each level of frames. */
export const ALLOW = "payment *; publickey-credentials-get *";

/** The padding of the frame's document. */
const BLEED_PX = 4;

/** A frame of the service. Styles are set by CSSOM, which a policy without `unsafe-inline` allows. */
export function makeFrame(source: string, title: string, allow = ALLOW): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.src = source;
  frame.title = title;
  frame.allow = allow;
  return frame;
}

/** The frame of the form. `id` names the channel; in the fragment it reaches neither the service nor a referrer. */
export function makeFormFrame(surface: Surface, service: string, id: string): HTMLIFrameElement {
  const query = new URLSearchParams([["origin", location.origin], ...ancestorOrigins().map((origin) => ["ancestor", origin])]);
  // Browsers that don't know the feature would report it to the console.
  const policy = (document as { featurePolicy?: { features(): string[] } }).featurePolicy;
  const allow = policy?.features().includes("autofill") ? `${ALLOW}; autofill` : ALLOW;
  // The frame gives its title in the customer's language once it is there.
  const frame = makeFrame(`${service}/sdk/v1/frame/${surface}?${query}#${id}`, "Secure payment form", allow);
  // The document has a padding for the rings of focused fields; the fields themselves end where the container does.
  frame.style.cssText = `display:block;border:0;padding:0;margin:-${BLEED_PX}px;width:calc(100% + ${2 * BLEED_PX}px);max-width:none;max-height:none`;
  return frame;
}
