//! What processors send by themselves: stored before it is answered, then applied by the functions that take all news.

mod address;
mod apply;
mod import;
mod list;
mod recall;
mod receive;

use connector::Notice;
use domain::{id::TeamId, notification::NotificationStatus};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub(crate) use address::InboundToken;
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
}

/// What tells copies of a notification from others: the connection and the processor's ids of all its news.
fn mark(connection: &ConnectionId, notices: &[Notice]) -> String {
    let mut hash = Sha256::new();
    hash.update(connection.as_str().as_bytes());
    for notice in notices {
        hash.update([0]);
        hash.update(notice.id.as_bytes());
    }
    hex(&hash.finalize())
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
