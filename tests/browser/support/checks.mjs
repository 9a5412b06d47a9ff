/** Checks of pages by libraries: accessibility, markup, policies. */
import assert from "node:assert/strict";
import axe from "axe-core";
import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { HtmlValidate } from "html-validate";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Rules about a whole page: a document in a frame is a part of the page around it. */
const OF_WHOLE_PAGES = ["landmark-one-main", "page-has-heading-one"];

/** What axe finds in one frame: a line for each element. `ignored` are rules with a reason at the caller. */
async function findingsOf(frame, ignored = []) {
  await frame.evaluate(axe.source);
  const violations = await frame.evaluate(async ({ tags, rules }) => {
    const result = await window.axe.run(document, { runOnly: { type: "tag", values: tags }, rules, iframes: false, resultTypes: ["violations"] });
    return result.violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`) }));
  }, { tags: TAGS, rules: { "target-size": { enabled: true }, ...Object.fromEntries(ignored.map((id) => [id, { enabled: false }])) } });
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id} (${help}): ${node.replaceAll("\n", " ")}`));
}

/** Our frame is transparent; axe would take white for what the customer sees behind it. `Canvas` is the ground of its scheme. */
const paintGround = (frame) => frame.evaluate(() => document.documentElement.style.setProperty("background", "Canvas"));

/** Fails when axe finds anything in these frames. */
export async function assertAccessible(frames, state) {
  const found = [];
  for (const frame of frames) {
    const isPart = /^\/(sdk\/v1\/frame\/|sandbox\/fields-frame$)/.test(new URL(frame.url()).pathname);
    if (isPart) await paintGround(frame);
    for (const line of await findingsOf(frame, isPart ? OF_WHOLE_PAGES : [])) found.push(`${state}: ${new URL(frame.url()).pathname}: ${line}`);
  }
  assert.deepEqual(found, []);
}

const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended", "html-validate:document", "html-validate:a11y"],
  rules: {
    // Style, not validity: void elements and the doctype are written as HTML's own examples have them.
    "void-style": "off",
    "doctype-style": "off",
    "no-trailing-whitespace": "off",
    "attribute-boolean-style": "off",
    "attribute-empty-style": "off",
    // Files of the same origin, with a hash in their name.
    "require-sri": ["error", { target: "crossorigin" }],
    // Elements' form has no button of its own: the merchant's page has it.
    "wcag/h32": "off",
    // Groups and labels by WAI-ARIA next to native elements: axe checks whether they are right.
    "prefer-native-element": "off",
  },
});

/** Fails when a page's markup is not valid HTML. */
export async function assertValid(html, name) {
  const report = await validator.validateString(html, name);
  const found = report.results.flatMap(({ messages }) => messages.map(({ ruleId, line, message }) => `${name}:${line}: ${ruleId}: ${message}`));
  assert.deepEqual(found, []);
}

/** Findings of csp_evaluator that count: 10 is high, 20 is wrong syntax. */
const WORST = 20;

/** Fails when a page has no policy, or one with a hole. */
export function assertStrictPolicy(policy, name) {
  assert.ok(policy, `${name} has a content security policy`);
  const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
  const bad = findings.filter(({ severity }) => severity <= WORST);
  assert.deepEqual(bad.map(({ directive, description }) => `${name}: ${directive}: ${description}`), []);
  for (const unsafe of ["unsafe-inline", "unsafe-eval"]) assert.ok(!policy.includes(unsafe), `${name}: ${unsafe} in ${policy}`);
}
