//! Several captures of one authorisation, where the processor takes them.

use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Stage, Verb, of},
};
use crate::{Answer, CallError, LaterAnswer, Reference};

pub(super) fn captures<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(authorised) = stage.approved_for_several(1000).await? else {
            return Ok(());
        };
        stage
            .takes_effect(Verb::CapturePart, &authorised, 300)
            .await?;
        // What is captured in part can still be captured: it is not found as a sale.
        let found = stage.look_up(&authorised.reference, &authorised).await?;
        let is_open = matches!(
            found.authorisation,
            Some(Answer::Approved {
                captured: false,
                ..
            })
        );
        expect(is_open, &found)?;
        stage
            .is_refused(Verb::CapturePart, &authorised, 701)
            .await?;
        stage
            .takes_effect(Verb::CapturePart, &authorised, 300)
            .await?;
        stage.takes_effect(Verb::Capture, &authorised, 400).await?;
        stage.is_refused(Verb::Capture, &authorised, 1).await?;
        stage
            .is_refused(Verb::Cancel, &authorised, 1000)
            .await
            .map(drop)
    })
}

pub(super) fn final_capture<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(authorised) = stage.approved_for_several(1000).await? else {
            return Ok(());
        };
        stage
            .takes_effect(Verb::CapturePart, &authorised, 300)
            .await?;
        stage.takes_effect(Verb::Capture, &authorised, 300).await?;
        stage.is_refused(Verb::Capture, &authorised, 400).await?;
        stage
            .is_refused(Verb::CapturePart, &authorised, 400)
            .await
            .map(drop)
    })
}

pub(super) fn release<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(authorised) = stage.approved_for_several(1000).await? else {
            return Ok(());
        };
        let capture = stage
            .takes_effect(Verb::CapturePart, &authorised, 300)
            .await?;
        stage.takes_effect(Verb::Cancel, &authorised, 700).await?;
        stage.is_refused(Verb::Capture, &authorised, 1).await?;
        let refund = stage.reference();
        let answer = stage
            .refund_of(&authorised, Some(of(&capture)), &refund, 300)
            .await?;
        stage
            .is_done(Verb::Refund, &authorised, &refund, answer)
            .await
    })
}

pub(super) fn refund_of_one<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(authorised) = stage.approved_for_several(1000).await? else {
            return Ok(());
        };
        let first = stage
            .takes_effect(Verb::CapturePart, &authorised, 300)
            .await?;
        let last = stage.takes_effect(Verb::Capture, &authorised, 700).await?;
        is_too_much(stage, &authorised, &first, 301).await?;
        let refunds = [(&first, 200), (&last, 700), (&first, 100)];
        for (capture, minor) in refunds {
            let refund = stage.reference();
            let answer = stage
                .refund_of(&authorised, Some(of(capture)), &refund, minor)
                .await?;
            stage
                .is_done(Verb::Refund, &authorised, &refund, answer)
                .await?;
        }
        is_too_much(stage, &authorised, &first, 1).await?;
        is_too_much(stage, &authorised, &last, 1).await
    })
}

/// A refund of this capture that must be refused.
async fn is_too_much(
    stage: &Stage<'_>,
    about: &Approved,
    capture: &Reference,
    minor: i64,
) -> Verdict {
    let reference = stage.reference();
    let answer = stage
        .refund_of(about, Some(of(capture)), &reference, minor)
        .await?;
    let is_refused = matches!(
        answer,
        Ok(LaterAnswer::Refused { .. }) | Err(CallError::Rejected { .. })
    );
    expect(is_refused, answer)
}

pub(super) fn twice<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(authorised) = stage.approved_for_several(1000).await? else {
            return Ok(());
        };
        let reference = stage
            .takes_effect(Verb::CapturePart, &authorised, 400)
            .await?;
        let again = stage
            .send(Verb::CapturePart, &authorised, &reference, 400)
            .await?;
        stage
            .is_done(Verb::CapturePart, &authorised, &reference, again)
            .await?;
        // Had it been captured twice, this would be above the rest.
        stage
            .takes_effect(Verb::Capture, &authorised, 600)
            .await
            .map(drop)
    })
}
