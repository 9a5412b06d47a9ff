/** The frame element: its address, its name for screen readers, its height. */
import type { Surface } from "../shared/protocol.js";
import { ancestorOrigins } from "./page.js";

/** The name of the frame for screen readers, by language. */
const TITLES: Readonly<Record<string, string>> = {
  en: "Secure payment form",
  fr: "Formulaire de paiement sécurisé",
  de: "Sicheres Zahlungsformular",
  es: "Formulario de pago seguro",
  nl: "Beveiligd betaalformulier",
  pt: "Formulário de pagamento seguro",
};

/** Passkeys and Secure Payment Confirmation of issuers need both, on each level of frames. */
export const ALLOW = "payment *; publickey-credentials-get *";

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
  const frame = makeFrame(`${service}/sdk/v1/frame/${surface}?${query}#${id}`, "", allow);
  frame.style.cssText = "display:block;width:100%;border:0;margin:0;padding:0";
  return frame;
}

export function titleOf(language: unknown): string {
  return TITLES[language as string] ?? (TITLES["en"] as string);
}
