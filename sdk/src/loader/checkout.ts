/** One checkout in the page: the frame of Elements or Drop-In, and what the merchant holds of it. */
import type { FormState, Surface, ToLoader } from "../shared/protocol.js";
import { openChannel, randomId, type Channel } from "./channel.js";
import { makeErrands, type Errands } from "./errand.js";
import { interceptForm } from "./form.js";
import { makeFormFrame } from "./frame.js";
import { expectedHeight } from "./height.js";
import { frameOptions, mistakesOf, type Options, type PageFacts } from "./options.js";
import { browserData, pageFacts } from "./page.js";
import { notify, PointsmanError } from "./report.js";
import type { AuthorizePaymentResult, ElementsInstance, PaymentRequestResult } from "./types.js";
import { placeWallets, type WalletsPlace } from "./wallets.js";

/** How long the form may take until it can be used. */
const TIMEOUT_MS = 10_000;
/** A document of ours speaks before its load event; this long after the event it is another's, such as a page that refuses. */
const SILENCE_MS = 2_000;

type Message<Type extends ToLoader["type"]> = Extract<ToLoader, { type: Type }>;

/** The checkout in each container: loading once more replaces it. */
const mounted = new WeakMap<Element, Checkout>();

export function loadCheckout(surface: Surface, service: string, elementOrSelector: unknown, given: Options): Promise<ElementsInstance> {
  const loading = new Promise<ElementsInstance>((resolve, reject) => {
    const fail = (message: string, type: string) => {
      report(given, message, type);
      reject(new PointsmanError(message, type));
    };
    const container = typeof elementOrSelector === "string" ? document.querySelector(elementOrSelector) : elementOrSelector;
    const mistakes = mistakesOf(surface, given);
    if (!(container instanceof HTMLElement)) mistakes.unshift("elementOrSelector must be an element of the page or a selector of one");
    if (!/^https?:/.test(self.origin)) mistakes.push("the page has no origin: serve it over https, not as a file or in a sandboxed frame");
    if (mistakes.length === 0) {
      new Checkout({ surface, service, container: container as HTMLElement, options: { ...given }, resolve, fail });
      return;
    }
    mistakes.forEach((message) => report(given, message, "invalid-option"));
    reject(new PointsmanError(mistakes.join("; "), "invalid-option"));
  });
  // A page that listens to onError alone has no unhandled rejection in its console.
  loading.catch(() => {});
  return loading;
}

/** Whether a wallet's sheet may say that it went well: money is held or taken, or will be. */
function isPaid({ data, errors }: Message<"complete">["result"]): boolean {
  const status = (data as AuthorizePaymentResult["data"])?.authorizePayment?.["status"] as string;
  return errors.length === 0 && !["DECLINED", "FAILED", "CANCELLED"].includes(status);
}

/** One message to the console and to `onError`. */
function report(options: Options | undefined, message: string, type?: string): void {
  console.error(`Pointsman: ${message}`);
  notify(options?.onError, { error: type ? { message, type } : { message } });
}

/** What a checkout is made of. */
interface Parts {
  readonly surface: Surface;
  readonly service: string;
  readonly container: HTMLElement;
  readonly options: Options;
  resolve(instance: ElementsInstance): void;
  fail(message: string, type: string): void;
}

class Checkout {
  readonly #parts: Parts;
  readonly #facts: PageFacts;
  readonly #box = document.createElement("div");
  readonly #frame: HTMLIFrameElement;
  readonly #channel: Channel;
  readonly #errands: Errands;
  readonly #wallets: WalletsPlace;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refusal: ReturnType<typeof setTimeout> | undefined;
  readonly #release: () => void;
  #isConnected = false;
  #isBusy = false;
  #state: FormState = "open";
  #attempt: { id: string; settle(result?: Message<"result">): void } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { surface, service, container, options } = parts;
    mounted.get(container)?.destroy();
    mounted.set(container, this);
    this.#facts = pageFacts(container);
    const id = randomId();
    this.#frame = makeFormFrame(surface, service, id);
    this.#frame.style.height = `${expectedHeight(surface, frameOptions(options, this.#facts), container.clientWidth)}px`;
    // A frame of another scheme than its document has an opaque ground.
    this.#frame.style.colorScheme = this.#facts.colorScheme ?? "";
    this.#channel = openChannel(this.#frame, service, id, {
      onConnected: () => this.#start(),
      onMessage: (message) => this.#receive(message),
    });
    const { send } = this.#channel;
    this.#errands = makeErrands(service, (action, signal) => send({ type: "actionSignal", action, signal }));
    this.#wallets = placeWallets({
      surface, service, options, send, once: (run) => this.#once(run),
      report: (message, type = "wallet") => report(options, message, type),
    });
    this.#release = surface === "card" ? interceptForm(container, () => void this.#submit()) : () => {};
    this.#timer = setTimeout(this.#timeOut, TIMEOUT_MS);
    this.#frame.onload = () => {
      if (!this.#isConnected) this.#refusal = setTimeout(this.#timeOut, SILENCE_MS);
    };
    document.addEventListener("securitypolicyviolation", this.#violated);
    // One box, whatever layout the container has for its children.
    this.#box.style.cssText = "display:block;width:100%;margin:0;padding:0";
    this.#box.append(this.#wallets.area, this.#frame);
    container.append(this.#box);
  }

  /** The frame is there, perhaps for the second time: what the first one had under way has no answer. */
  #start(): void {
    this.#isConnected = true;
    clearTimeout(this.#refusal);
    this.#attempt?.settle();
    this.#stand("open");
    this.#wallets.use((wallets) => wallets.settle(false));
    this.#channel.send({ type: "init", options: frameOptions(this.#parts.options, this.#facts), browser: browserData() });
  }

  #receive(message: ToLoader): void {
    const { container, options, resolve } = this.#parts;
    switch (message.type) {
      case "ready":
        this.#clearTimers();
        resolve(this.#instance());
        return notify(options.onLoaded);
      case "title":
        this.#frame.title = message.title;
        return;
      case "size":
        this.#frame.style.height = `${message.height}px`;
        return;
      case "change": {
        const { isComplete, isEmpty, value, errors } = message;
        return notify(options.onChange, { isComplete, isEmpty, value, errors });
      }
      case "submitRequest":
        return container.closest("form")?.requestSubmit();
      case "result":
        if (message.attempt === this.#attempt?.id) this.#attempt.settle(message);
        return;
      case "action":
        this.#wallets.use((wallets) => wallets.settle(true));
        return this.#errands.show(message.action, this.#facts.colorScheme === "dark");
      case "actionDone":
        return this.#errands.done(message.action);
      case "redirect":
        return location.assign(message.url);
      case "complete":
        this.#errands.done();
        this.#wallets.use((wallets) => wallets.settle(isPaid(message.result)));
        return notify(options.onPaymentComplete, message.result as AuthorizePaymentResult);
      case "state":
        return this.#stand(message.state);
      case "cancel":
        this.#wallets.use((wallets) => wallets.settle(false));
        return notify(options.onCancel);
      case "configuration":
        return this.#wallets.use((wallets) => wallets.configure(message));
      case "walletSession":
        return this.#wallets.use((wallets) => wallets.sessionAnswered(message));
      case "error":
        this.#wallets.use((wallets) => wallets.settle(false));
        return report(options, message.error.message, message.error.type);
      default:
        return;
    }
  }

  /** Where nobody can pay by card, nobody can pay by a wallet. */
  #stand(state: FormState): void {
    if (state === this.#state) return;
    this.#state = state;
    const { area } = this.#wallets;
    area.hidden = state === "paid" || state === "ended";
    area.inert = state !== "open";
    notify(this.#parts.options.onStateChange, state);
  }

  /** Runs one attempt to pay. While it runs, others do nothing. */
  async #once<Answer>(run: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    const isElements = this.#parts.surface === "card";
    if (isElements) this.#stand("paying");
    try {
      return await run();
    } finally {
      this.#isBusy = false;
      if (isElements) this.#stand("open");
    }
  }

  #submit(): Promise<PaymentRequestResult | undefined> {
    const { options } = this.#parts;
    return this.#once(async () => {
      const result = await new Promise<Message<"result"> | undefined>((settle) => {
        this.#attempt = { id: randomId(), settle };
        this.#channel.send({ type: "submit", attempt: this.#attempt.id });
      });
      this.#attempt = undefined;
      if (!result?.token) {
        // What is wrong in a field is shown there: it is no failure.
        const failures = result?.errors.filter(({ type }) => type !== "invalid-field") ?? [];
        failures.forEach(({ message, type }) => report(options, message, type));
        return undefined;
      }
      const request = { type: "CARD", token: result.token, ...(result.card && { card: result.card }) };
      await notify(options.onPaymentRequest, request);
      this.#channel.send({ type: "clearCode" });
      return request;
    });
  }

  #update(changes: Partial<Options>): boolean {
    const { surface, options } = this.#parts;
    const next = { ...options, ...changes, apiKey: options.apiKey };
    const mistakes = mistakesOf(surface, next);
    mistakes.forEach((message) => report(options, message, "invalid-option"));
    if (mistakes.length > 0) return false;
    Object.assign(options, next);
    this.#channel.send({ type: "update", options: frameOptions(options, this.#facts) });
    this.#wallets.load();
    return true;
  }

  #instance(): ElementsInstance {
    const { send } = this.#channel;
    const stateOf = () => this.#state;
    return {
      get state() {
        return stateOf();
      },
      submit: () => this.#submit(),
      update: (changes) => this.#update(changes),
      focus: (field) => {
        this.#frame.focus();
        send(field ? { type: "focus", field } : { type: "focus" });
      },
      reset: () => send({ type: "reset" }),
      enable: () => send({ type: "enable" }),
      disable: () => send({ type: "disable" }),
      destroy: () => this.destroy(),
    };
  }

  destroy(): void {
    this.#clearTimers();
    document.removeEventListener("securitypolicyviolation", this.#violated);
    this.#release();
    this.#attempt?.settle();
    this.#errands.end();
    this.#wallets.use((wallets) => wallets.settle(false));
    this.#channel.close();
    this.#box.remove();
    if (mounted.get(this.#parts.container) === this) mounted.delete(this.#parts.container);
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#refusal);
  }

  /** The frame is kept: a slow network may still bring it, and a customer may then pay. */
  readonly #timeOut = (): void => {
    this.#clearTimers();
    // The merchant took the container out of the page before the checkout was there.
    if (!this.#frame.isConnected) return this.destroy();
    // A page in the background, or drawn ahead of a click, has no frames yet.
    if (document.hidden) {
      this.#timer = setTimeout(this.#timeOut, TIMEOUT_MS);
      return;
    }
    const { service, fail } = this.#parts;
    fail(
      `the frame of ${service} does not answer. Likely ${location.origin} is not among the team's allowed origins ` +
        "(pointsman team set --allowed-origin), or the service can't be reached",
      "frame-timeout",
    );
  };

  readonly #violated = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void => {
    const { service, fail } = this.#parts;
    if (!/^(frame|child|default)-src/.test(effectiveDirective) || !blockedURI.startsWith(service)) return;
    this.#clearTimers();
    fail(`the page's Content-Security-Policy forbids the frame: add ${service} to frame-src`, "frame-blocked");
  };
}
