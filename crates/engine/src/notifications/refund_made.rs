//! Refunds that somebody else made at the processor, of payments that were made here: in its dashboard, or with another system.

use connector::{RefundMade, Subject};
use domain::{
    answer::LaterAnswer,
    id::RefundId,
    notification::NotificationStatus,
    payment::{News, Payment, RefundElsewhere},
};
use uuid::Uuid;

use super::{
    Outcome,
    apply::{About, Found},
};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
    payments::{Connected, Effects},
};

impl Engine {
    /// Keeps a refund that somebody else made as a refund of the payment. `subject` names the authorisation.
    pub(super) async fn take_refund_made(
        &self,
        line: &Connected,
        subject: &Subject,
        made: RefundMade,
        by: Uuid,
    ) -> Result<Outcome, EngineError> {
        let payment = match self.find_about(line, subject).await? {
            Found::Operation(about) => about.payment,
            Found::Not(outcome) => return Ok(outcome),
        };
        if let Some(n) = known(&payment, &made.id) {
            let about = About { payment, n };
            return self
                .settle_news(line, about, News::Later(made.answer), by)
                .await;
        }
        let id = payment.id();
        let LaterAnswer::Done { booked, .. } = made.answer else {
            // One that is under way is kept when it is done; of one that failed nothing was known.
            return Ok(Outcome::of(NotificationStatus::Unchanged).about(id));
        };
        let Some(booked) = booked else {
            return Ok(unfit("its amount can't be read").about(id));
        };
        let elsewhere = RefundElsewhere {
            processor_id: made.id,
            money: booked.money,
            connection: line.connection.id.clone(),
        };
        self.keep_refund(payment, elsewhere).await
    }

    async fn keep_refund(
        &self,
        payment: Payment,
        elsewhere: RefundElsewhere,
    ) -> Result<Outcome, EngineError> {
        let (id, before) = (payment.id(), payment.version());
        let key = Key {
            team: payment.team(),
            id,
        };
        let world = &self.inner.world;
        let refund = RefundId::new(world.uuid_v7());
        let elsewhere = &elsewhere;
        let decide = |mut payment: Payment| async move {
            Ok(
                match payment.take_refund_elsewhere(elsewhere, refund, world.now()) {
                    Err(why) => Decision::Leave(payment, Err(why)),
                    Ok(lines) if lines.is_empty() => Decision::Leave(payment, Ok(())),
                    Ok(lines) => Decision::Write(payment, Effects::of(lines), Ok(())),
                },
            )
        };
        let (payment, taken) = self.change(key, decide).await?;
        if let Err(why) = taken {
            tracing::error!(
                payment.id = %id,
                refund = %elsewhere.processor_id,
                why,
                "somebody else has given back money of a payment at its processor, which can't be kept: a person must look"
            );
            return Ok(unfit(why).about(id));
        }
        Ok(self.goes_on(payment, before, id).await)
    }
}

/// The operation that has this id at the processor.
fn known(payment: &Payment, id: &str) -> Option<u32> {
    let mut operations = payment.operations().iter();
    let operation = operations.find(|operation| operation.processor_id.as_deref() == Some(id));
    operation.map(|operation| operation.n)
}

fn unfit(why: &str) -> Outcome {
    Outcome::of(NotificationStatus::Failed).because(format!(
        "somebody else has given back money of the payment at its processor: {why}"
    ))
}
