/**
 * The schema, as introspection describes it.
 */

/**
 * @typedef {object} TypeRef
 * @property {string} kind
 * @property {string | null} name
 * @property {TypeRef | null} [ofType]
 *
 * @typedef {object} InputValue
 * @property {string} name
 * @property {string | null} description
 * @property {TypeRef} type
 * @property {string | null} defaultValue
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string | null} description
 * @property {InputValue[]} args
 * @property {TypeRef} type
 * @property {boolean} isDeprecated
 * @property {string | null} deprecationReason
 *
 * @typedef {object} EnumValue
 * @property {string} name
 * @property {string | null} description
 *
 * @typedef {object} Type
 * @property {string} kind
 * @property {string} name
 * @property {string | null} description
 * @property {Field[] | null} fields
 * @property {InputValue[] | null} inputFields
 * @property {EnumValue[] | null} enumValues
 * @property {TypeRef[] | null} possibleTypes
 *
 * @typedef {object} Directive
 * @property {string} name
 * @property {string | null} description
 * @property {InputValue[]} args
 *
 * @typedef {"query" | "mutation" | "subscription"} Root
 *
 * @typedef {object} Schema
 * @property {Map<string, Type>} types
 * @property {Directive[]} directives
 * @property {Record<Root, string>} roots Names of types; empty when there is none.
 */

const REF = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";

/** The document that asks for the schema. */
export const INTROSPECTION = `query Introspection {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    directives { name description args { name description defaultValue type { ${REF} } } }
    types {
      kind name description
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason type { ${REF} }
        args { name description defaultValue type { ${REF} } }
      }
      inputFields { name description defaultValue type { ${REF} } }
      enumValues(includeDeprecated: true) { name description }
      possibleTypes { kind name }
    }
  }
}`;

/**
 * Reads the answer to `INTROSPECTION`.
 *
 * @param {any} json
 * @returns {Schema}
 */
export function schemaOf(json) {
  const found = json?.data?.__schema;
  if (!found) throw new Error("there is no schema in the answer");
  return {
    types: new Map(found.types.map((/** @type {Type} */ type) => [type.name, type])),
    directives: found.directives,
    roots: {
      query: found.queryType?.name ?? "",
      mutation: found.mutationType?.name ?? "",
      subscription: found.subscriptionType?.name ?? "",
    },
  };
}

/**
 * A type as a document writes it, such as `[String!]`.
 *
 * @param {TypeRef} type
 * @returns {string}
 */
export function written(type) {
  if (type.kind === "NON_NULL" && type.ofType) return `${written(type.ofType)}!`;
  if (type.kind === "LIST" && type.ofType) return `[${written(type.ofType)}]`;
  return type.name ?? "";
}

/**
 * The name of the type within lists and marks of not null.
 *
 * @param {TypeRef | null | undefined} type
 * @returns {string}
 */
export function named(type) {
  let here = type;
  while (here?.ofType) here = here.ofType;
  return here?.name ?? "";
}

/**
 * @typedef {object} Found
 * @property {string} path What it is: a type, a type's field, a value.
 * @property {string} type The type whose page shows it.
 * @property {string} member Its member; empty for the type itself.
 * @property {string} description
 */

/**
 * Types and members whose name or description has every word of a text; names first.
 *
 * @param {Schema} schema
 * @param {string} text
 * @param {number} most
 * @returns {Found[]}
 */
export function search(schema, text, most) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  /** @type {{ found: Found, rank: number }[]} */
  const hits = [];
  for (const type of schema.types.values()) {
    if (type.name.startsWith("__")) continue;
    const roots = Object.values(schema.roots);
    const members = [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])];
    for (const member of [{ name: "", description: type.description }, ...members]) {
      const name = member.name || type.name;
      const whole = `${name} ${member.description ?? ""}`.toLowerCase();
      if (!wanted.every((word) => whole.includes(word))) continue;
      const isNamed = wanted.every((word) => name.toLowerCase().includes(word));
      const isWhole = name.toLowerCase() === wanted.join("");
      const isRoot = roots.includes(type.name) && member.name !== "";
      const path = member.name && !isRoot ? `${type.name}.${member.name}` : name;
      const rank = (isWhole ? 0 : isNamed ? 2 : 4) + (isRoot || member.name === "" ? 0 : 1);
      hits.push({ found: { path, type: type.name, member: member.name, description: member.description ?? "" }, rank });
    }
  }
  hits.sort((one, other) => one.rank - other.rank || one.found.path.localeCompare(other.found.path));
  return hits.slice(0, most).map((hit) => hit.found);
}
