//! Completing an intent.

use crate::boxed;
use domain::{
    Code, Fault,
    caller::Caller,
    id::{IntentId, PaymentId},
    intent::{Completion, Intent, IntentEvent, Status, may_complete},
    payment::{self, Payment},
};

use super::{IntentEffects, IntentView, check_touch};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, only_fault, payment_not_found},
};

/// Where the payment stands in the arguments.
const REFERENCE: &str = "paymentReference";

/// How many of an intent's payments are looked at for the one that paid it, the newest of them.
const LOOKED_AT: i64 = 100;

impl Engine {
    /// Completes an intent with a payment. A merchant's server may do without one, unless one is live; when a payment of the intent is
    /// authorised or captured, that one counts. Completing it again in the same way changes nothing.
    ///
    /// # Errors
    /// `error.intent.not-found`; `error.intent.invalid-status` when it is complete with another payment;
    /// `error.payment.not-found`; `error.validation` when the payment is of another intent or holds no money, or when a
    /// browser's intent has no payment yet; `error.authorize.payment-already-authorized` when another payment holds it.
    #[boxed]
    pub async fn complete_intent(
        &self,
        caller: &Caller,
        id: IntentId,
        reference: Option<PaymentId>,
    ) -> Result<IntentView, Fault> {
        self.completed(caller, id, reference)
            .await
            .map(IntentView::of)
            .map_err(only_fault)
    }

    async fn completed(
        &self,
        caller: &Caller,
        id: IntentId,
        reference: Option<PaymentId>,
    ) -> Result<Intent, EngineError> {
        let key = Key {
            team: caller.team,
            id,
        };
        let complete = |intent| self.with_completion(caller, intent, reference);
        let (intent, ()) = self.change(key, complete).await?;
        Ok(intent)
    }

    async fn with_completion(
        &self,
        caller: &Caller,
        mut intent: Intent,
        reference: Option<PaymentId>,
    ) -> Result<Decision<Intent>, EngineError> {
        check_touch(caller, &intent)?;
        let paid = match intent.status {
            Status::Complete => reference,
            Status::Active | Status::Inactive => self.paid_with(caller, &intent, reference).await?,
        };
        if intent.complete(paid, self.inner.world.now())? == Completion::Before {
            return Ok(Decision::Leave(intent, ()));
        }
        let guard = match paid {
            Some(payment) => store::intent::hold(intent.team, intent.id, payment),
            None => store::intent::unheld(intent.team, intent.id),
        };
        let effects = IntentEffects {
            event: IntentEvent::Completed,
            statements: vec![guard],
        };
        Ok(Decision::Write(intent, effects, ()))
    }

    /// The payment that completes the intent.
    async fn paid_with(
        &self,
        caller: &Caller,
        intent: &Intent,
        reference: Option<PaymentId>,
    ) -> Result<Option<PaymentId>, EngineError> {
        let store = &self.inner.store;
        let Some(id) = reference else {
            let linked = store::intent::payments(store, intent.team, intent.id, LOOKED_AT).await?;
            let paid = linked
                .iter()
                .rev()
                .find(|payment| is_paid(payment))
                .map(Payment::id);
            return match paid {
                None if !caller.is_server() => Err(Fault::invalid(
                    REFERENCE,
                    "no payment of this intent is authorised or captured yet",
                )
                .into()),
                paid => Ok(paid),
            };
        };
        let payment = store::payment::of_team(store, intent.team, id)
            .await?
            .ok_or_else(payment_not_found)?;
        let is_linked = payment.intent() == Some(intent.id);
        if !is_linked && !caller.is_server() {
            return Err(payment_not_found().into());
        }
        if !is_linked && payment.intent().is_some() {
            return Err(
                Fault::invalid(REFERENCE, "must not be a payment of another intent").into(),
            );
        }
        if !(if caller.is_server() {
            may_complete(payment.status())
        } else {
            is_paid(&payment)
        }) {
            let fault = Fault::invalid(
                REFERENCE,
                "must be a payment that is authorised or captured",
            );
            return Err(fault.about(payment.id()).in_status(payment.status()).into());
        }
        Ok(Some(payment.id()))
    }

    /// Why the payment that was to complete the intent could not be made its own.
    pub(super) async fn held_otherwise(&self, intent: &Intent) -> Result<Fault, EngineError> {
        let holder = store::intent::claimed_by(&self.inner.store, intent.team, intent.id).await?;
        Ok(
            match holder.filter(|holder| Some(*holder) != intent.reference) {
                Some(holder) => Fault::new(
                    Code::AlreadyAuthorised,
                    "Another payment of the intent is live or paid.",
                )
                .about(holder),
                None => Fault::invalid(REFERENCE, "must not be a payment of another intent"),
            },
        )
    }
}

fn is_paid(payment: &Payment) -> bool {
    matches!(
        payment.status(),
        payment::Status::Authorised | payment::Status::Succeeded
    )
}
