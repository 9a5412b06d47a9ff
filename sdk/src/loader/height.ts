/**
 * The height of the frame before it has reported its own, so that nothing below it moves. It follows from the rows of the form
 * (frame.css): each field is 76 px high with 8 px between, and lies in a padding of 4 px.
 */
import type { FrameOptions, Surface } from "../shared/protocol.js";

const ROW_PX = 84;
const SAVE_PX = 60;
const BUTTON_PX = 64;
const METHOD_PX = 44;

type Shown = Pick<FrameOptions, "layout" | "hideBillingAddress" | "allowSaveCard" | "alternativePaymentMethods" | "customerId">;

/** Rows of the card and of the address, by layout and width. */
function rows({ layout, hideBillingAddress }: Shown, width: number): number {
  if (layout === "single" && width >= 480) return hideBillingAddress ? 2 : 3;
  if (layout !== "stacked" && width >= 300) return hideBillingAddress ? 3 : 4;
  return hideBillingAddress ? 4 : 6;
}

export function expectedHeight(surface: Surface, options: Shown, width: number): number {
  const { length } = options.alternativePaymentMethods;
  const methods = surface === "checkout" && length > 0 ? (length + 1) * METHOD_PX + 16 : 0;
  const save = options.allowSaveCard && options.customerId ? SAVE_PX : 0;
  return rows(options, width) * ROW_PX - 8 + methods + save + (surface === "checkout" ? BUTTON_PX : 0);
}
