/** The types of the public interface: options, callbacks, instances. The packages publish this file as it is. */

export interface Country {
  name: string;
  /** ISO 3166-1 alpha-3. */
  code: string;
}

export type Language = "en" | "fr" | "de" | "es" | "nl" | "pt";

/** Texts by message key, flat (`"card.number.placeholder"`) or nested; they replace those of English. */
export interface Translation {
  [key: string]: string | Translation;
}

export interface Theme {
  /** CSS colours. */
  colors?: {
    primary?: string;
    secondary?: string;
    accent?: string;
    accentContrast?: string;
    border?: string;
    borderFocused?: string;
    error?: string;
  };
  fontFamily?: string;
  fontSize?: { primary?: string; secondary?: string };
  borderType?: "square" | "round" | "bottom";
  borderRadius?: string;
  backgroundColor?: string;
  textColor?: string;
  lineHeight?: string;
  variables?: Record<string, string>;
  /** Declarations by the name of a part, such as `PayButton` or `TextField__CardNumber`. */
  rules?: Record<string, Record<string, string>>;
}

/** Wallet A (Google Pay): the request for its payment data. */
export interface WalletAOption {
  merchantInfo: { merchantName: string; merchantId: string };
  transactionInfo: {
    currencyCode: string;
    transactionId: string;
    totalPriceStatus: "FINAL" | "ESTIMATED" | "NOT_CURRENTLY_KNOWN";
    /** A decimal number, such as `50.99`. */
    totalPrice: string;
    /** ISO 3166-1 alpha-2; required for the European Economic Area. */
    countryCode?: string;
    /** Required with `displayItems`. */
    totalPriceLabel?: string;
    displayItems?: { label: string; type: "LINE_ITEM" | "SUBTOTAL"; price: string; status?: "FINAL" | "PENDING" }[];
  };
  cardParameters?: {
    allowedAuthMethods?: ("PAN_ONLY" | "CRYPTOGRAM_3DS")[];
    allowedCardNetworks?: string[];
    allowPrepaidCards?: boolean;
    allowCreditCards?: boolean;
    billingAddressRequired?: boolean;
    billingAddressParameters?: { format?: "MIN" | "FULL"; phoneNumberRequired?: boolean };
    assuranceDetailsRequired?: boolean;
  };
  /** The button is shown to customers with a card in their wallet alone. Default: true. */
  existingPaymentMethodRequired?: boolean;
  paymentData?: {
    emailRequired?: boolean;
    shippingAddressRequired?: boolean;
    shippingAddressParameters?: { allowedCountryCodes?: string[]; phoneNumberRequired?: boolean };
    shippingOptionRequired?: boolean;
    shippingOptionParameters?: { defaultSelectedOptionId?: string; shippingOptions: { id: string; label: string; description?: string }[] };
  };
  button?: {
    buttonColor?: "black" | "white";
    buttonType?: "buy" | "book" | "checkout" | "donate" | "order" | "pay" | "plain" | "subscribe";
    buttonLocale?: string;
  };
  /** Test mode: asks the wallet's own test environment instead of the stand-in. Default: false. */
  useNetworkInTest?: boolean;
}

/** Wallet B (Apple Pay). */
export interface WalletBOption {
  /** The platform's payment request: countryCode, currencyCode, total, supportedNetworks, … */
  paymentRequest: {
    countryCode: string;
    currencyCode: string;
    total: { label: string; amount: string };
    supportedNetworks: string[];
    /** Default: `["supports3DS"]`. */
    merchantCapabilities?: string[];
    [member: string]: unknown;
  };
  /** Test mode: asks the wallet's own test environment instead of the stand-in. Default: false. */
  useNetworkInTest?: boolean;
}

export type AlternativePaymentMethod =
  | { type: "walleta" | "googlepay"; option: WalletAOption }
  | { type: "walletb" | "applepay"; option: WalletBOption }
  | { type: "walletc" | "paypal" | "bnpla" | "klarna"; option?: unknown };

export interface ErrorEventDetails {
  error: { message: string; type?: string };
}

export interface ChangeEventDetails {
  isComplete: boolean;
  isEmpty: boolean;
  value: { cardBrand?: string; billingAddress?: { countryCode?: string; postalCode?: string } };
  /** Message keys of what is wrong, by field. */
  errors: Partial<Record<Field, string>>;
}

export type Field = "number" | "expiry" | "cvc" | "name" | "country" | "zip";

/** What `authorizePayment` answered, read again after the customer has acted. */
export interface AuthorizePaymentResult {
  data: { authorizePayment?: Record<string, unknown> | null } | null;
  errors: { message: string; extensions?: Record<string, unknown> }[];
}

/** What the customer pays with. */
export interface PaymentRequestResult {
  /** The vault's token of a card. */
  token?: string;
  card?: { brand?: string; last4?: string; expiryMonth?: number; expiryYear?: number };
  /** `CARD`, `WALLETA_PAY` or `WALLETB_PAY`: the type of `authorizePayment`'s `paymentMethod`. */
  type: string;
  /** Of a wallet: for `paymentMethod.walletToken`. */
  walletToken?: string;
  /** Of wallet A: for `paymentMethod.walletAPay`. */
  transactionId?: string;
}

interface CommonOptions {
  /** A client token, which your server made by `generateClientToken`. */
  apiKey: string;
  /** Shows this customer's saved cards. */
  customerId?: string;
  isSavedCardCvcRequired?: boolean;
  allowSaveCard?: boolean;
  hideBillingAddress?: boolean;
  /** The countries to choose from. Default: all. */
  countries?: Country[];
  /** Default: `en`. */
  language?: Language | Translation;
  theme?: Theme;
  /** `stacked` (default), `compact` (expiry and code in one row) or `single`. */
  layout?: "stacked" | "compact" | "single";
  alternativePaymentMethods?: AlternativePaymentMethod[];
  /** A failure of the SDK itself. */
  onError?: (details: ErrorEventDetails) => void;
  onLoaded?: () => void;
  onChange?: (details: ChangeEventDetails) => void;
  /** The customer closed a window or a wallet's sheet. */
  onCancel?: () => void;
  /** How the checkout stands from now on. */
  onStateChange?: (state: CheckoutState) => void;
}

export interface CheckoutSdkElementOptions extends CommonOptions {
  /** The flow that your server will pay under: some processors' payments need card fields of the processor's own. */
  flowId?: string;
  /**
   * The customer's method is tokenised: pay with it on your server. `paymentData` is the wallet's own answer. While a
   * returned promise is pending, further presses of the button do nothing. A promise of `false` says that the payment
   * failed: wallet B's sheet shows it.
   */
  onPaymentRequest?: (result: PaymentRequestResult, paymentData?: unknown) => void | Promise<unknown>;
}

export interface CheckoutSdkDropInOptions extends CommonOptions {
  flowId: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217. */
  currencyCode: string;
  orderId?: string;
  intentId?: string;
  /** The label of the button; `{amount}` is replaced. */
  payButton?: string;
  /** The payment has an outcome. Errors of the API arrive here too. */
  onPaymentComplete?: (result: AuthorizePaymentResult) => void;
}

/**
 * `open`: it can be paid. `paying`: a payment is under way, or nobody knows yet how it ended; in Elements while your `onPaymentRequest`
 * is pending. `paid`, `ended`: Drop-In is over, with the payment or without one.
 */
export type CheckoutState = "open" | "paying" | "paid" | "ended";

/** What both ways of integrating give. */
export interface CheckoutInstance<Options> {
  readonly state: CheckoutState;
  /** Changes options; `apiKey` stays as it is. Answers false, after `onError`, where one is wrong. */
  update(options: Partial<Options>): boolean;
  /** Sets the cursor into a field; without one into the first. */
  focus(field?: Field): void;
  /** Empties the fields. */
  reset(): void;
  enable(): void;
  disable(): void;
  /** Takes everything out of the page. */
  destroy(): void;
}

export interface ElementsInstance extends CheckoutInstance<CheckoutSdkElementOptions> {
  /** Tokenises what was typed, as submitting the form does. Undefined where a field is wrong or an attempt is under way. */
  submit(): Promise<PaymentRequestResult | undefined>;
}

export type DropInInstance = CheckoutInstance<CheckoutSdkDropInOptions>;

/** The global that `pointsman.js` sets. */
export interface PointsmanGlobal {
  /** The version of the addresses and messages. */
  readonly version: 1;
  /** The origin of the service. */
  readonly service: string;
  loadCheckoutSdkElement(elementOrSelector: HTMLElement | string, options: CheckoutSdkElementOptions): Promise<ElementsInstance>;
  loadCheckoutSdkDropIn(elementOrSelector: HTMLElement | string, options: CheckoutSdkDropInOptions): Promise<DropInInstance>;
}
