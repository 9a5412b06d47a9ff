/**
 * The checkout: form, button, and the way to what happens after the button was pressed (`paying.ts`), which is loaded behind the form.
 */
import payingFile from "built:paying.js";
import { announcer, type Announce } from "../shared/announce.js";
import type { MessageKey, Messages } from "../shared/messages.js";
import type { FieldKey } from "../shared/messages/en.js";
import { Exponents } from "../shared/money.js";
import type { BrowserData, FieldName, FormState, FrameOptions, SdkConfiguration, UnderWay } from "../shared/protocol.js";
import { Api } from "./api.js";
import { CardForm } from "./cardform.js";
import { configurationOf, TOKEN_ENDED, type Configuration } from "./configuration.js";
import { find, findOptional, make } from "./dom.js";
import { applyLook } from "./look.js";
import { Methods } from "./methods.js";
import { loadPart } from "./part.js";
import type { Paying, PayingForm, PaysWith } from "./paying.js";
import { writtenCards } from "./savedcards.js";
import type { Signal, Surroundings } from "./surroundings.js";
import { labelOf, translate } from "./texts.js";
import { savedCards } from "./vault.js";

/** When the customer reads that it takes a while. Milliseconds. */
const SLOW_MS = 4_000;

export class Checkout implements PayingForm {
  readonly surroundings: Surroundings;
  readonly browser: BrowserData;
  readonly announce: Announce = announcer(find("#pm-live"), find("#pm-alert"));
  readonly exponents = new Exponents(find("#pm-form").dataset["exponents"] ?? "");
  readonly #asked: Promise<Configuration>;
  readonly #form: CardForm;
  readonly #methods: Methods;
  readonly #button = find<HTMLButtonElement>('[data-part="PayButton"]');
  #options: FrameOptions;
  #messages: Messages;
  #api: Api;
  #state: FormState = "open";
  #isEnabled = true;
  #paying: Paying | undefined;
  #loading: Promise<Paying | undefined> | undefined;
  #slow = 0;
  #facts: SdkConfiguration | undefined;

  constructor(options: FrameOptions, messages: Messages, surroundings: Surroundings, browser: BrowserData) {
    this.#options = options;
    this.#messages = messages;
    this.surroundings = surroundings;
    this.browser = browser;
    this.#api = new Api(options.apiKey);
    // Under way while the form is made.
    this.#asked = configurationOf(this.#api, surroundings.shop, options.flowId);
    this.#form = new CardForm(messages, options, {
      announce: this.announce,
      changed: (change) => surroundings.changed(change),
      focused: (field, isFocused) => surroundings.focused(field, isFocused),
    });
    this.#methods = new Methods(() => this.#clearError());
    find("#pm-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.payByForm();
    });
    this.#apply(options, messages);
  }

  get options(): FrameOptions {
    return this.#options;
  }

  get messages(): Messages {
    return this.#messages;
  }

  get api(): Api {
    return this.#api;
  }

  get isCard(): boolean {
    return this.#methods.chosen === "CARD";
  }

  get amount(): string {
    const { amount, currencyCode } = this.#options;
    return amount === undefined || !currencyCode ? "" : this.exponents.format(amount, currencyCode, this.#messages.language);
  }

  async update(options: FrameOptions, messages: Messages): Promise<void> {
    this.#apply(options, messages);
    this.#paying?.useTexts(messages);
    // Buttons of wallets have texts too.
    if (this.#facts) this.surroundings.configured(this.#facts, messages);
    await applyLook(options);
  }

  /** Shows options in their language. What was typed stays. */
  #apply(options: FrameOptions, messages: Messages): void {
    if (options.apiKey !== this.#options.apiKey) this.#api = new Api(options.apiKey);
    this.#options = options;
    this.#messages = messages;
    const values = { amount: this.amount, host: location.host };
    translate(messages, values);
    findOptional('[data-part="Amount"]')?.replaceChildren(values.amount);
    this.#form.apply(messages, options);
    this.#methods.show(options, messages);
    this.#updateButton();
  }

  /** Brings the form to life, calls `ready`, then asks for what is known of the team and of the customer. */
  async start(ready: () => void, underWay?: UnderWay): Promise<void> {
    const asked = this.#asked;
    const look = applyLook(this.#options).then(() => this.#form.offerFields(asked));
    const [cards] = await Promise.all([writtenCards() ? [] : savedCards(this.#api, this.#options.customerId), look]);
    if (cards.length > 0) this.#form.showSavedCards(cards);
    find<HTMLFieldSetElement>("#pm-fields").disabled = false;
    find("#pm-form").removeAttribute("aria-busy");
    find("main").hidden = false;
    this.#updateButton();
    ready();
    // Behind the form, which is painted first.
    setTimeout(() => {
      this.#form.complete();
      void this.#loadPaying();
    });
    const { resumePayment } = this.#options;
    // Anybody can write a link with a result: what is no id of a payment is no return.
    if (underWay) void this.#run((paying) => paying.takeUp(underWay));
    else if (resumePayment?.startsWith("payments:")) void this.#run((paying) => paying.resume(resumePayment));
    await this.#configure(asked);
  }

  async #configure(asked: Promise<Configuration>): Promise<void> {
    const configuration = await asked;
    if (configuration.kind === "unknown") {
      const { type } = configuration.error;
      if (type === TOKEN_ENDED.type && !this.#isBusy) return this.#end((paying) => paying.showExpired());
      this.surroundings.failed(configuration.error);
      return type.endsWith("forbidden") && !this.#isBusy ? this.#end((paying) => paying.showEnded("status.misconfigured")) : undefined;
    }
    const { amount, cardRanges, currencyCode } = configuration.facts;
    if (cardRanges) void this.#form.offerBrands(this.#api);
    this.#facts = configuration.facts;
    this.surroundings.configured(configuration.facts, this.#messages);
    const isOther = (known: unknown, given: unknown) => known !== null && known !== undefined && given !== undefined && known !== given;
    if (isOther(amount, this.#options.amount) || isOther(currencyCode, this.#options.currencyCode)) {
      const bound = `${amount} ${currencyCode}`;
      this.surroundings.failed({ message: `amount and currencyCode differ from those of the client token, ${bound}`, type: "error.validation" });
      await this.#end((paying) => paying.showEnded("status.misconfigured"));
    }
  }

  enable(isEnabled: boolean): void {
    this.#isEnabled = isEnabled;
    find<HTMLFieldSetElement>("#pm-fields").disabled = !isEnabled || this.#isBusy;
    this.#updateButton();
  }

  focus(field?: FieldName): void {
    this.#form.focus(field);
  }

  reset(): void {
    if (this.#isBusy) return;
    this.#clearError();
    this.#form.reset();
  }

  /** The pay button was pressed. */
  async payByForm(): Promise<void> {
    if (this.#isBusy || !this.#isEnabled) return;
    const chosen: PaysWith | undefined = this.isCard ? this.#form.read() : { kind: "method", type: this.#methods.chosen };
    if (chosen) await this.#pay(chosen);
    else this.#form.showProblems();
  }

  /** `transactionId` is the merchant's own of wallet A; without one the attempt has one. */
  async payByWallet(wallet: "walleta" | "walletb", token: string, transactionId?: string): Promise<void> {
    // The wallet's sheet is open, and must learn that nothing comes of it.
    if (this.#isBusy || !this.#isEnabled) return this.surroundings.failed({ message: "Disabled", type: "disabled" });
    await this.#pay({ kind: "wallet", token, transactionId, wallet });
  }

  async #pay(paysWith: PaysWith): Promise<void> {
    const running = this.#run((paying) => paying.pay(paysWith));
    this.announce(this.#messages.get("status.paying", { amount: this.amount }));
    await running;
  }

  signalled(action: string, signal: Signal): void {
    this.#paying?.signalled(action, signal);
  }

  /** Loads what pays, once; after a failure again. */
  #loadPaying(): Promise<Paying | undefined> {
    this.#loading ??= loadPart<typeof import("./paying.js")>(payingFile).then((part) => {
      this.#paying = part && new part.Paying(this);
      if (!part) this.#loading = undefined;
      return this.#paying;
    });
    return this.#loading;
  }

  /** The form is busy from now on. Nothing has been sent where what pays can't be loaded. */
  async #run(act: (paying: Paying) => void | Promise<void>): Promise<void> {
    this.#setBusy();
    const paying = await this.#loadPaying();
    if (paying) return act(paying);
    this.showError(this.#messages.get("error.network"));
    this.surroundings.failed({ message: "A file of the form can't be loaded", type: "network" });
  }

  /** Nobody can pay here. */
  async #end(show: (paying: Paying) => void): Promise<void> {
    this.stand("ended");
    const paying = await this.#loadPaying();
    if (paying) show(paying);
  }

  showProblem(field: FieldName, key: FieldKey): void {
    this.#form.showProblem(field, key);
  }

  showError(text: string): void {
    this.stand("open");
    this.#form.clearCode();
    const place = find('[data-part="Error"]');
    place.replaceChildren(make("p", {}, text));
    place.focus();
    this.announce(text, "assertive");
  }

  #clearError(): void {
    document.querySelector('[data-part="Error"]')?.replaceChildren();
  }

  get #isBusy(): boolean {
    return this.#state !== "open";
  }

  stand(state: FormState): void {
    if (state !== this.#state) this.surroundings.stands(state);
    this.#state = state;
    clearTimeout(this.#slow);
    const fieldset = find<HTMLFieldSetElement>("#pm-fields");
    fieldset.classList.toggle("Keep", this.#isBusy);
    fieldset.disabled = this.#isBusy || !this.#isEnabled;
    this.#write("");
    this.#updateButton();
  }

  /** A payment is under way, and its button says so. */
  #setBusy(): void {
    this.stand("paying");
    this.#clearError();
    this.#slow = window.setTimeout(() => this.note("status.slow"), SLOW_MS);
  }

  note(key: MessageKey): void {
    this.#write(this.#messages.get(key));
  }

  #write(text: string): void {
    const note = find('[data-part="Note"]');
    if (note.textContent !== text && text) this.announce(text);
    note.textContent = text;
  }

  #updateButton(): void {
    this.#button.disabled = this.#isBusy || !this.#isEnabled;
    if (this.#isBusy) this.#button.setAttribute("aria-busy", "true");
    else this.#button.removeAttribute("aria-busy");
    const values = { amount: this.amount };
    const label = labelOf(this.#options.payButton, this.#messages.get("pay-button.label", values), values);
    find('[data-part="PayButton__Label"]').textContent = this.#isBusy ? this.#messages.get("pay-button.paying") : label;
  }
}
