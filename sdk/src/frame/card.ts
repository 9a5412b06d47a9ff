/** Elements: the card fields inside the merchant's form. The merchant owns the button; `submit` asks for a token. */
import { announcer } from "../shared/announce.js";
import { loadMessages, type Messages } from "../shared/messages.js";
import { fields } from "../shared/messages/en.js";
import { readOptions } from "../shared/options.js";
import type { FrameOptions, SdkConfiguration, ToFrame } from "../shared/protocol.js";
import { Api } from "./api.js";
import { CardForm, type Chosen } from "./cardform.js";
import { openChannel, reportHeight, type Channel } from "./channel.js";
import { configurationOf, walletFacts } from "./configuration.js";
import { find } from "./dom.js";
import { applyLook } from "./look.js";
import { problemOf } from "./refusal.js";
import { translate } from "./texts.js";
import { walletSession } from "./walletsession.js";
import { attachCode, factsOf, savedCards, storeCard, type Stored } from "./vault.js";

class Elements {
  readonly #channel: Channel;
  readonly #form: CardForm;
  #options: FrameOptions;
  #messages: Messages;
  #isSubmitting = false;
  #isForbidden = false;
  #facts: SdkConfiguration | undefined;

  constructor(channel: Channel, options: FrameOptions, messages: Messages) {
    this.#channel = channel;
    this.#options = options;
    this.#messages = messages;
    this.#form = new CardForm(messages, options, {
      announce: announcer(find("#pm-live"), find("#pm-alert")),
      changed: (change) => channel.post({ type: "change", ...change }),
      focused: (field, isFocused) => channel.post({ field, type: isFocused ? "focus" : "blur" }),
    });
    // The form that Enter sends is the merchant's, in another document. A browser sends none that has several fields and no button.
    find("#pm-form").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      channel.post({ type: "submitRequest" });
    });
  }

  async start(): Promise<void> {
    const api = new Api(this.#options.apiKey);
    const asked = configurationOf(api, shopOrigin(), this.#options.flowId);
    const [cards] = await Promise.all([savedCards(api, this.#options.customerId), this.#show().then(() => this.#form.offerFields(asked))]);
    if (cards.length > 0) this.#form.showSavedCards(cards);
    this.enable(true);
    find("#pm-form").removeAttribute("aria-busy");
    find("main").hidden = false;
    reportHeight(this.#channel);
    this.#channel.post({ type: "ready" });
    setTimeout(() => this.#form.complete());
    const configuration = await asked;
    if (configuration.kind === "known") {
      if (configuration.facts.cardRanges) void this.#form.offerBrands(api);
      this.#facts = configuration.facts;
      this.#tellWallets();
    } else {
      // Another team allows this page, and not the token's own.
      if (configuration.error.type === "api.key.forbidden") {
        this.#isForbidden = true;
        this.enable(false);
      }
      this.#channel.post({ error: configuration.error, type: "error" });
    }
  }

  async update(given: unknown): Promise<void> {
    const options = readOptions(given, this.#options);
    if (options.language !== this.#options.language) this.#messages = await loadMessages(options.language, fields);
    this.#options = options;
    this.#tellWallets();
    await this.#show();
  }

  /** Buttons of wallets have texts in the customer's language. */
  #tellWallets(): void {
    if (this.#facts) this.#channel.post(walletFacts(this.#facts, this.#messages));
  }

  /** Answers one press of the merchant's button. */
  async submit(attempt: string): Promise<void> {
    const chosen = this.#isSubmitting ? undefined : this.#form.read();
    if (!chosen) {
      const problem = this.#isSubmitting ? undefined : this.#form.showProblems();
      const message = problem ? this.#messages.get(problem) : "A submission is under way";
      this.#channel.post({ attempt, errors: [{ message, type: problem ? "invalid-field" : "submitting" }], type: "result" });
      return;
    }
    this.#isSubmitting = true;
    this.enable(false);
    const api = new Api(this.#options.apiKey);
    if (chosen.kind === "saved") {
      const reply = chosen.cvc === undefined ? undefined : await attachCode(api, chosen.card.token, chosen.cvc);
      const failed = reply && (reply.kind !== "answer" || reply.errors.length > 0);
      if (failed) this.#refuse(attempt, reply.kind === "answer" ? reply.errors : [], reply.kind);
      else this.#channel.post({ attempt, card: factsOf(chosen.card), errors: [], token: chosen.card.token, type: "result" });
    } else {
      const stored = await this.#store(api, chosen, attempt);
      if (stored.kind === "wrong") this.#channel.post({ attempt, errors: [{ message: "A field of the processor's is not filled in right", type: "invalid-field" }], type: "result" });
      else if (stored.kind === "stored") this.#channel.post({ attempt, card: stored.card, errors: [], token: stored.token, type: "result" });
      else this.#refuse(attempt, stored.kind === "refused" ? stored.errors : [], stored.kind);
    }
    this.#isSubmitting = false;
    this.enable(true);
  }

  /** A new card, or what a processor's own fields gave in its place. */
  async #store(api: Api, chosen: Exclude<Chosen, { readonly kind: "saved" }>, attempt: string): Promise<Stored | { readonly kind: "wrong" }> {
    if (chosen.kind === "card") return storeCard(api, { card: chosen.card }, attempt, chosen.isToBeSaved ? this.#options.customerId : undefined);
    const given = await chosen.give();
    return typeof given === "string" ? { kind: given } : storeCard(api, { processorToken: given }, attempt);
  }

  receive(message: ToFrame): void {
    switch (message.type) {
      case "clearCode": return this.#form.clearCode();
      case "disable": return this.enable(false);
      case "enable": return this.enable(true);
      case "focus": return this.#form.focus(message.field);
      case "reset": return this.#form.reset();
      case "submit": return void this.submit(message.attempt);
      case "update": return void this.update(message.options);
      case "walletSession":
        return void walletSession(new Api(this.#options.apiKey), message, shopOrigin()).then(this.#channel.post);
      case "destroy": return this.#channel.close();
      default: return undefined;
    }
  }

  enable(isEnabled: boolean): void {
    find<HTMLFieldSetElement>("#pm-fields").disabled = !isEnabled || this.#isForbidden;
  }

  #refuse(attempt: string, errors: Parameters<typeof problemOf>[0], kind: string): void {
    this.enable(true);
    const problem = problemOf(errors);
    if (problem.field) this.#form.showProblem(problem.field, problem.key);
    const key = kind === "unauthorized" ? "error.session-expired" : kind === "lost" || kind === "later" ? "error.network" : problem.key;
    this.#channel.post({ attempt, errors: [{ message: this.#messages.get(key), type: key }], type: "result" });
  }

  async #show(): Promise<void> {
    this.#channel.post({ title: this.#messages.get("frame.title"), type: "title" });
    translate(this.#messages);
    this.#form.apply(this.#messages, this.#options);
    await applyLook(this.#options);
  }
}

/** The only origin that this document talks to. */
function shopOrigin(): string {
  return find("#pm-form").dataset["origin"] ?? "";
}

/** Waits for the options; what comes before them is dropped. */
async function main(): Promise<void> {
  let elements: Elements | undefined;
  let isStarted = false;
  const channel = await openChannel(shopOrigin(), (message) => {
    if (message.type !== "init") return elements?.receive(message);
    if (isStarted) return undefined;
    isStarted = true;
    const options = readOptions(message.options);
    return void loadMessages(options.language, fields).then((messages) => {
      elements = new Elements(channel, options, messages);
      return elements.start();
    });
  });
}

void main();
