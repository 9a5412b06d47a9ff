/** Customers and stored payment methods from a page. Card data passes through your page: see the README on PCI. */
import { ApiClient, type ApiResult, type ClientOptions } from "../client.js";

export type { ApiError, ApiResult, ClientOptions } from "../client.js";

export interface Address {
  line1?: string;
  line2?: string;
  city?: string;
  postalCode?: string;
  state?: string;
  country?: string;
}

export interface Customer {
  /** Only to name an existing customer. */
  id?: string;
  name: string;
  email?: string;
  phone?: string;
  description?: string;
  billingAddress?: Address;
  shippingAddress?: { name?: string; phone?: string; address?: Address };
}

export interface Card {
  /** Digits without separators. */
  number: string;
  expMonth: number;
  /** Four digits. */
  expYear: number;
  cvc?: string;
  name?: string;
  billingAddress?: Address;
  isDefault?: boolean;
}

export interface BankAccount {
  number: string;
  accountHolderName?: string;
  bankName?: string;
}

export interface TokenisedMethod {
  id: string;
  /** Stands for the method in payments. */
  token: string;
  createdDate: string;
  customer: { id: string } | null;
}

export interface StoredMethod {
  id: string;
  token: string;
  /** Masked. */
  number: string;
  expMonth: number;
  expYear: number;
  name: string | null;
  isDefault: boolean;
  brand: string;
}

export interface Vault {
  /** Makes a customer, with a card if one is given, and resolves to its id. */
  createCustomer(data: { customer: Customer; card?: Card }): Promise<ApiResult<string>>;
  /** Stores a card or a bank account. */
  tokenisePaymentMethod(data: { paymentMethod: { card?: Card; bankAccount?: BankAccount }; externalId?: string; customer?: Customer }): Promise<ApiResult<TokenisedMethod>>;
  getPaymentMethods(customerId: string): Promise<ApiResult<StoredMethod[]>>;
}

const CREATE_CUSTOMER = "mutation ($data: CustomerInput!) { createCustomer(data: $data) }";
const TOKENISE = "mutation ($data: TokenInput!) { tokenisePaymentMethod(data: $data) { id token createdDate customer { id } } }";
const METHODS = "query ($customerId: String!) { getPaymentMethods(customerId: $customerId) { id token number expMonth expYear name isDefault brand } }";

function makeVault(options: ClientOptions): Vault {
  const client = new ApiClient(options);
  return {
    createCustomer: (data) => client.run(CREATE_CUSTOMER, { data }),
    tokenisePaymentMethod: (data) => client.run(TOKENISE, { data }),
    getPaymentMethods: (customerId) => client.run(METHODS, { customerId }),
  };
}

/** A client of the vault, with `new` or without. */
export const PointsmanVault = function (options: ClientOptions) {
  return makeVault(options);
} as unknown as { (options: ClientOptions): Vault; new (options: ClientOptions): Vault };
