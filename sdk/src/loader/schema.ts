/** Checks of nested options: a value against a rule, with one message for each mistake. */

export interface Rule {
  readonly test: (value: unknown) => boolean;
  /** The rule and the way out, after the name of the option: "must be …". */
  readonly must: string;
  readonly isRequired?: boolean;
  /** Of an object: its members. Others are mistakes, unless `isOpen`. */
  readonly members?: Readonly<Record<string, Rule>>;
  readonly isOpen?: boolean;
  /** Of a list: its entries. */
  readonly entries?: Rule;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

export const text = (must = "must be a text", form = /./): Rule => ({ test: (value) => typeof value === "string" && form.test(value), must });
export const words = text();
export const currency = text("must be a currency code of ISO 4217, such as EUR", /^[A-Z]{3}$/);
export const flag: Rule = { test: (value) => typeof value === "boolean", must: "must be true or false" };
export const callback: Rule = { test: (value) => typeof value === "function", must: "must be a function" };
export const oneOf = (...values: string[]): Rule => ({
  test: (value) => values.includes(value as string), must: `must be one of ${values.join(", ")}`,
});
export const object = (members: Readonly<Record<string, Rule>>): Rule => ({ test: isObject, must: "must be an object", members });
/** An object whose other members are for somebody else to check. */
export const openObject = (members: Readonly<Record<string, Rule>> = {}): Rule => ({ ...object(members), isOpen: true });
export const listOf = (entries: Rule): Rule => ({ test: Array.isArray, must: "must be a list", entries });
export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true });

/** The mistakes in a value. `path` is its name in the messages, empty for the options themselves. */
export function mistakesIn(value: unknown, rule: Rule, path = ""): string[] {
  if (value === undefined) return rule.isRequired ? [`${path} is missing: it ${rule.must}`] : [];
  if (!rule.test(value)) return [`${path || "options"} ${rule.must}`];
  const found: string[] = [];
  rule.entries && (value as unknown[]).forEach((entry, index) => found.push(...mistakesIn(entry, rule.entries as Rule, `${path}[${index}]`)));
  const { members } = rule;
  if (!members) return found;
  const below = (name: string) => (path ? `${path}.${name}` : name);
  for (const name of Object.keys(members)) {
    found.push(...mistakesIn((value as Record<string, unknown>)[name], members[name] as Rule, below(name)));
  }
  for (const name of rule.isOpen ? [] : Object.keys(value as object)) {
    if (!(name in members)) found.push(`${below(name)} is not known; known are ${Object.keys(members).join(", ")}`);
  }
  return found;
}
