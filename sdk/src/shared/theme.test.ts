/** Themes: what is taken, and what no theme may do. */
import assert from "node:assert/strict";
import test from "node:test";
import { checkTheme, contrast, textOn } from "./theme.js";

/** As strict as a browser for the few values below. */
const supports = (property: string, value: string) => {
  if (property === "color" || property.endsWith("color")) return /^(#[0-9a-f]{3,8}|red|rgb\([\d ]+\))$/i.test(value);
  if (property === "width" || property.endsWith("radius")) return /^\d+(\.\d+)?(px|rem|%)?$/.test(value);
  return value !== "";
};

const declarationsOf = (theme: object) =>
  Object.fromEntries(checkTheme(theme as Record<string, unknown>, supports).rules[0]?.declarations.map(({ property, value }) => [property, value]) ?? []);

test("every key of the contract sets something", () => {
  const theme = {
    backgroundColor: "#000", borderRadius: 8, borderType: "round", fontFamily: "Avenir, sans-serif", fontSize: { primary: 16, secondary: "13px" }, lineHeight: 1.4,
    colors: { accent: "#111", accentContrast: "#222", border: "#333", borderFocused: "#444", error: "#555", primary: "#666", secondary: "#777" }, textColor: "#888",
  };
  assert.deepEqual(declarationsOf(theme), {
    "--pm-button": "#111", "--pm-button-hover": "#111", "--pm-control": "#333", "--pm-focus": "#444", "--pm-font": "Avenir, sans-serif", "--pm-ground": "#000",
    "--pm-ink": "#888", "--pm-ink-2": "#777", "--pm-line-height": "1.4", "--pm-on-button": "#222", "--pm-page": "#000", "--pm-radius": "8px",
    "--pm-rail": "#666", "--pm-rail-hover": "#666", "--pm-signal": "#555", "--pm-size": "16px", "--pm-size-2": "13px", "--pm-surface": "#000",
  });
});

test("borders are square, round or below", () => {
  assert.equal(declarationsOf({ borderRadius: 9, borderType: "square" })["--pm-radius"], "0");
  assert.equal(checkTheme({ borderType: "bottom" }, supports).border, "bottom");
  assert.equal(checkTheme({ borderType: "wavy" }, supports).border, "round");
});

test("no value loads anything or leaves its declaration", () => {
  const evil = [
    "url(https://evil.example)", "URL (x)", "image-set('x')", "red;}body{display:none", "expression(1)", "attr(value)", "</style>", "javascript:alert(1)",
    "var(--x)", "env(x)", "\\75rl(x)", "x".repeat(1_000_000), "@import 'x'", { toString: () => "red" }, Number.NaN, null,
  ];
  for (const value of evil) {
    const theme = { colors: { primary: value }, fontFamily: typeof value === "string" && value.startsWith("javascript") ? undefined : value, rules: { PayButton: { color: value } } };
    const { refused, rules } = checkTheme(theme, (property, text) => property === "font-family" || supports(property, text));
    assert.deepEqual(rules.flatMap(({ declarations }) => declarations), [], String(value).slice(0, 30));
    assert.ok(refused.includes("colors.primary"), String(value).slice(0, 30));
  }
});

test("rules style the parts of the list, with looks alone", () => {
  const rules = {
    "PayButton": { backgroundColor: "red", display: "none", position: "fixed" }, "PayButton:hover": { "background-color": "#fff" }, "TextField:focus": { borderColor: "red" },
    "body": { color: "red" }, "PayButton:has(x)": { color: "red" }, "constructor": { color: "red" }, "#cardnumber": { color: "red" }, "PayButton,body": { color: "red" },
  };
  const { refused, rules: checked } = checkTheme({ rules }, supports);
  assert.deepEqual(checked.slice(1), [
    { declarations: [{ property: "background-color", value: "red" }], selector: "#pm-form [data-part=PayButton]" },
    { declarations: [{ property: "background-color", value: "#fff" }], selector: "#pm-form [data-part=PayButton]:hover" },
    { declarations: [{ property: "border-color", value: "red" }], selector: "#pm-form .Input>input:focus" },
  ]);
  assert.deepEqual(refused, [
    "rules.PayButton.display", "rules.PayButton.position", "rules.body", "rules.PayButton:has(x)", "rules.constructor", "rules.#cardnumber", "rules.PayButton,body",
  ]);
});

test("variables are ours by name", () => {
  assert.deepEqual(declarationsOf({ variables: { "--pm-ring": "red", "constructor": "red", "rail": "#123", "unknown": "red" } }), { "--pm-rail": "#123", "--pm-ring": "red" });
});

test("text on a colour is the one with more contrast", () => {
  assert.equal(Math.round(contrast([0, 0, 0], [255, 255, 255])), 21);
  assert.equal(textOn([11, 93, 78]), "#fff");
  assert.equal(textOn([92, 199, 174]), "#000");
});
