// Starts `pointsman-lab processor` and takes the webhooks that it sends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { createServer } from 'node:http';
import https from 'node:https';
import { createInterface } from 'node:readline';

const program = process.env.POINTSMAN_LAB ?? new URL('../../target/debug/pointsman-lab', import.meta.url).pathname;

/** A simulator of its own: its address, and `stop`. With `certificate` and `key` (PEM files) it speaks TLS. */
export async function startSimulator(name, { certificate, key } = {}) {
  const tls = certificate ? ['--tls-certificate', certificate, '--tls-key', key] : [];
  const child = spawn(program, ['processor', name, '--listen', '127.0.0.1:0', ...tls], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => { throw new Error(`${program} ended`); }),
  ]);
  const address = new URL(line.replace('listening at ', ''));
  const ca = certificate && readFileSync(certificate);
  return {
    address,
    ca,
    /** Asks a page of the simulator: the status, the headers and the text of its answer. */
    async page(path, fields) {
      const url = new URL(path, address);
      const send = url.protocol === 'https:' ? https.request : http.request;
      const body = fields && new URLSearchParams(fields).toString();
      const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      const request = send(url, { method: body === undefined ? 'GET' : 'POST', headers, ca });
      request.end(body);
      const [response] = await once(request, 'response');
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, headers: response.headers, text };
    },
    /** Asks the simulator itself for something: the clock, a fault. */
    async control(path, fields) {
      const { status, text } = await this.page(`/_sim/${path}`, fields);
      if (status !== 200) throw new Error(`${path}: ${text}`);
      return JSON.parse(text);
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** A receiver of webhooks: its address, and what came, the oldest first. */
export async function startReceiver() {
  const received = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ body: Buffer.concat(chunks), headers: request.headers });
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${server.address().port}/hook`,
    received,
    /** Waits until something that came fits. */
    async until(fits) {
      for (let tries = 0; tries < 200; tries += 1) {
        const found = received.find(fits);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`no webhook fits; there came ${received.length}`);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
