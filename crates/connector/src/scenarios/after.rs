//! Look-ups: the way to find out what became of a call without an answer.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;

use super::{
    Verdict, expect,
    stage::{Approved, Charge, Stage, Verb, of},
};
use crate::{Answer, Booked, Booking, LaterAnswer};

pub(super) fn authorisation<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        for sale in [false, true] {
            if sale && !stage.can().sale {
                continue;
            }
            let approved = stage.approved(1000, sale).await?;
            let found = stage.look_up(&approved.reference, &approved).await?;
            let same = matches!(&found.authorisation, Some(Answer::Approved { captured, approval })
                if *captured == sale && approval.booked.is_none_or(|booked| booked.minor() == 1000));
            expect(same, found)?;
        }
        Ok(())
    })
}

pub(super) fn decline<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let reference = stage.reference();
        let answer = stage
            .ask(&reference, stage.fixtures.declined, Charge::hold(1000))
            .await?;
        let Ok(Answer::Declined {
            decline: answered, ..
        }) = answer
        else {
            return Err(format!("{answer:?}"));
        };
        let about = Approved::not(reference);
        let found = stage.look_up(&about.reference, &about).await?;
        let same = matches!(&found.authorisation, Some(Answer::Declined { decline, .. }) if *decline == answered);
        expect(same, found)
    })
}

pub(super) fn later_operations<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
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
                matches!(found.operation(of(&reference)), Some(LaterAnswer::Done { booked, .. }) if booked.as_ref().is_none_or(fits)),
                found,
            )?;
        }
        let refused = stage.is_refused(Verb::Refund, &captured, 1).await?;
        let found = stage.look_up(&refused, &captured).await?;
        expect(
            matches!(
                found.operation(of(&refused)),
                Some(LaterAnswer::Refused { .. }) | None
            ),
            found,
        )
    })
}

pub(super) fn nothing<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let nothing = Approved::not(stage.reference());
        let found = stage.look_up(&nothing.reference, &nothing).await?;
        expect(found.is_nothing(), found)?;
        let found = stage.look_up(&stage.reference(), &nothing).await?;
        expect(found.is_nothing(), found)?;
        let approved = stage.approved(1000, false).await?;
        let never = stage.reference();
        let found = stage.look_up(&never, &approved).await?;
        expect(
            found.operations.is_empty() && found.operation(of(&never)).is_none(),
            found,
        )
    })
}

pub(super) fn ids<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        let (capture, refund) = (stage.reference(), stage.reference());
        let mut ids: Vec<String> = authorised.processor_id.iter().cloned().collect();
        for (verb, reference) in [(Verb::Capture, &capture), (Verb::Refund, &refund)] {
            let answer = stage.send(verb, &authorised, reference, 1000).await?;
            let given = id_of(answer.as_ref().ok()).map(str::to_owned);
            stage
                .is_done(verb, &authorised, reference, answer.clone())
                .await?;
            let found = stage.look_up(reference, &authorised).await?;
            let kept = id_of(found.operation(of(reference))).map(str::to_owned);
            expect(given.is_none() || given == kept, (&given, &found))?;
            ids.extend(given);
        }
        let distinct: BTreeSet<&String> = ids.iter().collect();
        expect(distinct.len() == ids.len(), &ids)
    })
}

pub(super) fn lists<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let authorised = stage.approved(1000, false).await?;
        let capture = stage.takes_effect(Verb::Capture, &authorised, 1000).await?;
        let refund = stage.takes_effect(Verb::Refund, &authorised, 1000).await?;
        let refused = stage.is_refused(Verb::Refund, &authorised, 1).await?;
        let about = stage.look_up(&authorised.reference, &authorised).await?;
        let expected = [(capture, Booking::Capture), (refund, Booking::Refund)];
        for found in &about.operations {
            let what = expected
                .iter()
                .find(|(reference, _)| found.reference.as_ref() == Some(reference))
                .map(|(_, what)| *what);
            let is_true = match (&found.answer, what) {
                (LaterAnswer::Done { booked, .. }, Some(what)) => booked
                    .as_ref()
                    .is_none_or(|booked| booked.what == what && booked.money.minor() == 1000),
                (LaterAnswer::Refused { .. }, None) => found.reference.as_ref() == Some(&refused),
                _ => false,
            };
            expect(is_true, &about)?;
        }
        let references: BTreeSet<_> = about
            .operations
            .iter()
            .map(|found| &found.reference)
            .collect();
        expect(references.len() == about.operations.len(), &about)
    })
}

/// The processor's own id of an operation.
fn id_of(answer: Option<&LaterAnswer>) -> Option<&str> {
    match answer? {
        LaterAnswer::Done { processor_id, .. } | LaterAnswer::Pending { processor_id, .. } => {
            processor_id.as_deref()
        }
        LaterAnswer::Refused { .. } | LaterAnswer::Reversed { .. } => None,
    }
}
