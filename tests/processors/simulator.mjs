// Starts `pointsman-lab processor` and takes the webhooks that it sends.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const program = process.env.POINTSMAN_LAB ?? new URL('../../target/debug/pointsman-lab', import.meta.url).pathname;

/** A simulator of its own: its address, and `stop`. */
export async function startSimulator(name, flags = []) {
  const child = spawn(program, ['processor', name, '--listen', '127.0.0.1:0', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => { throw new Error(`${program} ended`); }),
  ]);
  const address = new URL(line.replace('listening at ', ''));
  return {
    address,
    /** Asks the simulator itself for something: the clock, a fault. */
    async control(path, fields) {
      const response = await fetch(new URL(`/_sim/${path}`, address), { method: 'POST', body: new URLSearchParams(fields) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.json();
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
