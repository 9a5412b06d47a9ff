/** What the frame and the service have to know of the merchant's page. */
import type { BrowserData } from "../shared/protocol.js";
import type { PageFacts } from "./options.js";

/** Parameters that the service adds to the merchant's address when a customer is sent back to it. */
const RETURN_PARAMETERS = ["id", "3ds_status", "apm_status", "decline_code"];

/** The facts of the page around an element. */
export function pageFacts(element: Element): PageFacts {
  const { returnUrl, resumePayment } = readReturn(location.href);
  return {
    ancestors: ancestorOrigins(),
    redirectOnly: isPhoneOrWebView(navigator.userAgent),
    colorScheme: colorScheme(element),
    returnUrl,
    ...(resumePayment && { resumePayment }),
  };
}

/** Origins of the pages around this one, outermost last; empty where there are none, or the browser does not tell. */
export function ancestorOrigins(): string[] {
  return Array.from(location.ancestorOrigins ?? []);
}

/** The address of the page as it was before the customer came back, and the payment that they come back from. */
export function readReturn(address: string): { returnUrl: string; resumePayment?: string } {
  const url = new URL(address);
  url.hash = "";
  const { searchParams } = url;
  const id = searchParams.get("id");
  if (!id || !(searchParams.has("3ds_status") || searchParams.has("apm_status"))) return { returnUrl: url.href };
  RETURN_PARAMETERS.forEach((name) => searchParams.delete(name));
  return { returnUrl: url.href, resumePayment: id };
}

/** Popups of phones are new tabs that customers don't find back from, and web views open none. */
export function isPhoneOrWebView(userAgent: string): boolean {
  return /Android|iPhone|iPad|iPod|Mobile|; wv\)/.test(userAgent);
}

/**
 * Whether the element stands on a dark ground: that of the nearest ancestor with a background, else the browser's own, which is the
 * only trace of a scheme that the page names in a `<meta>`.
 */
function colorScheme(element: Element): "light" | "dark" {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const tone = toneOf(at);
    if (tone) return tone;
  }
  const ground = document.createElement("i");
  ground.style.backgroundColor = "Canvas";
  element.append(ground);
  const tone = toneOf(ground);
  ground.remove();
  return tone ?? "light";
}

/** Nothing where the background lets through what is behind it. */
function toneOf(element: Element): "light" | "dark" | undefined {
  const colour = getComputedStyle(element).backgroundColor.match(/^rgba?\((.*)\)$/)?.[1] ?? "0,0,0,0";
  const [red = 0, green = 0, blue = 0, alpha = 1] = colour.split(/[, /]+/).map(Number);
  if (alpha <= 0.5) return undefined;
  return red * 0.299 + green * 0.587 + blue * 0.114 < 128 ? "dark" : "light";
}

/** What native challenges ask for. */
export function browserData(): BrowserData {
  const { colorDepth, height, width } = screen;
  return {
    language: navigator.language,
    colorDepth,
    screenHeight: height,
    screenWidth: width,
    timeZoneOffset: new Date().getTimezoneOffset(),
    userAgent: navigator.userAgent,
    javaEnabled: false,
  };
}
