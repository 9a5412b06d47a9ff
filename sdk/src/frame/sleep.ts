/** A pause, which tests replace. */

export type Sleep = (seconds: number) => Promise<void>;

export const sleep: Sleep = (seconds) => new Promise((resolve) => { setTimeout(resolve, seconds * 1_000); });
