/** The list of the customer's saved cards. */
import { displayExpiry } from "../shared/expiry.js";
import { nameOfBrand } from "../shared/brands.js";
import type { Messages } from "../shared/messages.js";
import { find, make } from "./dom.js";
import { markOf } from "./marks.js";
import type { SavedCard } from "./vault.js";

/** From how many months before its end a card "expires soon". */
const SOON_MONTHS = 2;

export class SavedCards {
  readonly #list = find<HTMLFieldSetElement>('[data-part="SavedCards"]');
  readonly #other = find<HTMLInputElement>("#saved-card-new");
  /** On a page of our own the server has written them. */
  #cards: readonly SavedCard[] = writtenCards() ?? [];
  #made: readonly Element[] = [...this.#list.querySelectorAll(".SavedCard:not(:last-child)")];

  constructor(changed: () => void) {
    this.#list.addEventListener("change", changed);
  }

  /** The saved card that is chosen; `undefined` when another one is to be typed. */
  get chosen(): SavedCard | undefined {
    const input = this.#list.querySelector<HTMLInputElement>("input:checked");
    return input?.value ? this.#cards.find(({ token }) => token === input.value) : undefined;
  }

  /** Shows the cards above "use another card"; the default one is chosen. */
  show(cards: readonly SavedCard[], messages: Messages): void {
    const today = new Date();
    this.#cards = cards;
    this.#list.hidden = cards.length === 0;
    this.#draw(messages, today);
    const first = cards.find((card) => card.isDefault && !isOver(card, today)) ?? cards.find((card) => !isOver(card, today));
    this.#choose(first?.token);
  }

  translate(messages: Messages): void {
    const chosen = this.chosen?.token;
    this.#draw(messages, new Date());
    this.#choose(chosen);
  }

  #choose(token: string | undefined): void {
    const input = token === undefined ? this.#other : this.#list.querySelector<HTMLInputElement>(`input[value="${CSS.escape(token)}"]`);
    if (input) input.checked = true;
  }

  #draw(messages: Messages, today: Date): void {
    for (const element of this.#made) element.remove();
    this.#made = this.#cards.map((card, index) => drawCard(card, index, messages, today));
    this.#list.querySelector("legend")?.after(...this.#made);
  }
}

/** The cards that stand in the document from the start; nothing where they are to be asked for. */
export function writtenCards(): readonly SavedCard[] | undefined {
  const text = find('[data-part="SavedCards"]').dataset["cards"];
  return text === undefined ? undefined : JSON.parse(text) as readonly SavedCard[];
}

function drawCard(card: SavedCard, index: number, messages: Messages, today: Date): HTMLElement {
  const id = `saved-card-${index}`;
  const name = nameOfBrand(card.brand ?? "") || messages.get("card-information.header.label");
  const expiry = displayExpiry({ month: card.expMonth ?? 0, year: card.expYear ?? 0 });
  const last4 = (card.number ?? "").slice(-4);
  const label = messages.get("card.saved-cards.saved-card.aria-label", { brand: name, expiry, last4 });
  const ended = isOver(card, today);
  const chip = ended ? "card.saved-cards.expired.label" : monthsLeft(card, today) <= SOON_MONTHS ? "card.saved-cards.expires-soon.label" : undefined;
  return make("div", { class: "SavedCard" },
    make("input", { "aria-label": label, disabled: ended, id, name: "saved-card", type: "radio", value: card.token }),
    make("label", { for: id }, markOf(card.brand ?? undefined), `${name} •••• ${last4}`, make("small", {}, expiry),
      ...(chip ? [make("span", { class: "Chip" }, messages.get(chip))] : [])));
}

function monthsLeft({ expMonth, expYear }: SavedCard, today: Date): number {
  return ((expYear ?? 0) - today.getFullYear()) * 12 + (expMonth ?? 0) - (today.getMonth() + 1);
}

function isOver(card: SavedCard, today: Date): boolean {
  return monthsLeft(card, today) < 0;
}
