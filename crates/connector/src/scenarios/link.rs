//! What a call brings of its connection.

use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Charge, Stage},
};
use crate::{CallError, Cause};

fn is_refused(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Rejected {
            cause: Cause::Credentials,
            ..
        }
    )
}

pub(super) fn credentials<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(wrong) = stage.fixtures.wrong_credentials else {
            return Ok(());
        };
        let reference = stage.reference();
        let stranger = stage.with_credentials(wrong);
        let answer = stranger
            .ask(
                &reference,
                stage.fixtures.approved,
                Charge {
                    minor: 1000,
                    capture: true,
                },
            )
            .await?;
        expect(answer.as_ref().is_err_and(is_refused), answer)?;
        let asked = Approved::not(reference);
        let found = stage.look_up(&asked.reference, &asked).await?;
        expect(found.is_nothing(), found)?;
        let approved = stage.approved(1000, false).await?;
        let found = stranger.look_up(&approved.reference, &approved).await;
        expect(found.is_err(), found)
    })
}

/// The probe tells about the account that the right credentials open, and refuses others as such.
pub(super) fn probe<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let Some(known) = stage.probe().await? else {
            return Ok(());
        };
        expect(known.is_ok(), known)?;
        let Some(wrong) = stage.fixtures.wrong_credentials else {
            return Ok(());
        };
        let answer = stage.with_credentials(wrong).probe().await?;
        let refused = |answer: &Result<_, CallError>| answer.as_ref().is_err_and(is_refused);
        expect(answer.as_ref().is_some_and(refused), answer)
    })
}
