// What of the explorer needs no browser: `node --test crates/web/tests-js`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { complete } from "../assets/explorer/completion.js";
import { filled, missing, remember } from "../assets/explorer/examples.js";
import { valueAt, wrongObject } from "../assets/explorer/json.js";
import { operations, tidied, words } from "../assets/explorer/language.js";
import { dataOf, headerLines } from "../assets/explorer/request.js";
import { named, schemaOf, search, written } from "../assets/explorer/schema.js";

const scalar = (name) => ({ kind: "SCALAR", name, ofType: null });
const required = (type) => ({ kind: "NON_NULL", name: null, ofType: type });
const object = (name) => ({ kind: "OBJECT", name, ofType: null });
const input = (name) => ({ kind: "INPUT_OBJECT", name, ofType: null });
const list = (type) => ({ kind: "LIST", name: null, ofType: type });
const value = (name, type) => ({ name, type, description: `The ${name}.`, defaultValue: null });
const field = (name, type, args = []) => ({ name, type, args, description: `Gives ${name}.`, isDeprecated: false, deprecationReason: null });
const type = (kind, name, more) => ({ kind, name, description: null, fields: null, inputFields: null, enumValues: null, possibleTypes: null, ...more });

const SCHEMA = schemaOf({
  data: {
    __schema: {
      queryType: { name: "Query" },
      mutationType: { name: "Mutation" },
      subscriptionType: null,
      directives: [{ name: "include", description: "Or not.", args: [value("if", required(scalar("Boolean")))] }],
      types: [
        type("SCALAR", "ID"),
        type("SCALAR", "Boolean"),
        type("ENUM", "Method", { enumValues: [{ name: "CARD", description: "" }, { name: "WALLET", description: "" }] }),
        type("INPUT_OBJECT", "OrderInput", {
          inputFields: [value("method", { kind: "ENUM", name: "Method", ofType: null }), value("lines", list(required(input("LineInput"))))],
        }),
        type("INPUT_OBJECT", "LineInput", { inputFields: [value("name", scalar("ID"))] }),
        type("OBJECT", "Payment", { fields: [field("id", required(scalar("ID"))), field("amount", object("Amount"))] }),
        type("OBJECT", "Amount", { fields: [field("formatted", scalar("ID"))] }),
        type("OBJECT", "Query", { fields: [field("getPayment", object("Payment"), [value("id", required(scalar("ID"))), value("deep", scalar("Boolean"))])] }),
        type("OBJECT", "Mutation", { fields: [field("pay", object("Payment"), [value("order", input("OrderInput"))])] }),
      ],
    },
  },
});

/** The labels that are offered at the `|` of a text. */
function offered(text) {
  const cursor = text.indexOf("|");
  const found = complete(text.replace("|", ""), cursor, SCHEMA);
  return found.items.map((item) => item.label);
}

test("fields are offered by the type of the selection", () => {
  assert.deepEqual(offered("{ | }"), ["getPayment", "__typename"]);
  assert.deepEqual(offered("mutation { | }"), ["pay", "__typename"]);
  assert.deepEqual(offered("{ getPayment(id: 1) { | } }"), ["id", "amount", "__typename"]);
  assert.deepEqual(offered("{ mine: getPayment(id: 1) { amount { fo| } } }"), ["formatted"]);
  assert.deepEqual(offered("{ getPayment { id amount { formatted } | } }"), ["id", "amount", "__typename"]);
  assert.deepEqual(offered("{ getPayment { ... on Amount { | } } }"), ["formatted", "__typename"]);
  assert.deepEqual(offered("fragment F on Payment { | }"), ["id", "amount", "__typename"]);
  assert.deepEqual(offered("{ nothing { | } }"), []);
});

test("arguments, members of inputs and values are offered by their types", () => {
  assert.deepEqual(offered("{ getPayment(| ) }"), ["id", "deep"]);
  assert.deepEqual(offered("{ getPayment(id: 1, |) }"), ["deep"]);
  assert.deepEqual(offered("{ getPayment(deep: |) }"), ["true", "false"]);
  assert.deepEqual(offered("mutation { pay(order: { |"), ["method", "lines"]);
  assert.deepEqual(offered("mutation { pay(order: { method: C|"), ["CARD"]);
  assert.deepEqual(offered("mutation { pay(order: { lines: [{ |"), ["name"]);
  assert.deepEqual(offered("mutation { pay(order: { lines: [{ name: 1 }], |"), ["method"]);
  assert.deepEqual(offered("mutation P($order: OrderInput) { pay(order: |"), ["$order"]);
  assert.deepEqual(offered("mutation P($order: Ord|"), ["OrderInput"]);
  assert.deepEqual(offered("{ getPayment @inc|"), ["@include"]);
});

test("nothing is offered in comments and texts, and keywords between operations", () => {
  assert.deepEqual(offered("{ # ge|"), []);
  assert.deepEqual(offered('{ getPayment(id: "a|'), []);
  assert.deepEqual(offered("qu|"), ["query"]);
  assert.deepEqual(offered("{ getPayment { id } } mu|"), ["mutation"]);
});

test("the word around the cursor is replaced as a whole", () => {
  const found = complete("{ getPay }", 5, SCHEMA);
  assert.deepEqual([found.from, found.to], [2, 8]);
});

test("words have their places, whatever is between them", () => {
  const text = '{ a(b: "x\\"y", c: """d""") # e\n ...F $g @h -1.5e3 ? }';
  for (const word of words(text)) assert.equal(text.slice(word.start, word.end), word.text);
  assert.deepEqual(words(text).map((word) => word.kind).join(" "),
    "punctuator name punctuator name punctuator string name punctuator string punctuator comment spread name variable directive number unknown punctuator");
});

test("operations are found by their words and names", () => {
  assert.deepEqual(operations("{ a }"), [{ kind: "query", name: "" }]);
  assert.deepEqual(operations("query A { query } subscription B($c: D) { e } fragment F on G { h }"), [
    { kind: "query", name: "A" },
    { kind: "subscription", name: "B" },
  ]);
});

test("a document is laid out, and laying it out again changes nothing", () => {
  const laid = tidied("query  A($b:ID!,$c:[X!]=[1]){d:e(f:$b,g:{h:1,i:[2,3]})@x{j ...on K{l} # why\n m}} fragment F on G{n}");
  assert.equal(laid, `query A($b: ID!, $c: [X!] = [1]) {
  d: e(f: $b, g: { h: 1, i: [2, 3] }) @x {
    j
    ... on K {
      l
    }
    # why
    m
  }
}

fragment F on G {
  n
}
`);
  assert.equal(tidied(laid), laid);
});

test("types are written as documents write them", () => {
  const wrapped = required(list(required(scalar("ID"))));
  assert.equal(written(wrapped), "[ID!]!");
  assert.equal(named(wrapped), "ID");
});

test("a search finds names first", () => {
  assert.deepEqual(search(SCHEMA, "pay", 10).map((found) => found.path), ["pay", "getPayment", "Payment"]);
  assert.deepEqual(search(SCHEMA, "gives amount", 10).map((found) => found.path), ["Payment.amount"]);
  assert.deepEqual(search(SCHEMA, " ", 10), []);
});

test("headers, events and variables are read", () => {
  assert.deepEqual(headerLines("A: b\n\n c:d "), [{ name: "A", value: "b" }, { name: "c", value: "d" }]);
  assert.throws(() => headerLines("nothing"));
  assert.equal(dataOf("id: 1\nevent: next\ndata: {\ndata: }"), "{\n}");
  assert.equal(dataOf(":"), "");
  assert.equal(wrongObject(' {"a":1}'), "");
  assert.notEqual(wrongObject("[1]"), "");
  assert.notEqual(wrongObject("{"), "");
  assert.equal(valueAt({ a: [{ b: 1 }] }, "/a/0/b"), 1);
  assert.equal(valueAt(null, "/a"), undefined);
});

test("every example keeps what later ones need", () => {
  const examples = JSON.parse(readFileSync(new URL("../assets/explorer/examples.json", import.meta.url), "utf8"));
  const known = new Map();
  for (const example of examples) {
    const text = filled(JSON.stringify([example.variables ?? {}, example.headers ?? {}]), known);
    assert.deepEqual(missing(text), [], example.id);
    for (const name of Object.keys(example.keeps ?? {})) known.set(name, "x");
    const document = example.document.join("\n");
    assert.equal(tidied(document).trim(), document, example.id);
  }
  const kept = new Map();
  remember({ keeps: { token: "/data/t" } }, { data: { t: "tok" } }, kept);
  assert.equal(filled("{{token}} {{other}}", kept), "tok {{other}}");
});
