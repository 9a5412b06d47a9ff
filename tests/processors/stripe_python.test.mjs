// Stripe's own client for Python against a simulator: the play is in stripe_check.py.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startSimulator } from './simulator.mjs';

const python = process.env.POINTSMAN_PROCESSORS_PYTHON ?? 'python3';

test('payments, refunds, disputes and webhooks by Python', async () => {
  const simulator = await startSimulator('stripe');
  try {
    const play = new URL('stripe_check.py', import.meta.url).pathname;
    const child = spawn(python, [play, simulator.address.origin], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  } finally {
    await simulator.stop();
  }
});
