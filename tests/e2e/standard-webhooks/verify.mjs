// Reads a delivery {secret, headers, body} from standard input and verifies it with the library.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
try {
  new Webhook(secret).verify(body, headers);
  console.log("true");
} catch {
  console.log("false");
}
