/** `<pointsman-checkout>`: Elements and Drop-In as a custom element, for every framework and for none. */
import { loadCheckoutSdkDropIn, loadCheckoutSdkElement, type CheckoutSdkDropInOptions, type CheckoutSdkElementOptions, type CheckoutState, type DropInInstance, type ElementsInstance, type LoaderSource } from "@pointsman/loader";

type Given = Partial<CheckoutSdkDropInOptions & CheckoutSdkElementOptions> & LoaderSource;

/** Attributes that are texts, with the option that each is. `amount` is a number. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  "service-url": "serviceUrl", "api-key": "apiKey", "flow-id": "flowId", amount: "amount", "currency-code": "currencyCode", "order-id": "orderId",
  "intent-id": "intentId", "customer-id": "customerId", "pay-button": "payButton", language: "language", layout: "layout",
};

/** Events by callback. Their `detail` is what the callback gets; that of `paymentrequest` is `{result, paymentData}`. */
const EVENTS = { onError: "error", onLoaded: "loaded", onChange: "change", onCancel: "cancel", onStateChange: "statechange", onPaymentComplete: "paymentcomplete" } as const;

// On a server there is no such class; the module can be imported there all the same.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class PointsmanCheckout extends Base {
  static readonly observedAttributes = Object.keys(ATTRIBUTES);

  #options: Given = {};
  #instance: ElementsInstance | DropInInstance | undefined;
  /** What the shown checkout was loaded with: another key is another checkout. */
  #apiKey: string | undefined;
  /** A key that came while a payment was under way. */
  #waiting: string | undefined;
  /** Counts mountings: what an earlier one brings is of no use. */
  #mounting = 0;
  #isPlanned = false;

  /** All options at once; attributes win over them. */
  get options(): Given {
    return this.#options;
  }

  set options(options: Given) {
    this.#options = options;
    this.#plan();
  }

  /** `elements` with the attribute `surface="elements"`, else `drop-in`. */
  get surface(): "elements" | "drop-in" {
    return this.getAttribute("surface") === "elements" ? "elements" : "drop-in";
  }

  get instance(): ElementsInstance | DropInInstance | undefined {
    return this.#instance;
  }

  connectedCallback(): void {
    this.style.display ||= "block";
    this.#plan();
  }

  disconnectedCallback(): void {
    this.#end();
  }

  #end(): void {
    this.#mounting += 1;
    this.#instance?.destroy();
    this.#instance = undefined;
    this.#apiKey = undefined;
  }

  attributeChangedCallback(): void {
    this.#plan();
  }

  /** Several attributes in a row are one change. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.isConnected) void this.#show();
    });
  }

  async #show(): Promise<void> {
    const options = this.#collect();
    // Frameworks set the options after the element: without a key there is nothing to show yet.
    if (!options.apiKey) return;
    if (this.#instance && this.#isKept(options.apiKey, this.#instance.state)) {
      const { serviceUrl: _, pinned: __, ...plain } = options;
      this.#instance.update(plain);
      return;
    }
    this.#end();
    const mounting = this.#mounting;
    this.#apiKey = options.apiKey;
    try {
      const instance = this.surface === "elements"
        ? await loadCheckoutSdkElement(this, { ...options, onPaymentRequest: (result, paymentData) => this.#fire("paymentrequest", { result, paymentData }) } as CheckoutSdkElementOptions)
        : await loadCheckoutSdkDropIn(this, options as CheckoutSdkDropInOptions);
      if (mounting === this.#mounting) this.#instance = instance;
      else instance.destroy();
    } catch (failure) {
      // What the loaded script finds wrong it has reported by itself.
      const { message, type } = failure as Error & { type?: string };
      if (!type) this.#fire("error", { error: { message, type: "script" } });
    }
  }

  /**
   * Whether the checkout stays. Another key is another checkout, unless a payment is under way or paid when it comes: a form in its place
   * could be paid again. Such a key counts once the checkout with the earlier one has ended.
   */
  #isKept(apiKey: string, state: CheckoutState): boolean {
    if (apiKey === this.#apiKey) return true;
    if (state === "paying" || state === "paid") this.#waiting = apiKey;
    return state !== "ended" && apiKey === this.#waiting;
  }

  #collect(): Given {
    const attributes = Object.entries(ATTRIBUTES).flatMap(([name, option]) => {
      const value = this.getAttribute(name);
      return value === null ? [] : [[option, option === "amount" ? Number(value) : value]];
    });
    const callbacks = Object.entries(EVENTS)
      .filter(([callback]) => this.surface === "drop-in" || callback !== "onPaymentComplete")
      .map(([callback, event]) => [callback, (detail: unknown) => this.#fire(event, detail)]);
    return { ...this.#options, ...Object.fromEntries(attributes), ...Object.fromEntries(callbacks) } as Given;
  }

  #fire(type: string, detail?: unknown): void {
    if (type === "statechange") this.#plan();
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

if (globalThis.customElements && !customElements.get("pointsman-checkout")) customElements.define("pointsman-checkout", PointsmanCheckout);
