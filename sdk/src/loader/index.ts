/** The script that a merchant's page loads: it sets the global `Pointsman`. */
import { PROTOCOL } from "../shared/protocol.js";
import { serviceOrigin } from "./service.js";

// Read while the script runs: later `currentScript` is null.
const script = document.currentScript;
const service = serviceOrigin(script instanceof HTMLScriptElement ? script.src : undefined);

Object.assign(window, { Pointsman: { protocol: PROTOCOL, service } });
