/** Wallet A (Google Pay): the button and the request for its payment data. */
import type { SdkConfiguration } from "../shared/protocol.js";
import type { WalletAOption } from "../loader/types.js";
import type { WalletPage } from "./wallets.js";

interface PaymentData {
  paymentMethodData: { tokenizationData: { token: string } };
}

/** What the loader uses of the network's `PaymentsClient`. The stand-in has the same members. */
export interface PaymentsClient {
  isReadyToPay(request: object): Promise<{ result: boolean; paymentMethodPresent?: boolean }>;
  loadPaymentData(request: object): Promise<PaymentData>;
  createButton(options: object): HTMLElement;
}

export type PaymentsClientConstructor = new (options: object) => PaymentsClient;

export const NOT_SET_UP = "wallet A is not set up: call setupWallet with WALLETA_PAY once";

const API = { apiVersion: 2, apiVersionMinor: 0 };

/** The request for payment data, with the specification's defaults. */
export function paymentDataRequest(option: WalletAOption, walletA: NonNullable<SdkConfiguration["walletA"]>) {
  const { gateway, gatewayMerchantId } = walletA;
  return {
    ...API,
    ...option.paymentData,
    merchantInfo: option.merchantInfo,
    transactionInfo: option.transactionInfo,
    allowedPaymentMethods: [
      {
        type: "CARD",
        parameters: {
          allowedAuthMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"],
          allowedCardNetworks: ["AMEX", "DISCOVER", "JCB", "MASTERCARD", "VISA"],
          ...option.cardParameters,
        },
        tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway, gatewayMerchantId } },
      },
    ],
  };
}

/** The wallet's button, or undefined where the customer can't pay with it. */
export async function walletAButton(Client: PaymentsClientConstructor, option: WalletAOption, page: WalletPage): Promise<HTMLElement | undefined> {
  const { configuration } = page;
  if (!configuration.walletA) throw new Error(NOT_SET_UP);
  const request = paymentDataRequest(option, configuration.walletA);
  const { merchantInfo, existingPaymentMethodRequired = true, button } = option;
  const environment = configuration.mode === "live" ? "PRODUCTION" : "TEST";
  const client = new Client({ environment, merchantInfo, ...(page.nonce && { nonce: page.nonce }) });
  const ready = await client.isReadyToPay({ ...API, allowedPaymentMethods: request.allowedPaymentMethods, existingPaymentMethodRequired });
  if (!ready.result || (existingPaymentMethodRequired && ready.paymentMethodPresent === false)) return undefined;
  const pay = async () => {
    const paymentData = await client.loadPaymentData(request).catch((failure: { statusCode?: string; statusMessage?: string }) => {
      if (failure.statusCode === "CANCELED") return page.cancel();
      throw new Error(`wallet A: ${failure.statusMessage ?? failure.statusCode ?? failure}`);
    });
    if (!paymentData) return;
    const walletToken = paymentData.paymentMethodData.tokenizationData.token;
    await page.pay({ type: "WALLETA_PAY", walletToken, transactionId: option.transactionInfo.transactionId }, paymentData);
  };
  return client.createButton({
    buttonColor: "black", buttonType: "buy", ...button, buttonSizeMode: "fill", buttonRadius: 6, buttonRootNode: page.root, onClick: () => page.once(pay),
  });
}
