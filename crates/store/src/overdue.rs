//! The oldest row that a job has not done yet, for each job that takes rows by their time.
//!
//! While an old snapshot is open (a dump, a stuck replica), PostgreSQL keeps the index entries of rows that are done, and each
//! look from the left end of an index walks over all of them. So jobs take rows behind a place that they know, and only this
//! look, which nobody waits for, begins at the left end.

use db::{Db, DbError};
use domain::Timestamp;

/// What jobs take by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// Payments that are due.
    Payments,
    /// Intents that are due.
    Intents,
    /// Instances of flows that are due.
    Instances,
    /// Disputes that are due.
    Disputes,
    /// Notifications that are to be applied.
    Notifications,
    /// Deliveries to enabled endpoints whose time has come.
    Deliveries,
    /// Notifications that are to be forgotten.
    OldNotifications,
    /// Raw cards that are to be looked at.
    HiddenCards,
    /// Erasures of people.
    Erasures,
    /// Deleted tokens.
    DeletedMethods,
    /// What browsers made.
    BrowserMade,
    /// Idempotency keys.
    Keys,
    /// Client tokens.
    ClientTokens,
    /// Uses of wallets' tokens.
    WalletTokens,
    /// Requests for processors' tokens.
    TokenRequests,
    /// Content of attachments that nothing uses.
    Objects,
}

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// It begins behind this time.
    pub after: Timestamp,
    /// It ends with this time.
    pub until: Timestamp,
}

/// The time of the oldest row within a stretch. From the left end of an index on it may take long.
pub async fn oldest(db: &Db, queue: Queue, stretch: Stretch) -> Result<Option<Timestamp>, DbError> {
    // Jobs serve every team; a time tells of none.
    let sql = match queue {
        Queue::Payments => {
            // Of every team.
            "select due_at from payment where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::Intents => {
            // Of every team.
            "select due_at from intent where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::Disputes => {
            // Of every team.
            "select due_at from dispute where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::Notifications => {
            // Of every team.
            "select due_at from notification where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::Deliveries => {
            // Of every team. An endpoint that takes nothing at present waits by itself.
            "select d.next_at from webhook_endpoint e join webhook_delivery d on d.team_id = e.team_id and d.endpoint_id = e.endpoint_id \
             where e.enabled = 1 and e.retry_at <= $1 and d.state = 'PENDING' and d.next_at > $2 and d.next_at <= $1 \
             order by d.next_at limit 1"
        }
        Queue::OldNotifications => {
            // Of every team.
            "select received_at from notification where received_at > $2 and received_at <= $1 order by received_at limit 1"
        }
        Queue::Instances => {
            // Of every team.
            "select due_at from flow_instance where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::HiddenCards => {
            // Of every team.
            "select due_at from hidden_card where due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::BrowserMade => {
            // Of every team.
            "select due_at from browser_made where due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::Erasures => {
            // Of every team.
            "select due_at from erasure where due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
        Queue::DeletedMethods => {
            // Of every team.
            "select deleted_at from method where deleted_at is not null and deleted_at > $2 and deleted_at <= $1 \
             order by deleted_at limit 1"
        }
        Queue::Keys => {
            // As in `once::sweep`: those of open payments stay.
            "select created_at from once where created_at > $2 and created_at <= $1 and answer is not null and not exists \
             (select 1 from payment where payment.team_id = once.team_id and payment.payment_id = once.stream \
             and (payment.status in ('ACTIVE', 'NO_ANSWER_FROM_PSP', 'NEEDS_3D_SECURE', 'NEEDS_APM_AUTHORIZATION', \
             'GATEWAY_HOLD', 'REFUND_PENDING') or (once.scope <> 'authorise' and payment.due_at is not null))) \
             order by created_at limit 1"
        }
        Queue::ClientTokens => {
            // Of every team.
            "select expires_at from credential where kind = 'client' and expires_at is not null \
             and expires_at > $2 and expires_at <= $1 \
             order by expires_at limit 1"
        }
        Queue::WalletTokens => {
            // Of every team.
            "select forget_at from wallet_token where forget_at is not null and forget_at > $2 and forget_at <= $1 \
             order by forget_at limit 1"
        }
        Queue::TokenRequests => {
            // Of every team.
            "select created_at from token_request where created_at > $2 and created_at <= $1 order by created_at limit 1"
        }
        Queue::Objects => {
            // Of every team.
            "select due_at from attachment_object where due_at is not null and due_at > $2 and due_at <= $1 order by due_at limit 1"
        }
    };
    let within = vec![stretch.until.micros().into(), stretch.after.micros().into()];
    db.scan(sql, within)
        .await?
        .first()
        .map(|row| row.int(0).map(Timestamp::from_micros))
        .transpose()
}
