# Reads a delivery {secret, headers, body} from standard input and verifies it with the library.
import json, sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

given = json.load(sys.stdin)
try:
    Webhook(given["secret"]).verify(given["body"], given["headers"])
    print("true")
except (WebhookVerificationError, ValueError, TypeError):  # the last two for what is malformed
    print("false")
