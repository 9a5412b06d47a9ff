//! What the customer must do first: nothing is charged before, and nothing after it was given up.

use futures_util::future::BoxFuture;

use super::{
    Challenge, Verdict, expect,
    stage::{Approved, Charge, Stage, Verb, of},
};
use crate::{Action, Answer, CallError, CardData, LaterAnswer, Reference, Tokenised};

pub(super) fn passed<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(challenge) = &stage.fixtures.challenge else {
            return Ok(());
        };
        for sale in [false, true] {
            if sale && !stage.can().sale {
                continue;
            }
            let (reference, action) = waits(stage, challenge, sale).await?;
            let waiting = Approved::not(reference.clone());
            stage.is_refused(Verb::Refund, &waiting, 1000).await?;
            let early = stage
                .complete(
                    &reference,
                    Charge {
                        minor: 1000,
                        capture: sale,
                    },
                )
                .await?;
            expect(
                matches!(
                    early,
                    Ok(Answer::ActionRequired { .. }) | Err(CallError::Rejected { .. })
                ),
                early,
            )?;
            challenge.customer.decide(&action, true).await;
            let found = stage.look_up(&reference, &waiting).await?;
            let ready = matches!(&found.authorisation, Some(Answer::ActionRequired { action, .. }) if action.ready);
            expect(ready, found)?;
            let done = stage
                .complete(
                    &reference,
                    Charge {
                        minor: 1000,
                        capture: sale,
                    },
                )
                .await?;
            let again = stage
                .complete(
                    &reference,
                    Charge {
                        minor: 1000,
                        capture: sale,
                    },
                )
                .await?;
            let approved =
                matches!(&done, Ok(Answer::Approved { captured, .. }) if *captured == sale);
            expect(approved && done == again, (&done, &again))?;
            let Ok(Answer::Approved { approval, .. }) = done else {
                return Err("it is not approved".to_owned());
            };
            let charged = Approved::with(reference, approval.processor_id);
            if !sale {
                stage.takes_effect(Verb::Capture, &charged, 1000).await?;
            }
            stage.takes_effect(Verb::Refund, &charged, 1000).await?;
        }
        Ok(())
    })
}

pub(super) fn failed<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(challenge) = &stage.fixtures.challenge else {
            return Ok(());
        };
        let (reference, action) = waits(stage, challenge, false).await?;
        challenge.customer.decide(&action, false).await;
        let answer = stage.complete(&reference, Charge::hold(1000)).await?;
        expect(
            matches!(
                answer,
                Ok(Answer::Declined { .. }) | Err(CallError::Rejected { .. })
            ),
            answer,
        )?;
        let about = Approved::not(reference);
        let found = stage.look_up(&about.reference, &about).await?;
        expect(
            matches!(found.authorisation, Some(Answer::Declined { .. })),
            found,
        )?;
        stage
            .is_refused(Verb::Capture, &about, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn given_up<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(challenge) = &stage.fixtures.challenge else {
            return Ok(());
        };
        for passed_before in [false, true] {
            let (reference, action) = waits(stage, challenge, false).await?;
            if passed_before {
                challenge.customer.decide(&action, true).await;
            }
            let about = Approved::not(reference);
            let cancel = stage.takes_effect(Verb::Cancel, &about, 1000).await?;
            let found = stage.look_up(&cancel, &about).await?;
            expect(
                matches!(found.operation(of(&cancel)), Some(LaterAnswer::Done { .. })),
                found,
            )?;
            challenge.customer.decide(&action, true).await;
            let late = stage.complete(&about.reference, Charge::hold(1000)).await?;
            expect(
                matches!(
                    late,
                    Ok(Answer::Declined { .. }) | Err(CallError::Rejected { .. })
                ),
                late,
            )?;
            stage.is_refused(Verb::Capture, &about, 1000).await?;
        }
        Ok(())
    })
}

pub(super) fn token<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let reference = stage.reference();
        let first = stage.tokenise(&reference, stage.fixtures.approved, None);
        let Some(first) = first.await.transpose()? else {
            return Ok(());
        };
        let second = tokenise(stage, None, &reference, stage.fixtures.approved).await?;
        expect(
            matches!(first, Ok(Tokenised::Token(_))) && first == second,
            (first, second),
        )?;
        let declined = tokenise(stage, None, &stage.reference(), stage.fixtures.declined).await?;
        expect(matches!(declined, Ok(Tokenised::Declined(_))), declined)?;
        let Some(challenge) = &stage.fixtures.challenge else {
            return Ok(());
        };
        let reference = stage.reference();
        let asked = tokenise(stage, Some(challenge), &reference, challenge.card).await?;
        let Ok(Tokenised::ActionRequired(action)) = asked else {
            return Err(format!("{asked:?}"));
        };
        challenge.customer.decide(&action, true).await;
        let reported = tokenise(stage, Some(challenge), &reference, challenge.card).await?;
        expect(matches!(reported, Ok(Tokenised::Token(_))), reported)
    })
}

async fn tokenise(
    stage: &Stage<'_>,
    challenge: Option<&Challenge<'_>>,
    reference: &Reference,
    card: &CardData,
) -> Result<Result<Tokenised, CallError>, String> {
    let return_url = challenge.map(|challenge| challenge.return_url);
    let answer = stage.tokenise(reference, card, return_url).await;
    answer.unwrap_or(Ok(Err(CallError::Unsupported)))
}

/// A new authorisation that waits for the customer.
pub(super) async fn waits(
    stage: &Stage<'_>,
    challenge: &Challenge<'_>,
    sale: bool,
) -> Result<(Reference, Action), String> {
    let reference = stage.reference();
    let asked = stage
        .ask_with(
            &reference,
            challenge.card,
            Charge {
                minor: 1000,
                capture: sale,
            },
            Some(challenge.return_url),
        )
        .await?;
    match asked {
        Ok(Answer::ActionRequired { action, .. }) if !action.ready => Ok((reference, action)),
        other => Err(format!("instead of a challenge: {other:?}")),
    }
}
