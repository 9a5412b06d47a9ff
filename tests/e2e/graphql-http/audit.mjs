// Audits the running service with the package graphql-http: every MUST and SHOULD of the GraphQL-over-HTTP draft passes.
//
//   node audit.mjs             starts target/debug/pointsman (or POINTSMAN_BIN) in a fresh directory
//   node audit.mjs URL TOKEN   audits a server that is there already
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverAudits } from 'graphql-http';

const READY_WITHIN_MS = 30_000;
const here = dirname(fileURLToPath(import.meta.url));

function startServer(token) {
  const binary = process.env.POINTSMAN_BIN ?? resolve(here, '../../../target/debug/pointsman');
  const directory = mkdtempSync(join(tmpdir(), 'pointsman-audit-'));
  const server = spawn(binary, ['serve', '--sandbox', '--listen', '127.0.0.1:0', '--data-dir', join(directory, 'data')], {
    env: { ...process.env, POINTSMAN_ACCESS_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => {
    server.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  const address = new Promise((found, failed) => {
    let said = '';
    server.stdout.on('data', (bytes) => {
      said += bytes;
      const line = /pointsman listening on (http:\/\/\S+)\n/.exec(said);
      if (line) found(line[1]);
    });
    server.on('error', failed);
    server.on('exit', (code) => failed(new Error(`the service ended with ${code}: ${said}`)));
    setTimeout(() => failed(new Error('the service did not say where it listens')), READY_WITHIN_MS).unref();
  });
  return { address, stop };
}

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
    token = 'sk_test_audit0secret0key0of0the0default0team';
    server = startServer(token);
    url = `${await server.address}/api/graphql`;
  }
  passed = await audit(url, token);
} finally {
  server?.stop();
}
process.exit(passed ? 0 : 1);
