/**
 * The place of the wallets' buttons. Their code is a file of its own, which is loaded where a wallet is asked for; its
 * integrity stands in the loader, so that a page that pins the loader pins both.
 */
import type { Surface, ToFrame } from "../shared/protocol.js";
import type { Wallets } from "../wallets/wallets.js";
import address from "built:wallets.js";
import integrity from "integrity:wallets.js";
import type { Options } from "./options.js";
import { loadScript } from "./script.js";
import { walletOf } from "./wallet-names.js";

/** What the buttons need of the checkout around them. */
export interface WalletsSetting {
  readonly area: HTMLElement;
  readonly surface: Surface;
  readonly service: string;
  readonly options: Options;
  /** Loads a script; what one of the service's leaves is its `exported`. */
  loadScript(address: string): Promise<{ readonly exported?: unknown }>;
  once(run: () => Promise<unknown>): Promise<unknown>;
  send(message: ToFrame): void;
  report(message: string, type?: string): void;
}

export interface WalletsPlace {
  readonly area: HTMLElement;
  /** Loads the code where a wallet is asked for, and draws the buttons again where options have changed. */
  load(): void;
  /** Calls the code once it is there; nothing where no wallet was asked for. */
  use(call: (wallets: Wallets) => void): void;
}

/** The height of a button with its margin, and of the line below them. */
const BUTTON_PX = 56;
const LINE_PX = 32;

/** Keeps the place of those buttons that can appear, so that nothing moves when they do. */
export function placeWallets(given: Omit<WalletsSetting, "area" | "loadScript">): WalletsPlace {
  const setting = { ...given, area: document.createElement("div"), loadScript };
  const { area, options, service, report } = setting;
  let loading: Promise<Wallets> | undefined;
  const use = (call: (wallets: Wallets) => void) => void loading?.then(call, () => {});
  const load = () => {
    const asked = (options.alternativePaymentMethods ?? []).map(walletOf).filter((wallet) => wallet !== undefined);
    if (asked.length === 0 && !loading) return;
    const possible = asked.filter((wallet) => wallet === "walleta" || options.apiKey.startsWith("ct_test_") || "ApplePaySession" in window);
    if (!loading && possible.length > 0) area.style.cssText = `margin-bottom:16px;min-height:${possible.length * BUTTON_PX + LINE_PX}px`;
    if (!loading) {
      loading = loadScript(service + address, integrity).then(({ exported }) => new (exported as typeof Wallets)(setting));
      loading.catch(({ message }: Error) => report(message));
    }
    use((wallets) => wallets.draw());
  };
  load();
  return { area, load, use };
}
