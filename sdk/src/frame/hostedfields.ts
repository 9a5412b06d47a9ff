/**
 * A processor's own card fields in the place of the form's number, expiry and code. They stand in a document of their own, whose
 * script the processor serves; what comes from it is a token. A file of its own: most shops need none of it.
 */
import type { Messages } from "../shared/messages.js";
import { PROTOCOL, type CardFieldName, type FieldName, type FrameOptions, type SdkHostedFields } from "../shared/protocol.js";
import type { FieldsChange, FieldsDetails, FieldsHello, FieldsLook, FieldsResult, FieldsSetup, FromFields, ToFields } from "../shared/fieldsprotocol.js";
import { find, make, randomId } from "./dom.js";
import type { FormField, Problem } from "./field.js";

/** For how long the document may take to come. Milliseconds. */
const PATIENCE_MS = 20_000;

/** What stands in the place of a card in a request. */
export interface ProcessorToken extends Pick<FieldsDetails, "name" | "billingAddress"> {
  readonly connectionId: string;
  readonly token: string;
}

/** The form around the fields. */
export interface FormAround {
  /** A field has got the focus, or has lost it. */
  readonly focused: (field: FieldName, isFocused: boolean) => void;
  /** The texts as they are now. */
  readonly messages: () => Messages;
  /** What the fields say of themselves has changed. */
  readonly refresh: () => void;
}

const COLOURS = {
  control: "--pm-control", error: "--pm-signal", focus: "--pm-focus", ground: "--pm-surface", ink: "--pm-ink", quiet: "--pm-ink-2", ring: "--pm-ring",
} as const;

const TEXTS = ["number", "expiry", "cvc"].flatMap((field) =>
  ["aria-label", "placeholder", "errors.required", "errors.min-length", "errors.max-length", "errors.invalid-number", "errors.pattern", "errors.expired"]
    .map((text) => `card.${field}.${text}`));

export class HostedFields {
  /** What stands in the form's list in the place of its own fields. */
  readonly fields: Readonly<Record<CardFieldName, FormField>>;
  readonly #given: SdkHostedFields;
  readonly #around: FormAround;
  readonly #options: FrameOptions;
  readonly #frame: HTMLIFrameElement;
  readonly #waiting = new Map<number, (result: FieldsResult) => void>();
  #port: MessagePort | undefined;
  #change: FieldsChange = { errors: {}, isComplete: false, isEmpty: true };
  #requests = 0;

  constructor(given: SdkHostedFields, options: FrameOptions, around: FormAround) {
    this.#given = given;
    this.#options = options;
    this.#around = around;
    this.#frame = make("iframe", { "data-part": "HostedFields", title: this.#messages.get("frame.title") });
    // Our own stay in the document, where nobody sees them: the form reads no problem from them.
    const names = ["cardnumber", "cc-exp", "cvc", ...(given.asksForName ? ["ccname"] : [])];
    const ours = make("div", { hidden: true }, ...names.map((name) => find(`[data-field="${name}"]`)));
    find('[data-part="Card"]').prepend(make("div", { class: "Field" }, this.#frame), ours);
    // It says where the card details go that are typed into our own fields.
    document.querySelector('[data-part="Trust"]')?.remove();
    this.fields = { cvc: this.#field("cvc"), expiry: this.#field("expiry"), number: this.#field("number") };
    const fieldset = find<HTMLFieldSetElement>("#pm-fields");
    new MutationObserver(() => this.#post({ isEnabled: !fieldset.disabled, type: "enable" })).observe(fieldset, { attributeFilter: ["disabled"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#update());
  }

  get #messages(): Messages {
    return this.#around.messages();
  }

  /** One of the fields as the form sees it. The first of them speaks for all; what each shows is the processor's to draw. */
  #field(name: CardFieldName): FormField {
    const isFirst = name === "number";
    const problem = (): Problem => {
      const { errors, isComplete } = this.#change;
      const known = errors[name] ?? (isFirst && !isComplete && Object.keys(errors).length === 0 ? "card.number.errors.required" : undefined);
      return known as Problem;
    };
    const text = (): string => isFirst && !this.#change.isEmpty ? "•" : "";
    const clear = (): void => {
      if (isFirst) this.#post({ type: "clear" });
    };
    return {
      get problem() { return problem(); },
      get value() { return text(); },
      set value(_: string) { clear(); },
      hide: () => undefined,
      input: {
        addEventListener: () => undefined,
        focus: () => this.#focus(name),
        hasAttribute: () => this.#change.errors[name] !== undefined,
        setAttribute: () => undefined,
        toggleAttribute: () => false,
      },
      isHidden: false,
      // The fields show all that is wrong in them when they are asked for a token.
      show: (wrong) => {
        if (isFirst && wrong && !this.#change.isComplete) void this.#tokenise({});
      },
      translate: () => {
        if (isFirst) this.#update();
      },
    };
  }

  /** Fields that are not filled in right have brought the customer to the first of them. */
  #focus(field: CardFieldName): void {
    this.#frame.focus();
    if (this.#change.isComplete || this.#change.isEmpty) this.#post({ field, type: "focus" });
  }

  /** Another look or language. */
  #update(): void {
    this.#frame.title = this.#messages.get("frame.title");
    this.#post({ setup: this.#setup(), type: "update" });
  }

  /** A token for what was typed. `wrong`: the fields show why there is none; `lost`: the processor did not answer. */
  async give(details: FieldsDetails): Promise<ProcessorToken | "wrong" | "lost"> {
    const { amount, currencyCode } = this.#options;
    const { isWrong, token } = await this.#tokenise({ ...details, ...(amount === undefined ? {} : { amount }), ...(currencyCode ? { currencyCode } : {}) });
    if (!token) return isWrong ? "wrong" : "lost";
    return { ...details, connectionId: this.#given.connectionId, token };
  }

  #tokenise(details: FieldsDetails): Promise<FieldsResult> {
    if (!this.#port) return Promise.resolve({});
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((resolve) => {
      this.#waiting.set(request, resolve);
      // With a disabled form around them the fields can't show what is wrong.
      this.#post({ details, request, type: "tokenise" });
    });
  }

  #post(message: ToFields): void {
    this.#port?.postMessage(message);
  }

  /** Loads the document, and waits until the fields are there. Where that fails the form says so in their place. */
  async connect(): Promise<void> {
    const id = randomId();
    const { ancestors } = this.#options;
    const shop = find("#pm-form").dataset["origin"] || location.origin;
    const address = new URL(this.#given.frame, location.origin);
    // The document is ours; its name for the processor comes from the service.
    address.searchParams.set("origin", shop);
    for (const origin of ancestors) address.searchParams.append("ancestor", origin);
    address.hash = id;
    const isShown = await new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), PATIENCE_MS);
      const done = (isMounted: boolean) => {
        clearTimeout(late);
        resolve(isMounted);
      };
      const hello = ({ data, origin, ports, source }: MessageEvent<Partial<FieldsHello> | null>) => {
        const [port] = ports;
        const isOurs = source === this.#frame.contentWindow && (origin === "null" || origin === location.origin);
        if (!isOurs || data?.pointsman !== PROTOCOL || data.fields !== id || !port) return;
        window.removeEventListener("message", hello);
        port.onmessage = ({ data: message }: MessageEvent<FromFields>) => this.#receive(message, done);
        this.#port = port;
        this.#post({ parameters: this.#given.parameters, setup: this.#setup(), type: "mount" });
      };
      window.addEventListener("message", hello);
      this.#frame.src = address.href;
    });
    if (isShown) return;
    this.#port = undefined;
    const text = this.#messages.get("error.network");
    this.#frame.replaceWith(make("p", { "data-error-for": "hosted-fields" }, text));
  }

  #receive(message: FromFields, done: (isMounted: boolean) => void): void {
    switch (message.type) {
      case "mounted": return done(true);
      case "failed":
        console.error(`Pointsman: the fields of ${this.#given.processor} can't be shown: ${message.message}`);
        return done(false);
      case "size": return this.#frame.style.setProperty("block-size", `${Math.min(Math.max(message.height, 0), 1_000)}px`);
      case "change":
        this.#change = { errors: message.errors, isComplete: message.isComplete, isEmpty: message.isEmpty };
        return this.#around.refresh();
      case "focus": return this.#around.focused(message.field, message.isFocused);
      case "enter": return enter();
      case "result":
        this.#waiting.get(message.request)?.(message);
        this.#waiting.delete(message.request);
    }
  }

  #setup(): FieldsSetup {
    const { direction, language } = this.#messages;
    const texts: Record<string, string> = {};
    for (const key of TEXTS) {
      const text = this.#messages.find(key);
      if (text !== undefined) texts[key] = text;
    }
    return { language, look: lookOf(direction, this.#options.layout), texts, title: this.#messages.get("frame.title") };
  }
}

/** Enter in the processor's fields is Enter in the form: the pay button, or the merchant's form. */
function enter(): void {
  const form = find<HTMLFormElement>("#pm-form");
  if (form.dataset["surface"] !== "card") return form.requestSubmit();
  // Elements listens for the key in our own fields.
  find("#ccname").dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "Enter" }));
}

/** Our look in values that hold outside this document: its custom properties resolved. */
function lookOf(direction: "ltr" | "rtl", layout: FrameOptions["layout"]): FieldsLook {
  const root = getComputedStyle(document.documentElement);
  const probe = make("i");
  document.body.append(probe);
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([name, property]) => {
    probe.style.setProperty("color", `var(${property})`);
    return [name, getComputedStyle(probe).color];
  })) as Record<keyof typeof COLOURS, string>;
  probe.style.setProperty("font-size", "var(--pm-size-2)");
  const labelSize = getComputedStyle(probe).fontSize;
  probe.remove();
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const border = document.documentElement.dataset["border"];
  return {
    ...colours, border: border === "bottom" || border === "square" ? border : "round", direction, font: fontFamily, "label-size": labelSize, layout,
    line: root.getPropertyValue("--pm-line-height").trim(), radius: root.getPropertyValue("--pm-radius").trim(), scheme: root.colorScheme, size: fontSize,
  };
}
