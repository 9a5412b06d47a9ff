//! Intents: checkouts from their start to their completion.
//!
//! A browser reads and changes those that its credential started, and the one that its client token was made for; to
//! everybody else they are not there. Amounts that a browser sets are kept, shown, and never charged.
//!
//! Every change is one commit of the intent's next version with its event. Which payment holds an intent stands in the
//! intent's row and is set and freed by the payment's own commits, so that of two payments at once one wins.

mod complete;
mod erase;
mod forget;
mod inactivity;
mod list;
mod optimise;
mod pay;
mod read;
mod start;
mod update;

use db::Statement;
use domain::{
    Fault,
    caller::{Caller, Credential},
    id::{IntentId, TeamId},
    intent::{CartItem, Changes, Intent, IntentEvent, Status},
    payment::Payment,
};
use uuid::Uuid;

use crate::{
    Engine,
    change::{Aggregate, Key},
    commit::Ended,
    faults::{EngineError, intent_not_found},
};

pub use list::{IntentPage, ListIntents};
pub(crate) use optimise::intent_facts;
pub use start::StartIntent;
pub use update::UpdateIntent;

/// The most lines of a cart that a browser sends.
const BROWSER_ITEMS: usize = 50;
/// The largest lines of a cart that a browser sends, as they are stored. Unit: bytes.
const BROWSER_CART: usize = 16 * 1024;

/// An intent as it is shown.
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

/// What a change of an intent brings besides its next version.
pub(crate) struct IntentEffects {
    /// What has happened to it.
    event: IntentEvent,
    /// What is written with it.
    statements: Vec<Statement>,
}

impl IntentEffects {
    /// Its event alone.
    fn of(event: IntentEvent) -> Self {
        Self {
            event,
            statements: Vec::new(),
        }
    }
}

impl Aggregate for Intent {
    type Id = IntentId;
    type Before = ();
    type Effects = IntentEffects;

    fn lock_id(id: IntentId) -> Uuid {
        id.uuid()
    }

    async fn find(engine: &Engine, key: Key<IntentId>) -> Result<Option<Self>, EngineError> {
        Ok(store::intent::of_team(&engine.inner.store, key.team, key.id).await?)
    }

    fn missing() -> Fault {
        intent_not_found()
    }

    fn before(&self) -> Self::Before {}

    async fn commit(
        &mut self,
        engine: &Engine,
        (): Self::Before,
        effects: IntentEffects,
    ) -> Result<Ended, EngineError> {
        self.version += 1;
        let IntentEffects { event, statements } = effects;
        self.public_events += event.public_events();
        engine.commit_intent(self, event, statements).await
    }

    async fn refused(&self, engine: &Engine) -> Result<(), EngineError> {
        match self.status {
            Status::Complete => Err(engine.held_otherwise(self).await?.into()),
            Status::Active | Status::Inactive => Ok(()),
        }
    }
}

impl Engine {
    /// A team's intent.
    async fn known_intent(&self, team: TeamId, id: IntentId) -> Result<Intent, EngineError> {
        let found = store::intent::of_team(&self.inner.store, team, id).await?;
        found.ok_or_else(|| EngineError::Fault(intent_not_found()))
    }

    /// The intent, if there is one that the credential may read and change.
    async fn own_intent(&self, caller: &Caller, id: IntentId) -> Result<Intent, EngineError> {
        let intent = self.known_intent(caller.team, id).await?;
        check_touch(caller, &intent)?;
        Ok(intent)
    }
}

/// Refuses an intent that the credential may not read and change, as one that is not there.
fn check_touch(caller: &Caller, intent: &Intent) -> Result<(), Fault> {
    if may_touch(caller, intent) {
        Ok(())
    } else {
        Err(intent_not_found())
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

/// The changes of an intent, with who makes them.
///
/// # Errors
/// `error.validation` for a cart that is too large for a browser.
fn attributed(caller: &Caller, mut changes: Changes) -> Result<Changes, Fault> {
    if let (false, Some(items)) = (
        caller.is_server(),
        changes.cart.as_ref().and_then(|cart| cart.items.as_ref()),
    ) {
        check_small(items)?;
    }
    changes.is_trusted = caller.is_server();
    changes.seen_in = caller.seen_in;
    Ok(changes)
}

/// Everybody has a public key: it must not store much at once.
fn check_small(items: &[CartItem]) -> Result<(), Fault> {
    let refuse = |rule: String| {
        let way_out = "a larger cart is sent with a secret key";
        Err(Fault::invalid("cart.items", format!("{rule}; {way_out}")))
    };
    if items.len() > BROWSER_ITEMS {
        return refuse(format!("must have at most {BROWSER_ITEMS} entries"));
    }
    // What can't be written is refused too.
    let bytes = serde_json::to_vec(items).map_or(usize::MAX, |text| text.len());
    if bytes > BROWSER_CART {
        return refuse(format!("must have at most {BROWSER_CART} bytes in all"));
    }
    Ok(())
}
