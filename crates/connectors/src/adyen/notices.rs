//! The facet of notices: standard webhooks. Source: docs/processors/adyen.md, "Notifications and signatures" and "Later changes and
//! disputes".
//!
//! # What is believed
//! Ids, references, amount, event and outcome are signed, and they alone move money and states. Why something was refused, and what is
//! said of a dispute besides, is not signed: it is shown to people and decides nothing. A second delivery with the same signed members is
//! a copy, whatever else it says.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use connector::{
    Answer, Approval, Booked, Booking, Delivery, LaterAnswer, Link, NotGenuine, Notice,
    NoticeContent, Notices, Reference, Subject, Unreadable,
};
use domain::{
    caller::Mode,
    decline::{Decline, DeclineCode},
    money::Money,
};
use subtle::ConstantTimeEq;

use super::{
    Adyen, amounts,
    descriptor::{HMAC_KEY, MERCHANT_ACCOUNT, NOTIFICATION_PASSWORD, NOTIFICATION_USER},
    disputed,
    item::{self, Item},
};

/// What a merchant does at Adyen.
const SET_UP: &str = "In Adyen's Customer Area, for the merchant account and not for the company: Developers, Webhooks, add a Standard webhook \
    with this address, method JSON, and all event codes of payments and disputes (among them CAPTURE_FAILED, REFUND_FAILED, \
    REFUNDED_REVERSED, TECHNICAL_CANCEL, OFFER_CLOSED and EXPIRE, which are not on by default everywhere). Generate its HMAC key and put it \
    into hmacKey; if you set basic authentication too, put it into notificationUser and notificationPassword.";

impl Notices for Adyen {
    fn set_up(&self) -> &'static str {
        SET_UP
    }

    fn prove(&self, link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
        let key = link
            .credential(HMAC_KEY)
            .filter(|key| !key.is_empty())
            .and_then(|key| hex::decode(key).ok())
            .ok_or(NotGenuine::NoSecret)?;
        let sent = item::read(delivery).map_err(|_| NotGenuine::Unsigned)?;
        // Each item by itself; one that is forged spoils the delivery, since who reads it later can't tell which.
        for item in &sent.items {
            genuine(item, &key)?;
        }
        knows_password(link, delivery)?;
        let account = link.credential(MERCHANT_ACCOUNT).unwrap_or_default();
        if sent.items.iter().any(|item| !is_of(item, account)) {
            // A key of the company account signs for all its accounts: of the others nothing is believed here.
            return Err(NotGenuine::Forged);
        }
        if sent.is_live != (link.mode == Mode::Live) {
            return Err(NotGenuine::OtherMode);
        }
        Ok(())
    }

    fn read(&self, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
        let sent = item::read(delivery)?;
        sent.items.iter().map(notice).collect()
    }
}

/// Whether Adyen has signed it.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenForgedItemTaken = super::bugs::believe)
)]
fn genuine(item: &Item, key: &[u8]) -> Result<(), NotGenuine> {
    item.prove(key)
}

/// Whether it is news of this merchant account.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenOtherAccountBelieved = super::bugs::every_account_is_own)
)]
fn is_of(item: &Item, account: &str) -> bool {
    item.merchant_account_code == account
}

/// Whether the sender knows the password, where the connection has one.
fn knows_password(link: &Link<'_>, delivery: &Delivery<'_>) -> Result<(), NotGenuine> {
    let given = |name| link.credential(name).filter(|value| !value.is_empty());
    let (Some(user), Some(password)) = (given(NOTIFICATION_USER), given(NOTIFICATION_PASSWORD))
    else {
        return Ok(());
    };
    let header = delivery.header("authorization").unwrap_or_default();
    let expected = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    if bool::from(header.as_bytes().ct_eq(expected.as_bytes())) {
        Ok(())
    } else {
        Err(NotGenuine::Forged)
    }
}

fn notice(item: &Item) -> Result<Notice, Unreadable> {
    Ok(Notice {
        id: item.id(),
        word: item.event_code.clone(),
        subject: Subject {
            reference: Some(item.merchant_reference.clone()).filter(|text| !text.is_empty()),
            processor_id: Some(item.psp_reference.clone()),
            sent_by: None,
        },
        content: NoticeContent::Other,
    })
    .and_then(|notice| with_content(notice, item))
}

/// What an event says. An event that is not in the tables says nothing.
fn with_content(notice: Notice, item: &Item) -> Result<Notice, Unreadable> {
    if let Some(standing) = disputed::standing(&item.event_code) {
        return disputed::notice(notice, item, standing);
    }
    if item.event_code == "INFORMATION_SUPPLIED" {
        return Ok(disputed::responded(notice, item));
    }
    // A system that shares the account has references of its own; so has what somebody enters by hand.
    if Reference::parse(&item.merchant_reference).is_none() {
        return Ok(notice);
    }
    let money = item
        .amount
        .as_ref()
        .and_then(|amount| amounts::from_wire(amount.value, &amount.currency));
    let content = match later(item, money) {
        Some(answer) => NoticeContent::Later(answer),
        None => authorisation(item, money),
    };
    // An offer has an id of its own.
    let is_offer = item.event_code == "OFFER_CLOSED";
    let subject = Subject {
        processor_id: notice.subject.processor_id.clone().filter(|_| !is_offer),
        ..notice.subject.clone()
    };
    Ok(Notice {
        subject,
        content,
        ..notice
    })
}

/// What an event says of an authorisation.
fn authorisation(item: &Item, money: Option<Money>) -> NoticeContent {
    match (item.event_code.as_str(), item.is_success()) {
        ("AUTHORISATION", true) => match money {
            Some(_) => NoticeContent::Approved(Approval {
                processor_id: Some(item.psp_reference.clone()),
                booked: money,
                ..Approval::default()
            }),
            // In a currency of which nothing is known: a person must look.
            None => NoticeContent::Changed,
        },
        ("AUTHORISATION", false) => NoticeContent::Authorisation(Answer::Declined {
            decline: refused(item),
            approval: Approval {
                processor_id: Some(item.psp_reference.clone()),
                ..Approval::default()
            },
        }),
        // Nobody can pay by it any more.
        ("OFFER_CLOSED", true) => NoticeContent::Authorisation(Answer::Declined {
            decline: Decline::of(DeclineCode::PaymentCancelled),
            approval: Approval::default(),
        }),
        ("EXPIRE", true) => NoticeContent::Released,
        ("MANUAL_REVIEW_REJECT", true) => NoticeContent::Ended,
        ("AUTHORISATION_ADJUSTMENT" | "CANCEL_OR_REFUND", _) => NoticeContent::Changed,
        _ => NoticeContent::Other,
    }
}

/// Why a payment was refused. That it was is signed, why is not: the words are kept for people, and no rule goes by them.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenUnsignedReasonBelieved = super::bugs::believe_unsigned_reason)
)]
fn refused(item: &Item) -> Decline {
    let mut decline = Decline::of(DeclineCode::Unknown);
    let words = item.hint("refusalReasonRaw").or(item.reason.as_deref());
    let words = words.filter(|words| !matches!(*words, "" | "null"));
    decline.processor_code = words.map(Into::into);
    decline
}

/// What an event says of a capture, a cancellation or a refund.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        AdyenFailureAfterSuccessForgotten = super::bugs::forget_failures,
        AdyenRefusedChangeIsDone = super::bugs::take_every_change_for_done,
    )
)]
fn later(item: &Item, money: Option<Money>) -> Option<LaterAnswer> {
    let (what, is_undone) = match item.event_code.as_str() {
        "CAPTURE" => (Booking::Capture, false),
        "CAPTURE_FAILED" => (Booking::Capture, true),
        "CANCELLATION" | "TECHNICAL_CANCEL" => (Booking::Cancellation, false),
        "REFUND" => (Booking::Refund, false),
        "REFUND_FAILED" | "REFUNDED_REVERSED" => (Booking::Refund, true),
        _ => return None,
    };
    let booked = money.map(|money| Booked { what, money });
    let reason = || {
        let words = item.reason.as_deref().unwrap_or_default();
        let words = if words.is_empty() {
            "no reason given"
        } else {
            words
        };
        format!("{}: {words}", item.event_code).into()
    };
    Some(match (is_undone, item.is_success()) {
        (false, true) => LaterAnswer::Done {
            processor_id: Some(item.psp_reference.clone()),
            booked,
        },
        (false, false) => LaterAnswer::Refused {
            reason: reason(),
            booked,
        },
        (true, true) => LaterAnswer::Reversed {
            reason: reason(),
            booked,
        },
        (true, false) => return None,
    })
}
