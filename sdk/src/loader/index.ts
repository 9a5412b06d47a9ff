/** The script that a merchant's page loads: it sets the global `Pointsman`. */
import { loadCheckout } from "./checkout.js";
import { serviceOrigin } from "./service.js";
import type { PointsmanGlobal } from "./types.js";

// Read while the script runs: later `currentScript` is null.
const script = document.currentScript;
const service = serviceOrigin(script instanceof HTMLScriptElement ? script.src : undefined);

const pointsman: PointsmanGlobal = {
  version: 1,
  service,
  loadCheckoutSdkElement: (elementOrSelector, options) => loadCheckout("card", service, elementOrSelector, options),
  loadCheckoutSdkDropIn: (elementOrSelector, options) => loadCheckout("checkout", service, elementOrSelector, options),
};

Object.assign(window, { Pointsman: Object.freeze(pointsman) });
