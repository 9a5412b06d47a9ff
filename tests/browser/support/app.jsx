/** The merchant's page of the tests for React: what it shows is changed from outside, as a router or a store would. */
import { StrictMode, useRef, useState, version } from "react";
import { createRoot } from "react-dom/client";
import { CheckoutDropIn, CheckoutElements } from "@pointsman/react";

const { surface, options } = JSON.parse(document.getElementById("options").textContent);
const seen = [];
window.seen = seen;
window.reactVersion = version;
const note = (name, label) => (...values) => {
  seen.push({ name, label, values: JSON.parse(JSON.stringify(values)) });
};

function Shop() {
  const [shown, show] = useState({ options, label: "first", isShown: true });
  const instance = useRef(null);
  window.change = (more) => show((before) => ({ ...before, ...more, options: { ...before.options, ...more.options } }));
  window.instanceRef = instance;
  const callbacks = Object.fromEntries(["onError", "onLoaded", "onStateChange"].map((name) => [name, note(name, shown.label)]));
  if (!shown.isShown) return <p>The order was left.</p>;
  if (surface === "card") {
    return <CheckoutElements options={{ ...shown.options }} instanceRef={instance} onPaymentRequest={note("onPaymentRequest", shown.label)} {...callbacks} />;
  }
  return <CheckoutDropIn options={{ ...shown.options }} instanceRef={instance} onPaymentComplete={note("onPaymentComplete", shown.label)} {...callbacks} />;
}

createRoot(document.getElementById("root")).render(<StrictMode><Shop /></StrictMode>);
