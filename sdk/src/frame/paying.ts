/**
 * What happens once the button was pressed. A file of its own, loaded behind the form: nobody needs it before a card can be typed
 * in. An attempt is under way from its press until the service has said how it ended; meanwhile the form is busy or gone, so that
 * nobody can pay twice. A new press is a new attempt with a key of its own.
 */
import type { Announce } from "../shared/announce.js";
import { supplyLater, type MessageKey, type Messages } from "../shared/messages.js";
import type { FieldKey } from "../shared/messages/en.js";
import { outcome } from "../shared/messages/outcome.js";
import type { Exponents } from "../shared/money.js";
import { standingOf, type Payment } from "../shared/paymentstatus.js";
import type { Action, BrowserData, FieldName, FormState, FrameOptions, UnderWay } from "../shared/protocol.js";
import type { Api, ApiError } from "./api.js";
import { abandonPayment, authorise, readPayment, type Attempt, type Outcome, type Reading } from "./authorise.js";
import type { Chosen } from "./cardform.js";
import { TOKEN_ENDED } from "./configuration.js";
import { find, randomId } from "./dom.js";
import { paidPanel } from "./receipt.js";
import { problemOf } from "./refusal.js";
import { sleep } from "./sleep.js";
import { hidePanel, showPanel, type Panel, type PanelButton } from "./statuspanel.js";
import { returnAddress, type Errand, type Signal, type Surroundings } from "./surroundings.js";
import { attachCode, storeCard } from "./vault.js";
import { Watch } from "./watch.js";

/** Between two tries while it isn't known whether the request arrived. Seconds. */
const AGAIN_SECONDS = 5;
/** For how long such a request is repeated. Later the customer may have done something else about it. Milliseconds. */
const GIVE_UP_MS = 10 * 60_000;

/** The loader has made the frame higher by then. Milliseconds. */
const GROWN_MS = 1_000;

/** The form around it. What it shows may change while a payment is under way, so nothing of it is kept here. */
export interface PayingForm {
  readonly announce: Announce;
  readonly api: Api;
  readonly browser: BrowserData;
  readonly exponents: Exponents;
  /** Whether the customer pays with a card, whose fields may be wrong. */
  readonly isCard: boolean;
  readonly messages: Messages;
  readonly options: FrameOptions;
  readonly surroundings: Surroundings;
  /** The amount as the customer reads it. */
  readonly amount: string;
  /** A line below the button. */
  note(key: MessageKey): void;
  /** How the checkout stands: only an open one can be filled in. */
  stand(state: FormState): void;
  /** Words above the button. */
  showError(text: string): void;
  /** An error below a field that the service found. */
  showProblem(field: FieldName, key: FieldKey): void;
}

/** What the customer pays with: of the form, of a wallet's sheet, or another method by its name. */
export type PaysWith =
  | Chosen
  | { readonly kind: "wallet"; readonly wallet: "walleta" | "walletb"; readonly token: string; readonly transactionId?: string | undefined }
  | { readonly kind: "method"; readonly type: string };

export class Paying {
  readonly #form: PayingForm;
  #errand: Errand | undefined;
  #watch: Watch | undefined;
  /** The last attempt, with the name of its errand. */
  #last: { readonly attempt: Attempt; readonly action: string } | undefined;

  constructor(form: PayingForm) {
    this.#form = form;
    this.useTexts(form.messages);
    // A page that comes back by the back button, or a tab that is looked at again, may have missed the outcome.
    window.addEventListener("pageshow", () => void this.#watch?.nudge());
    document.addEventListener("visibilitychange", () => void this.#watch?.nudge());
  }

  /** Texts of what happens from now on: in English at once, in the customer's language as soon as they are there. */
  useTexts(messages: Messages): void {
    messages.fallBackOn(outcome);
    void supplyLater(messages);
  }

  /** One attempt: a key, a method, an answer. The form is busy already. */
  async pay(paysWith: PaysWith): Promise<void> {
    const key = randomId();
    const paymentMethod = await this.#methodOf(paysWith, key);
    if (!paymentMethod) return;
    const action = randomId();
    const attempt = { input: this.#inputOf(paymentMethod, action), key };
    this.#last = { action, attempt };
    this.#settle(await authorise(this.#form.api, attempt, () => this.#form.note("status.retrying")), attempt, action);
  }

  /** The customer comes back from an errand: shows how that payment stands. */
  async resume(id: string): Promise<void> {
    const { api, messages, options } = this.#form;
    const [reading] = await Promise.all([readPayment(api, id), supplyLater(messages)]);
    // Made with another token. Where there is an intent it sees to it that it is not paid twice, so the customer may go on.
    if (reading.kind === "none" && options.intentId) this.#form.stand("open");
    else this.#showReading(id, reading);
  }

  /** Goes on where an earlier document of this frame stood. */
  async takeUp({ errand, payment }: UnderWay): Promise<void> {
    if (!payment) {
      await supplyLater(this.#form.messages);
      return this.#showUnknown("status.unknown.long");
    }
    if (!errand) return this.resume(payment);
    this.#errand = { ...errand, payment };
    this.#follow(payment);
    this.#showWaiting(this.#errand);
    return this.#watch?.nudge();
  }

  /** What the page around us, or our own window, saw of the errand. It decides nothing. */
  signalled(action: string, signal: Signal): void {
    const errand = this.#errand;
    if (!errand || errand.action !== action) return;
    if (signal === "givenUp") return void this.#giveUp(errand);
    if (signal === "popupRefused") return this.#form.surroundings.leave(errand);
    // "closed" is no end either: a bank's page can cut a window off from us while it is open.
    if (signal === "closed") this.#showWaiting(errand);
    void this.#watch?.nudge();
  }

  /** The client token has ended. */
  showExpired(): void {
    this.showEnded("status.expired.text");
    this.#form.surroundings.failed(TOKEN_ENDED);
  }

  showEnded(key: "status.expired.text" | "status.misconfigured" | "status.no-more-tries" | "error.authorize.payment-already-authorized"): void {
    const { messages } = this.#form;
    const back = document.querySelector<HTMLAnchorElement>('[data-part="BackLink"]')?.href;
    const buttons = back ? [{ label: messages.get("back-to-shop.label"), press: back }] : [];
    this.#show({ buttons, text: messages.get(key), title: messages.get("status.expired.title"), tone: "ended" }, "ended");
  }

  /** A new card goes with the payment, or into the vault first where it is to be saved; a saved one may need its code. */
  async #methodOf(paysWith: PaysWith, key: string): Promise<object | undefined> {
    const { api, options } = this.#form;
    switch (paysWith.kind) {
      case "method": return { type: paysWith.type };
      case "wallet": {
        const { token: walletToken, transactionId, wallet } = paysWith;
        if (wallet === "walletb") return { type: "WALLETB_PAY", walletToken };
        return { type: "WALLETA_PAY", walletAPay: { transactionId: transactionId ?? key }, walletToken };
      }
      case "saved": {
        const { card, cvc } = paysWith;
        const reply = cvc === undefined ? undefined : await attachCode(api, card.token, cvc);
        if (reply && (reply.kind !== "answer" || reply.errors.length > 0)) return this.#refuse(reply.kind === "answer" ? reply.errors : [], reply.kind);
        return { token: card.token, type: "CARD" };
      }
      case "card": {
        if (!paysWith.isToBeSaved) return { card: paysWith.card, type: "CARD" };
        const stored = await storeCard(api, { card: paysWith.card }, `${key}-card`, options.customerId);
        if (stored.kind === "stored") return { token: stored.token, type: "CARD" };
        return this.#refuse(stored.kind === "refused" ? stored.errors : [], stored.kind);
      }
      case "own": {
        const given = await paysWith.give();
        if (typeof given !== "string") return { processorToken: given, type: "CARD" };
        if (given === "lost") return this.#refuse([], given);
        // The fields show themselves what is wrong in them.
        this.#form.stand("open");
        return undefined;
      }
    }
  }

  #inputOf(paymentMethod: object, action: string): object {
    const { browser, messages, options, surroundings } = this.#form;
    const { amount, ancestors, currencyCode, customerId, flowId, intentId, orderId, redirectOnly, returnUrl } = options;
    const way = { ancestors, language: messages.language, to: returnUrl ?? "", window: redirectOnly ? "" : "1" };
    const redirectUrl = returnAddress(action, surroundings.shop, way);
    return {
      amount, apmRedirectUrl: redirectUrl, currencyCode, flowId, intentId, orderId, paymentMethod,
      perform3DSecure: { browser, redirectUrl }, ...(customerId ? { customer: { id: customerId } } : {}),
    };
  }

  /** Acts on what the service said of an attempt. */
  #settle(outcome: Outcome, attempt?: Attempt, action = randomId()): void {
    switch (outcome.kind) {
      case "payment": return this.#showPayment(outcome.payment);
      case "errand": return this.#beginErrand({ action, kind: outcome.errand, payment: outcome.id, url: outcome.url });
      case "already": return void readPayment(this.#form.api, outcome.id).then((reading) => {
        if (reading.kind === "none") this.#showElsewhere(outcome.id);
        else this.#showReading(outcome.id, reading);
      });
      case "refused": return this.#showRefusal(outcome.errors);
      case "unauthorized": return this.showExpired();
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
      const outcome = await authorise(this.#form.api, attempt, () => undefined, true);
      if (outcome.kind !== "unknown" || outcome.id) return this.#settle(outcome, attempt, action);
    }
    this.#showUnknown("status.unknown.long");
  }

  /** Asks for the payment until it is over. */
  #follow(id: string): void {
    this.#watch?.stop();
    this.#form.surroundings.underWay?.(id, this.#errand);
    this.#watch = new Watch(this.#form.api, id, (reading) => this.#showReading(id, reading));
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
    const { announce, exponents, messages } = this.#form;
    const standing = standingOf(payment);
    if (standing !== "errand" && this.#errand) {
      this.#form.surroundings.acted(this.#errand.action);
      this.#errand = undefined;
    }
    switch (standing) {
      case "paid":
        this.#watch?.stop();
        this.#show(paidPanel(payment, messages, exponents), "paid");
        announce(messages.get("payment-success-state.label"), "assertive");
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
        this.#show({ text: messages.get("status.review.text"), title: messages.get("status.review.title"), tone: "waiting" });
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
    this.#form.surroundings.completed({ data: { authorizePayment: payment }, errors: [] });
  }

  #beginErrand(errand: Errand): void {
    this.#errand = errand;
    this.#follow(errand.payment);
    this.#showWaiting(errand);
    this.#form.surroundings.act(errand, this.#errandTexts());
  }

  /** The customer says that it is over: it is, unless the bank was faster. */
  async #giveUp({ action, payment }: { readonly action?: string; readonly payment: string }): Promise<void> {
    const { api, surroundings } = this.#form;
    const before = await readPayment(api, payment);
    if (before.kind === "payment" && standingOf(before.payment) === "errand") await abandonPayment(api, payment);
    const after = await readPayment(api, payment);
    const isGivenUp = after.kind === "payment" && ["declined", "cancelled"].includes(standingOf(after.payment));
    if (!isGivenUp) {
      void this.#watch?.nudge();
      return;
    }
    if (action) surroundings.acted(action);
    surroundings.cancelled();
    this.#showError("status.cancelled");
  }

  #showWaiting(errand: Errand | undefined, payment = errand?.payment): void {
    const text = (key: MessageKey) => this.#form.messages.get(key);
    const openAgain = (again: Errand) => () => this.#form.surroundings.act(again, this.#errandTexts());
    const buttons: PanelButton[] = errand ? [{ label: text("status.waiting.open-again"), press: openAgain(errand) }] : [];
    if (payment) buttons.push({ isQuiet: true, label: text("status.waiting.stop"), press: () => void this.#giveUp(errand ?? { payment }) });
    this.#show({ buttons, text: text("status.waiting.text"), title: text("status.waiting.title"), tone: "waiting" });
  }

  #showUnknown(key: "status.unknown.text" | "status.unknown.long" = "status.unknown.text"): void {
    const { announce, messages } = this.#form;
    const text = messages.get(key);
    this.#show({ text, title: messages.get("status.unknown.title"), tone: "waiting" });
    announce(text, "assertive");
  }

  /** What the issuer said, in the customer's words; the form stays filled except the code. */
  #showDecline(payment: Payment, standing: "declined" | "failed" | "cancelled"): void {
    if (standing !== "declined") return this.#showError(standing === "failed" ? "status.failed" : "error.payment_cancelled");
    const code = payment.paymentCore?.outcome?.declineCode?.toLowerCase() ?? "unknown";
    return this.#showError("error.unknown", this.#form.messages.find(`error.${code}`));
  }

  /** The service refused the request itself. */
  #showRefusal(errors: readonly ApiError[]): void {
    this.#form.surroundings.completed({ data: { authorizePayment: null }, errors });
    this.#refuse(errors, "refused");
  }

  /** Nothing was sent, or nothing was made of it. Always `undefined`, so that it can end an attempt. */
  #refuse(errors: readonly ApiError[], kind: string): undefined {
    const { field, key } = problemOf(errors);
    const code = errors[0]?.extensions?.code;
    if (kind === "unauthorized") {
      this.showExpired();
    } else if (kind === "lost" || kind === "later") {
      this.#showError("error.network");
    } else if (field && this.#form.isCard) {
      this.#form.stand("open");
      this.#form.showProblem(field, key);
    } else if (code === "error.authorize.too-many-attempts") {
      this.showEnded("status.no-more-tries");
    } else {
      this.#showError(code === "error.validation" || code?.endsWith("not-found") || code === "api.key.forbidden" ? "status.misconfigured" : key);
    }
    return undefined;
  }

  /** A panel in the form's place. */
  #show(panel: Panel, state: FormState = "paying"): void {
    this.#form.stand(state);
    showPanel(panel);
  }

  /** Words above the button, and the form again. Nothing is under way any more. */
  #showError(key: MessageKey, text = this.#form.messages.get(key)): void {
    this.#watch?.stop();
    this.#watch = undefined;
    this.#errand = undefined;
    hidePanel();
    this.#form.showError(text);
    keepInView(find('[data-part="Error"]'));
  }

  /** Made with another credential, such as that of the same page in another tab: it is there, and can't be read here. */
  #showElsewhere(id: string): void {
    const code = "error.authorize.payment-already-authorized";
    const { messages, surroundings } = this.#form;
    this.showEnded(code);
    surroundings.completed({ data: { authorizePayment: null }, errors: [{ extensions: { code, id }, message: messages.get(code) }] });
  }

  #errandTexts(): Action["texts"] {
    const { amount, messages } = this.#form;
    const text = (key: MessageKey) => messages.get(key, { amount });
    return {
      close: text("modal.close"), goOn: text("modal.go-on"), nothingToSee: text("modal.nothing-to-see"), openWindow: text("modal.open-window"),
      stop: text("modal.stop"), stopQuestion: text("modal.stop-question"), title: text("modal.title"),
    };
  }
}

/** The frame grows by what is shown in it, after the browser has brought that into view: what is at its lower edge is out of sight then. */
function keepInView(element: HTMLElement): void {
  const bring = () => element.scrollIntoView({ block: "nearest" });
  window.addEventListener("resize", bring, { once: true });
  setTimeout(() => window.removeEventListener("resize", bring), GROWN_MS);
}
