//! Cards that a processor stores as well: paying by its own token, and what an approval leaves for later payments.
//!
//! Source: docs/decisions/0151-stored-credentials.md.

use connector::{CallError, Cause, OwnToken, StoredCardData};
use db::{Change, Statement};
use domain::{
    answer::{Answer, Approval},
    id::VaultToken,
    payment::{News, Operation, Payment},
    processor_token::ProcessorToken,
};

use super::{call::code_of, instrument::token_holder};
use crate::{Engine, faults::EngineError};

impl Engine {
    /// The processor's own token for the payment's card at the connection of an operation, if there is one that pays more than once.
    pub(super) async fn own_token(
        &self,
        payment: &Payment,
        operation: &Operation,
    ) -> Result<Option<ProcessorToken>, EngineError> {
        let method = payment.method();
        let Some(token) = method.token.as_ref().filter(|_| method.is_card_number()) else {
            return Ok(None);
        };
        let store = &self.inner.store;
        let found =
            store::processor_token::find(store, payment.team(), token, &operation.connection);
        Ok(found.await?.filter(|found| found.own.reusable))
    }

    /// The stored card with its security code, opened for one call. The number stays where it is.
    pub(super) async fn open_own_token(
        &self,
        payment: &Payment,
        own: &OwnToken,
    ) -> Result<Box<StoredCardData>, &'static str> {
        let method = payment.method();
        let holder = method
            .token
            .as_ref()
            .map(|token| token_holder(payment.team(), token));
        let cvc = match holder {
            Some(holder) => self.security_code(payment, &holder).await?,
            None => None,
        };
        Ok(Box::new(StoredCardData {
            token: own.clone(),
            cvc: cvc.and_then(code_of),
            brand: method.brand.clone().unwrap_or_default(),
            name: method.holder.clone(),
            address: method.address.clone(),
        }))
    }

    /// Forgets a token that its processor doesn't know any more: the next payment sends the card's number.
    pub(super) async fn forget_if_gone(&self, used: Option<&ProcessorToken>, error: &CallError) {
        let is_gone = matches!(
            error,
            CallError::Rejected {
                cause: Cause::StoredCardGone,
                ..
            }
        );
        let Some(gone) = used.filter(|_| is_gone) else {
            return;
        };
        let change = Change::new(self.change_id(), gone.token.as_str())
            .with(store::processor_token::delete_gone(gone));
        if self.commit_plain(change).await.is_err() {
            tracing::warn!(connection = %gone.connection, "a token that its processor does not know any more is not forgotten yet");
        }
    }

    /// What the approval of an authorisation leaves for later payments with its stored card: the scheme's transaction, and the processor's own
    /// token. It goes with the commit that settles the approval. `stood`: the operation before the news.
    pub(super) fn kept_for_later(
        &self,
        payment: &Payment,
        stood: &Operation,
        news: &News,
    ) -> Vec<Statement> {
        let Some((token, approval)) = approved_card(payment, stood.n, news) else {
            return Vec::new();
        };
        if stood.state.is_done() {
            return Vec::new();
        }
        let now = self.inner.world.now();
        let reference = payment.network_reference(stood.n, approval, now);
        let reference = reference.map(|reference| {
            store::method::keep_network_reference(payment.team(), token, &reference)
        });
        let own = self.own_token_of(payment, stood, approval);
        let own = own.as_ref().map(store::processor_token::put);
        reference.into_iter().chain(own).collect()
    }

    /// Keeps what comes after the approval was settled: some processors tell of a stored card, or of the scheme's transaction, by a
    /// notification of their own. Nothing of the payment changes by it.
    pub(super) async fn keep_late(
        &self,
        payment: &Payment,
        stood: &Operation,
        news: &News,
    ) -> Result<(), EngineError> {
        let Some((token, approval)) = approved_card(payment, stood.n, news) else {
            return Ok(());
        };
        if !stood.state.is_done() {
            return Ok(());
        }
        let (store, team) = (&self.inner.store, payment.team());
        let mut change = Change::new(self.change_id(), token.as_str());
        let mut is_new = false;
        let was_known = matches!(&stood.answer, Some(Answer::Approved { approval, .. })
            if approval.scheme_transaction_id.is_some());
        let reference = payment.network_reference(stood.n, approval, self.inner.world.now());
        if let Some(reference) = reference.filter(|_| !was_known) {
            is_new = true;
            change.push(store::method::keep_network_reference(
                team, token, &reference,
            ));
        }
        if let Some(own) = self.own_token_of(payment, stood, approval) {
            let kept = store::processor_token::find(store, team, token, &own.connection).await?;
            if kept.is_none_or(|kept| kept.own != own.own) {
                is_new = true;
                change.push(store::processor_token::put(&own));
            }
        }
        if is_new {
            self.commit_plain(change).await?;
        }
        Ok(())
    }

    /// The processor's own token that came with an approval, as it is kept.
    fn own_token_of(
        &self,
        payment: &Payment,
        operation: &Operation,
        approval: &Approval,
    ) -> Option<ProcessorToken> {
        let (method, now) = (payment.method(), self.inner.world.now());
        let own = approval.stored_card.as_ref()?;
        method.own_card().keeps_token(own).then_some(())?;
        Some(ProcessorToken {
            team: payment.team(),
            token: method.token.clone()?,
            connection: operation.connection.clone(),
            own: own.clone(),
            created_at: now,
            updated_at: now,
        })
    }
}

/// The vault's token of the card whose authorisation the news approves, and what came with that.
fn approved_card<'a>(
    payment: &'a Payment,
    n: u32,
    news: &'a News,
) -> Option<(&'a VaultToken, &'a Approval)> {
    let method = payment.method();
    let token = method.token.as_ref().filter(|_| method.is_card_number())?;
    payment.standing_authorisation(n)?;
    match news {
        News::Answer(Answer::Approved { approval, .. }) => Some((token, approval)),
        _ => None,
    }
}
