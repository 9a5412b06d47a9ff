/** The app whose web view shows a page of ours. */

interface Bridge {
  handleEvent(type: string, json: string): void;
}

declare global {
  interface Window {
    checkoutBridge?: Bridge;
    webkit?: { readonly messageHandlers?: { readonly checkoutBridge?: { postMessage(message: unknown): void } } };
  }
}

export type AppEvent = "error" | "paymentComplete";

/** Tells the app, if there is one. */
export function tellApp(type: AppEvent, payload: unknown): void {
  const json = JSON.stringify(payload);
  window.checkoutBridge?.handleEvent(type, json);
  window.webkit?.messageHandlers?.checkoutBridge?.postMessage({ payload: json, type });
}
