//! What moves money, and what must not.

use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Charge, Stage, Verb, of},
};
use crate::{Answer, CallError, LaterAnswer};

pub(super) fn sale<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        if !stage.can().sale {
            return Ok(());
        }
        let sale = stage.approved(1000, true).await?;
        stage.is_refused(Verb::Capture, &sale, 1000).await?;
        stage
            .takes_effect(Verb::Refund, &sale, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn capture<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        stage.is_refused(Verb::Capture, &authorised, 1000).await?;
        stage
            .takes_effect(Verb::Refund, &authorised, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn partial_capture<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        if !stage.can().partial_capture {
            return Ok(());
        }
        let authorised = stage.approved(1000, false).await?;
        stage.takes_effect(Verb::Capture, &authorised, 600).await?;
        stage.is_refused(Verb::Refund, &authorised, 601).await?;
        stage
            .takes_effect(Verb::Refund, &authorised, 600)
            .await
            .map(drop)
    })
}

pub(super) fn capture_above<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(999, false).await?;
        stage.is_refused(Verb::Capture, &authorised, 1000).await?;
        stage
            .takes_effect(Verb::Capture, &authorised, 999)
            .await
            .map(drop)
    })
}

pub(super) fn decline<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        for captured in [false, true] {
            let reference = stage.reference();
            let answer = stage
                .ask(
                    &reference,
                    stage.fixtures.declined,
                    Charge {
                        minor: 1000,
                        capture: captured,
                    },
                )
                .await?;
            expect(matches!(answer, Ok(Answer::Declined { .. })), answer)?;
            let declined = Approved::not(reference);
            stage.is_refused(Verb::Capture, &declined, 1000).await?;
            stage.is_refused(Verb::Refund, &declined, 1000).await?;
        }
        Ok(())
    })
}

pub(super) fn refunds<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let captured = stage.captured(1000).await?;
        if !stage.can().partial_refund {
            stage.is_refused(Verb::Refund, &captured, 1001).await?;
            return stage
                .takes_effect(Verb::Refund, &captured, 1000)
                .await
                .map(drop);
        }
        stage.takes_effect(Verb::Refund, &captured, 300).await?;
        stage.takes_effect(Verb::Refund, &captured, 300).await?;
        stage.is_refused(Verb::Refund, &captured, 401).await?;
        stage.takes_effect(Verb::Refund, &captured, 400).await?;
        stage.is_refused(Verb::Refund, &captured, 1).await.map(drop)
    })
}

pub(super) fn refund_of_a_capture<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        let capture = stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        let never = stage.reference();
        let other = stage
            .refund_of(&authorised, Some(of(&never)), &stage.reference(), 1000)
            .await?;
        expect(
            matches!(
                other,
                Ok(LaterAnswer::Refused { .. }) | Err(CallError::Rejected { .. })
            ),
            other,
        )?;
        let refund = stage.reference();
        let answer = stage
            .refund_of(&authorised, Some(of(&capture)), &refund, 1000)
            .await?;
        stage
            .is_done(Verb::Refund, &authorised, &refund, answer)
            .await
    })
}

pub(super) fn refund_uncaptured<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        stage
            .is_refused(Verb::Refund, &authorised, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn cancel<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        stage.takes_effect(Verb::Cancel, &authorised, 1000).await?;
        stage.is_refused(Verb::Capture, &authorised, 1000).await?;
        stage
            .is_refused(Verb::Refund, &authorised, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn cancel_captured<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        stage.is_refused(Verb::Cancel, &authorised, 1000).await?;
        stage
            .takes_effect(Verb::Refund, &authorised, 1000)
            .await
            .map(drop)
    })
}
