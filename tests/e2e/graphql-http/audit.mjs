// Audits the running service with the package graphql-http: every MUST and SHOULD of the GraphQL-over-HTTP draft passes.
//
//   node audit.mjs             starts target/debug/pointsman (or POINTSMAN_BIN) in a fresh directory
//   node audit.mjs URL TOKEN   audits a server that is there already
import { serverAudits } from 'graphql-http';
import { TOKEN, startServer } from './server.mjs';

async function audit(url, token) {
  const fetchFn = (address, options = {}) =>
    fetch(address, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } });
  const counts = { ok: 0, tolerated: 0, failed: 0 };
  for (const { id, name, fn } of serverAudits({ url, fetchFn })) {
    const result = await fn();
    if (result.status === 'ok') {
      counts.ok += 1;
    } else if (name.startsWith('MAY')) {
      counts.tolerated += 1;
      console.log(`tolerated ${id} ${name}: ${result.reason}`);
    } else {
      counts.failed += 1;
      console.log(`FAILED    ${id} ${name}: ${result.reason}`);
    }
  }
  console.log(`graphql-http audits: ${counts.ok} passed, ${counts.tolerated} MAY not taken, ${counts.failed} failed`);
  return counts.failed === 0;
}

let [url, token] = process.argv.slice(2);
let server;
let passed = false;
try {
  if (!url) {
    token = TOKEN;
    server = startServer();
    url = `${await server.address}/api/graphql`;
  }
  passed = await audit(url, token);
} finally {
  server?.stop();
}
process.exit(passed ? 0 : 1);
