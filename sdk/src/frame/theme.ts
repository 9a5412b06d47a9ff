/** The merchant's theme, in force. A file of its own: most shops have none. */
import { checkTheme, contrast, textOn, type CheckedTheme, type Rgb } from "../shared/theme.js";

/** The least contrast of text on a button, by WCAG 2.2 (1.4.3). */
const LEAST_CONTRAST = 4.5;

let sheet: CSSStyleSheet | undefined;

/** Sets a theme in the place of an earlier one. Says in the console what was refused and what is hard to read. */
export function applyTheme(theme: Readonly<Record<string, unknown>>): void {
  const checked = checkTheme(theme, (property, value) => CSS.supports(property, value));
  document.documentElement.dataset["border"] = checked.border;
  writeSheet(checked);
  const set = checked.rules[0]?.declarations.map(({ property }) => property) ?? [];
  if (set.includes("--pm-rail") || set.includes("--pm-button")) checkButton(set.includes("--pm-on-button"));
  if (checked.refused.length > 0) console.warn(`Pointsman: the theme has values that can't be used: ${checked.refused.join(", ")}`);
}

function writeSheet({ rules }: CheckedTheme): void {
  if (!("adoptedStyleSheets" in document)) return;
  sheet ??= new CSSStyleSheet();
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  while (sheet.cssRules.length > 0) sheet.deleteRule(0);
  for (const { declarations, selector } of rules) {
    const index = sheet.insertRule(`${selector}{}`, sheet.cssRules.length);
    const rule = sheet.cssRules[index];
    if (!(rule instanceof CSSStyleRule)) continue;
    // By property, never as text: a value can't become anything else.
    for (const { property, value } of declarations) rule.style.setProperty(property, value);
  }
}

/** Text on a themed button is black or white, whichever is easier to read, unless the theme says. */
function checkButton(isTextGiven: boolean): void {
  const background = colorOf("--pm-button");
  if (!background) return;
  const root = sheet?.cssRules[0];
  if (!isTextGiven && root instanceof CSSStyleRule) root.style.setProperty("--pm-on-button", textOn(background));
  const text = colorOf("--pm-on-button");
  const ratio = text ? contrast(background, text) : LEAST_CONTRAST;
  if (ratio < LEAST_CONTRAST) console.warn(`Pointsman: text on the button has a contrast of ${ratio.toFixed(1)}; ${LEAST_CONTRAST} is needed`);
}

/** The colour that a custom property has now, where the browser shows it as red, green and blue. */
function colorOf(property: string): Rgb | undefined {
  const probe = document.createElement("i");
  probe.style.setProperty("color", `var(${property})`);
  document.body.append(probe);
  const [red, green, blue] = (/^rgba?\(([^)]*)\)$/.exec(getComputedStyle(probe).color)?.[1] ?? "").split(/[\s,/]+/).map(Number);
  probe.remove();
  return red === undefined || green === undefined || blue === undefined || Number.isNaN(blue) ? undefined : [red, green, blue];
}
