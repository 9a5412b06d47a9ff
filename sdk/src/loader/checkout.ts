/** One checkout in the page: the frame of Elements or Drop-In, and what the merchant holds of it. */
import type { FormState, Surface, ToFrame, ToLoader, UnderWay } from "../shared/protocol.js";
import { absenceText } from "./absence.js";
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

/** How long each try may take until the frame speaks. Milliseconds. */
const HELLO_MS = [4_000, 4_000, 8_000];
/** How long a frame that has spoken may take until the form can be used: it bounds and repeats what it asks for by itself. */
const READY_MS = 40_000;
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
  const { status } = paymentOf(data);
  return errors.length === 0 && !["DECLINED", "FAILED", "CANCELLED"].includes(status as string);
}

function paymentOf(data: unknown): { readonly id?: string; readonly status?: string } {
  return (data as AuthorizePaymentResult["data"])?.authorizePayment ?? {};
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
  #frame!: HTMLIFrameElement;
  #channel!: Channel;
  readonly #errands: Errands;
  readonly #wallets: WalletsPlace;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refusal: ReturnType<typeof setTimeout> | undefined;
  readonly #release: () => void;
  readonly #observer = new MutationObserver(() => this.#look());
  #tries = 0;
  #isConnected = false;
  #isReady = false;
  /** What the frame follows, or has followed to its end. */
  #underWay: UnderWay = {};
  /** The outcome that the merchant has heard of. */
  #answered = "";
  #isBusy = false;
  #state: FormState = "open";
  #attempt: { id: string; settle(result?: Message<"result">): void } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { surface, service, container, options } = parts;
    mounted.get(container)?.destroy();
    mounted.set(container, this);
    this.#facts = pageFacts(container);
    const send = (message: ToFrame) => this.#channel.send(message);
    this.#errands = makeErrands(service, (action, signal) => send({ type: "actionSignal", action, signal }));
    this.#wallets = placeWallets({
      surface, service, options, send, once: (run) => this.#once(run),
      report: (message, type = "wallet") => report(options, message, type),
    });
    this.#release = surface === "card" ? interceptForm(container, () => void this.#submit()) : () => {};
    document.addEventListener("securitypolicyviolation", this.#violated);
    // One box, whatever layout the container has for its children.
    this.#box.style.cssText = "display:block;width:100%;margin:0;padding:0";
    this.#box.append(this.#wallets.area);
    container.append(this.#box);
    this.#load();
    for (let root = container.getRootNode(); ; root = root.host.getRootNode()) {
      this.#observer.observe(root, { childList: true, subtree: true });
      if (!(root instanceof ShadowRoot)) break;
    }
  }

  /** Loads the frame, in the place of one that does not speak. */
  #load(): void {
    const { surface, service, container, options } = this.#parts;
    const id = randomId();
    this.#channel?.close();
    this.#frame?.remove();
    const frame = makeFormFrame(surface, service, id);
    this.#frame = frame;
    frame.style.height = `${expectedHeight(surface, frameOptions(options, this.#facts), container.clientWidth)}px`;
    // A frame of another scheme than its document has an opaque ground.
    frame.style.colorScheme = this.#facts.colorScheme ?? "";
    this.#channel = openChannel(frame, service, id, {
      onConnected: () => this.#start(),
      onMessage: (message) => this.#receive(message),
    });
    this.#timer = setTimeout(this.#timeOut, HELLO_MS[this.#tries]);
    frame.onload = () => {
      if (!this.#isConnected) this.#refusal = setTimeout(this.#timeOut, SILENCE_MS);
    };
    this.#box.append(frame);
  }

  /** The frame is there, perhaps for the second time, as after its container was moved: it goes on with the payment that the first had begun. */
  #start(): void {
    this.#isConnected = true;
    this.#clearTimers();
    if (!this.#isReady) this.#timer = setTimeout(this.#timeOut, READY_MS);
    this.#attempt?.settle();
    const underWay = this.#state === "paying" || this.#state === "paid" ? this.#underWay : undefined;
    const isTakenUp = this.#parts.surface === "checkout" && underWay;
    if (!isTakenUp) this.#stand("open");
    // The customer may be at the bank: the dialog stays for what the frame takes up, and for nothing else.
    if (!isTakenUp || !underWay.errand) this.#errands.done();
    this.#wallets.use((wallets) => wallets.settle(false));
    this.#channel.send({
      type: "init", options: frameOptions(this.#parts.options, this.#facts), browser: browserData(), ...(isTakenUp && { underWay }),
    });
  }

  /** Where the container has left the page nothing goes on: it may come back, and then does. */
  #look(): void {
    if (this.#box.isConnected) return;
    this.#attempt?.settle();
    this.#errands.done();
    this.#underWay = this.#underWay.payment ? { payment: this.#underWay.payment } : {};
    this.#wallets.use((wallets) => wallets.settle(false));
  }

  #receive(message: ToLoader): void {
    const { container, options, resolve } = this.#parts;
    switch (message.type) {
      case "ready":
        this.#clearTimers();
        this.#isReady = true;
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
      case "underWay":
        this.#underWay = message.underWay;
        return;
      case "complete":
        return this.#complete(message.result);
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

  /** A frame that was loaded again says once more what the merchant knows. */
  #complete(result: Message<"complete">["result"]): void {
    const { id, status } = paymentOf(result.data);
    this.#errands.done();
    this.#wallets.use((wallets) => wallets.settle(isPaid(result)));
    if (id) this.#underWay = { payment: id };
    const said = `${id} ${status}`;
    if (id && said === this.#answered) return;
    this.#answered = said;
    notify(this.#parts.options.onPaymentComplete, result as AuthorizePaymentResult);
  }

  /** Where nobody can pay by card, nobody can pay by a wallet. */
  #stand(state: FormState): void {
    if (state === this.#state) return;
    // Another attempt, or none.
    if (state === "open") this.#underWay = {};
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
    const send = (message: ToFrame) => this.#channel.send(message);
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
    this.#end();
    this.#box.remove();
    if (mounted.get(this.#parts.container) === this) mounted.delete(this.#parts.container);
  }

  #end(): void {
    this.#clearTimers();
    this.#observer.disconnect();
    document.removeEventListener("securitypolicyviolation", this.#violated);
    this.#release();
    this.#attempt?.settle();
    this.#errands.end();
    this.#wallets.use((wallets) => wallets.settle(false));
    this.#channel.close();
  }

  /** There is no form: the customer reads so in its place, and the merchant why. */
  #fail(message: string, type: string): void {
    this.#end();
    this.#box.replaceChildren(absenceText(this.#parts.options.language));
    this.#parts.fail(message, type);
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#refusal);
  }

  /** One lost request is no end: the frame is loaded again, twice at most. */
  readonly #timeOut = (): void => {
    this.#clearTimers();
    // The merchant took the container out of the page before the checkout was there.
    if (!this.#frame.isConnected) return this.destroy();
    // A page in the background, or drawn ahead of a click, has no frames yet.
    if (document.hidden) {
      this.#timer = setTimeout(this.#timeOut, HELLO_MS[0]);
      return;
    }
    this.#tries += 1;
    if (!this.#isConnected && this.#tries < HELLO_MS.length) return this.#load();
    this.#fail(
      `the frame of ${this.#parts.service} does not answer: either the service can't be reached, or ${location.origin} is not among ` +
        "the team's allowed origins (pointsman team set --allowed-origin)",
      "frame-timeout",
    );
  };

  readonly #violated = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent): void => {
    const { service } = this.#parts;
    // A policy that only reports forbids nothing; a form that stands is no form that is forbidden.
    if (this.#isReady || disposition !== "enforce" || !/^(frame|child|default)-src/.test(effectiveDirective) || !blockedURI.startsWith(service)) return;
    this.#fail(`the page's Content-Security-Policy forbids the frame: add ${service} to frame-src`, "frame-blocked");
  };
}
