/** What the service says of the team and of this client token. */
import type { Messages } from "../shared/messages.js";
import type { SdkConfiguration } from "../shared/protocol.js";
import type { Api } from "./api.js";

export type Configuration =
  | { readonly kind: "known"; readonly facts: SdkConfiguration }
  | { readonly kind: "unknown"; readonly error: { readonly message: string; readonly type: string } };

const QUERY =
  "{sdkConfiguration{mode shopName shopLogo amount currencyCode walletA{gateway gatewayMerchantId}walletB{merchantIdentifier}expiresAt cardRanges}}";

export async function configurationOf(api: Api): Promise<Configuration> {
  const reply = await api.ask<{ readonly sdkConfiguration: SdkConfiguration | null }>(QUERY, {});
  const facts = reply.kind === "answer" ? reply.data?.sdkConfiguration : undefined;
  if (facts) return { facts, kind: "known" };
  if (reply.kind === "unauthorized") {
    return { error: { message: "The client token is unknown, expired or revoked: make a new one with generateClientToken", type: "api.key.unauthorized" }, kind: "unknown" };
  }
  const first = reply.kind === "answer" ? reply.errors[0] : undefined;
  return { error: { message: first?.message ?? "The service does not answer", type: first?.extensions?.code ?? "network" }, kind: "unknown" };
}

/** The texts of the loader's wallet buttons. */
export function walletTexts(messages: Messages): Record<string, string> {
  const keys = ["applepay.label", "googlepay.label", "wallets.or.label"] as const;
  return Object.fromEntries(keys.map((key) => [key, messages.get(key)]));
}
