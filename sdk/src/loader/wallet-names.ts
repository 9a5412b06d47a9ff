/** Which alternative payment methods are wallets with a button of the loader's own; the frame draws all others. */

export type Wallet = "walleta" | "walletb";

export const WALLETS: Readonly<Record<string, Wallet>> = { walleta: "walleta", googlepay: "walleta", walletb: "walletb", applepay: "walletb" };

/** The wallet that a method is, or undefined. */
export const walletOf = ({ type }: { readonly type: string }): Wallet | undefined => (Object.hasOwn(WALLETS, type) ? WALLETS[type] : undefined);
