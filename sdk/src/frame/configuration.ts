/** What the service says of the team and of this client token. */
import standIn from "built:wallet-stand-in.js";
import type { Messages } from "../shared/messages.js";
import type { SdkConfiguration, ToLoader } from "../shared/protocol.js";
import type { Api } from "./api.js";

export type Configuration =
  | { readonly kind: "known"; readonly facts: SdkConfiguration }
  | { readonly kind: "unknown"; readonly error: { readonly message: string; readonly type: string } };

export const TOKEN_ENDED = { message: "The client token is unknown or has ended", type: "api.key.unauthorized" };

/** The type of the error where the service itself said nothing. */
export const NO_ANSWER = "network";

const MEMBERS = "mode shopName shopLogo amount currencyCode walletA{gateway gatewayMerchantId}walletB{merchantIdentifier}expiresAt cardRanges hostedFields{connectionId processor frame parameters asksForName authentication}";

/**
 * `origin` is the page around the form. The document was served for it because some team allows it; this asks the token's own
 * team, which answers `api.key.forbidden` otherwise. The server has checked that it is an origin: no character of it needs an escape.
 */
export async function configurationOf(api: Api, origin: string, flowId: string | undefined): Promise<Configuration> {
  const query = `query($flowId:String){sdkConfiguration(origin:"${origin}",flowId:$flowId){${MEMBERS}}}`;
  const reply = await api.read<{ readonly sdkConfiguration: SdkConfiguration | null }>(query, { flowId });
  const facts = reply.kind === "answer" ? reply.data?.sdkConfiguration : undefined;
  if (facts) return { facts, kind: "known" };
  if (reply.kind === "unauthorized") {
    return { error: TOKEN_ENDED, kind: "unknown" };
  }
  const first = reply.kind === "answer" ? reply.errors[0] : undefined;
  return { error: { message: first?.message ?? "No answer", type: first?.extensions?.code ?? NO_ANSWER }, kind: "unknown" };
}

/** What the loader's wallet buttons need: facts, texts, and in test mode the stand-in for both networks. */
export function walletFacts(configuration: SdkConfiguration, messages: Messages): Extract<ToLoader, { readonly type: "configuration" }> {
  const texts = {
    "applepay.label": messages.get("payment-methods.applepay.aria-label"), "googlepay.label": messages.get("payment-methods.googlepay.aria-label"),
    "wallets.or.label": messages.get("wallets.or.label"),
  };
  return { configuration, texts, type: "configuration", ...(configuration.mode === "test" ? { standIn } : {}) };
}
