/**
 * The choice of a brand for cards that bear several, which in the European Union is the customer's. A file of its own: it is
 * needed where the service has a table of card ranges alone.
 */
import { nameOfBrand } from "../shared/brands.js";
import type { Messages } from "../shared/messages.js";
import type { Api } from "./api.js";
import { find, make } from "./dom.js";

/** So many first digits say which brands a card bears. Source: ISO/IEC 7812-1, 2017: issuers' numbers have eight digits. */
const IIN_LENGTH = 8;

export class BrandChoice {
  readonly #api: Api;
  readonly #legend = make("legend", {});
  readonly #list = make("fieldset", { "data-part": "BrandChoice" }, this.#legend);
  #iin = "";

  constructor(api: Api, messages: Messages) {
    this.#api = api;
    this.#list.hidden = true;
    this.translate(messages);
    find('[data-field="cardnumber"]').append(this.#list);
  }

  /** The brand that the customer chose; none is chosen for them. */
  get chosen(): string | undefined {
    return this.#list.hidden ? undefined : this.#list.querySelector<HTMLInputElement>("input:checked")?.value;
  }

  translate(messages: Messages): void {
    this.#legend.textContent = messages.find("card.brand.label") ?? "";
  }

  /** Asks for the brands of a number once its first digits are there. */
  async follow(digits: string): Promise<void> {
    const iin = digits.length < IIN_LENGTH ? "" : digits.slice(0, IIN_LENGTH);
    if (iin === this.#iin) return;
    this.#iin = iin;
    this.#list.hidden = true;
    if (iin === "") return;
    const reply = await this.#api.ask<{ readonly cardBrands: readonly string[] | null }>("query($iin:String!){cardBrands(iin:$iin)}", { iin });
    const brands = reply.kind === "answer" ? reply.data?.cardBrands ?? [] : [];
    // Another number may have been typed meanwhile.
    if (iin !== this.#iin || brands.length < 2) return;
    this.#list.replaceChildren(this.#legend, ...brands.map(drawBrand));
    this.#list.hidden = false;
  }
}

function drawBrand(brand: string): HTMLElement {
  const input = make("input", { name: "brand", type: "radio", value: brand });
  return make("label", {}, input, nameOfBrand(brand) || spellOut(brand));
}

/** `CARTES_BANCAIRES` as `Cartes Bancaires`. */
function spellOut(brand: string): string {
  return brand.toLowerCase().replace(/_/g, " ").replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());
}
