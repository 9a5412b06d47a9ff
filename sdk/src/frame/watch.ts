/** Follows a payment until it is over, by asking the service. Hints from elsewhere only make it ask at once. */
import { isOver, standingOf } from "../shared/paymentstatus.js";
import type { Api } from "./api.js";
import { readPayment, type Reading } from "./authorise.js";

/** While the customer may come back at any moment, for the first minute; afterwards more slowly. Milliseconds. */
const EAGER_MS = 2_000;
const EAGER_TIMES = 30;
const CALM_MS = 5_000;

export class Watch {
  readonly #api: Api;
  readonly #id: string;
  readonly #seen: (reading: Reading) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #isStopped = false;
  #times = 0;

  /** `seen` gets every reading, the last one included. */
  constructor(api: Api, id: string, seen: (reading: Reading) => void) {
    this.#api = api;
    this.#id = id;
    this.#seen = seen;
    this.#schedule();
  }

  /** Asks now. */
  async nudge(): Promise<void> {
    if (this.#isAsking || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#isAsking = true;
    const reading = await readPayment(this.#api, this.#id);
    this.#isAsking = false;
    if (this.#isStopped) return;
    const isLast = reading.kind === "none" || reading.kind === "unauthorized" ||
      (reading.kind === "payment" && isOver(standingOf(reading.payment)));
    if (isLast) this.stop();
    else this.#schedule();
    this.#seen(reading);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#times += 1;
    this.#timer = setTimeout(() => void this.nudge(), this.#times <= EAGER_TIMES ? EAGER_MS : CALM_MS);
  }
}
