//! The simulator's test numbers, by what they do.

/// Accepted.
pub const VISA: &str = "4242424242424242";
/// Accepted.
pub const VISA_OTHER: &str = "4111111111111111";
/// Accepted.
pub const VISA_THIRD: &str = "4012888888881881";
/// Accepted; a debit card.
pub const VISA_DEBIT: &str = "4000056655665556";
/// Accepted.
pub const MASTERCARD: &str = "5555555555554444";
/// Accepted.
pub const AMEX: &str = "378282246310005";
/// Accepted.
pub const DISCOVER: &str = "6011111111111117";
/// Accepted.
pub const JCB: &str = "3566002020360505";
/// Accepted.
pub const DINERS: &str = "36227206271667";
/// Accepted.
pub const UNIONPAY: &str = "6200000000000005";
/// `DECLINED`, `GENERAL_DECLINE`.
pub const GENERAL_DECLINE: &str = "4000000000000002";
/// `DECLINED`, `EXPIRED_CARD`.
pub const EXPIRED: &str = "4000000000000069";
/// `DECLINED`, `INSUFFICIENT_FUNDS`, soft.
pub const INSUFFICIENT_FUNDS: &str = "4000000000009995";
/// `DECLINED`, `LOST_RESTRICTED_OR_STOLEN_CARD`.
pub const LOST: &str = "4000000000009979";
/// `DECLINED`, `SUSPECTED_FRAUD`.
pub const SUSPECTED_FRAUD: &str = "4100000000000019";
/// `DECLINED`, `INVALID_CVC`.
pub const INVALID_CVC: &str = "4000000000000127";
/// `FAILED`: a technical failure, nothing was authorised.
pub const FAILED: &str = "4000000000000119";
/// Accepted; a refund is `REFUND_PENDING`, then `REFUNDED`.
pub const SLOW_REFUND: &str = "4000000000007726";
/// Accepted; a refund is `REFUND_PENDING`, then `REFUND_FAILED`.
pub const FAILING_REFUND: &str = "4000000000005126";
/// No answer within 2 s; charged; found out at the first look-up.
pub const UNKNOWN_CHARGED: &str = "4000000000000903";
/// No answer within 2 s; not charged; found out at the first look-up.
pub const UNKNOWN_NOT_CHARGED: &str = "4000000000000911";
/// `GATEWAY_HOLD`, accepted 2 s later.
pub const HELD: &str = "4000000000000929";
/// Authorised; capture and cancel are refused by the processor.
pub const STUBBORN: &str = "4000000000000937";
/// Accepted; the first call of each later operation gets no answer, though it took effect.
pub const SILENT_LATER: &str = "4000000000000945";

/// Every number above: what must never be found in a file or in the output.
pub const ALL: [&str; 24] = [
    VISA,
    VISA_OTHER,
    VISA_THIRD,
    VISA_DEBIT,
    MASTERCARD,
    AMEX,
    DISCOVER,
    JCB,
    DINERS,
    UNIONPAY,
    GENERAL_DECLINE,
    EXPIRED,
    INSUFFICIENT_FUNDS,
    LOST,
    SUSPECTED_FRAUD,
    INVALID_CVC,
    FAILED,
    SLOW_REFUND,
    FAILING_REFUND,
    UNKNOWN_CHARGED,
    UNKNOWN_NOT_CHARGED,
    HELD,
    STUBBORN,
    SILENT_LATER,
];

/// Success, then a dispute for fraud.
pub const DISPUTED: &str = "4000000000000259";
/// Success, then a dispute since the goods did not arrive.
pub const DISPUTED_GOODS: &str = "4000000000002685";
/// Success, then an early alert.
pub const ALERTED: &str = "4000000000005423";
/// 3D Secure is demanded; accepted when its challenge is passed.
pub const CHALLENGE: &str = "4000002760003184";
/// 3D Secure is demanded; when its challenge is passed, `DECLINED`, `GENERAL_DECLINE`.
pub const CHALLENGE_THEN_DECLINED: &str = "4000008400001629";

/// Its last four digits behind stars: how the service shows it.
pub fn masked(number: &str) -> String {
    let (hidden, shown) = number.split_at(number.len() - 4);
    format!("{}{shown}", "*".repeat(hidden.len()))
}
