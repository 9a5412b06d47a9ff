// A service to audit: target/debug/pointsman (or POINTSMAN_BIN) in a fresh directory.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const READY_WITHIN_MS = 30_000;
const here = dirname(fileURLToPath(import.meta.url));

export const TOKEN = 'sk_test_audit0secret0key0of0the0default0team';

export function startServer() {
  const binary = process.env.POINTSMAN_BIN ?? resolve(here, '../../../target/debug/pointsman');
  const directory = mkdtempSync(join(tmpdir(), 'pointsman-audit-'));
  const server = spawn(binary, ['serve', '--sandbox', '--listen', '127.0.0.1:0', '--data-dir', join(directory, 'data')], {
    env: { ...process.env, POINTSMAN_ACCESS_TOKEN: TOKEN },
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
