// Follows the running service with the package graphql-sse: events arrive in order, a refusal and a query end.
//
//   node streams.mjs           starts target/debug/pointsman (or POINTSMAN_BIN) in a fresh directory
import assert from 'node:assert/strict';
import { createClient } from 'graphql-sse';
import { TOKEN, startServer } from './server.mjs';

const server = startServer();
try {
  const url = `${await server.address}/api/graphql`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const ask = async (query) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()).data;
  };
  const pay = () =>
    ask(`mutation { authorizePayment(authorisePayment: {amount: 1000, currencyCode: "EUR",
      paymentMethod: {type: "CARD", card: {number: "4242424242424242", expMonth: 12, expYear: 2040, cvc: "123"}}}) { id } }`);
  const client = createClient({ url, headers, singleConnection: false });

  await pay();
  const before = (await ask('{ listEvents(first: 1) { edges { cursor } } }')).listEvents.edges[0].cursor;
  const seen = [];
  const stream = client.iterate({
    query: 'subscription($after: String) { events(after: $after) { id kind } }',
    variables: { after: before },
  });
  await pay();
  const listed = (await ask('{ listEvents(first: 100) { edges { node { id kind } } } }')).listEvents.edges
    .map((edge) => edge.node)
    .slice(1);
  for await (const { data, errors } of stream) {
    assert.equal(errors, undefined);
    seen.push(data.events);
    if (seen.length === listed.length) break;
  }
  assert.deepEqual(seen, listed);

  const refused = [];
  for await (const answer of client.iterate({ query: 'subscription { paymentTimeline(id: "x") { id } }' })) refused.push(answer);
  assert.equal(refused.length, 1);
  assert.equal(refused[0].errors[0].extensions.code, 'error.payment.not-found');

  const once = [];
  for await (const answer of client.iterate({ query: '{ getTeam { name } }' })) once.push(answer.data.getTeam.name);
  assert.equal(once.length, 1);
  console.log(`graphql-sse: ${seen.length} events in order, a refusal and a query ended`);
} finally {
  server.stop();
}
