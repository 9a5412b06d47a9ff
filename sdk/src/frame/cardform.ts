/** The card fields, the saved cards, the billing address and the consent: what Elements and the checkout have in common. */
import hostedFieldsFile from "built:hostedfields.js";
import type { Announce } from "../shared/announce.js";
import { brandOf, codeLengths, groupNumber, isBrand, nameOfBrand, type Brand } from "../shared/brands.js";
import { countryOfTag, listCountries, postalCodeRule } from "../shared/countries.js";
import { digitsOf } from "../shared/digits.js";
import { formatExpiry, parseExpiry } from "../shared/expiry.js";
import { supplyLater, type Messages } from "../shared/messages.js";
import type { FieldKey } from "../shared/messages/en.js";
import type { FieldName, FrameOptions, ToLoader } from "../shared/protocol.js";
import { checkCode, checkExpiry, checkName, checkNumber } from "../shared/validation.js";
import { find, make } from "./dom.js";
import type { Api } from "./api.js";
import type { BrandChoice } from "./brandchoice.js";
import { NO_ANSWER, type Configuration } from "./configuration.js";
import { Field, type FormField, type Problem } from "./field.js";
import type { HostedFields } from "./hostedfields.js";
import { markOf } from "./marks.js";
import { loadPart } from "./part.js";
import { SavedCards } from "./savedcards.js";
import type { CardInput, SavedCard } from "./vault.js";

type Change = Omit<Extract<ToLoader, { readonly type: "change" }>, "type">;

/** What the customer wants to pay with. */
export type Chosen =
  | { readonly kind: "card"; readonly card: CardInput; readonly isToBeSaved: boolean }
  | { readonly kind: "saved"; readonly card: SavedCard; readonly cvc?: string }
  /** By a processor's own fields, which are asked for a token. */
  | { readonly kind: "own"; readonly give: () => ReturnType<HostedFields["give"]> };

export interface CardFormEvents {
  readonly changed: (change: Change) => void;
  readonly focused: (field: FieldName, isFocused: boolean) => void;
  readonly announce: Announce;
}

const NAMES: readonly FieldName[] = ["number", "expiry", "cvc", "name", "country", "zip"];

export class CardForm {
  readonly #fields: Readonly<Record<FieldName, FormField>>;
  readonly #saved: SavedCards;
  readonly #events: CardFormEvents;
  #messages: Messages;
  #options: FrameOptions;
  #brand: Brand | undefined;
  #brandChoice: BrandChoice | undefined;
  #own: HostedFields | undefined;
  #isMissing = false;
  #hasAllCountries = false;

  constructor(messages: Messages, options: FrameOptions, events: CardFormEvents) {
    this.#messages = messages;
    this.#options = options;
    this.#events = events;
    const field = (name: string, check: (text: string) => Problem, layout?: (text: string, isDeleting: boolean) => string) =>
      new Field(name, { check, ...(layout ? { layout } : {}) }, (key) => this.#messages.get(key), () => this.#changed(), (text) => events.announce(text));
    this.#fields = {
      number: field("cardnumber", checkNumber, layOutNumber),
      expiry: field("cc-exp", (text) => checkExpiry(text, new Date()), formatExpiry),
      cvc: field("cvc", (text) => checkCode(text, this.#codeBrand), digitsOf),
      name: field("ccname", checkName),
      country: field("country", (text) => (text === "" ? "billing-address.country.errors.required" : undefined)),
      zip: field("zip", (text) => this.#checkPostalCode(text)),
    };
    this.#saved = new SavedCards(() => this.#changed());
    for (const name of NAMES) {
      const { input } = this.#fields[name];
      input.addEventListener("focus", () => events.focused(name, true));
      input.addEventListener("blur", () => events.focused(name, false));
    }
  }

  /** Shows what the options ask for, in their language. What was typed stays. */
  apply(messages: Messages, options: FrameOptions): void {
    this.#messages = messages;
    this.#options = options;
    find("#pm-form").dataset["layout"] = options.layout;
    this.#fillCountries();
    this.#saved.translate(messages);
    this.#brandChoice?.translate(messages);
    for (const name of NAMES) this.#fields[name].translate();
    this.#changed();
  }

  /** Fills the list of countries, whose names a browser needs 15 ms for at first: call it once the fields can be typed in. */
  complete(): void {
    this.#hasAllCountries = true;
    this.#fillCountries();
  }

  /** Shows a processor's own fields where the payment needs them. Forms of other services don't wait for the answer. */
  async offerFields(asked: Promise<Configuration>): Promise<void> {
    if (!find("#pm-form").hasAttribute("data-asks-first")) return;
    const known = await asked;
    // Whose fields the payment needs is not known: a number typed into ours might be one that must not come here.
    if (known.kind === "unknown" && known.error.type === NO_ANSWER) return this.#showMissing();
    const fields = known.kind === "known" && known.facts.hostedFields;
    if (!fields) return;
    const part = await loadPart<typeof import("./hostedfields.js")>(hostedFieldsFile);
    if (!part) return this.#showMissing();
    this.#own = new part.HostedFields(fields, this.#options, { ...this.#events, messages: () => this.#messages, refresh: () => this.#changed() });
    Object.assign(this.#fields, this.#own.fields);
    this.#changed();
    await this.#own.connect();
  }

  /** No card fields at all, and a button that loads the document again. What the form reads of its own stays, where nobody sees it. */
  #showMissing(): void {
    this.#isMissing = true;
    const card = find('[data-part="Card"]');
    const ours = make("div", { hidden: true }, ...card.children);
    const again = make("button", { class: "Button Button--Quiet", "data-part": "Reload", type: "button" }, this.#messages.get("retry.label"));
    again.addEventListener("click", () => location.reload());
    card.replaceChildren(make("p", { role: "alert" }, this.#messages.get("error.network")), again, ours);
  }

  showSavedCards(cards: readonly SavedCard[]): void {
    // The processor of fields of its own knows none of them.
    if (this.#own || this.#isMissing) return;
    this.#saved.show(cards, this.#messages);
    this.#changed();
  }

  /** Lets the customer choose the brand of a card that bears several. Without it the card's own order counts. */
  async offerBrands(api: Api): Promise<void> {
    try {
      const [{ BrandChoice: Choice }] = await Promise.all([import("./brandchoice.js"), supplyLater(this.#messages)]);
      this.#brandChoice = new Choice(api, this.#messages);
      this.#changed();
    } catch {
      // The form works without.
    }
  }

  /** What was chosen; nothing while a field is wrong. */
  read(): Chosen | undefined {
    if (NAMES.some((name) => this.#fields[name].problem)) return undefined;
    const { number, expiry, cvc, name, country, zip } = this.#fields;
    const saved = this.#saved.chosen;
    if (saved) return { kind: "saved", card: saved, ...(cvc.isHidden ? {} : { cvc: digitsOf(cvc.value) }) };
    const postalCode = zip.isHidden ? "" : zip.value.trim();
    const billingAddress = country.isHidden ? {} : { billingAddress: { country: country.value, ...(postalCode ? { postalCode } : {}) } };
    const holder = name.value.trim();
    const own = this.#own;
    if (own) return { give: () => own.give({ ...(holder ? { name: holder } : {}), ...billingAddress }), kind: "own" };
    const date = parseExpiry(expiry.value);
    if (!date) return undefined;
    const card = { cvc: digitsOf(cvc.value), expMonth: date.month, expYear: date.year, name: holder, number: digitsOf(number.value) };
    const preferredBrand = this.#brandChoice?.chosen;
    return { card: { ...card, ...billingAddress, ...(preferredBrand ? { preferredBrand } : {}) }, isToBeSaved: this.#isSaveTicked, kind: "card" };
  }

  /** Shows every error, and brings the customer to the first one. Names it, or nothing when all is well. */
  showProblems(): Problem {
    const wrong = NAMES.filter((name) => this.#fields[name].problem);
    for (const name of NAMES) this.#fields[name].show(this.#fields[name].problem);
    const [first] = wrong;
    if (!first) return undefined;
    this.#fields[first].input.focus();
    this.#changed();
    return this.#fields[first].problem;
  }

  /** Shows an error that the service found. */
  showProblem(name: FieldName, problem: FieldKey): void {
    this.#fields[name].show(problem);
    this.#fields[name].input.focus();
  }

  focus(name: FieldName = "number"): void {
    const field = this.#fields[name];
    (field.isHidden ? this.#fields.cvc : field).input.focus();
  }

  /** A code pays once: after a refusal it is asked for again, the rest stays. */
  clearCode(): void {
    this.#fields.cvc.value = "";
    this.#fields.cvc.show(undefined);
    this.#changed();
  }

  reset(): void {
    for (const name of NAMES) {
      if (name !== "country") this.#fields[name].value = "";
      this.#fields[name].show(undefined);
    }
    find<HTMLInputElement>("#save").checked = false;
    this.#changed();
  }

  get #isSaveTicked(): boolean {
    const save = find<HTMLInputElement>("#save");
    return save.checked && save.closest("[hidden]") === null;
  }

  get #codeBrand(): Brand | undefined {
    const brand = this.#saved.chosen?.brand;
    return brand && isBrand(brand) ? brand : this.#brand;
  }

  #checkPostalCode(text: string): Problem {
    const rule = postalCodeRule(this.#fields.country.value);
    const code = text.trim();
    if (code === "") return rule.need === "required" ? "billing-address.zip.errors.required" : undefined;
    return code.length < rule.least ? "billing-address.zip.errors.min-length" : undefined;
  }

  /** Brings the form in line with what was typed or chosen, and tells it. */
  #changed(): void {
    this.#showBrand();
    this.#showParts();
    const { country, zip } = this.#fields;
    const errors: Partial<Record<FieldName, string>> = {};
    for (const name of NAMES) {
      const { problem } = this.#fields[name];
      if (problem && this.#fields[name].input.hasAttribute("aria-invalid")) errors[name] = problem;
    }
    const brand = this.#saved.chosen?.brand ?? this.#brand;
    // No postal code is longer; a number that landed in this field stays here.
    const postalCode = zip.value.trim();
    const address = { ...(country.value ? { countryCode: country.value } : {}), ...(postalCode && postalCode.length <= 10 ? { postalCode } : {}) };
    this.#events.changed({
      errors,
      isComplete: NAMES.every((name) => !this.#fields[name].problem),
      isEmpty: !this.#saved.chosen && NAMES.every((name) => name === "country" || this.#fields[name].value === ""),
      value: { ...(brand ? { cardBrand: brand } : {}), ...(country.isHidden ? {} : { billingAddress: address }) },
    });
  }

  #showBrand(): void {
    const digits = digitsOf(this.#fields.number.value);
    void this.#brandChoice?.follow(digits);
    const brand = brandOf(digits);
    if (brand === this.#brand) return;
    this.#brand = brand;
    const place = find('[data-part="Brand"]');
    place.replaceChildren(...(brand ? [markOf(brand)] : []));
    if (brand) this.#events.announce(nameOfBrand(brand));
  }

  #showParts(): void {
    const saved = this.#saved.chosen !== undefined;
    const { allowSaveCard, customerId, hideBillingAddress, isSavedCardCvcRequired } = this.#options;
    const { cvc, expiry, name, number, zip } = this.#fields;
    for (const field of [number, expiry, name]) field.hide(saved);
    cvc.hide(saved && !isSavedCardCvcRequired);
    find('[data-part="Card"]').hidden = saved && !isSavedCardCvcRequired;
    find('[data-part="Billing"]').hidden = saved || hideBillingAddress;
    find('[data-part="Save"]').hidden = saved || !!this.#own || !allowSaveCard || !customerId;
    const { need } = postalCodeRule(this.#fields.country.value);
    zip.hide(need === "none");
    zip.input.toggleAttribute("required", need === "required");
    find('[data-field="country"]').classList.toggle("Alone", need === "none");
    const isFront = codeLengths(this.#codeBrand).least === 4;
    find<SVGElement>(".CodeHint").classList.toggle("CodeHint--Front", isFront);
    find("#hint-cvc").textContent = this.#messages.get(isFront ? "card.cvc.hint-amex" : "card.cvc.hint");
    cvc.input.setAttribute("placeholder", isFront ? "1234" : this.#messages.get("card.cvc.placeholder"));
  }

  /** The list is the merchant's or all countries; at first the one of the browser's language is chosen. */
  #fillCountries(): void {
    const { language } = this.#messages;
    const select = find<HTMLSelectElement>("#country");
    const before = select.value || (countryOfTag(navigator.language) ?? "");
    const chosenAlone = before ? [{ code: before, name: before }] : [];
    const countries = this.#options.countries ?? (this.#hasAllCountries ? listCountries(language) : chosenAlone);
    const [placeholder] = select.options;
    select.replaceChildren(...(placeholder ? [placeholder] : []), ...countries.map(({ code, name }) => new Option(name, code)));
    select.value = countries.some(({ code }) => code === before) ? before : "";
  }
}

/** A number in its groups; letters that were pasted by mistake stay visible. */
function layOutNumber(text: string): string {
  return /\p{L}/u.test(text) ? text : groupNumber(digitsOf(text));
}
