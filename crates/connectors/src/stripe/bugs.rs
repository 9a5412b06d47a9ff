//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "each has the shape of what it stands in for"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use connector::{
    Answer, Approval, CallError, Earlier, LaterAnswer, NotGenuine, Reference, SentBetween,
};
use domain::{
    Timestamp,
    decline::{Decline, DeclineCode},
    money::Currency,
};

use super::{
    amounts::{self, Sent},
    answers,
    api::{Api, Form, Outcome, Refusal},
    authorise,
    declines::Said,
    look_up,
    marks::{self, Marks},
    notices::Event,
    requests,
    wire::{Intent, Refund},
};

fn declined(intent: &Intent) -> Result<Answer, CallError> {
    Ok(Answer::Declined {
        decline: Decline::of(DeclineCode::GeneralDecline),
        approval: answers::approval(intent),
    })
}

/// For `authorise::answer`.
pub(super) fn take_any_intent(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Ok(Ok(confirmed)) => authorise::standing(&confirmed),
        other => authorise::unplanted_answer(other, intent),
    }
}

/// For `authorise::answer`.
pub(super) fn decline_conflicts(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Ok(Err(Refusal::Running)) => declined(intent),
        other => authorise::unplanted_answer(other, intent),
    }
}

/// For `authorise::answer`.
pub(super) fn take_any_decline(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Ok(Err(Refusal::Declined(error))) => Ok(Answer::Declined {
            decline: Said::by_error(&error).decline(),
            approval: answers::approval(error.payment_intent.as_deref().unwrap_or(intent)),
        }),
        other => authorise::unplanted_answer(other, intent),
    }
}

/// For `authorise::answer`.
pub(super) fn decline_server_errors(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Err(CallError::Unknown { reason, .. }) if reason.starts_with("status 5") => {
            declined(intent)
        }
        other => authorise::unplanted_answer(other, intent),
    }
}

/// For `authorise::answer`.
pub(super) fn take_silence_for_not_sent(
    confirmed: Result<Outcome<Intent>, CallError>,
    intent: &Intent,
) -> Result<Answer, CallError> {
    match confirmed {
        Err(CallError::Unknown { reason, .. }) => Err(CallError::not_sent(reason.to_string())),
        other => authorise::unplanted_answer(other, intent),
    }
}

/// For `requests::marked`.
pub(super) fn send_no_reference(form: Form, _: Api<'_>, _: &Reference) -> Form {
    form
}

/// For `requests::intent_key`: another one whenever it is sent.
pub(super) fn change_key(reference: &Reference) -> String {
    static SENT: AtomicU64 = AtomicU64::new(0);
    let sent = SENT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{sent}", requests::unplanted_intent_key(reference))
}

/// For `later::has_mark`.
pub(super) const fn believe_any_capture(_: &Intent, _: &Reference, _: &str) -> bool {
    true
}

/// For `look_up::intent`.
pub(super) async fn take_unknown_for_absent(
    api: Api<'_>,
    authorisation: Earlier<'_>,
    sent: SentBetween,
) -> Result<Option<Intent>, CallError> {
    match look_up::unplanted_intent(api, authorisation, sent).await {
        Err(CallError::Unknown { reason, .. }) if reason.contains("does not know") => Ok(None),
        other => other,
    }
}

/// For `look_up::one_of`.
pub(super) fn take_first(ids: Vec<String>) -> Result<Option<String>, CallError> {
    Ok(ids.into_iter().next())
}

/// For `look_up::find`.
pub(super) async fn trust_search(
    api: Api<'_>,
    reference: &Reference,
    _: SentBetween,
) -> Result<Option<String>, CallError> {
    look_up::searched(api, reference).await
}

/// For `answers::approval`.
pub(super) fn name_the_charge(intent: &Intent) -> Approval {
    let mut approval = answers::unplanted_approval(intent);
    if let Some(charge) = answers::charge_of(intent) {
        approval.processor_id = Some(charge.id.clone());
    }
    approval
}

/// For `answers::refunded`.
pub(super) fn take_pending_for_done(refund: &Refund) -> Option<LaterAnswer> {
    Some(match answers::unplanted_refunded(refund)? {
        LaterAnswer::Pending {
            processor_id,
            booked,
        } => LaterAnswer::Done {
            processor_id,
            booked,
        },
        other => other,
    })
}

/// For `amounts::sent`.
pub(super) fn send_two_decimals(currency: Currency) -> Option<Sent> {
    amounts::unplanted_sent(currency).map(|_| Sent {
        exponent: 2,
        step: 1,
    })
}

/// For `signature::check`.
pub(super) const fn believe(_: &str, _: &str, _: &[u8], _: Timestamp) -> Result<(), NotGenuine> {
    Ok(())
}

/// For `marks::marks`.
pub(super) fn believe_marks(intent: &Intent) -> Marks {
    Marks::Backed {
        marks: marks::written(intent),
        others: 0,
    }
}

/// For `notices::is_of_another_account`.
pub(super) const fn every_account_is_own(_: &Event) -> bool {
    false
}
