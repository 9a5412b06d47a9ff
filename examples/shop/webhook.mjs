/** Webhooks, verified as https://www.standardwebhooks.com describes: HMAC-SHA256 over id, time and body. */

import { createHmac, timingSafeEqual } from "node:crypto";

/** A message that is older, or newer, may be an old one that somebody sends again. Unit: seconds. */
const TOLERANCE = 5 * 60;

/**
 * The event in a webhook; `null` when its signature is not ours, or it is too old.
 *
 * @param {string} secret `whsec_…`
 * @param {Record<string, string | string[] | undefined>} headers
 * @param {Buffer} body The exact bytes.
 * @param {number} now Seconds since 1970.
 */
export function verified(secret, headers, body, now = Date.now() / 1000) {
  const text = (/** @type {string} */ name) => (typeof headers[name] === "string" ? headers[name] : "");
  const [id, timestamp, signatures] = [text("webhook-id"), text("webhook-timestamp"), text("webhook-signature")];
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE) return null;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0) return null;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isOurs = signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isOurs ? JSON.parse(body.toString("utf8")) : null;
}
