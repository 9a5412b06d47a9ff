//! Stored cards: the customer agrees in a first payment, and the merchant charges later by what that brought.

use domain::decline::{DeclineCode, DeclineType};
use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Charge, Stage, Verb, Wanted},
};
use crate::{
    Answer, Approval, CallError, CardData, Cause, FundingSource, OwnToken, RecurringReason,
    StoredCardData, StoredCredential, Tokenised,
};

const SALE: Charge = Charge {
    minor: 1000,
    capture: true,
};

/// What is said of a payment by which the customer agrees.
const AGREES: StoredCredential<'static> = StoredCredential {
    reason: RecurringReason::Subscription,
    first: true,
    network_id: None,
};

/// What is said of a later one of the merchant's.
const fn later(network_id: Option<&str>) -> StoredCredential<'_> {
    StoredCredential {
        reason: RecurringReason::Subscription,
        first: false,
        network_id,
    }
}

pub(super) fn network<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let first = agreed(stage, stage.fixtures.approved).await?;
        let Some(id) = first.scheme_transaction_id else {
            return Err("it brought no transaction of the scheme".to_owned());
        };
        let wanted = merchants(FundingSource::Card(stage.fixtures.approved), Some(&id));
        let answer = stage.ask_for(&stage.reference(), &wanted).await?;
        let is_other = |approval: &Approval| {
            let own = approval.scheme_transaction_id.as_deref();
            own.is_some_and(|own| own != id)
        };
        expect(
            matches!(&answer, Ok(Answer::Approved { captured: true, approval }) if is_other(approval)),
            answer,
        )
    })
}

pub(super) fn own_token<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let first = agreed(stage, stage.fixtures.approved).await?;
        let asked = stage.reference();
        let asked = stage.tokenise(&asked, stage.fixtures.approved, None);
        let asked = match asked.await.transpose()? {
            None => None,
            Some(Ok(Tokenised::Token(own))) => Some(own),
            Some(other) => return Err(format!("instead of a token: {other:?}")),
        };
        for own in [first.stored_card, asked].into_iter().flatten() {
            let card = stored(stage, own);
            let wanted = merchants(FundingSource::StoredCard(&card), None);
            let reference = stage.reference();
            let answer = stage.ask_for(&reference, &wanted).await?;
            let again = stage.ask_for(&reference, &wanted).await?;
            let Ok(Answer::Approved { approval, .. }) = &answer else {
                return Err(format!("instead of an approval: {answer:?}"));
            };
            expect(
                matches!(&again, Ok(Answer::Approved { approval: second, .. }) if second.processor_id == approval.processor_id),
                (&answer, &again),
            )?;
            let charged = Approved::with(reference, approval.processor_id.clone());
            stage.takes_effect(Verb::Refund, &charged, 1000).await?;
            stage.is_refused(Verb::Refund, &charged, 1).await?;
        }
        Ok(())
    })
}

pub(super) fn gone<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let first = agreed(stage, stage.fixtures.approved).await?;
        let Some(mut own) = first.stored_card else {
            return Ok(());
        };
        // The last letter is another one: as long as an id, and nobody's.
        let last = own.value.pop();
        own.value.push(if last == Some('0') { '1' } else { '0' });
        let card = stored(stage, own);
        let wanted = merchants(FundingSource::StoredCard(&card), None);
        let answer = stage.ask_for(&stage.reference(), &wanted).await?;
        let is_gone = matches!(
            answer,
            Err(CallError::Rejected {
                cause: Cause::StoredCardGone,
                ..
            })
        );
        expect(is_gone, answer)
    })
}

pub(super) fn nobody_present<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(challenge) = &stage.fixtures.challenge else {
            return Ok(());
        };
        let wanted = merchants(FundingSource::Card(challenge.card), None);
        let answer = stage.ask_for(&stage.reference(), &wanted).await?;
        let is_soft = matches!(&answer, Ok(Answer::Declined { decline, .. })
            if decline.code == DeclineCode::AuthorizationRequired && decline.kind == DeclineType::Soft);
        expect(is_soft, answer)
    })
}

/// A sale by which the customer agrees to later payments.
async fn agreed(stage: &Stage<'_>, card: &CardData) -> Result<Approval, String> {
    let wanted = Wanted {
        funding_source: FundingSource::Card(card),
        charge: SALE,
        return_url: None,
        merchant_initiated: false,
        stored: Some(AGREES),
    };
    match stage.ask_for(&stage.reference(), &wanted).await? {
        Ok(Answer::Approved { approval, .. }) => Ok(approval),
        other => Err(format!("instead of an approval: {other:?}")),
    }
}

/// A sale of the merchant's, by what the customer agreed to.
const fn merchants<'a>(
    funding_source: FundingSource<'a>,
    network_id: Option<&'a str>,
) -> Wanted<'a> {
    Wanted {
        funding_source,
        charge: SALE,
        return_url: None,
        merchant_initiated: true,
        stored: Some(later(network_id)),
    }
}

fn stored(stage: &Stage<'_>, token: OwnToken) -> StoredCardData {
    StoredCardData {
        token,
        cvc: None,
        brand: stage.fixtures.approved.brand.clone(),
        name: None,
        address: None,
    }
}
