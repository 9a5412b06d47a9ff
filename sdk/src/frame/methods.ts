/** The other ways to pay than a card that lead the customer elsewhere, as radio buttons below the card's. */
import type { Messages } from "../shared/messages.js";
import type { PaymentKey } from "../shared/messages/en.js";
import type { FrameOptions } from "../shared/protocol.js";
import { find, make } from "./dom.js";

interface Method {
  /** The service's name of the method. */
  readonly type: string;
  readonly label: PaymentKey;
}

/** Types that merchants may ask for, under both of their names. Wallets A and B are buttons of the loader. */
const METHODS: Readonly<Record<string, Method>> = {
  bnpla: { label: "payment-methods.klarna.label", type: "BNPLA" },
  klarna: { label: "payment-methods.klarna.label", type: "BNPLA" },
  paypal: { label: "payment-methods.paypal.label", type: "WALLETC" },
  walletc: { label: "payment-methods.paypal.label", type: "WALLETC" },
};

export class Methods {
  readonly #place = find('[data-part="OtherMethods"]');
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
    find("#pm-form").addEventListener("change", (event) => {
      if ((event.target as HTMLInputElement).name === "method") this.#follow();
    });
  }

  /** The service's name of the chosen method; `CARD` for the card form. */
  get chosen(): string {
    return find<HTMLInputElement>('[name="method"]:checked').dataset["type"] ?? "CARD";
  }

  /** Shows the methods that the merchant asks for, in its order. */
  show(options: FrameOptions, messages: Messages): void {
    const before = this.chosen;
    const types = options.alternativePaymentMethods.map(({ type }) => Object.hasOwn(METHODS, type) ? METHODS[type] : undefined);
    const methods = [...new Set(types)].filter((method) => method !== undefined);
    this.#place.replaceChildren(...methods.flatMap((method) => drawMethod(method, messages, method.type === before)));
    if (!methods.some(({ type }) => type === before)) find<HTMLInputElement>("#method-card").checked = true;
    find('[data-part="Methods"]').hidden = methods.length === 0;
    find("#pm-card-panel").classList.toggle("Beside", methods.length > 0);
    this.#follow();
  }

  #follow(): void {
    find("#pm-card-panel").hidden = this.chosen !== "CARD";
    for (const note of this.#place.querySelectorAll<HTMLElement>(".RedirectNote")) note.hidden = note.dataset["type"] !== this.chosen;
    this.#changed();
  }
}

function drawMethod({ label, type }: Method, messages: Messages, isChosen: boolean): HTMLElement[] {
  const id = `method-${type.toLowerCase()}`;
  const name = messages.get(label);
  const note = make("p", { class: "RedirectNote Beside", "data-type": type, id: `${id}-note` }, messages.get("redirect-note.label", { method: name }));
  const input = make("input", { "aria-describedby": note.id, "data-type": type, id, name: "method", type: "radio", value: type });
  input.checked = isChosen;
  return [make("div", { class: "Method" }, input, make("label", { for: id }, name)), note];
}
