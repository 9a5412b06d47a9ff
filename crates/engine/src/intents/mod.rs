//! Intents: checkouts from their start to their completion.
//!
//! A browser reads and changes those that its credential started, and the one that its client token was made for; to
//! everybody else they are not there. Amounts that a browser sets are kept, shown, and never charged.
//!
//! Every change is one commit of the intent's next version with its event. Which payment holds an intent stands in the
//! intent's row and is set and freed by the payment's own commits, so that of two payments at once one wins.

mod complete;
mod erase;
mod inactivity;
mod list;
mod optimise;
mod pay;
mod read;
mod start;
mod update;

use domain::{
    caller::{Caller, Credential},
    id::{IntentId, TeamId},
    intent::{Changes, Intent},
    payment::Payment,
};

use crate::{
    Engine,
    faults::{Stop, intent_not_found},
};

pub use list::{IntentPage, ListIntents};
pub(crate) use optimise::intent_facts;
pub use start::StartIntent;
pub use update::UpdateIntent;

/// An intent as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct IntentView {
    /// The intent.
    pub intent: Intent,
    /// The payments made for it, oldest first; filled by [`Engine::with_payments`].
    pub payments: Option<Vec<Payment>>,
}

impl IntentView {
    fn of(intent: Intent) -> Self {
        Self {
            intent,
            payments: None,
        }
    }
}

impl Engine {
    /// A team's intent.
    async fn known_intent(&self, team: TeamId, id: IntentId) -> Result<Intent, Stop> {
        let found = store::intent::of_team(&self.inner.store, team, id).await?;
        found.ok_or_else(|| Stop::Fault(intent_not_found()))
    }

    /// The intent, if there is one that the credential may read and change.
    async fn own_intent(&self, caller: &Caller, id: IntentId) -> Result<Intent, Stop> {
        let intent = self.known_intent(caller.team, id).await?;
        if may_touch(caller, &intent) {
            Ok(intent)
        } else {
            Err(intent_not_found().into())
        }
    }
}

fn may_touch(caller: &Caller, intent: &Intent) -> bool {
    match &caller.credential {
        Credential::Secret => true,
        Credential::Public => intent.started_by == Some(caller.key),
        Credential::Client(grant) => {
            intent.started_by == Some(caller.key) || grant.intent == Some(intent.id)
        }
    }
}

/// What is told of an intent, with who tells it.
fn told_by(caller: &Caller, mut changes: Changes) -> Changes {
    changes.is_trusted = caller.is_server();
    changes.seen_in = caller.seen_in;
    changes
}
