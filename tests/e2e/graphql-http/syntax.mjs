// Holds the service's idea of GraphQL against graphql-js: what one refuses as a syntax error, the other does too.
// Documents are broken at random, from fixed seeds.
//
//   node syntax.mjs                   starts target/debug/pointsman (or POINTSMAN_BIN) in a fresh directory
//   node syntax.mjs URL TOKEN         asks a server that is there already
//   SEEDS=1,5 DOCUMENTS=1000          other seeds, and how many documents for each
import { parse } from 'graphql';
import { TOKEN, startServer } from './server.mjs';

const SEEDS = (process.env.SEEDS ?? '1,5,42').split(',').map(Number);
const DOCUMENTS = Number(process.env.DOCUMENTS ?? 1000);
const AT_ONCE = 16;
const SHOWN = 20;

// None names a thing that exists, so none changes anything.
const WHOLE = [
  '{ getPayment(id: "x") { id status date(tz: "UTC") } }',
  'query Q($id: ID! = "x", $on: Boolean = true) { p: getPayment(id: $id) @include(if: $on) { ...F ... on Node { id } ... @skip(if: false) { status } } } fragment F on Payment @skip(if: false) { id amount }',
  'mutation { refundPayment(id: "x", amount: 5, reason: "no") { status refundedAmount } }',
  'mutation M($d: AuthorisedPaymentInput = {amount: 500, currencyCode: "EUR", paymentMethod: {type: "CARD"}, metadata: {a: [1, 2.5e3, -0], b: null, c: {d: true}}}) { authorizePayment(authorisePayment: $d) { id } }',
  '{ listPayments(data: {status: {value: [SUCCEEDED, DECLINED], selectedVerb: IN_LIST}, name: ""}, first: 1) { totalSize edges { cursor node { id } } } }',
  'query ($a: [[Int!]!] = [[1], []] @deprecated(reason: """a "block" \\""" string"""), "described" $b: Long) { a: __typename b: getPayment(id: "\\u00e9\\n\\"") { amount } }',
  '# a comment\n"what it does" query Q { a: __typename, b: __typename }\nmutation N { capturePayment(id: "x") { id } }',
  'type T implements A & B @c(d: 1) { "e" f(g: [Int!] = [1] @h, i: J = {k: L}): M! @n } extend union U @a = | V | W enum E { A @b C } input I { a: B = 1 }',
  'schema @a { query: Q } scalar S @specifiedBy(url: "u") directive @d(a: Int = 1) repeatable on | FIELD | QUERY extend schema { mutation: M } interface I implements J { k: L } extend input N @a { b: C }',
];

const PIECES = [
  ...'!$&()[]{}:=@|,.', '...', 'on', 'query', 'mutation', 'subscription', 'fragment', 'type', 'extend', 'true', 'null', 'id', 'amount', 'x', '$id',
  '@include', '1', '-1', '01', '1.', '1.5', '1e3', '1x', '-', '"s"', '""', '"""b"""', '"', '"""', '"\\u12"', '"\\q"', '"\n"', '#', "'s'", '\ufeff', 'é', '\n', '\r', '\\', '{}', '()', '[]',
  'name: "v"', '(id)', '{amount}', ', amount', 'format YAML', '&', '%', '\u0000', '\u{1f600}', '"\u{1f600}"', '"\\u{1f600}"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\u0007"',
];

/** A generator of numbers below 1 (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOKENS = /\s+|"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|\.\.\.|[A-Za-z_]\w*|-?\d[\d.eE+-]*|[\s\S]/gu;

function broken(next) {
  const below = (bound) => Math.floor(next() * bound);
  const one = (list) => list[below(list.length)];
  const parts = one(WHOLE).match(TOKENS);
  for (let left = 1 + below(3); left > 0; left -= 1) {
    const at = below(parts.length);
    switch (below(7)) {
      case 0: parts.splice(at, 1); break;
      case 1: parts.splice(at, 0, one(PIECES)); break;
      case 2: parts[at] = one(PIECES); break;
      case 3: parts.splice(at, 0, ' ', parts[below(parts.length)], ' '); break;
      case 4: [parts[at], parts[below(parts.length)]] = [parts[below(parts.length)], parts[at]]; break;
      case 5: parts.splice(at, 1 + below(4)); break;
      default: {
        const letters = [...(parts[at] ?? '')];
        letters.splice(below(letters.length + 1), below(2), one(PIECES));
        parts[at] = letters.join('');
      }
    }
    if (parts.length === 0) parts.push(' ');
  }
  return parts.join('');
}

function isRefusedByGraphqlJs(query) {
  try {
    parse(query);
    return false;
  } catch {
    return true;
  }
}

async function errorOf(url, token, query) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { errors = [] } = await answer.json();
  return { code: errors[0]?.extensions.code, message: errors[0]?.message, count: errors.length };
}

/** What is wrong with the service's answer to a document; nothing when it is right. */
async function difference(url, token, query) {
  const refused = isRefusedByGraphqlJs(query);
  const { code, message, count } = await errorOf(url, token, query);
  const isSyntax = code === 'error.graphql.syntax';
  if (refused !== isSyntax) return `graphql-js ${refused ? 'refuses' : 'takes'} it, the service says ${code ?? 'nothing'}`;
  if (isSyntax && count !== 1) return `${count} errors for one mistake`;
  if (isSyntax && /[A-Z]+_[A-Z]+|[A-Z]{4,}/.test(message)) return `a token kind shows: ${message}`;
  return undefined;
}

async function compare(url, token) {
  const counts = { same: 0, refused: 0, different: 0 };
  for (const seed of SEEDS) {
    const next = random(seed);
    const documents = Array.from({ length: DOCUMENTS }, () => broken(next));
    const check = async (query) => {
      const what = await difference(url, token, query);
      if (isRefusedByGraphqlJs(query)) counts.refused += 1;
      if (!what) {
        counts.same += 1;
        return;
      }
      counts.different += 1;
      if (counts.different <= SHOWN) console.log(`DIFFERENT (seed ${seed}): ${what}\n  ${JSON.stringify(query)}`);
    };
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let query = documents.pop(); query !== undefined; query = documents.pop()) await check(query);
    });
    await Promise.all(workers);
  }
  console.log(`syntax against graphql-js: ${counts.same} documents alike (${counts.refused} of all refused), ${counts.different} not`);
  return counts.different === 0 && counts.refused > 0;
}

for (const query of WHOLE) parse(query);
let [url, token] = process.argv.slice(2);
let server;
let passed = false;
try {
  if (!url) {
    token = TOKEN;
    server = startServer();
    url = `${await server.address}/api/graphql`;
  }
  passed = await compare(url, token);
} finally {
  server?.stop();
}
process.exit(passed ? 0 : 1);
