//! One live or paid payment for each checkout: an intent, or a client token.
//!
//! The place is taken in the payment's first commit and freed by the commit that ends it without money. A payment that
//! waits for the customer gives way to a new one: it is given up at the processor first.

use db::Statement;
use domain::{
    Code, Fault,
    caller::{Caller, Credential},
    id::PaymentId,
    payment::{AbandonCause, OperationState, Payment},
};

use super::{instrument::already_authorised, tokenised::fields_token_used};
use crate::{Engine, MAX_CLIENT_ATTEMPTS, faults::EngineError, wallets::used_before};

/// How long after its commit a raw card's number is looked after by the job, should the request not have done it.
const HIDDEN_CARD_CHECK: std::time::Duration = std::time::Duration::from_mins(1);

/// What a statement of the first commit guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// A client token's one live payment and its number of attempts.
    Client,
    /// An intent's one live payment.
    Intent,
    /// A raw card's number, which is to be erased.
    HiddenCard,
    /// The token of a wallet or of a processor's fields, which is used once.
    SingleUse,
}

/// What became of a first commit that was refused.
pub(super) enum Blocked {
    /// What stood in its way is gone: try again.
    Freed,
    /// It stays refused.
    Refused(Fault),
}

/// What the first commit carries besides the payment, each with what it guards. A payment that ended at once takes no place.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        ClientTokenUnclaimed = super::bugs::claim_no_token,
        IntentUnclaimed = super::bugs::claim_no_intent,
    )
)]
pub(super) fn first_statements(
    caller: &Caller,
    payment: &Payment,
    single_use: Vec<Statement>,
    live: bool,
) -> Vec<(Guard, Statement)> {
    // First what no payment that gives way could change.
    let mut statements: Vec<(Guard, Statement)> = single_use
        .into_iter()
        .map(|statement| (Guard::SingleUse, statement))
        .collect();
    if let Credential::Client(_) = caller.credential {
        let claim = store::credential::claim_payment(
            caller.team,
            caller.key,
            payment.id(),
            MAX_CLIENT_ATTEMPTS,
        );
        statements.push((Guard::Client, claim));
        if !live {
            // The attempt counts all the same.
            let release = store::credential::release_payment(caller.team, caller.key, payment.id());
            statements.push((Guard::Client, release));
        }
    }
    if let Some(intent) = payment.intent().filter(|_| live) {
        statements.push((
            Guard::Intent,
            store::intent::claim(caller.team, intent, payment.id()),
        ));
    }
    if let Some(blob) = payment.method().blob.filter(|_| payment.method().hidden) {
        let due_at = payment.created_at().after(HIDDEN_CARD_CHECK);
        let hidden = store::hidden_card::insert(caller.team, blob, payment.id(), due_at);
        statements.push((Guard::HiddenCard, hidden));
    }
    statements
}

impl Engine {
    /// Why the first commit was refused. An older payment of the checkout that waits for the customer is given up.
    pub(super) async fn blocked(
        &self,
        caller: &Caller,
        payment: &Payment,
        guard: Option<Guard>,
    ) -> Result<Blocked, EngineError> {
        let holder = match guard {
            Some(Guard::Client) => {
                let credential =
                    store::credential::of_team(&self.inner.store, caller.team, caller.key).await?;
                match credential {
                    Some(credential) if credential.attempts < MAX_CLIENT_ATTEMPTS => {
                        match credential.live_payment {
                            Some(live) => Some(live),
                            None => return Ok(Blocked::Freed),
                        }
                    }
                    // What waits stays, since no other can take its place.
                    Some(credential) => {
                        let live = credential.live_payment;
                        return Ok(Blocked::Refused(
                            live.map_or_else(no_more_attempts, already_authorised),
                        ));
                    }
                    None => return Ok(Blocked::Refused(no_more_attempts())),
                }
            }
            Some(Guard::Intent) => match payment.intent() {
                Some(intent) => {
                    let holder =
                        store::intent::claimed_by(&self.inner.store, caller.team, intent).await?;
                    if holder.is_none() {
                        // Freed meanwhile, or complete without a payment: the intent is read again.
                        self.paying_intent(caller, &intent.to_string()).await?;
                        return Ok(Blocked::Freed);
                    }
                    holder
                }
                None => None,
            },
            Some(Guard::SingleUse) => {
                let of_fields = payment.method().fields_token.is_some();
                let fault = if of_fields {
                    fields_token_used()
                } else {
                    used_before()
                };
                return Ok(Blocked::Refused(fault));
            }
            Some(Guard::HiddenCard) | None => return Ok(Blocked::Refused(Fault::unknown())),
        };
        match holder {
            Some(holder) => Box::pin(self.make_way(caller, holder)).await,
            None => Ok(Blocked::Freed),
        }
    }

    /// Gives up the payment that holds a checkout, if it only waits for the customer.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ReturnUnchecked = super::bugs::free_at_once)
    )]
    async fn make_way(&self, caller: &Caller, holder: PaymentId) -> Result<Blocked, EngineError> {
        let taken = || Blocked::Refused(already_authorised(holder));
        let Some(older) = store::payment::of_team(&self.inner.store, caller.team, holder).await?
        else {
            return Ok(taken());
        };
        let waits = older
            .waiting_attempt()
            .is_some_and(|attempt| matches!(attempt.state, OperationState::Waiting { .. }));
        if !waits {
            return Ok(taken());
        }
        let older = Box::pin(self.give_up(older, AbandonCause::Superseded)).await?;
        Ok(if super::effects::ended_without_money(older.status()) {
            Blocked::Freed
        } else {
            taken()
        })
    }

    /// Whether the checkout that the payment belongs to is another payment's.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(ReturnUnchecked = super::bugs::never_paid_otherwise)
    )]
    pub(super) async fn is_paid_otherwise(&self, payment: &Payment) -> Result<bool, EngineError> {
        if let Some(intent) = payment.intent() {
            let holder =
                store::intent::claimed_by(&self.inner.store, payment.team(), intent).await?;
            if holder != Some(payment.id()) {
                return Ok(true);
            }
        }
        let Some(token) = payment.made_by() else {
            return Ok(false);
        };
        let credential =
            store::credential::of_team(&self.inner.store, payment.team(), token).await?;
        // A token that has ended was forgotten, and holds nothing against its payment.
        let live = credential.and_then(|credential| credential.live_payment);
        Ok(live.is_some_and(|live| live != payment.id()))
    }
}

fn no_more_attempts() -> Fault {
    Fault::new(
        Code::TooManyAttempts,
        "This client token has made as many attempts as it may. Make a new one.",
    )
}
