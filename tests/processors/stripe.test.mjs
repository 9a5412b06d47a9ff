// Stripe's own client for Node plays against the simulator: what it can't read or verify, our simulator has wrong.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Stripe from 'stripe';
import { startReceiver, startSimulator } from './simulator.mjs';

let simulator;
let receiver;
let stripe;
let secret;

const client = (address) => new Stripe('sk_test_node', {
  host: address.hostname,
  port: address.port,
  protocol: 'http',
  maxNetworkRetries: 0,
});

before(async () => {
  simulator = await startSimulator('stripe');
  receiver = await startReceiver();
  stripe = client(simulator.address);
  const endpoint = await stripe.webhookEndpoints.create({ url: receiver.address, enabled_events: ['*'] });
  secret = endpoint.secret;
});

after(async () => {
  await receiver.stop();
  await simulator.stop();
});

const eventOf = (delivery) => stripe.webhooks.constructEvent(delivery.body, delivery.headers['stripe-signature'], secret);
const eventNamed = async (type, id) => {
  const delivery = await receiver.until(({ body }) => {
    const event = JSON.parse(body);
    return event.type === type && event.data.object.id === id;
  });
  return eventOf(delivery);
};

test('create, confirm, capture in parts, refund', async () => {
  const created = await stripe.paymentIntents.create({
    amount: 2500,
    currency: 'eur',
    capture_method: 'manual',
    metadata: { reference: 'a-1' },
    payment_method_options: { card: { request_multicapture: 'if_available' } },
  });
  assert.equal(created.status, 'requires_payment_method');
  const method = await stripe.paymentMethods.create({
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
  });
  const held = await stripe.paymentIntents.confirm(created.id, { payment_method: method.id, expand: ['latest_charge'] });
  assert.equal(held.status, 'requires_capture');
  assert.equal(held.latest_charge.payment_method_details.card.last4, '4242');
  assert.equal(held.latest_charge.payment_method_details.card.multicapture.status, 'available');
  const first = await stripe.paymentIntents.capture(created.id, { amount_to_capture: 1000, final_capture: false });
  assert.equal(first.amount_capturable, 1500);
  const paid = await stripe.paymentIntents.capture(created.id, { amount_to_capture: 500 });
  assert.deepEqual([paid.status, paid.amount_received], ['succeeded', 1500]);
  const refund = await stripe.refunds.create({ payment_intent: created.id, amount: 300, reason: 'requested_by_customer' });
  assert.equal(refund.status, 'succeeded');
  const event = await eventNamed('payment_intent.succeeded', created.id);
  assert.equal(event.data.object.metadata.reference, 'a-1');
  assert.equal(event.request.idempotency_key.startsWith('stripe-node-retry-'), true);
});

test('declines and wrong parameters are the errors that the client knows', async () => {
  const sale = (further) => stripe.paymentIntents.create({ amount: 1000, currency: 'usd', confirm: true, ...further });
  await assert.rejects(sale({ payment_method: 'pm_card_chargeDeclinedInsufficientFunds' }), (error) => {
    assert(error instanceof Stripe.errors.StripeCardError);
    assert.deepEqual([error.statusCode, error.code, error.decline_code], [402, 'card_declined', 'insufficient_funds']);
    return error.payment_intent.status === 'requires_payment_method';
  });
  await assert.rejects(sale({ payment_method: 'pm_card_visa', nonsense: 1 }), (error) => {
    assert(error instanceof Stripe.errors.StripeInvalidRequestError);
    return error.code === 'parameter_unknown' && error.param === 'nonsense';
  });
  await assert.rejects(stripe.paymentIntents.retrieve('pi_nothing'), { code: 'resource_missing', statusCode: 404 });
  const stranger = new Stripe('sk_live_node', { host: simulator.address.hostname, port: simulator.address.port, protocol: 'http' });
  await assert.rejects(stranger.balance.retrieve(), Stripe.errors.StripeAuthenticationError);
});

test('a key is taken once, a changed body is refused', async () => {
  const fields = { amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
  const first = await stripe.paymentIntents.create(fields, { idempotencyKey: 'node-1' });
  const again = await stripe.paymentIntents.create(fields, { idempotencyKey: 'node-1' });
  assert.equal(again.id, first.id);
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
  await assert.rejects(
    stripe.paymentIntents.create({ ...fields, amount: 1001 }, { idempotencyKey: 'node-1' }),
    Stripe.errors.StripeIdempotencyError,
  );
});

test('an answer that is lost or cut is a connection error, and one charge', async () => {
  for (const [index, fault] of ['lost-after', 'cut=20', 'html'].entries()) {
    const before = (await stripe.paymentIntents.list({ limit: 100 })).data.length;
    await simulator.control('faults', { fault, times: '1', path: '/v1/payment_intents' });
    const retrying = new Stripe('sk_test_node', {
      host: simulator.address.hostname, port: simulator.address.port, protocol: 'http', maxNetworkRetries: 2,
    });
    const options = { idempotencyKey: `lost-${index}` };
    const fields = { amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
    const paid = await retrying.paymentIntents.create(fields, options)
      .catch(() => retrying.paymentIntents.create(fields, options));
    assert.equal(paid.status, 'succeeded', fault);
    const now = (await stripe.paymentIntents.list({ limit: 100 })).data.length;
    assert.equal(now, before + 1, fault);
  }
});

test('3D Secure sends the shopper to a page and back', async () => {
  const asked = await stripe.paymentIntents.create({
    amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_threeDSecure2Required', return_url: 'https://shop.example/back',
  });
  assert.equal(asked.status, 'requires_action');
  const page = asked.next_action.redirect_to_url.url;
  assert.match(await (await fetch(page)).text(), /Complete/);
  const back = await fetch(page, { method: 'POST', body: new URLSearchParams({ result: 'complete' }), redirect: 'manual' });
  const returned = new URL(back.headers.get('location'));
  assert.equal(returned.searchParams.get('payment_intent'), asked.id);
  assert.equal((await stripe.paymentIntents.retrieve(asked.id)).status, 'succeeded');
});

test('a refund that fails later comes with its event', async () => {
  const paid = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_refundFail' });
  const refund = await stripe.refunds.create({ payment_intent: paid.id });
  assert.equal(refund.status, 'succeeded');
  await simulator.control('clock', { advance: '10' });
  const event = await eventNamed('refund.failed', refund.id);
  assert.equal(event.data.object.failure_reason, 'expired_or_canceled_card');
  assert.equal((await stripe.refunds.retrieve(refund.id)).status, 'failed');
});

test('a dispute is answered and won', async () => {
  const paid = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_createDispute' });
  await simulator.control('clock', { advance: '5' });
  const [dispute] = (await stripe.disputes.list({ payment_intent: paid.id })).data;
  assert.equal(dispute.status, 'needs_response');
  const opened = await eventNamed('charge.dispute.created', dispute.id);
  assert.equal(opened.data.object.amount, 1000);
  const draft = await stripe.disputes.update(dispute.id, { evidence: { customer_name: 'A' }, submit: false });
  assert.equal(draft.evidence_details.submission_count, 0);
  await stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: 'winning_evidence' } });
  await simulator.control('clock', { advance: '10' });
  assert.equal((await stripe.disputes.retrieve(dispute.id)).status, 'won');
  const movements = await stripe.balanceTransactions.list({ type: 'adjustment' });
  assert.deepEqual(movements.data.map((movement) => movement.amount), [1000, -1000]);
});

test('a forged webhook is refused by the client, the true one taken', async () => {
  const isForged = (delivery) => {
    try {
      return eventOf(delivery).object !== 'event';
    } catch (error) {
      assert(error instanceof Stripe.errors.StripeSignatureVerificationError);
      return true;
    }
  };
  assert(!receiver.received.some(isForged));
  await simulator.control('faults', { fault: 'hook-forged', times: '1' });
  const paid = await stripe.paymentIntents.create({ amount: 4321, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' });
  const forged = await receiver.until(isForged);
  const { id } = JSON.parse(forged.body);
  await receiver.until((delivery) => !isForged(delivery) && eventOf(delivery).id === id);
  await eventNamed('payment_intent.succeeded', paid.id);
  assert.equal(receiver.received.filter(isForged).length, 1);
});

test('lists are read to their end', async () => {
  let seen = 0;
  for await (const event of stripe.events.list({ limit: 3 })) {
    assert.equal(event.object, 'event');
    seen += 1;
  }
  assert(seen > 20);
});
