//! What processors send by themselves: stored before it is answered, then applied by the functions that take all news.

mod address;
mod apply;
mod import;
mod list;
mod meant;
mod recall;
mod receive;
mod refund_made;
mod resolve;

use connector::{Delivery, Notice, NoticeContent, Notices, Unreadable};
use domain::{id::TeamId, notification::NotificationStatus};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) use address::{InboundToken, mark_of};
pub use list::{ListNotifications, NotificationPage, NotificationView};
pub use receive::{Inbound, NotificationAddress, NotificationAnswer};

use domain::id::ConnectionId;

/// What became of a piece of news, and why.
struct Outcome {
    status: NotificationStatus,
    message: Option<String>,
    payment: Option<domain::id::PaymentId>,
    /// It is about something that may be imported yet.
    may_come: bool,
    /// When it is to be applied, when it waits.
    due_at: Option<domain::Timestamp>,
}

impl Outcome {
    fn of(status: NotificationStatus) -> Self {
        Self {
            status,
            message: None,
            payment: None,
            may_come: false,
            due_at: None,
        }
    }

    fn because(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    fn about(mut self, payment: domain::id::PaymentId) -> Self {
        self.payment = Some(payment);
        self
    }

    /// What became of a notification with these pieces of news: the last status of all, and the earliest time at which one of them is
    /// applied again. What was applied before is applied once more then, to no effect.
    fn of_all(outcomes: Vec<Self>) -> Self {
        let due_at = outcomes.iter().filter_map(|outcome| outcome.due_at).min();
        let last = outcomes.into_iter().max_by_key(|outcome| outcome.status);
        let last = last.unwrap_or_else(|| Self::of(NotificationStatus::Ignored));
        Self { due_at, ..last }
    }
}

/// What tells copies of a notification from others: the connection and the processor's ids of all its news. Of one without any, or
/// that can't be read, its body.
fn mark(connection: &ConnectionId, notices: &[Notice], body: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(connection.as_str().as_bytes());
    for notice in notices {
        hash.update([0]);
        hash.update(notice.id.as_bytes());
    }
    if notices.is_empty() {
        hash.update([1]);
        hash.update(body);
    }
    hex(&hash.finalize())
}

/// Reads a delivery, whose reports about disputes must be of the kind that can be kept.
fn read_by(facet: &dyn Notices, delivery: &Delivery<'_>) -> Result<Vec<Notice>, Unreadable> {
    let notices = facet.read(delivery)?;
    for notice in &notices {
        if let NoticeContent::Dispute(report) = &notice.content {
            report.check().map_err(Unreadable)?;
        }
    }
    Ok(notices)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A notification's row.
#[derive(Debug, Clone, Copy)]
struct RowKey {
    team: TeamId,
    id: Uuid,
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    fn waits_until(micros: i64) -> Outcome {
        Outcome {
            due_at: Some(Timestamp::from_micros(micros)),
            ..Outcome::of(NotificationStatus::Waiting)
        }
    }

    #[test]
    fn a_piece_of_news_that_waits_is_not_dropped_with_one_that_does_not() {
        let unknown = || Outcome::of(NotificationStatus::UnknownPayment).because("why");
        let both = Outcome::of_all(vec![waits_until(7), unknown()]);
        assert_eq!(both.status, NotificationStatus::UnknownPayment);
        assert_eq!(both.message.as_deref(), Some("why"));
        assert_eq!(both.due_at, Some(Timestamp::from_micros(7)));
        let all = Outcome::of_all(vec![unknown(), waits_until(9), waits_until(5)]);
        assert_eq!(all.due_at, Some(Timestamp::from_micros(5)));
        let none = Outcome::of_all(vec![Outcome::of(NotificationStatus::Applied)]);
        assert_eq!(
            (none.status, none.due_at),
            (NotificationStatus::Applied, None)
        );
        let nothing = Outcome::of_all(Vec::new());
        assert_eq!(nothing.status, NotificationStatus::Ignored);
    }

    #[test]
    fn deliveries_without_ids_differ_by_their_bodies() {
        let connection = ConnectionId::parse("c").unwrap();
        assert_eq!(mark(&connection, &[], b"a"), mark(&connection, &[], b"a"));
        assert_ne!(mark(&connection, &[], b"a"), mark(&connection, &[], b"b"));
    }
}
