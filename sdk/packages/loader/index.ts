/** Loads `pointsman.js` of your service and opens a checkout with it. Safe to import on a server. */
import type { CheckoutSdkDropInOptions, CheckoutSdkElementOptions, DropInInstance, ElementsInstance, PointsmanGlobal } from "../../src/loader/types.js";

export type * from "../../src/loader/types.js";

/** Where `pointsman.js` comes from. Not needed where the page has the script tag itself. */
export interface LoaderSource {
  /** The origin of your Pointsman, such as `https://pay.example`. */
  serviceUrl?: string;
  /** One loader and no other: `file` and `integrity` as `/sdk/v1/integrity.json` of your service lists them. */
  pinned?: { file: string; integrity: string };
}

let loading: Promise<PointsmanGlobal> | undefined;

/** Resolves to the global `Pointsman`. One script tag however often it is called; after a failure the next call tries again. */
export function loadPointsman({ serviceUrl, pinned }: LoaderSource = {}): Promise<PointsmanGlobal> {
  // On a server there is nothing to load, and nothing that waits for it.
  if (typeof window === "undefined") return new Promise(() => {});
  const present = (window as { Pointsman?: PointsmanGlobal }).Pointsman;
  if (present) return Promise.resolve(present);
  loading ??= addScript(serviceUrl, pinned).catch((failure: unknown) => {
    loading = undefined;
    throw failure;
  });
  return loading;
}

function addScript(serviceUrl: string | undefined, pinned: LoaderSource["pinned"]): Promise<PointsmanGlobal> {
  return new Promise((resolve, reject) => {
    const written = document.querySelector<HTMLScriptElement>('script[src*="/sdk/v1/pointsman."]');
    if (!written && !serviceUrl) throw new TypeError("serviceUrl is missing: the origin of your Pointsman, such as https://pay.example");
    const script = written ?? document.createElement("script");
    script.addEventListener("load", () => {
      const loaded = (window as { Pointsman?: PointsmanGlobal }).Pointsman;
      if (loaded) resolve(loaded);
      else reject(new Error(`${script.src} is not Pointsman's loader`));
    });
    script.addEventListener("error", () => {
      script.remove();
      reject(new Error(`${script.src} can't be loaded`));
    });
    if (written) return;
    if (pinned) Object.assign(script, { integrity: pinned.integrity, crossOrigin: "anonymous" });
    script.src = new URL(`/sdk/v1/${pinned?.file ?? "pointsman.js"}`, serviceUrl).href;
    document.head.append(script);
  });
}

/** Splits what says where the loader comes from off the options. */
function split<Options extends LoaderSource>({ serviceUrl, pinned, ...options }: Options) {
  return { source: { ...(serviceUrl && { serviceUrl }), ...(pinned && { pinned }) } satisfies LoaderSource, options };
}

/** Shows the card fields inside your form. See docs/sdk.md. */
export async function loadCheckoutSdkElement(
  elementOrSelector: HTMLElement | string,
  given: CheckoutSdkElementOptions & LoaderSource,
): Promise<ElementsInstance> {
  const { source, options } = split(given);
  return (await loadPointsman(source)).loadCheckoutSdkElement(elementOrSelector, options);
}

/** Shows a whole checkout, with methods and button. See docs/sdk.md. */
export async function loadCheckoutSdkDropIn(
  elementOrSelector: HTMLElement | string,
  given: CheckoutSdkDropInOptions & LoaderSource,
): Promise<DropInInstance> {
  const { source, options } = split(given);
  return (await loadPointsman(source)).loadCheckoutSdkDropIn(elementOrSelector, options);
}
