"""Stripe's own client for Python plays against the simulator, whose address is the argument."""

import json
import sys
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from threading import Thread
from time import sleep

import stripe

ADDRESS = sys.argv[1].rstrip("/")
received = []


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        received.append((body, self.headers["stripe-signature"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def control(address, **fields):
    body = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(f"{ADDRESS}/_sim/{address}", body) as answer:
        return json.load(answer)


def refused(call, error):
    try:
        call()
    except error as refusal:
        return refusal
    raise AssertionError(f"{error.__name__} was expected")


def event_named(name, object_id, secret):
    for _ in range(200):
        for body, signature in list(received):
            event = json.loads(body)
            if event["type"] == name and event["data"]["object"]["id"] == object_id:
                return stripe.Webhook.construct_event(body, signature, secret)
        sleep(0.05)
    raise AssertionError(f"{name} did not come")


def main():
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    client = stripe.StripeClient("sk_test_python", base_addresses={"api": ADDRESS, "files": ADDRESS}, max_network_retries=0)
    hook = f"http://127.0.0.1:{server.server_port}/hook"
    endpoint = client.v1.webhook_endpoints.create({"url": hook, "enabled_events": ["*"]})

    method = client.v1.payment_methods.create(
        {"type": "card", "card": {"number": "5555555555554444", "exp_month": 1, "exp_year": 2035, "cvc": "123"}}
    )
    intent = client.v1.payment_intents.create({"amount": 1999, "currency": "gbp", "capture_method": "manual"})
    held = client.v1.payment_intents.confirm(intent.id, {"payment_method": method.id, "expand": ["latest_charge"]})
    assert held.status == "requires_capture", held.status
    assert held.latest_charge.payment_method_details.card.brand == "mastercard"
    paid = client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 999})
    assert (paid.status, paid.amount_received) == ("succeeded", 999)
    refund = client.v1.refunds.create({"payment_intent": intent.id, "amount": 99})
    assert refund.status == "succeeded"
    event = event_named("refund.created", refund.id, endpoint.secret)
    assert event.data.object.amount == 99

    sale = {"amount": 1000, "currency": "usd", "confirm": True}
    declined = refused(
        lambda: client.v1.payment_intents.create({**sale, "payment_method": "pm_card_chargeDeclined"}), stripe.CardError
    )
    assert (declined.http_status, declined.error.decline_code) == (402, "generic_decline")
    refused(lambda: client.v1.payment_intents.create({**sale, "amount": 1.5}), stripe.InvalidRequestError)
    good = {**sale, "payment_method": "pm_card_visa"}
    options = {"idempotency_key": "python-1"}
    first = client.v1.payment_intents.create(good, options)
    assert client.v1.payment_intents.create(good, options).id == first.id
    refused(lambda: client.v1.payment_intents.create({**good, "amount": 1001}, options), stripe.IdempotencyError)

    control("faults", fault="lost-after", times=1, path="/v1/payment_intents")
    options = {"idempotency_key": "python-2"}
    refused(lambda: client.v1.payment_intents.create(good, options), stripe.APIConnectionError)
    again = client.v1.payment_intents.create(good, options)
    assert again.last_response.headers["Idempotent-Replayed"] == "true"

    disputed = client.v1.payment_intents.create({**sale, "payment_method": "pm_card_createDispute"})
    control("clock", advance=5)
    dispute = client.v1.disputes.list({"payment_intent": disputed.id}).data[0]
    receipt = BytesIO(b"%PDF-1.4 receipt")
    receipt.name = "receipt.pdf"
    upload = client.v1.files.create({"purpose": "dispute_evidence", "file": receipt})
    assert (upload.type, upload.filename) == ("pdf", "receipt.pdf")
    draft = client.v1.disputes.update(dispute.id, {"evidence": {"receipt": upload.id}, "submit": False})
    assert draft.evidence.receipt == upload.id
    nothing = {"evidence": {"receipt": "file_nothing"}, "submit": False}
    refused(lambda: client.v1.disputes.update(dispute.id, nothing), stripe.InvalidRequestError)
    closed = client.v1.disputes.close(dispute.id)
    assert closed.status == "lost"
    event_named("charge.dispute.closed", dispute.id, endpoint.secret)
    body, signature = received[0]
    refused(
        lambda: stripe.Webhook.construct_event(body + b" ", signature, endpoint.secret), stripe.SignatureVerificationError
    )
    server.shutdown()


main()
