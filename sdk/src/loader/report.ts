/** Calls of the merchant's functions, and messages to its developers. */

/** Calls a callback. What it throws is the merchant's and goes to the console, not through the SDK. */
export function notify<Values extends unknown[], Answer>(callback: ((...values: Values) => Answer) | undefined, ...values: Values): Answer | undefined {
  try {
    return callback?.(...values);
  } catch (thrown) {
    reportError(thrown);
    return undefined;
  }
}

/** A failure of the SDK itself. `type` is one of those in docs/sdk.md. */
export class PointsmanError extends Error {
  override readonly name = "PointsmanError";
  readonly type: string;

  constructor(message: string, type: string) {
    super(message);
    this.type = type;
  }
}
