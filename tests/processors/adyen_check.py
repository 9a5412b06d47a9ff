"""Adyen's own client for Python plays against the simulator, whose address is the argument."""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from time import sleep

import Adyen
from Adyen.util import is_valid_hmac_notification

ADDRESS = sys.argv[1].rstrip("/")
ACCOUNT = "ShopECOM"
received = []


class Receiver(BaseHTTPRequestHandler):
    """Takes notifications."""

    def do_POST(self):
        received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(202)
        self.end_headers()

    def log_message(self, *_):
        pass


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect."""

    def redirect_request(self, *_):
        return None


def control(address, **fields):
    body = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(f"{ADDRESS}/_sim/{address}", body) as answer:
        return json.load(answer)


def press(url, result):
    """Presses a button of a page; what comes back to the shop."""
    body = urllib.parse.urlencode({"result": result}).encode()
    try:
        urllib.request.build_opener(Stay).open(url, body)
    except urllib.error.HTTPError as redirect:
        query = urllib.parse.urlsplit(redirect.headers["location"]).query
        return urllib.parse.parse_qs(query)["redirectResult"][0]
    raise AssertionError("the page sent nobody on")


def refused(call, error):
    try:
        call()
    except error as refusal:
        return refusal
    raise AssertionError(f"{error.__name__} was expected")


def notified(event, psp, key):
    """The notification of an event of a payment, or about it, once it has come."""
    for _ in range(200):
        for notification in list(received):
            item = notification["notificationItems"][0]["NotificationRequestItem"]
            if item["eventCode"] == event and psp in (item["pspReference"], item.get("originalReference")):
                assert is_valid_hmac_notification(notification, key), event
                return item
        sleep(0.05)
    raise AssertionError(f"{event} did not come")


def payment(holder="J. Smith", **further):
    card = {"type": "scheme", "number": "5555444433331111", "expiryMonth": "03", "expiryYear": "2030", "cvc": "737"}
    return {
        "merchantAccount": ACCOUNT,
        "amount": {"currency": "EUR", "value": 1999},
        "reference": "order-1",
        "returnUrl": "https://shop.example/back",
        "paymentMethod": {**card, "holderName": holder},
        **further,
    }


def main():
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    key = control("webhooks", url=f"http://127.0.0.1:{server.server_port}/hook")["hmacKey"]
    client = Adyen.Adyen(xapikey="AQE_python", platform="test")
    payments, modifications = client.checkout.payments_api, client.checkout.modifications_api
    payments.baseUrl = modifications.baseUrl = f"{ADDRESS}/v72"
    disputes = client.disputes.disputes_api
    disputes.baseUrl = f"{ADDRESS}/ca/services/DisputeService/v30"

    def change(value):
        return {"merchantAccount": ACCOUNT, "amount": {"currency": "EUR", "value": value}, "reference": "change-1"}

    manual = {"additionalData": {"manualCapture": "true"}}
    paid = payments.payments(payment(**manual)).message
    assert (paid["resultCode"], paid["paymentMethod"]["brand"]) == ("Authorised", "mc")
    assert notified("AUTHORISATION", paid["pspReference"], key)["success"] == "true"
    capture = modifications.capture_authorised_payment(change(999), paid["pspReference"])
    assert (capture.status_code, capture.message["status"]) == (201, "received")
    assert notified("CAPTURE", capture.message["pspReference"], key)["amount"]["value"] == 999
    refund = modifications.refund_captured_payment(change(1000), paid["pspReference"]).message
    assert notified("REFUND", refund["pspReference"], key)["success"] == "false"
    refund = modifications.refund_captured_payment(change(999), paid["pspReference"]).message
    assert notified("REFUND", refund["pspReference"], key)["success"] == "true"

    declined = payments.payments(payment("DECLINED")).message
    assert (declined["resultCode"], declined["refusalReasonCode"]) == ("Refused", "2")
    unknown = refused(lambda: payments.payments(payment(nonsense=1)), Adyen.AdyenAPIValidationError)
    assert (unknown.status_code, unknown.error_code) == (400, "702")
    decimal = payment(amount={"currency": "EUR", "value": 19.99})
    refused(lambda: payments.payments(decimal), Adyen.AdyenAPIUnprocessableEntity)
    stranger = Adyen.Adyen(xapikey="wrong", platform="test")
    stranger.checkout.payments_api.baseUrl = f"{ADDRESS}/v72"
    refused(lambda: stranger.checkout.payments_api.payments(payment()), Adyen.AdyenAPIAuthenticationError)

    control("faults", fault="lost-after", times=1, path="/v72/payments")
    refused(lambda: payments.payments(payment(), idempotency_key="python-1"), Exception)
    first = payments.payments(payment(), idempotency_key="python-1").message
    assert payments.payments(payment(), idempotency_key="python-1").message == first
    other = payment(reference="order-2")
    refused(lambda: payments.payments(other, idempotency_key="python-1"), Adyen.AdyenAPIUnprocessableEntity)

    asked = payments.payments({**payment(), "paymentMethod": {"type": "ideal"}}).message
    assert asked["action"]["paymentMethodType"] == "ideal"
    details = {"details": {"redirectResult": press(asked["action"]["url"], "complete")}}
    done = payments.payments_details(details).message
    assert done["resultCode"] == "Authorised"
    assert notified("AUTHORISATION", done["pspReference"], key)["paymentMethod"] == "ideal"

    disputed = payments.payments(payment("Chargeback")).message
    control("clock", advance=5)
    opened = notified("CHARGEBACK", disputed["pspReference"], key)
    dispute = {"merchantAccountCode": ACCOUNT, "disputePspReference": opened["pspReference"]}
    reasons = disputes.retrieve_applicable_defense_reasons(dispute).message
    assert reasons["disputeServiceResult"]["success"] and len(reasons["defenseReasons"]) == 4
    content = b64encode(b"%PDF-1.4 receipt").decode()
    document = {"content": content, "contentType": "application/pdf", "defenseDocumentTypeCode": "DefenseMaterial"}
    supplied = disputes.supply_defense_document({**dispute, "defenseDocuments": [document]}).message
    assert supplied["disputeServiceResult"]["success"]
    assert disputes.accept_dispute(dispute).message["disputeServiceResult"]["success"]
    ended = notified("DISPUTE_DEFENSE_PERIOD_ENDED", opened["pspReference"], key)
    assert ended["additionalData"]["disputeStatus"] == "Lost"

    altered = json.loads(json.dumps(received[0]))
    altered["notificationItems"][0]["NotificationRequestItem"]["amount"]["value"] = 1
    assert not is_valid_hmac_notification(altered, key)
    server.shutdown()


main()
