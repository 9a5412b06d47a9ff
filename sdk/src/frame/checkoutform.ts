/**
 * The checkout: form, button, and what happens after the button was pressed. An attempt is under way from its press until
 * the service has said how it ended; meanwhile the button is gone or busy, so that nobody can pay twice. A new press is a
 * new attempt with a key of its own.
 */
import { announcer, type Announce } from "../shared/announce.js";
import { supplyLater, type Messages } from "../shared/messages.js";
import type { MessageKey } from "../shared/messages/en.js";
import { Exponents } from "../shared/money.js";
import { standingOf, type Payment } from "../shared/paymentstatus.js";
import type { Action, BrowserData, FieldName, FrameOptions } from "../shared/protocol.js";
import { Api, type ApiError } from "./api.js";
import { abandonPayment, authorise, readPayment, sleep, type Attempt, type Outcome, type Reading } from "./authorise.js";
import { CardForm, type Chosen } from "./cardform.js";
import { configurationOf, TOKEN_ENDED } from "./configuration.js";
import { find, findOptional, make, randomId } from "./dom.js";
import { applyLook } from "./look.js";
import { Methods } from "./methods.js";
import { paidPanel } from "./receipt.js";
import { problemOf } from "./refusal.js";
import { hidePanel, showPanel, type PanelButton } from "./statuspanel.js";
import { returnAddress, type Errand, type Signal, type Surroundings } from "./surroundings.js";
import { labelOf, translate } from "./texts.js";
import { attachCode, savedCards, storeCard } from "./vault.js";
import { Watch } from "./watch.js";

/** When the customer is told that it takes a while. Milliseconds. */
const SLOW_MS = 4_000;
/** Between two tries while it isn't known whether the request arrived. Seconds. */
const AGAIN_SECONDS = 5;
/** For how long such a request is repeated. Later the customer may have done something else about it. Milliseconds. */
const GIVE_UP_MS = 10 * 60_000;

export class Checkout {
  readonly #surroundings: Surroundings;
  readonly #browser: BrowserData;
  readonly #announce: Announce = announcer(find("#pm-live"), find("#pm-alert"));
  readonly #exponents = new Exponents(find("#pm-form").dataset["exponents"] ?? "");
  readonly #form: CardForm;
  readonly #methods: Methods;
  readonly #button = find<HTMLButtonElement>('[data-part="PayButton"]');
  #options: FrameOptions;
  #messages: Messages;
  #api: Api;
  #isBusy = false;
  #isEnabled = true;
  #errand: Errand | undefined;
  #watch: Watch | undefined;
  /** The last attempt, with the name of its errand. */
  #last: { readonly attempt: Attempt; readonly action: string } | undefined;
  #slow = 0;

  constructor(options: FrameOptions, messages: Messages, surroundings: Surroundings, browser: BrowserData) {
    this.#options = options;
    this.#messages = messages;
    this.#surroundings = surroundings;
    this.#browser = browser;
    this.#api = new Api(options.apiKey);
    this.#form = new CardForm(messages, options, {
      announce: this.#announce,
      changed: (change) => surroundings.changed(change),
      focused: (field, isFocused) => surroundings.focused(field, isFocused),
    });
    this.#methods = new Methods(() => this.#clearError());
    find("#pm-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.payByForm();
    });
    // A page that comes back by the back button, or a tab that is looked at again, may have missed the outcome.
    window.addEventListener("pageshow", () => void this.#watch?.nudge());
    document.addEventListener("visibilitychange", () => void this.#watch?.nudge());
    this.#apply(options, messages);
  }

  get options(): FrameOptions {
    return this.#options;
  }

  async update(options: FrameOptions, messages: Messages): Promise<void> {
    this.#apply(options, messages);
    void supplyLater(messages);
    await applyLook(options);
  }

  /** Shows options in their language. What was typed stays. */
  #apply(options: FrameOptions, messages: Messages): void {
    if (options.apiKey !== this.#options.apiKey) this.#api = new Api(options.apiKey);
    this.#options = options;
    this.#messages = messages;
    const values = { amount: this.#amount, host: location.host };
    translate(messages, values);
    findOptional('[data-part="Amount"]')?.replaceChildren(values.amount);
    this.#form.apply(messages, options);
    this.#methods.show(options, messages);
    this.#updateButton();
  }

  /** Brings the form to life, calls `ready`, then asks for what is known of the team and of the customer. */
  async start(ready: () => void): Promise<void> {
    const [cards] = await Promise.all([savedCards(this.#api, this.#options.customerId), applyLook(this.#options)]);
    if (cards.length > 0) this.#form.showSavedCards(cards);
    find<HTMLFieldSetElement>("#pm-fields").disabled = false;
    find("#pm-form").removeAttribute("aria-busy");
    find("main").hidden = false;
    this.#updateButton();
    ready();
    void supplyLater(this.#messages);
    const { resumePayment } = this.#options;
    // Anybody can write a link with a result: what is no id of a payment is no return.
    if (resumePayment?.startsWith("payments:")) void this.#resume(resumePayment);
    const configuration = await configurationOf(this.#api, this.#surroundings.shop);
    if (configuration.kind === "unknown") {
      const { type } = configuration.error;
      if (type === TOKEN_ENDED.type && !this.#isBusy) return this.#showExpired();
      this.#surroundings.failed(configuration.error);
      if (type.endsWith("forbidden") && !this.#isBusy) this.#showEnded("status.misconfigured");
      return;
    }
    const { amount, cardRanges, currencyCode } = configuration.facts;
    if (cardRanges) void this.#form.offerBrands(this.#api);
    this.#surroundings.configured(configuration.facts, this.#messages);
    const isOther = (known: unknown, given: unknown) => known !== null && known !== undefined && given !== undefined && known !== given;
    if (isOther(amount, this.#options.amount) || isOther(currencyCode, this.#options.currencyCode)) {
      const bound = `${amount} ${currencyCode}`;
      this.#surroundings.failed({ message: `amount and currencyCode differ from those of the client token, ${bound}`, type: "error.validation" });
      this.#showEnded("status.misconfigured");
    }
  }

  /** The customer comes back from an errand: shows how that payment stands. */
  async #resume(id: string): Promise<void> {
    this.#setBusy(true);
    const [reading] = await Promise.all([readPayment(this.#api, id), supplyLater(this.#messages)]);
    // Made with another token. Where there is an intent it sees to it that it is not paid twice, so the customer may go on.
    if (reading.kind === "none" && this.#options.intentId) this.#setBusy(false);
    else this.#showReading(id, reading);
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
    const type = this.#methods.chosen;
    if (type !== "CARD") return this.#pay(() => Promise.resolve({ type }));
    const chosen = this.#form.read();
    if (!chosen) {
      this.#form.showProblems();
      return;
    }
    await this.#pay((key) => this.#cardMethod(chosen, key));
  }

  /** `transactionId` is the merchant's own of wallet A; without one the attempt has one. */
  async payByWallet(wallet: "walleta" | "walletb", walletToken: string, transactionId?: string): Promise<void> {
    // The wallet's sheet is open, and must learn that nothing comes of it.
    if (this.#isBusy || !this.#isEnabled) return this.#surroundings.failed({ message: "Disabled", type: "disabled" });
    const type = wallet === "walleta" ? "WALLETA_PAY" : "WALLETB_PAY";
    await this.#pay((key) => Promise.resolve({ type, walletToken, ...(wallet === "walleta" ? { walletAPay: { transactionId: transactionId ?? key } } : {}) }));
  }

  /** What the page around us, or our own window, saw of the errand. It decides nothing. */
  signalled(action: string, signal: Signal): void {
    const errand = this.#errand;
    if (!errand || errand.action !== action) return;
    if (signal === "givenUp") return void this.#giveUp(errand);
    if (signal === "popupRefused") return this.#surroundings.leave(errand);
    // "closed" is no end either: a bank's page can cut a window off from us while it is open.
    if (signal === "closed") this.#showWaiting(errand);
    void this.#watch?.nudge();
  }

  /** One attempt: a key, a method, an answer. */
  async #pay(methodOf: (key: string) => Promise<object | undefined>): Promise<void> {
    this.#setBusy(true);
    const key = randomId();
    const paymentMethod = await methodOf(key);
    if (!paymentMethod) return;
    const action = randomId();
    const attempt = { input: this.#inputOf(paymentMethod, action), key };
    this.#last = { action, attempt };
    this.#settle(await authorise(this.#api, attempt, () => this.#note("status.retrying")), attempt, action);
  }

  /** A new card goes with the payment, or into the vault first where it is to be saved; a saved one may need its code. */
  async #cardMethod(chosen: Chosen, key: string): Promise<object | undefined> {
    if (chosen.kind === "saved") {
      const reply = chosen.cvc === undefined ? undefined : await attachCode(this.#api, chosen.card.token, chosen.cvc);
      if (reply && (reply.kind !== "answer" || reply.errors.length > 0)) return this.#refuse(reply.kind === "answer" ? reply.errors : [], reply.kind);
      return { token: chosen.card.token, type: "CARD" };
    }
    if (!chosen.isToBeSaved) return { card: chosen.card, type: "CARD" };
    const stored = await storeCard(this.#api, chosen.card, `${key}-card`, this.#options.customerId);
    if (stored.kind === "stored") return { token: stored.token, type: "CARD" };
    return this.#refuse(stored.kind === "refused" ? stored.errors : [], stored.kind);
  }

  #inputOf(paymentMethod: object, action: string): object {
    const { amount, ancestors, currencyCode, customerId, flowId, intentId, orderId, redirectOnly, returnUrl } = this.#options;
    const way = { ancestors, language: this.#messages.language, to: returnUrl ?? "", window: redirectOnly ? "" : "1" };
    const redirectUrl = returnAddress(action, this.#surroundings.shop, way);
    return {
      amount, apmRedirectUrl: redirectUrl, currencyCode, flowId, intentId, orderId, paymentMethod,
      perform3DSecure: { browser: this.#browser, redirectUrl }, ...(customerId ? { customer: { id: customerId } } : {}),
    };
  }

  /** Acts on what the service said of an attempt. */
  #settle(outcome: Outcome, attempt?: Attempt, action = randomId()): void {
    switch (outcome.kind) {
      case "payment": return this.#showPayment(outcome.payment);
      case "errand": return this.#beginErrand({ action, kind: outcome.errand, payment: outcome.id, url: outcome.url });
      case "already": return void readPayment(this.#api, outcome.id).then((reading) => {
        if (reading.kind === "none") this.#showElsewhere(outcome.id);
        else this.#showReading(outcome.id, reading);
      });
      case "refused": return this.#showRefusal(outcome.errors);
      case "unauthorized": return this.#showExpired();
      case "unknown":
        this.#showUnknown();
        if (outcome.id) return this.#follow(outcome.id);
        return attempt ? void this.#sendAgain(attempt, action) : undefined;
    }
  }

  /** No answer at all: the same request under the same key, until one comes. It charges once however often it arrives. */
  async #sendAgain(attempt: Attempt, action: string): Promise<void> {
    for (const end = Date.now() + GIVE_UP_MS; Date.now() < end;) {
      await sleep(AGAIN_SECONDS);
      const outcome = await authorise(this.#api, attempt, () => undefined, true);
      if (outcome.kind !== "unknown" || outcome.id) return this.#settle(outcome, attempt, action);
    }
    this.#showUnknown("status.unknown.long");
  }

  /** Asks for the payment until it is over. */
  #follow(id: string): void {
    this.#watch?.stop();
    this.#watch = new Watch(this.#api, id, (reading) => this.#showReading(id, reading));
  }

  #showReading(id: string, reading: Reading): void {
    const standing = reading.kind === "payment" ? standingOf(reading.payment) : undefined;
    // While the errand goes on, its dialog or window is what the customer sees.
    const isWaiting = this.#errand !== undefined && (standing === "errand" || reading.kind === "silent");
    if (isWaiting) return;
    if (reading.kind === "payment") return this.#showPayment(reading.payment);
    if (reading.kind === "none") return this.#showMissing();
    this.#showUnknown(reading.kind === "unauthorized" ? "status.unknown.long" : "status.unknown.text");
    if (reading.kind === "silent" && !this.#watch) this.#follow(id);
  }

  /** No payment is under an id that we were given: it may still be made. The same request says how it is, and charges once. */
  #showMissing(): void {
    this.#watch?.stop();
    this.#watch = undefined;
    this.#showUnknown("status.unknown.long");
    if (this.#last) void this.#sendAgain(this.#last.attempt, this.#last.action);
  }

  /** The payment as the service has it. */
  #showPayment(payment: Payment): void {
    const standing = standingOf(payment);
    if (standing !== "errand" && this.#errand) {
      this.#surroundings.acted(this.#errand.action);
      this.#errand = undefined;
    }
    switch (standing) {
      case "paid":
        this.#watch?.stop();
        this.#setBusy(true);
        showPanel(paidPanel(payment, this.#messages, this.#exponents));
        this.#announce(this.#messages.get("payment-success-state.label"), "assertive");
        return this.#complete(payment);
      case "declined":
      case "failed":
      case "cancelled":
        this.#complete(payment);
        return this.#showDecline(payment, standing);
      case "errand":
        // Read again after a return or a reload: where the errand is done is not known any more.
        this.#showWaiting(undefined, payment.id);
        return this.#ensureFollowed(payment.id);
      case "review":
        showPanel({ text: this.#messages.get("status.review.text"), title: this.#messages.get("status.review.title"), tone: "waiting" });
        return this.#ensureFollowed(payment.id);
      case "unknown":
        this.#showUnknown();
        return this.#ensureFollowed(payment.id);
    }
  }

  #ensureFollowed(id: string): void {
    if (!this.#watch) this.#follow(id);
  }

  #complete(payment: Payment): void {
    this.#surroundings.completed({ data: { authorizePayment: payment }, errors: [] });
  }

  #beginErrand(errand: Errand): void {
    this.#errand = errand;
    this.#follow(errand.payment);
    this.#showWaiting(errand);
    this.#surroundings.act(errand, this.#errandTexts());
  }

  /** The customer says that it is over: it is, unless the bank was faster. */
  async #giveUp({ action, payment }: { readonly action?: string; readonly payment: string }): Promise<void> {
    const before = await readPayment(this.#api, payment);
    if (before.kind === "payment" && standingOf(before.payment) === "errand") await abandonPayment(this.#api, payment);
    const after = await readPayment(this.#api, payment);
    const isGivenUp = after.kind === "payment" && ["declined", "cancelled"].includes(standingOf(after.payment));
    if (!isGivenUp) {
      void this.#watch?.nudge();
      return;
    }
    this.#watch?.stop();
    this.#watch = undefined;
    this.#errand = undefined;
    if (action) this.#surroundings.acted(action);
    this.#surroundings.cancelled();
    this.#refuseAll("status.cancelled");
  }

  #showWaiting(errand: Errand | undefined, payment = errand?.payment): void {
    const text = (key: MessageKey) => this.#messages.get(key);
    const buttons: PanelButton[] = errand ? [{ label: text("status.waiting.open-again"), press: () => this.#surroundings.act(errand, this.#errandTexts()) }] : [];
    if (payment) buttons.push({ isQuiet: true, label: text("status.waiting.stop"), press: () => void this.#giveUp(errand ?? { payment }) });
    showPanel({ buttons, text: text("status.waiting.text"), title: text("status.waiting.title"), tone: "waiting" });
  }

  #showUnknown(key: "status.unknown.text" | "status.unknown.long" = "status.unknown.text"): void {
    const text = this.#messages.get(key);
    showPanel({ text, title: this.#messages.get("status.unknown.title"), tone: "waiting" });
    this.#announce(text, "assertive");
  }

  /** What the issuer said, in the customer's words; the form stays filled except the code. */
  #showDecline(payment: Payment, standing: "declined" | "failed" | "cancelled"): void {
    const code = payment.paymentCore?.outcome?.declineCode?.toLowerCase() ?? "unknown";
    const words = this.#messages.find(`error.${code}`) ?? this.#messages.get("error.unknown");
    const text = standing === "declined" ? words : this.#messages.get(standing === "failed" ? "status.failed" : "error.payment_cancelled");
    this.#showError(text);
  }

  /** The service refused the request itself. */
  #showRefusal(errors: readonly ApiError[]): void {
    this.#surroundings.completed({ data: { authorizePayment: null }, errors });
    this.#refuse(errors, "refused");
  }

  /** Nothing was sent, or nothing was made of it. Always `undefined`, so that it can end an attempt. */
  #refuse(errors: readonly ApiError[], kind: string): undefined {
    if (kind === "unauthorized") {
      this.#showExpired();
      return undefined;
    }
    if (kind === "lost" || kind === "later") return this.#refuseAll("error.network");
    const { field, key } = problemOf(errors);
    const code = errors[0]?.extensions?.code;
    if (field && this.#methods.chosen === "CARD") {
      this.#setBusy(false);
      this.#form.showProblem(field, key);
    } else {
      this.#refuseAll(code === "error.validation" || code?.endsWith("not-found") || code === "api.key.forbidden" ? "status.misconfigured" : key);
    }
    return undefined;
  }

  #refuseAll(key: MessageKey): undefined {
    this.#showError(this.#messages.get(key));
    return undefined;
  }

  /** Words above the button, and the form again. */
  #showError(text: string): void {
    this.#watch?.stop();
    this.#watch = undefined;
    this.#errand = undefined;
    hidePanel();
    this.#setBusy(false);
    this.#form.clearCode();
    const place = find('[data-part="Error"]');
    place.replaceChildren(make("p", {}, text));
    place.focus();
    this.#announce(text, "assertive");
  }

  #clearError(): void {
    document.querySelector('[data-part="Error"]')?.replaceChildren();
  }

  #showExpired(): void {
    this.#showEnded("status.expired.text");
    this.#surroundings.failed(TOKEN_ENDED);
  }

  /** Made with another credential, such as that of the same page in another tab: it is there, and can't be read here. */
  #showElsewhere(id: string): void {
    const code = "error.authorize.payment-already-authorized";
    this.#showEnded(code);
    this.#surroundings.completed({ data: { authorizePayment: null }, errors: [{ extensions: { code, id }, message: this.#messages.get(code) }] });
  }

  #showEnded(key: "status.expired.text" | "status.misconfigured" | "error.authorize.payment-already-authorized"): void {
    this.#setBusy(true);
    const back = document.querySelector<HTMLAnchorElement>('[data-part="BackLink"]')?.href;
    const buttons = back ? [{ label: this.#messages.get("back-to-shop.label"), press: back }] : [];
    showPanel({ buttons, text: this.#messages.get(key), title: this.#messages.get("status.expired.title"), tone: "ended" });
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    clearTimeout(this.#slow);
    const fieldset = find<HTMLFieldSetElement>("#pm-fields");
    fieldset.classList.toggle("Keep", isBusy);
    fieldset.disabled = isBusy || !this.#isEnabled;
    this.#note(undefined);
    this.#updateButton();
    if (!isBusy) return;
    this.#clearError();
    this.#announce(this.#messages.get("status.paying", { amount: this.#amount }));
    this.#slow = window.setTimeout(() => this.#note("status.slow"), SLOW_MS);
  }

  #note(key: MessageKey | undefined): void {
    const text = key ? this.#messages.get(key) : "";
    const note = find('[data-part="Note"]');
    if (note.textContent !== text && text) this.#announce(text);
    note.textContent = text;
  }

  #updateButton(): void {
    this.#button.disabled = this.#isBusy || !this.#isEnabled;
    if (this.#isBusy) this.#button.setAttribute("aria-busy", "true");
    else this.#button.removeAttribute("aria-busy");
    const values = { amount: this.#amount };
    const label = labelOf(this.#options.payButton, this.#messages.get("pay-button.label", values), values);
    find('[data-part="PayButton__Label"]').textContent = this.#isBusy ? this.#messages.get("pay-button.paying") : label;
  }

  get #amount(): string {
    const { amount, currencyCode } = this.#options;
    return amount === undefined || !currencyCode ? "" : this.#exponents.format(amount, currencyCode, this.#messages.language);
  }

  #errandTexts(): Action["texts"] {
    const text = (key: MessageKey) => this.#messages.get(key, { amount: this.#amount });
    return {
      close: text("modal.close"), goOn: text("modal.go-on"), nothingToSee: text("modal.nothing-to-see"), openWindow: text("modal.open-window"),
      stop: text("modal.stop"), stopQuestion: text("modal.stop-question"), title: text("modal.title"),
    };
  }
}
