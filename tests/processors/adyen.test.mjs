// Adyen's own client for Node plays against the simulator: what it can't read or verify, our simulator has wrong.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import adyen from '@adyen/api-library';
import { makeCertificate } from './certificate.mjs';
import { startReceiver, startSimulator } from './simulator.mjs';

const merchantAccount = 'ShopECOM';
let certificate;
let simulator;
let receiver;
let hmacKey;
let payments;
let modifications;
let tokens;
let disputes;

/** A service of the client at the simulator: it speaks HTTPS only, and its addresses are fixed but for this field. */
const at = (service, path) => {
  service.baseUrl = `${simulator.address.origin}${path}`;
  return service;
};

before(async () => {
  certificate = makeCertificate();
  simulator = await startSimulator('adyen', certificate);
  receiver = await startReceiver();
  const client = new adyen.Client({ apiKey: 'AQE_node', environment: 'TEST' });
  client.httpClient.agentOptions = { ca: simulator.ca };
  const checkout = new adyen.CheckoutAPI(client);
  payments = at(checkout.PaymentsApi, '/v72');
  modifications = at(checkout.ModificationsApi, '/v72');
  tokens = at(checkout.RecurringApi, '/v72');
  disputes = at(new adyen.DisputesAPI(client).DisputesApi, '/ca/services/DisputeService/v30');
  await simulator.control('account', { capture: 'manual', several_captures: 'true' });
  ({ hmacKey } = await simulator.control('webhooks', { url: receiver.address }));
});

after(async () => {
  await receiver.stop();
  await simulator.stop();
  certificate.remove();
});

const itemOf = ({ body }) => JSON.parse(body).notificationItems[0].NotificationRequestItem;
const isGenuine = (item) => new adyen.hmacValidator().validateHMAC(item, hmacKey);
/** The notification of an event of a payment, or about it, once it has come. */
const notified = async (eventCode, psp) => {
  const fits = (item) => item.eventCode === eventCode && [item.pspReference, item.originalReference].includes(psp);
  const item = itemOf(await receiver.until((delivery) => fits(itemOf(delivery)) && isGenuine(itemOf(delivery))));
  assert.equal(item.merchantAccountCode, merchantAccount);
  return item;
};

const card = (further = {}) => ({
  type: 'scheme', number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', cvc: '737', holderName: 'J. Smith', ...further,
});
const payment = (further = {}) => ({
  merchantAccount,
  amount: { currency: 'EUR', value: 2500 },
  reference: 'order-1',
  returnUrl: 'https://shop.example/back',
  paymentMethod: card(),
  ...further,
});
const change = (value, further = {}) => ({
  merchantAccount, reference: 'change-1', ...(value && { amount: { currency: 'EUR', value } }), ...further,
});

test('pay, capture in parts, cancel the rest, refund', async () => {
  const paid = await payments.payments(payment({ metadata: { order: 'a-1' } }));
  assert.equal(paid.resultCode, 'Authorised');
  assert.deepEqual([paid.amount.value, paid.merchantReference, paid.paymentMethod.brand], [2500, 'order-1', 'visa']);
  assert.equal(paid.additionalData.cardSummary, '1111');
  const { pspReference } = paid;
  assert.equal((await notified('AUTHORISATION', pspReference)).success, 'true');

  const first = await modifications.captureAuthorisedPayment(pspReference, change(1000));
  assert.deepEqual([first.status, first.paymentPspReference], ['received', pspReference]);
  const captured = await notified('CAPTURE', first.pspReference);
  assert.deepEqual([captured.success, captured.amount.value, captured.merchantReference], ['true', 1000, 'change-1']);
  const rest = await modifications.cancelAuthorisedPaymentByPspReference(pspReference, change());
  assert.equal((await notified('CANCELLATION', rest.pspReference)).success, 'true');
  const more = await modifications.captureAuthorisedPayment(pspReference, change(1));
  assert.equal((await notified('CAPTURE', more.pspReference)).success, 'false');

  const refund = await modifications.refundCapturedPayment(pspReference, change(1000, { merchantRefundReason: 'CUSTOMER REQUEST' }));
  assert.equal(refund.merchantRefundReason, 'CUSTOMER REQUEST');
  assert.equal((await notified('REFUND', refund.pspReference)).success, 'true');
});

test('refusals are results, wrong fields are errors', async () => {
  const refused = await payments.payments(payment({ paymentMethod: card({ holderName: 'NOT_ENOUGH_BALANCE' }) }));
  assert.deepEqual([refused.resultCode, refused.refusalReasonCode], ['Refused', '12']);
  assert.equal((await notified('AUTHORISATION', refused.pspReference)).reason, 'Not enough balance');
  await assert.rejects(payments.payments(payment({ paymentMethod: card({ number: '4111111111111112' }) })), (error) => {
    assert.deepEqual([error.statusCode, error.errorCode, error.apiError.errorType], [422, '101', 'validation']);
    return true;
  });
  await assert.rejects(payments.payments(payment({ merchantAccount: 'Stranger' })), { statusCode: 403, errorCode: '901' });
  await assert.rejects(modifications.captureAuthorisedPayment('ABCDEFGHIJKLMNOP', change(1)), { statusCode: 422, errorCode: '167' });
});

test('a lost answer is had again under its key', async () => {
  const count = async () => JSON.parse((await simulator.page('/_sim/books')).text).payments.length;
  const before = await count();
  for (const [index, fault] of ['lost-after', 'cut=20', 'html'].entries()) {
    await simulator.control('faults', { fault, times: '1', path: '/v72/payments' });
    const options = { idempotencyKey: `node-${index}` };
    await assert.rejects(payments.payments(payment(), options), undefined, fault);
    const paid = await payments.payments(payment(), options);
    assert.equal(paid.resultCode, 'Authorised', fault);
    assert.equal(await count(), before + index + 1, fault);
    const other = payment({ amount: { currency: 'EUR', value: 1 } });
    await assert.rejects(payments.payments(other, options), { statusCode: 422 });
  }
});

test('3D Secure sends the shopper to a page and back, by an address or a form', async () => {
  for (const [number, method] of [['4917610000000000', 'GET'], ['5212345678901234', 'POST']]) {
    const asked = await payments.payments(payment({ paymentMethod: card({ number }) }));
    assert.deepEqual([asked.resultCode, asked.action.type, asked.action.method], ['RedirectShopper', 'redirect', method]);
    const { text } = await simulator.page(asked.action.url, asked.action.data);
    assert.match(text, /Complete/);
    const { headers } = await simulator.page(asked.action.url, { result: 'complete' });
    const redirectResult = new URL(headers.location).searchParams.get('redirectResult');
    const paid = await payments.paymentsDetails({ details: { redirectResult } });
    assert.equal(paid.resultCode, 'Authorised');
    await notified('AUTHORISATION', paid.pspReference);
  }
});

test('a method is stored, used and forgotten', async () => {
  const shopper = { shopperReference: 'shopper-1', recurringProcessingModel: 'UnscheduledCardOnFile' };
  const first = await payments.payments(payment({ ...shopper, shopperInteraction: 'Ecommerce', storePaymentMethod: true }));
  const storedPaymentMethodId = first.additionalData['tokenization.storedPaymentMethodId'];
  const later = payment({ ...shopper, shopperInteraction: 'ContAuth', paymentMethod: { type: 'scheme', storedPaymentMethodId } });
  assert.equal((await payments.payments(later)).resultCode, 'Authorised');
  const listed = await tokens.getTokensForStoredPaymentDetails('shopper-1', merchantAccount);
  assert.deepEqual(listed.storedPaymentMethods.map(({ id, lastFour }) => [id, lastFour]), [[storedPaymentMethodId, '1111']]);
  await tokens.deleteTokenForStoredPaymentDetails(storedPaymentMethodId, 'shopper-1', merchantAccount);
  await assert.rejects(payments.payments(later), { statusCode: 422 });
});

test('a refund that fails later, and a cancellation by reference', async () => {
  const paid = await payments.payments(payment({ captureDelayHours: 0, paymentMethod: card({ holderName: 'refund failed' }) }));
  const refund = await modifications.refundCapturedPayment(paid.pspReference, change(2500));
  await notified('REFUND', refund.pspReference);
  await simulator.control('clock', { advance: '10' });
  assert.equal((await notified('REFUND_FAILED', refund.pspReference)).originalReference, paid.pspReference);
  const open = await payments.payments(payment({ reference: 'order-9' }));
  const cancel = await modifications.cancelAuthorisedPayment({ merchantAccount, paymentReference: 'order-9' });
  assert.equal(cancel.paymentReference, 'order-9');
  assert.equal((await notified('TECHNICAL_CANCEL', open.pspReference)).success, 'true');
});

test('a dispute is defended and won', async () => {
  const paid = await payments.payments(payment({ captureDelayHours: 0, paymentMethod: card({ holderName: 'Chargeback:10.4' }) }));
  await simulator.control('clock', { advance: '5' });
  const opened = await notified('CHARGEBACK', paid.pspReference);
  assert.equal(opened.additionalData.chargebackReasonCode, '10.4');
  const dispute = { merchantAccountCode: merchantAccount, disputePspReference: opened.pspReference };
  const { defenseReasons } = await disputes.retrieveApplicableDefenseReasons(dispute);
  const reason = defenseReasons.find(({ defenseReasonCode }) => defenseReasonCode === 'SupplyDefenseMaterial');
  assert.equal(reason.satisfied, false);
  const early = await disputes.defendDispute({ ...dispute, defenseReasonCode: reason.defenseReasonCode });
  assert.equal(early.disputeServiceResult.success, false);
  const content = Buffer.from('%PDF-1.4 winning_evidence').toString('base64');
  const documents = [{ content, contentType: 'application/pdf', defenseDocumentTypeCode: 'DefenseMaterial' }];
  assert((await disputes.supplyDefenseDocument({ ...dispute, defenseDocuments: documents })).disputeServiceResult.success);
  assert((await disputes.defendDispute({ ...dispute, defenseReasonCode: reason.defenseReasonCode })).disputeServiceResult.success);
  await simulator.control('clock', { advance: '15' });
  assert.equal((await notified('ISSUER_RESPONSE_TIMEFRAME_EXPIRED', opened.pspReference)).additionalData.disputeStatus, 'Won');
});

test('a forged notification is refused by the client, the true one taken', async () => {
  assert(receiver.received.every((delivery) => isGenuine(itemOf(delivery))));
  await simulator.control('faults', { fault: 'hook-forged', times: '1' });
  const paid = await payments.payments(payment({ reference: 'forged' }));
  const forged = itemOf(await receiver.until((delivery) => !isGenuine(itemOf(delivery))));
  assert.deepEqual([forged.pspReference, forged.success], [paid.pspReference, 'false']);
  assert.equal((await notified('AUTHORISATION', paid.pspReference)).success, 'true');
});
