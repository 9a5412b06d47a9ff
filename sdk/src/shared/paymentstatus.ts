/** What a payment's status means for the customer. */

/** A payment as the frame reads it. */
export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly orderId?: string | null;
  readonly amount?: { readonly rawAmount: number; readonly currency?: string | null } | null;
  readonly paymentCore?: { readonly paymentMethod?: string | null; readonly outcome?: { readonly declineCode?: string | null } | null } | null;
  readonly paymentMethodDetails?: { readonly number?: string | null; readonly brand?: string | null } | null;
}

/** The members of `Payment`, as GraphQL asks for them. */
export const PAYMENT_MEMBERS =
  "id status orderId date currency amount{rawAmount currency formattedAmount}capturedAmount connectionId eci " +
  "paymentCore{paymentMethod outcome{declineCode declineType reason}}paymentMethodDetails{number brand expires}";

/**
 * - `paid`: the money is taken or reserved (also when it was given back later)
 * - `declined`, `failed`, `cancelled`: it ended, nothing is charged
 * - `errand`: the customer has to act elsewhere
 * - `review`: the processor decides later
 * - `unknown`: nobody knows yet whether it was charged
 */
export type Standing = "paid" | "declined" | "failed" | "cancelled" | "errand" | "review" | "unknown";

const STANDINGS: Readonly<Record<string, Standing>> = {
  ACTIVE: "review", AUTHORISED: "paid", CANCELLED: "cancelled", DECLINED: "declined", DISPUTED: "paid", DRAFT: "review", FAILED: "failed",
  GATEWAY_HOLD: "review", NEEDS_3D_SECURE: "errand", NEEDS_APM_AUTHORIZATION: "errand", NO_ANSWER_FROM_PSP: "unknown",
  PARTIAL_REFUNDED: "paid", REFUNDED: "paid", REFUND_FAILED: "paid", REFUND_PENDING: "paid", SUCCEEDED: "paid",
};

/** A status that a later service may add is unknown: never called a failure. */
export function standingOf(payment: Payment): Standing {
  return (Object.hasOwn(STANDINGS, payment.status) ? STANDINGS[payment.status] : undefined) ?? "unknown";
}

/** Whether nothing more can happen to the payment that the customer waits for. */
export function isOver(standing: Standing): boolean {
  return standing !== "errand" && standing !== "review" && standing !== "unknown";
}
