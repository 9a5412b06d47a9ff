//! What a processor says of a payment besides its outcome.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;

use super::{
    Verdict, customer, expect,
    stage::{Charge, Stage},
};
use crate::{Answer, Approval, Fact};

pub(super) fn known<'a>(stage: &'a Stage<'a>) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let mut approvals: Vec<Approval> = Vec::new();
        for capture in [true, false] {
            if capture && !stage.can().sale {
                continue;
            }
            let charge = Charge {
                minor: 1000,
                capture,
            };
            let answer = stage
                .ask(&stage.reference(), stage.fixtures.approved, charge)
                .await?;
            approvals.extend(approval(answer));
        }
        if let Some(challenge) = &stage.fixtures.challenge {
            let (reference, action) = customer::waits(stage, challenge, false).await?;
            challenge.customer.decide(&action, true).await;
            let answer = stage.complete(&reference, Charge::hold(1000)).await?;
            approvals.extend(approval(answer));
        }
        let is_known = |fact: &&Fact| approvals.iter().any(|approval| fact.is_in(approval));
        let known: BTreeSet<Fact> = Fact::ALL.iter().filter(is_known).copied().collect();
        let named: BTreeSet<Fact> = stage.facts().iter().copied().collect();
        let elsewhere = stage.fixtures.facts_elsewhere;
        let expected: BTreeSet<Fact> = named
            .iter()
            .filter(|fact| !elsewhere.contains(fact))
            .copied()
            .collect();
        expect(
            known == expected && elsewhere.iter().all(|fact| named.contains(fact)),
            (&known, &expected),
        )
    })
}

fn approval<E>(answer: Result<Answer, E>) -> Option<Approval> {
    match answer {
        Ok(Answer::Approved { approval, .. }) => Some(approval),
        Ok(
            Answer::Declined { .. }
            | Answer::Held { .. }
            | Answer::ActionRequired { .. }
            | Answer::Failed { .. },
        )
        | Err(_) => None,
    }
}
