/** The session of wallet B's network, which proves to it who the merchant is. */
import type { ToFrame, ToLoader } from "../shared/protocol.js";
import type { Api } from "./api.js";

type Asked = Extract<ToFrame, { readonly type: "walletSession" }>;
type Answered = Extract<ToLoader, { readonly type: "walletSession" }>;

const SESSION = 'mutation($payload:JSON!){setupWallet(walletType:"WALLETB_PAY",payload:$payload)}';

/** Asks the service, which asks the network. `shop` is the origin of the merchant's page, whose domain the network knows. */
export async function walletSession(api: Api, asked: Asked, shop: string): Promise<Answered> {
  const { displayName, merchantIdentifier, request, validationUrl } = asked;
  const payload = { displayName, initiativeContext: new URL(shop).hostname, merchantIdentifier, validationUrl };
  const reply = await api.ask<{ readonly setupWallet: unknown }>(SESSION, { payload });
  const session = reply.kind === "answer" ? reply.data?.setupWallet : undefined;
  if (session) return { request, session, type: "walletSession" };
  const error = reply.kind === "answer" ? reply.errors[0]?.message : undefined;
  return { error: error ?? "the service does not answer", request, type: "walletSession" };
}
