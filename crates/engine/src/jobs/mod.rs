//! Background work: one list of jobs ([`list`]), one file for each, all of them idempotent, bounded and in a task of their own.
//!
//! # What is promised
//! - Recovery waits for no other job. Only sweeps wait, and only for each other: two run at the same time. On a server what they write has a
//!   connection of its own: the engine that runs them commits in the lane of sweeps, and they claim by `Db::claim_for_sweep`.
//! - A batch that hangs ends with its time; its rows are found again when their lease ends.
//! - One row that can't be read does not stop the others.

mod apply_notifications;
mod deactivate_intents;
mod deliver_events;
mod erase_deleted_methods;
mod erase_earlier_credentials;
mod erase_hidden_cards;
mod erase_orphan_secrets;
mod erase_orphans;
mod erase_people;
mod erase_security_codes;
mod floor;
mod forget_browser_made;
mod forget_client_tokens;
mod forget_idempotency_keys;
mod forget_notifications;
mod forget_number_quotas;
mod forget_page_violations;
mod forget_token_requests;
mod forget_wallet_tokens;
mod forget_webhook_deliveries;
mod job;
mod list;
mod note_key_uses;
mod overdue;
mod recover;
mod remove_objects;
mod remove_old_audit;
mod run;
mod run_flow_instances;
mod seal_audit;
mod shares;
mod slots;
mod timed;
mod watch_disputes;
mod watch_overdue;

use std::time::Duration;

use tokio::sync::Semaphore;

use crate::{
    Engine, Settings,
    payments::Calling,
    webhooks::{self, WebhookSettings},
};

pub(crate) use floor::Floor;
pub(crate) use job::{Batch, Round};
pub(crate) use overdue::Floors;
pub(crate) use shares::TeamSlots;
pub(crate) use slots::Slots;

/// How many of the rows that were taken are worked on at the same time: their commits are grouped, and payments hardly wait.
pub(crate) const TOGETHER: usize = 16;

/// How many sweeps run at the same time.
const SWEEPS: usize = 2;

/// How many payments, and how many instances of flows, are worked on at the same time.
const AT_ONCE: usize = 64;

/// One of so many places for webhook endpoints is for those that take nothing at present.
const FAILING_PART: usize = 5;

/// A sealed number that nothing refers to after this time was left by a crash.
const ORPHAN_AGE: Duration = Duration::from_hours(24);

/// What bounds the jobs of this node.
pub(crate) struct Limits {
    /// Payments that recovery works on.
    pub(crate) recovering: Slots,
    /// Instances of flows that are run.
    pub(crate) instances: Slots,
    /// Calls that these instances make.
    pub(crate) calling: Calling,
    /// Webhook endpoints that are sent to.
    pub(crate) endpoints: TeamSlots,
    /// The same of those that take nothing at present.
    pub(crate) failing_endpoints: TeamSlots,
    /// Sweeps that run.
    sweeps: Semaphore,
}

impl Limits {
    /// The bounds of a node with these settings.
    pub(crate) fn of(settings: &Settings) -> Self {
        let most = settings
            .webhooks
            .connections
            .min(WebhookSettings::CONNECTIONS_MAX);
        let places = usize::try_from(most)
            .unwrap_or_default()
            .checked_div(webhooks::AT_ONCE)
            .unwrap_or_default();
        let failing = places.checked_div(FAILING_PART).unwrap_or_default().max(1);
        Self {
            recovering: Slots::at_most(AT_ONCE),
            instances: Slots::at_most(AT_ONCE),
            calling: Calling::default(),
            endpoints: TeamSlots::at_most(places.saturating_sub(failing).max(1)),
            failing_endpoints: TeamSlots::at_most(failing),
            sweeps: Semaphore::new(SWEEPS),
        }
    }
}

impl Engine {
    /// Starts every job in a task of its own.
    pub(crate) fn start_jobs(&self) {
        for job in list::ALL {
            let engine = self.clone();
            self.inner
                .world
                .spawn(async move { engine.run_job(job).await });
        }
    }
}

/// Shows every job's counters from the start on.
pub(crate) fn begin_counting() {
    for job in list::ALL {
        run::begin_counting(job.name());
    }
}
