/** The file of the wallets' buttons that the loader fetches: it leaves the class on its own element. */
import { Wallets } from "./wallets.js";

Object.assign(document.currentScript as HTMLScriptElement, { exported: Wallets });
