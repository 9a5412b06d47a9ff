//! A payment link: an address that a merchant sends to a customer, who pays there.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Fault, Timestamp,
    id::{FlowId, IntentId, LinkId, TeamId},
    money::Money,
    payment::Status,
    redirect::RedirectUrl,
    text_enum::text_enum,
};

/// The longest that a link can be made for.
pub const LIFETIME_MAX: Duration = Duration::from_hours(366 * 24);

text_enum!(
    /// How a link stands.
    LinkStatus {
        /// It can be paid.
        Open = "OPEN",
        /// It was for one payment, which is paid.
        Paid = "PAID",
        /// Its time has ended.
        Expired = "EXPIRED",
        /// The merchant has ended it.
        Ended = "ENDED",
    }
);

/// A payment link as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentLink {
    /// Its id.
    pub id: LinkId,
    /// Whose it is.
    pub team: TeamId,
    /// Counts its commits.
    pub version: u64,
    /// What stands in its address: the team, and random bits. Who has it can pay.
    pub token: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// What is to be paid.
    pub money: Money,
    /// The flow that its payments run under.
    pub flow: FlowId,
    /// The merchant's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// What it is for, as the customer reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For one payment: the intent that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentId>,
    /// The way back to the shop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_url: Option<RedirectUrl>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When the merchant ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

impl PaymentLink {
    /// Whether it is for one payment alone.
    pub const fn is_single_use(&self) -> bool {
        self.intent.is_some()
    }

    /// How it stands at a time; `payment` is the status of its one payment, where it has one.
    pub fn status(&self, payment: Option<Status>, at: Timestamp) -> LinkStatus {
        if payment.is_some_and(is_paid) {
            LinkStatus::Paid
        } else if self.ended_at.is_some() {
            LinkStatus::Ended
        } else if self.expires_at.is_some_and(|expires_at| at >= expires_at) {
            LinkStatus::Expired
        } else {
            LinkStatus::Open
        }
    }

    /// Ends it. False when it was ended before.
    pub fn end(&mut self, at: Timestamp) -> bool {
        if self.ended_at.is_some() {
            return false;
        }
        self.ended_at = Some(at);
        self.version += 1;
        true
    }
}

/// Whether money was taken or is held. What was given back later was paid too.
pub const fn is_paid(status: Status) -> bool {
    matches!(
        status,
        Status::Authorised
            | Status::Succeeded
            | Status::PartialRefunded
            | Status::Refunded
            | Status::RefundPending
            | Status::RefundFailed
            | Status::Disputed
    )
}

/// Whether it is not known, or not decided, whether money is taken: the customer must not pay again.
pub const fn is_in_doubt(status: Status) -> bool {
    matches!(
        status,
        Status::NoAnswerFromPsp | Status::GatewayHold | Status::Active
    )
}

/// When a link ends.
///
/// # Errors
/// `error.validation` for `field`: it is over, or further away than [`LIFETIME_MAX`].
pub fn expires_at(wanted: Timestamp, now: Timestamp, field: &str) -> Result<Timestamp, Fault> {
    if wanted <= now {
        return Err(Fault::invalid(field, "must be in the future"));
    }
    if wanted > now.after(LIFETIME_MAX) {
        return Err(Fault::invalid(field, "must be within a year"));
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;

    fn link(expires_at: Option<Timestamp>) -> PaymentLink {
        PaymentLink {
            id: LinkId::new(uuid::Uuid::nil()),
            team: TeamId::new(uuid::Uuid::nil()),
            version: 1,
            token: "t".to_owned(),
            created_at: Timestamp::from_micros(0),
            money: Money::new(100, Currency::parse("EUR").unwrap()),
            flow: FlowId::parse("default").unwrap(),
            order_id: None,
            description: None,
            intent: None,
            return_url: None,
            expires_at,
            ended_at: None,
        }
    }

    #[test]
    fn what_is_paid_stays_paid_and_an_end_counts_from_its_moment() {
        let at = Timestamp::from_micros;
        let mut link = link(Some(at(10)));
        assert_eq!(link.status(None, at(9)), LinkStatus::Open);
        assert_eq!(link.status(None, at(10)), LinkStatus::Expired);
        assert_eq!(link.status(Some(Status::Declined), at(9)), LinkStatus::Open);
        for paid in [
            Status::Authorised,
            Status::Succeeded,
            Status::Refunded,
            Status::Disputed,
        ] {
            assert_eq!(link.status(Some(paid), at(99)), LinkStatus::Paid);
        }
        assert!(link.end(at(5)) && !link.end(at(6)));
        assert_eq!((link.version, link.ended_at), (2, Some(at(5))));
        assert_eq!(link.status(None, at(9)), LinkStatus::Ended);
        assert_eq!(
            link.status(Some(Status::Succeeded), at(9)),
            LinkStatus::Paid
        );
    }

    #[test]
    fn no_status_is_paid_and_in_doubt_at_once() {
        for status in Status::ALL {
            assert!(!(is_paid(*status) && is_in_doubt(*status)), "{status}");
        }
        assert!(is_in_doubt(Status::NoAnswerFromPsp) && !is_in_doubt(Status::Declined));
    }

    #[test]
    fn a_link_ends_in_the_future_and_within_a_year() {
        let now = Timestamp::from_micros(1_000_000);
        let end = |wanted| expires_at(wanted, now, "expiresAt").is_ok();
        assert!(!end(now) && end(now.after(Duration::from_secs(1))));
        assert!(end(now.after(LIFETIME_MAX)));
        assert!(!end(now.after(LIFETIME_MAX + Duration::from_secs(1))));
    }
}
