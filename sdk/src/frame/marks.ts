/** Small marks of our own for brands: neutral shapes and letters, none of the schemes' artwork. 32 × 20. */
import { draw } from "./dom.js";

const LETTERS: Readonly<Record<string, string>> = {
  AMEX: "AMEX", DANKORT: "DK", DINERS: "DINERS", DISCOVER: "DISC", JCB: "JCB", UNIONPAY: "UP", VISA: "VISA",
};

/** The mark of a brand; the outline of a card for one that has none. */
export function markOf(brand: string | undefined): SVGElement {
  const letters = brand ? LETTERS[brand] : undefined;
  const outline = draw("rect", { fill: "none", height: "18.5", rx: "3", stroke: "currentColor", "stroke-width": "1.5", width: "30.5", x: ".75", y: ".75" });
  const shapes = letters ? [word(letters)] : brand === "MASTERCARD" || brand === "MAESTRO" ? circles(brand === "MAESTRO") : [stripe()];
  return draw("svg", { "aria-hidden": "true", height: "20", viewBox: "0 0 32 20", width: "32" }, outline, ...shapes);
}

function word(letters: string): SVGElement {
  const attributes = {
    fill: "currentColor", "font-family": "system-ui, sans-serif", "font-size": letters.length > 4 ? "6.5" : "8.5", "font-weight": "700",
    "text-anchor": "middle", x: "16", y: letters.length > 4 ? "12.4" : "13.1",
  };
  return draw("text", attributes, letters);
}

function circles(isSecondFilled: boolean): SVGElement[] {
  const circle = (x: string, isFilled: boolean) =>
    draw("circle", { cx: x, cy: "10", fill: isFilled ? "currentColor" : "none", "fill-opacity": ".35", r: "5", stroke: "currentColor", "stroke-width": "1.5" });
  return [circle("12.75", !isSecondFilled), circle("19.25", isSecondFilled)];
}

function stripe(): SVGElement {
  return draw("path", { d: "M1 6.5h30", stroke: "currentColor", "stroke-width": "3" });
}
