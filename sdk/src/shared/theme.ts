/**
 * A merchant's theme as rules of a constructed style sheet. Each value is checked by the browser for the property that it
 * is for, and selectors come from a list: a theme can neither load anything nor reach beyond the parts that it may style.
 */

/** What a value must be, by a property that the browser checks it with. */
type ValueKind = "color" | "width" | "font-family" | "line-height";

/** Our custom properties that a theme may set, without their prefix `--pm-`. */
const VARIABLES: Readonly<Record<string, ValueKind>> = {
  "amber": "color", "amber-wash": "color", "blue": "color", "button": "color", "button-hover": "color", "control": "color", "focus": "color",
  "font": "font-family", "ground": "color", "ink": "color", "ink-2": "color", "line": "color", "line-height": "line-height",
  "on-button": "color", "page": "color", "radius": "width", "rail": "color", "rail-hover": "color", "rail-wash": "color", "ring": "color",
  "signal": "color", "signal-wash": "color", "size": "width", "size-2": "width", "surface": "color",
};

/** Theme keys of the contract, and the custom properties that they set. */
const THEME_KEYS: Readonly<Record<string, readonly string[]>> = {
  "backgroundColor": ["page", "ground", "surface"],
  "borderRadius": ["radius"],
  "colors.accent": ["button", "button-hover"],
  "colors.accentContrast": ["on-button"],
  "colors.border": ["control"],
  "colors.error": ["signal"],
  "colors.primary": ["rail", "rail-hover", "focus"],
  // Behind the primary colour, which sets it too.
  "colors.borderFocused": ["focus"],
  "colors.secondary": ["ink-2"],
  "fontFamily": ["font"],
  "fontSize.primary": ["size"],
  "fontSize.secondary": ["size-2"],
  "lineHeight": ["line-height"],
  "textColor": ["ink"],
};

/** The parts that rules may style. */
const PARTS: Readonly<Record<string, string>> = {
  ErrorMessage: "[data-error-for],[data-part=Error]",
  FieldContainer: ".Field",
  FieldContainer__BillingAddressCountry: "[data-field=country]",
  FieldContainer__BillingAddressZip: "[data-field=zip]",
  FieldContainer__BillingName: "[data-field=ccname]",
  FieldContainer__CardCvc: "[data-field=cvc]",
  FieldContainer__CardExpiry: "[data-field=cc-exp]",
  FieldContainer__CardNumber: "[data-field=cardnumber]",
  Label: ".Field>label",
  PayButton: "[data-part=PayButton]",
  PayButton__LoadingState: "[data-part=PayButton__LoadingState]",
  PaymentMethodContainer: ".Method",
  PaymentMethodContainer__Radio: ".Method>input",
  PaymentMethodContainer__Radio__Checked: ".Method>input:checked",
  RedirectNoteContainer: ".RedirectNote",
  RedirectNoteContainer__Label: ".RedirectNote",
  SaveCard: "[data-part=Save]",
  SavedCardsDropdown: "[data-part=SavedCards]",
  SavedCardsDropdown__ListItem: ".SavedCard",
  SelectField: ".Input>select",
  SelectField__BillingAddressCountry: "#country",
  StatusPanel: "[data-part=Status]",
  TextField: ".Input>input",
  TextField__BillingAddressZip: "#zip",
  TextField__BillingName: "#ccname",
  TextField__CardCvc: "#cvc",
  TextField__CardExpiry: "#cc-exp",
  TextField__CardNumber: "#cardnumber",
};

const STATES: Readonly<Record<string, string>> = {
  "": "", ":disabled": ":disabled", ":focus": ":focus", ":hover": ":hover", ":invalid": "[aria-invalid=true]", ":placeholder": "::placeholder",
};

/** Properties that rules may set: looks alone, nothing that hides, moves or covers a part. */
const PROPERTIES = new RegExp(
  "^(color|background-color|caret-color|accent-color|fill|stroke|opacity|border(-(top|right|bottom|left|block|inline)(-(start|end))?)?" +
  "(-(color|style|width))?|border-radius|border-(top|bottom)-(left|right)-radius|outline(-(color|style|width|offset))?|box-shadow|" +
  "font-(family|size|style|weight|variant-numeric)|line-height|letter-spacing|text-(align|transform|decoration|indent)|" +
  "padding(-(top|right|bottom|left|block|inline)(-(start|end))?)?|min-height|min-block-size|gap|row-gap|column-gap|transition(-duration)?)$",
);

const VALUE_MAX = 200;
/** What could load something, read something, or is meant for another parser. */
const FORBIDDEN = /\b(url|image|image-set|cross-fade|element|paint|attr|expression|src|env|var)\s*\(|[@;{}<>\\]/i;

export interface Declaration {
  readonly property: string;
  readonly value: string;
}

export interface ThemeRule {
  readonly selector: string;
  readonly declarations: readonly Declaration[];
}

export interface CheckedTheme {
  readonly rules: readonly ThemeRule[];
  readonly border: "square" | "round" | "bottom";
  /** What was left out, for the console. */
  readonly refused: readonly string[];
}

/** `CSS.supports`, given so that the rules can be tested without a browser. */
export type Supports = (property: string, value: string) => boolean;

/** Checks a theme and turns it into rules. */
export function checkTheme(theme: Readonly<Record<string, unknown>>, supports: Supports): CheckedTheme {
  const refused: string[] = [];
  const values = readVariables(theme, supports, refused);
  const border = theme["borderType"] === "square" || theme["borderType"] === "bottom" ? theme["borderType"] : "round";
  if (border === "square") values.set("radius", "0");
  const root: ThemeRule = {
    declarations: [...values].map(([name, value]) => ({ property: `--pm-${name}`, value })), selector: ":root",
  };
  return { border, refused, rules: [root, ...readRules(theme["rules"], supports, refused)] };
}

/** A text, or a number of pixels. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return `${value}px`;
  return typeof value === "string" && value.length <= VALUE_MAX && !FORBIDDEN.test(value) ? value.trim() : undefined;
}

function readVariables(theme: Readonly<Record<string, unknown>>, supports: Supports, refused: string[]): Map<string, string> {
  const values = new Map<string, string>();
  const set = (names: readonly string[], given: unknown, path: string) => {
    for (const name of names) {
      const kind = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
      const value = kind === "line-height" && typeof given === "number" ? String(given) : textOf(given);
      if (kind && value && supports(kind, value)) values.set(name, value);
      else if (!refused.includes(path)) refused.push(path);
    }
  };
  for (const [path, names] of Object.entries(THEME_KEYS)) {
    const given = memberOf(theme, path);
    if (given !== undefined) set(names, given, path);
  }
  for (const [name, given] of membersOf(theme["variables"])) set([name.replace(/^--pm-/, "")], given, `variables.${name}`);
  return values;
}

function readRules(rules: unknown, supports: Supports, refused: string[]): ThemeRule[] {
  const checked: ThemeRule[] = [];
  for (const [name, declarations] of membersOf(rules)) {
    const [, part = "", state = ""] = /^(\w+?)(:\w+)?$/.exec(name) ?? [];
    const selectors = Object.hasOwn(PARTS, part) && Object.hasOwn(STATES, state) ? PARTS[part] : undefined;
    if (!selectors) {
      refused.push(`rules.${name}`);
      continue;
    }
    const good: Declaration[] = [];
    for (const [key, given] of membersOf(declarations)) {
      const property = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const value = typeof given === "number" ? String(given) : textOf(given);
      if (value && PROPERTIES.test(property) && supports(property, value)) good.push({ property, value });
      else refused.push(`rules.${name}.${key}`);
    }
    // Selectors of ours are as specific, and come first.
    const selector = selectors.split(",").map((one) => `#pm-form ${one}${STATES[state]}`).join(",");
    checked.push({ declarations: good, selector });
  }
  return checked;
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function memberOf(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (part, name) => typeof part === "object" && part !== null && Object.hasOwn(part, name) ? (part as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The contrast of two colours by WCAG 2.2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Whether black or white text is easier to read on a colour. */
export function textOn(background: Rgb): "#000" | "#fff" {
  return contrast(background, [0, 0, 0]) > contrast(background, [255, 255, 255]) ? "#000" : "#fff";
}
