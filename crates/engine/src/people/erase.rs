//! Erasing a person from what stays: payments, and what idempotency keys tell.
//!
//! Everything here may run again at any time: what is erased already is left as it is.

use std::collections::BTreeSet;

use db::{Change, Statement};
use domain::{
    Timestamp,
    audit::{Act, Deed},
    customer::Instrument,
    id::{CustomerId, PaymentId, TeamId},
    payment::{Occurrence, Payment, PaymentEvent},
};
use futures_util::{StreamExt, stream};
use store::once::Answer;

use super::tokenise::StoredToken;
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
    idempotency::Snapshot,
    jobs::{Batch, Round, TOGETHER},
    payments::{Effects, StoredPayment},
};

/// How many payments are read at once.
const PAGE: i64 = 100;

impl Engine {
    /// Completes erasures that are due.
    pub(crate) async fn erase_people(&self, round: &Round) -> Result<Batch, EngineError> {
        let now = round.now;
        let (floor, store) = (&self.inner.floors.erasures, &self.inner.store);
        let (look, again_at) = (floor.look(now), round.lease_until);
        let due = store::erasure::claim_due(store, now, again_at, look.after, round.rows).await?;
        let taken = due.len();
        let work = async |(team, customer)| {
            if let Err(stop) = self.erase_and_forget(team, customer).await {
                round.item_failed(&customer, stop);
            }
        };
        stream::iter(due).for_each_concurrent(TOGETHER, work).await;
        let batch = Batch::whole(taken, round.rows);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }

    async fn erase_and_forget(
        &self,
        team: TeamId,
        customer: CustomerId,
    ) -> Result<(), EngineError> {
        self.erase_person(team, customer).await?;
        let mut change = Change::new(self.change_id(), &customer.key());
        change.push(store::erasure::delete(team, customer));
        change.push(self.audit(&Deed::on(team, Act::CustomerErased, "customer", customer)));
        self.commit_plain(change).await.map(|_| ())
    }

    /// Erases a customer's data from payments and from what idempotency keys tell.
    pub(super) async fn erase_person(
        &self,
        team: TeamId,
        customer: CustomerId,
    ) -> Result<(), EngineError> {
        let store = &self.inner.store;
        let mut after = None;
        loop {
            let page = store::payment::of_customer(store, team, customer, after, PAGE).await?;
            let Some(last) = page.last().map(Payment::id) else {
                break;
            };
            for payment in page {
                self.erase_from_payment(team, payment.id()).await?;
                self.erase_from_disputes(team, payment.id()).await?;
            }
            after = Some(last);
        }
        self.erase_from_intents(team, customer).await?;
        for (once, answer) in store::once::of_customer(store, team, customer).await? {
            let Some(erased) = without_person::<StoredToken>(&answer, forget_holder)? else {
                continue;
            };
            let mut change = Change::new(self.change_id(), &once.key);
            change.push(store::once::answer(team, &once, &customer.key(), &erased));
            self.commit_plain(change).await?;
        }
        Ok(())
    }

    async fn erase_from_intents(
        &self,
        team: TeamId,
        customer: CustomerId,
    ) -> Result<(), EngineError> {
        let mut after = None;
        loop {
            let page =
                store::intent::of_customer(&self.inner.store, team, customer, after, PAGE).await?;
            let Some(last) = page.last().map(|intent| intent.id) else {
                return Ok(());
            };
            for intent in page {
                self.erase_from_intent(team, intent.id).await?;
            }
            after = Some(last);
        }
    }

    async fn erase_from_payment(&self, team: TeamId, id: PaymentId) -> Result<(), EngineError> {
        let erase = |mut payment: Payment| async move {
            // A response is only ever written with a version of its payment, so this reading is guarded too.
            let responses = self.answers_without_person(&payment).await?;
            if !payment.forget_person() && responses.is_empty() {
                return Ok(Decision::Leave(payment, ()));
            }
            let entry = Occurrence::new(self.inner.world.now(), "Personal data erased")
                .event(PaymentEvent::PersonalDataErased);
            let mut effects = Effects::of(vec![entry]);
            effects.parts.statements = responses;
            Ok(Decision::Write(payment, effects, ()))
        };
        self.change(Key { team, id }, erase).await?;
        Ok(())
    }

    /// The statements that erase the person from what the payment's idempotency keys tell.
    async fn answers_without_person(
        &self,
        payment: &Payment,
    ) -> Result<Vec<Statement>, EngineError> {
        let keys: BTreeSet<_> = payment
            .idempotency_records()
            .map(|once| (once.scope.as_str(), once.key.as_str()))
            .collect();
        let mut statements = Vec::new();
        for (scope, key) in keys {
            let once = domain::payment::OnceRef {
                scope: scope.to_owned(),
                key: key.to_owned(),
            };
            // Also those that count as forgotten: they are still stored.
            let ever = Timestamp::from_micros(i64::MIN);
            let record = self.read_record(payment.team(), &once, ever).await?;
            let Some(Answer::Document(answer)) = record.and_then(|record| record.answer) else {
                continue;
            };
            if let Some(erased) = without_person::<StoredPayment>(&answer, |reported| {
                reported.payment.forget_person()
            })? {
                statements.push(store::once::answer(
                    payment.team(),
                    &once,
                    &payment.id().key(),
                    &erased,
                ));
            }
        }
        Ok(statements)
    }
}

/// An answer without the person; `None` when the person is not in it.
fn without_person<T>(
    answer: &str,
    erase: impl FnOnce(&mut T) -> bool,
) -> Result<Option<String>, EngineError>
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let mut snapshot: Snapshot<T> = serde_json::from_str(answer)
        .map_err(|error| db::DbError::Corrupt(format!("once: an answer can't be read: {error}")))?;
    let Snapshot::Result(reported) = &mut snapshot else {
        return Ok(None);
    };
    Ok(erase(reported).then(|| snapshot.text()))
}

/// Leaves what is known of the card alone. Returns whether there was more.
fn forget_holder(reported: &mut StoredToken) -> bool {
    let method = &mut reported.method;
    let address = match &mut method.instrument {
        Instrument::BankAccount {
            mandate: Some(mandate),
            ..
        } => mandate.ip_address.take(),
        Instrument::BankAccount { .. } | Instrument::Card { .. } | Instrument::OfFields(_) => None,
    };
    let merchants = (method.external_id.take(), method.metadata.take());
    let persons = (
        reported.customer.take(),
        method.holder.take(),
        method.address.take(),
    );
    address.is_some() || merchants != (None, None) || persons != (None, None, None)
}
