// Processors' own clients for Python against simulators: the plays are in stripe_check.py and adyen_check.py.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startSimulator } from './simulator.mjs';

const python = process.env.POINTSMAN_PROCESSORS_PYTHON ?? 'python3';

for (const name of ['adyen', 'stripe']) {
  test(`payments, refunds, disputes and webhooks of ${name} by Python`, async () => {
    const simulator = await startSimulator(name);
    try {
      const play = new URL(`${name}_check.py`, import.meta.url).pathname;
      const child = spawn(python, [play, simulator.address.origin], { stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      assert.equal(code, 0);
    } finally {
      await simulator.stop();
    }
  });
}
