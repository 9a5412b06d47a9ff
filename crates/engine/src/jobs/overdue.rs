//! Looks at the oldest row of each kind that is overdue: for the gauge, and for the jobs that look no further back.

use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;
use store::overdue::{Queue, Stretch, oldest};

use super::{
    Floor, ORPHAN_AGE,
    erase_deleted_methods::ERASE_GRACE,
    floor::{EVER, Look},
};
use crate::Engine;

/// A look that took long is made again only after so many times what it took.
const REST: u32 = 20;
/// A look that failed is made again after this time: it may have cost the database a lot.
const AFTER_FAILURE: Duration = Duration::from_mins(10);

/// How long the oldest row that is left may be looked for in a backlog.
const LOOK: Duration = Duration::from_mins(1);

/// What jobs take by time, with the job's name.
const QUEUES: [(Queue, &str); 16] = [
    (Queue::Payments, "recover"),
    (Queue::Intents, "deactivate_intents"),
    (Queue::Instances, "run_flow_instances"),
    (Queue::Disputes, "watch_disputes"),
    (Queue::Notifications, "apply_notifications"),
    (Queue::Deliveries, "deliver_events"),
    (Queue::OldNotifications, "forget_notifications"),
    (Queue::HiddenCards, "erase_hidden_cards"),
    (Queue::Erasures, "erase_people"),
    (Queue::DeletedMethods, "erase_deleted_methods"),
    (Queue::BrowserMade, "forget_browser_made"),
    (Queue::Keys, "forget_idempotency_keys"),
    (Queue::ClientTokens, "forget_client_tokens"),
    (Queue::WalletTokens, "forget_wallet_tokens"),
    (Queue::TokenRequests, "forget_token_requests"),
    (Queue::Objects, "remove_objects"),
];

/// From where on each job looks.
#[derive(Default)]
pub(crate) struct Floors {
    pub(crate) payments: Floor,
    pub(crate) intents: Floor,
    pub(crate) instances: Floor,
    pub(crate) disputes: Floor,
    pub(crate) notifications: Floor,
    /// The job takes endpoints and not deliveries, so that nothing looks from here on.
    pub(crate) deliveries: Floor,
    pub(crate) old_notifications: Floor,
    pub(crate) hidden_cards: Floor,
    pub(crate) erasures: Floor,
    pub(crate) deleted_methods: Floor,
    pub(crate) browser_made: Floor,
    pub(crate) keys: Floor,
    pub(crate) client_tokens: Floor,
    pub(crate) wallet_tokens: Floor,
    pub(crate) token_requests: Floor,
    pub(crate) objects: Floor,
    /// When each queue is looked at next.
    next: Mutex<[Option<Timestamp>; QUEUES.len()]>,
}

impl Floors {
    pub(crate) fn of(&self, queue: Queue) -> &Floor {
        match queue {
            Queue::Payments => &self.payments,
            Queue::Intents => &self.intents,
            Queue::Instances => &self.instances,
            Queue::Disputes => &self.disputes,
            Queue::Notifications => &self.notifications,
            Queue::Deliveries => &self.deliveries,
            Queue::OldNotifications => &self.old_notifications,
            Queue::HiddenCards => &self.hidden_cards,
            Queue::Erasures => &self.erasures,
            Queue::DeletedMethods => &self.deleted_methods,
            Queue::BrowserMade => &self.browser_made,
            Queue::Keys => &self.keys,
            Queue::ClientTokens => &self.client_tokens,
            Queue::WalletTokens => &self.wallet_tokens,
            Queue::TokenRequests => &self.token_requests,
            Queue::Objects => &self.objects,
        }
    }
}

impl Engine {
    /// Looks at the oldest row of each queue whose time has come.
    pub(super) async fn look_for_overdue(&self) {
        for (place, (queue, job)) in QUEUES.into_iter().enumerate() {
            let began = self.inner.world.now();
            let next = self.inner.floors.next.lock().get(place).copied().flatten();
            // A clock that was set back doesn't put it off.
            if next.is_some_and(|next| next > began && next.since(began) <= AFTER_FAILURE) {
                continue;
            }
            let until = self.overdue_when(queue, began);
            let ever = Stretch { after: EVER, until };
            let rest = match oldest(&self.inner.store, queue, ever).await {
                Ok(found) => {
                    if let Some(oldest) = found {
                        self.inner.floors.of(queue).found(oldest);
                    }
                    let overdue = found.map_or(Duration::ZERO, |oldest| until.since(oldest));
                    metrics::gauge!("pointsman_job_overdue_seconds", "job" => job)
                        .set(overdue.as_secs_f64());
                    let took = self.inner.world.now().since(began);
                    took.saturating_mul(REST).min(AFTER_FAILURE)
                }
                Err(error) => {
                    tracing::warn!(job, %error, "the oldest row that is overdue could not be found");
                    AFTER_FAILURE
                }
            };
            if let Some(next) = self.inner.floors.next.lock().get_mut(place) {
                *next = Some(began.after(rest));
            }
        }
    }

    /// Tells a queue's floor that a batch was taken in this look. When the batch was not full, nothing is left; while there is
    /// a backlog the floor follows the oldest row that is left, so that under an old snapshot the claims of a long backlog
    /// don't walk over all that is done already.
    pub(crate) fn batch_taken(&self, queue: Queue, look: Look, full: bool) {
        let floor = self.inner.floors.of(queue);
        if !full {
            floor.exhausted(look);
        } else if floor.full() {
            let rest = Stretch {
                after: look.after,
                until: look.until,
            };
            // It only spares work, and shares connections with long reads: what was taken must not wait for it.
            let engine = self.clone();
            self.inner.world.spawn(async move {
                let (world, store) = (&engine.inner.world, &engine.inner.store);
                match world.timeout(LOOK, oldest(store, queue, rest)).await {
                    Ok(Ok(Some(oldest))) => engine.inner.floors.of(queue).left(look, oldest),
                    Ok(Ok(None)) => {}
                    Ok(Err(error)) => {
                        tracing::debug!(%error, "the floor of a queue stays where it is");
                    }
                    Err(_elapsed) => tracing::debug!("the floor of a queue stays where it is"),
                }
            });
        }
    }

    /// A row of an earlier time ought to be done.
    fn overdue_when(&self, queue: Queue, now: Timestamp) -> Timestamp {
        match queue {
            Queue::Payments
            | Queue::Intents
            | Queue::Instances
            | Queue::Disputes
            | Queue::Notifications
            | Queue::Deliveries
            | Queue::HiddenCards
            | Queue::Erasures
            | Queue::BrowserMade
            | Queue::Objects
            | Queue::WalletTokens => now,
            Queue::DeletedMethods => now.before(ERASE_GRACE),
            Queue::Keys => now.before(self.inner.settings.idempotency_retention),
            Queue::ClientTokens => now.before(ORPHAN_AGE),
            Queue::TokenRequests => self.requests_end(now),
            Queue::OldNotifications => Self::notifications_end(now),
        }
    }
}
