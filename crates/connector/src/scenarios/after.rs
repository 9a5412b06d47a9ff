//! Look-ups: the way to find out what became of a call without an answer.

use futures_util::future::BoxFuture;

use super::{
    Told, expect,
    stage::{Approved, Stage, Verb},
};
use crate::{Answer, Booked, Booking, Finding, LaterAnswer};

pub(super) fn authorisation<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Told> {
    Box::pin(async move {
        for sale in [false, true] {
            if sale && !stage.can().sale {
                continue;
            }
            let approved = stage.approved(1000, sale).await?;
            let found = stage.look_up(&approved.reference, &approved).await?;
            let same = matches!(&found, Finding::Authorisation(Answer::Approved { captured, approval })
                if *captured == sale && approval.booked.is_none_or(|booked| booked.minor() == 1000));
            expect(same, found)?;
        }
        Ok(())
    })
}

pub(super) fn decline<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Told> {
    Box::pin(async move {
        let reference = stage.reference();
        let answer = stage
            .ask(&reference, stage.fixtures.declined, (1000, false))
            .await?;
        let Ok(Answer::Declined {
            decline: answered, ..
        }) = answer
        else {
            return Err(format!("{answer:?}"));
        };
        let about = Approved::not(reference);
        let found = stage.look_up(&about.reference, &about).await?;
        let same = matches!(&found, Finding::Authorisation(Answer::Declined { decline, .. }) if *decline == answered);
        expect(same, found)
    })
}

pub(super) fn later_operations<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Told> {
    Box::pin(async move {
        let captured = stage.approved(1000, false).await?;
        let cancelled = stage.approved(1000, false).await?;
        let steps = [
            (Verb::Capture, &captured, Booking::Capture),
            (Verb::Refund, &captured, Booking::Refund),
            (Verb::Cancel, &cancelled, Booking::Cancellation),
        ];
        for (verb, about, what) in steps {
            let reference = stage.takes_effect(verb, about, 1000).await?;
            let found = stage.look_up(&reference, about).await?;
            let fits = |booked: &Booked| booked.what == what && booked.money.minor() == 1000;
            expect(
                matches!(&found, Finding::Later(LaterAnswer::Done { booked, .. }) if booked.as_ref().is_none_or(fits)),
                found,
            )?;
        }
        let refused = stage.is_refused(Verb::Refund, &captured, 1).await?;
        let found = stage.look_up(&refused, &captured).await?;
        expect(
            matches!(
                found,
                Finding::Later(LaterAnswer::Refused { .. }) | Finding::NotFound
            ),
            found,
        )
    })
}

pub(super) fn nothing<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Told> {
    Box::pin(async move {
        let nothing = Approved::not(stage.reference());
        let found = stage.look_up(&nothing.reference, &nothing).await?;
        expect(found == Finding::NotFound, found)?;
        let found = stage.look_up(&stage.reference(), &nothing).await?;
        expect(found == Finding::NotFound, found)?;
        let approved = stage.approved(1000, false).await?;
        let found = stage.look_up(&stage.reference(), &approved).await?;
        expect(found == Finding::NotFound, found)
    })
}
