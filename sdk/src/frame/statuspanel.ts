/** The panel that takes the form's place once the customer can do nothing more in it. */
import { draw, find, make } from "./dom.js";

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface PanelButton {
  readonly label: string;
  readonly press: (() => void) | string;
  readonly isQuiet?: boolean;
}

export interface Panel {
  readonly tone: "paid" | "waiting" | "ended";
  readonly title: string;
  readonly text: string;
  readonly facts?: readonly Fact[];
  readonly buttons?: readonly PanelButton[];
}

/** Parts that belong to the form, not to how it ended. */
const FORM_PARTS = ["#pm-fields", '[data-part="Error"]', '[data-part="PayButton"]', '[data-part="Note"]', '[data-part="Trust"]'];

/** Shows a panel and brings the customer to it. The same panel again changes nothing. */
export function showPanel(panel: Panel): void {
  const place = find('[data-part="Status"]');
  const heading = make("h2", {}, panel.title);
  if (!place.hidden && place.querySelector("h2")?.textContent === panel.title && place.querySelector("p")?.textContent === panel.text) return;
  place.dataset["tone"] = panel.tone;
  const facts = make("dl", { class: "Facts" });
  for (const { label, value } of panel.facts ?? []) facts.append(make("dt", {}, label), make("dd", {}, value));
  const buttons = make("div", { class: "Buttons" });
  for (const button of panel.buttons ?? []) buttons.append(makeButton(button));
  place.replaceChildren(track(panel.tone), heading, make("p", {}, panel.text),
    ...[facts, buttons].filter((part) => part.childElementCount > 0));
  showForm(false);
  place.hidden = false;
  place.focus();
}

/** Brings the form back. */
export function hidePanel(): void {
  find('[data-part="Status"]').hidden = true;
  showForm(true);
}

function showForm(isShown: boolean): void {
  for (const selector of FORM_PARTS) {
    const part = document.querySelector<HTMLElement>(selector);
    if (part) part.hidden = !isShown;
  }
}

function makeButton({ isQuiet, label, press }: PanelButton): HTMLElement {
  const look = isQuiet ? "Button Button--Quiet" : "Button";
  if (typeof press === "string") return make("a", { class: look, href: press, rel: "noreferrer" }, label);
  const button = make("button", { class: look, type: "button" }, label);
  button.addEventListener("click", press);
  return button;
}

/** A line with stations: the last one is reached, is still to come, or is a buffer stop. */
function track(tone: Panel["tone"]): SVGElement {
  const stroke = { fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-width": "2.5" };
  const station = (cx: string, isReached: boolean) =>
    draw("circle", { cx, cy: "12", fill: isReached ? "currentColor" : "none", r: "5", stroke: "currentColor", "stroke-width": "2.5" });
  const parts = tone === "ended"
    ? [draw("path", { ...stroke, d: "M13 12H60M60 5v14" }), station("8", true)]
    : [
        draw("path", { ...stroke, d: "M13 12H35M45 12H67", ...(tone === "waiting" ? { "stroke-dasharray": "1 6" } : {}) }),
        station("8", true), station("40", tone === "paid"), station("72", tone === "paid"),
      ];
  return draw("svg", { "aria-hidden": "true", height: "24", viewBox: "0 0 80 24", width: "80" }, ...parts);
}
