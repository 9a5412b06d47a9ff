//! Payments: the use cases.

mod abandon;
mod answer;
mod attempt;
mod authorise;
mod automation;
#[cfg(feature = "planted")]
mod bugs;
mod call;
mod cancel;
mod capture;
mod checkout;
mod command;
mod decide;
mod effects;
mod explain;
mod facts;
mod first_commit;
mod health;
mod instrument;
mod later;
mod list;
mod look_up;
mod misfit;
mod money;
mod prepare;
mod purchase;
mod read;
mod recover;
mod refund;
mod resolve;
mod returns;
mod route;
mod send;
mod settle;
mod steps;
mod stored_card;
mod tokenised;
mod triggers;
mod webhook_in;
mod webhook_out;

use crate::boxed;
use std::time::Duration;

use domain::{
    Code, Fault,
    payment::{Payment, TimelineEntry},
};
use serde::{Deserialize, Serialize};

use crate::{Engine, faults, idempotency::Kept};

/// The longest that an answer waits for its timeline.
const TIMELINE_WITHIN: Duration = Duration::from_secs(5);

pub use abandon::Abandon;
pub(crate) use call::{VERBS, code_user_of};
pub use cancel::Cancel;
pub use capture::Capture;
pub(crate) use command::trusts_intent;
pub use command::{Authorise, Target};
pub use decide::Decide;
pub(crate) use decide::{no_such_instance, waits_no_more};
pub(crate) use effects::Effects;
pub(crate) use facts::of_intent;
pub(crate) use health::Health;
pub use instrument::{Instrument, Payer, Stored};
pub(crate) use instrument::{blob_holder, may_use, token_holder};
pub(crate) use list::Large;
pub use list::{ListPayments, PaymentPage};
pub(crate) use look_up::{Looking, Sending};
pub use purchase::Purchase;
pub(crate) use read::may_read;
pub use refund::Refund;
pub use resolve::Resolve;
pub use returns::{Returned, team_of_return};
pub(crate) use route::Connected;
pub(crate) use send::refusal;
pub(crate) use settle::Report;
pub use tokenised::HostedFieldsView;
pub(crate) use tokenised::of_fields;
pub(crate) use triggers::Before as OutcomesBefore;
pub use webhook_in::{Webhook, WebhookOutcome};
pub(crate) use webhook_out::{Calling, Hook};

/// A payment as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentView {
    /// The payment.
    pub payment: Payment,
    /// Its timeline up to the payment's version; filled by [`Engine::with_timeline`].
    pub timeline: Option<Vec<TimelineEntry>>,
}

impl PaymentView {
    pub(crate) fn of(payment: Payment) -> Self {
        Self {
            payment,
            timeline: None,
        }
    }
}

/// What is stored of an answer that is a payment.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredPayment {
    pub(crate) payment: Payment,
}

/// The same, to be written.
#[derive(Serialize)]
pub(crate) struct AnsweredPayment<'a> {
    pub(crate) payment: &'a Payment,
}

impl Kept for PaymentView {
    type Stored = StoredPayment;

    fn stored(&self) -> StoredPayment {
        StoredPayment {
            payment: Payment::clone(&self.payment),
        }
    }

    async fn restored(_engine: &Engine, stored: StoredPayment) -> Result<Self, Fault> {
        Ok(Self::of(stored.payment))
    }

    fn id(stored: &StoredPayment) -> Option<String> {
        Some(stored.payment.id().to_string())
    }

    fn ended(stored: &StoredPayment) -> String {
        format!(
            "was answered with a payment in status {}",
            stored.payment.status()
        )
    }
}

impl Engine {
    /// Adds the timeline as it was at the payment's version.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn with_timeline(&self, mut view: PaymentView) -> Result<PaymentView, Fault> {
        let lines = self.lines_of(&view.payment).await;
        view.timeline = Some(lines.map_err(|error| faults::database(&error))?);
        Ok(view)
    }

    /// The timeline as it was at the payment's version, for the answer to a request about the payment.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`; they name the payment.
    #[boxed]
    pub async fn timeline_in_time(&self, payment: &Payment) -> Result<Vec<TimelineEntry>, Fault> {
        let world = &self.inner.world;
        let left = self.request_deadline().left_to_read(world.now());
        let read = world.timeout(left.min(TIMELINE_WITHIN), self.lines_of(payment));
        let fault = match read.await {
            Ok(Ok(lines)) => return Ok(lines),
            Ok(Err(error)) => faults::database(&error),
            Err(world::Elapsed) => Fault::unavailable(),
        };
        if fault.code == Code::Unavailable {
            let message = "The timeline can't be read at the moment. Read the payment by this id.";
            return Err(Fault::new(fault.code, message).about(payment.id()));
        }
        Err(fault.about(payment.id()))
    }

    async fn lines_of(&self, payment: &Payment) -> Result<Vec<TimelineEntry>, db::DbError> {
        let (store, stream) = (&self.inner.store, payment.id().key());
        store::event::timeline(store, payment.team(), &stream, payment.version()).await
    }
}
