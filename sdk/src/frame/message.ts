/** A page in place of the form: a receipt, an end, a mistake in the address. An app gets what the page says. */
import { tellApp } from "./bridge.js";
import { wholeAddress, withoutToken } from "./place.js";

const { event, payload } = document.body.dataset;
// A hosted page that is loaded again has lost its token from the address bar; this tab knows it.
const whole = wholeAddress(location.href);
if (whole && event === "error") {
  location.replace(whole);
} else {
  if (payload && (event === "error" || event === "paymentComplete")) tellApp(event, JSON.parse(payload));
  history.replaceState(null, "", withoutToken(location.href));
}
