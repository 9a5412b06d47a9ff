//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "each has the shape of what it stands in for"
)]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use connector::{Answer, Approval, Booked, Booking, CallError, LaterAnswer, NotGenuine, Reference};
use domain::{
    decline::{Decline, DeclineCode},
    money::{Currency, Money},
};

use super::{
    answers::{self, Asked},
    api::Refusal,
    item::Item,
    keys,
    later::{self, Change},
    notices,
    wire::{Paid, Received, ServiceError},
};

/// For `keys::key`.
pub(super) fn change_key(
    secret: &str,
    reference: &str,
    purpose: &str,
) -> Result<String, CallError> {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let asked = ASKED.fetch_add(1, Ordering::Relaxed);
    keys::unplanted_key(secret, reference, &format!("{purpose} {asked}"))
}

/// For `api::is_refusal`.
pub(super) fn every_error_refuses(status: u16) -> bool {
    status >= 400
}

/// For `api::is_undecided`.
pub(super) fn everything_is_decided(_: &ServiceError) -> bool {
    false
}

/// For `amounts::exponent`.
pub(super) fn count_as_iso_4217(currency: Currency) -> Option<u32> {
    Some(u32::from(currency.exponent()))
}

/// For `answers::answer`.
pub(super) fn decline_errors(paid: &Paid, asked: Asked<'_>) -> Result<Answer, CallError> {
    if paid.result_code == "Error" {
        return Ok(Answer::Declined {
            decline: Decline::of(DeclineCode::GeneralDecline),
            approval: Approval::default(),
        });
    }
    answers::unplanted_answer(paid, asked)
}

/// For `authorise::check_about`.
pub(super) fn about_any(_: &Paid, _: &Reference) -> Result<(), CallError> {
    Ok(())
}

/// For `later::accepted`.
pub(super) fn name_the_payment(
    received: Received,
    change: &Change<'_>,
) -> Result<LaterAnswer, CallError> {
    let payment = change.authorisation.processor_id.map(str::to_owned);
    match later::unplanted_accepted(received, change)? {
        LaterAnswer::Pending { booked, .. } => Ok(LaterAnswer::Pending {
            processor_id: payment,
            booked,
        }),
        other => Ok(other),
    }
}

/// For `notices::genuine`.
pub(super) fn believe(_: &Item, _: &[u8]) -> Result<(), NotGenuine> {
    Ok(())
}

/// For `notices::is_of`.
pub(super) fn every_account_is_own(_: &Item, _: &str) -> bool {
    true
}

/// For `notices::refused`.
pub(super) fn believe_unsigned_reason(item: &Item) -> Decline {
    match item.reason.as_deref() {
        Some("Not enough balance") => Decline::of(DeclineCode::InsufficientFunds),
        _ => notices::unplanted_refused(item),
    }
}

/// For `notices::later`.
pub(super) fn forget_failures(item: &Item, money: Option<Money>) -> Option<LaterAnswer> {
    let answer = notices::unplanted_later(item, money)?;
    (!matches!(answer, LaterAnswer::Reversed { .. })).then_some(answer)
}

/// For `notices::later`.
pub(super) fn take_every_change_for_done(item: &Item, money: Option<Money>) -> Option<LaterAnswer> {
    match notices::unplanted_later(item, money)? {
        LaterAnswer::Refused { .. } => Some(LaterAnswer::Done {
            processor_id: Some(item.psp_reference.clone()),
            booked: money.map(|money| Booked {
                what: Booking::Refund,
                money,
            }),
        }),
        other => Some(other),
    }
}

/// For `stored::refused`.
pub(super) fn refuse_plainly(refusal: Refusal) -> CallError {
    refusal.rejected()
}

/// For `replays_within`.
pub(super) fn replay_for_a_month() -> Duration {
    Duration::from_hours(30 * 24)
}
