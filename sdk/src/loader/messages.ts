/** Checks of what the frame sends. What is not known, or has not the members that it needs, is dropped. */
import type { ToLoader } from "../shared/protocol.js";

type Members = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === "string";
const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

/** What each message must have. */
const HAS: Readonly<Record<ToLoader["type"], (message: Members) => boolean>> = {
  ready: () => true,
  size: ({ height }) => Number.isFinite(height) && (height as number) >= 0 && (height as number) < 20_000,
  title: ({ title }) => isText(title),
  change: ({ value, errors }) => isObject(value) && isObject(errors),
  focus: ({ field }) => isText(field),
  blur: ({ field }) => isText(field),
  submitRequest: () => true,
  result: ({ attempt, errors }) => isText(attempt) && Array.isArray(errors),
  action: ({ action }) => isObject(action) && isText(action["id"]) && /^https?:/i.test(String(action["url"])) && isObject(action["texts"]),
  actionDone: ({ action }) => isText(action),
  underWay: ({ underWay }) => isObject(underWay) && isText(underWay["payment"]),
  redirect: ({ url }) => isText(url) && !/^\W*(javascript|data|blob|vbscript|file|about):/i.test(url as string),
  complete: ({ result }) => isObject(result) && Array.isArray(result["errors"]),
  state: ({ state }) => ["open", "paying", "paid", "ended"].includes(state as string),
  cancel: () => true,
  configuration: ({ configuration, texts }) => isObject(configuration) && isObject(texts),
  walletSession: ({ request }) => isText(request),
  error: ({ error }) => isObject(error) && isText(error["message"]),
};

/** The message in what came over the port, or undefined. */
export function readMessage(data: unknown): ToLoader | undefined {
  if (!isObject(data) || !Object.hasOwn(HAS, data["type"] as string)) return undefined;
  return HAS[data["type"] as ToLoader["type"]](data) ? (data as unknown as ToLoader) : undefined;
}
