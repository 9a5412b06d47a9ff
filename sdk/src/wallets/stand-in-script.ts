/** The stand-in as the file that merchants' pages load: it leaves both interfaces on its own element. */
import { standIns } from "./stand-in.js";

Object.assign(document.currentScript as HTMLScriptElement, { exported: standIns });
