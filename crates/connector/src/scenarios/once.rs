//! One reference, one effect.

use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Charge, Stage, Verb},
};
use crate::{Answer, CallError};

pub(super) fn authorise<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let reference = stage.reference();
        let first = stage
            .ask(&reference, stage.fixtures.approved, Charge::hold(1000))
            .await?;
        let second = stage
            .ask(&reference, stage.fixtures.approved, Charge::hold(1000))
            .await?;
        expect(
            matches!(first, Ok(Answer::Approved { .. })) && first == second,
            (first, second),
        )
    })
}

pub(super) fn capture<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        let reference = stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        let second = stage
            .send(Verb::Capture, &authorised, &reference, 1000)
            .await?;
        stage
            .is_done(Verb::Capture, &authorised, &reference, second)
            .await
    })
}

pub(super) fn refund<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        if !stage.can().partial_refund {
            return Ok(());
        }
        let captured = stage.captured(1000).await?;
        let reference = stage.takes_effect(Verb::Refund, &captured, 400).await?;
        let second = stage.send(Verb::Refund, &captured, &reference, 400).await?;
        stage
            .is_done(Verb::Refund, &captured, &reference, second)
            .await?;
        // Had it been refunded twice, this would be above the rest; had it not been at all, the next would be accepted.
        stage.takes_effect(Verb::Refund, &captured, 600).await?;
        stage.is_refused(Verb::Refund, &captured, 1).await.map(drop)
    })
}

pub(super) fn another_amount<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let reference = stage.reference();
        let first = stage
            .ask(&reference, stage.fixtures.approved, Charge::hold(1000))
            .await?;
        expect(matches!(first, Ok(Answer::Approved { .. })), first)?;
        let second = stage
            .ask(&reference, stage.fixtures.approved, Charge::hold(999))
            .await?;
        expect(matches!(second, Err(CallError::Rejected { .. })), second)?;
        let authorised = Approved::not(reference);
        let capture = stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        let other = stage
            .send(Verb::Capture, &authorised, &capture, 999)
            .await?;
        expect(matches!(other, Err(CallError::Rejected { .. })), other)
    })
}
