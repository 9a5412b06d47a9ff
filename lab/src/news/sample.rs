//! The payment that the news is about.

use std::time::Duration;

use domain::{
    Timestamp,
    id::{MethodId, PaymentId, TeamId},
    method::{CardFunding, Method},
    money::{Currency, Money},
    payment::{Begin, NewPayment, PaidWith, Payment, Policy},
};
use uuid::Uuid;

/// 2026-01-01T00:00:00Z.
const BEGINNING: i64 = 1_767_225_600_000_000;
/// Unit: minor units.
const AMOUNT: i64 = 1_000;

pub(super) fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// As a processor declares it, with times that the news does not keep.
pub(super) fn policy() -> Policy {
    Policy {
        recovery: [5, 30, 120, 600]
            .into_iter()
            .map(Duration::from_secs)
            .collect(),
        pending: vec![Duration::from_secs(1), Duration::from_secs(2)],
        lifetime: Duration::from_hours(168),
        lifetime_max: Duration::from_hours(168),
        not_found_final_after: Some(Duration::from_secs(10)),
        customer_lifetime: Duration::from_hours(24),
        call_timeout: Duration::from_secs(2),
        abandon_after: None,
    }
}

pub(super) fn begin(at: Timestamp) -> Begin {
    let (send_within, answer_within) = (Duration::from_secs(5), Duration::from_secs(3));
    Begin {
        at,
        send_within,
        answer_within,
        once: None,
        return_key: None,
    }
}

/// A new payment.
pub(super) fn payment(currency: Currency) -> Payment {
    let method = PaidWith {
        method: Method::Visa,
        token: None,
        id: MethodId::new(id(3)),
        blob: None,
        hidden: false,
        masked: None,
        bin: None,
        expiry: None,
        brand: None,
        account: None,
        wallet: None,
        holder: None,
        address: None,
        fingerprint: None,
        funding: CardFunding::Undefined,
        card_country: None,
        fields_token: None,
        product: None,
        network: None,
        network_weight: None,
    };
    let asked = NewPayment::of(TeamId::new(id(2)), Money::new(AMOUNT, currency), method);
    let created_at = Timestamp::from_micros(BEGINNING);
    Payment::new(asked, PaymentId::new(id(1)), created_at, None)
}
