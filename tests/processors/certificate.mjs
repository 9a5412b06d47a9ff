// Makes a certificate for 127.0.0.1 that lasts as long as the tests do.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files of a certificate and its key, and `remove`. */
export function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'processors-'));
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate,
  ], { stdio: 'ignore' });
  return { certificate, key, remove: () => rmSync(folder, { recursive: true }) };
}
