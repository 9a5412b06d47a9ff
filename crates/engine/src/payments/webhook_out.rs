//! Calling a merchant's webhook where a flow says so.
//!
//! No transaction is open meanwhile. A call that was cut off by a crash is made again: the other side gets the same key.

use std::collections::BTreeSet;

use domain::{
    id::TeamId,
    payment::{FlowRun, Occurrence, PauseReason, Payment, PaymentEvent},
    webhook::Attempt,
};
use parking_lot::Mutex;
use serde_json::json;
use uuid::Uuid;

use crate::{
    Engine,
    webhooks::{Called, FlowCall},
};

/// How many calls payments' flows, and how many instances without a payment, make at the same time: silent addresses must hold
/// up nothing else, and those of instances not the flows of payments.
const AT_ONCE: usize = 24;

/// What is sent to the called address.
pub(crate) struct Hook<'a> {
    /// Whose flow calls.
    pub(crate) team: TeamId,
    /// Among which calls it counts.
    pub(crate) calling: &'a Calling,
    pub(crate) url: &'a str,
    pub(crate) run: &'a FlowRun,
    /// Where the run rests: with the instance it names the call.
    pub(crate) at: u32,
    pub(crate) body: serde_json::Value,
}

impl Engine {
    /// Makes the call that the run rests at, if it does. What came of it is written to the timeline; the flow goes on either
    /// way. `None`: too many calls are under way, or this one is.
    pub(super) async fn call_for(
        &self,
        payment: &Payment,
        which: Option<Uuid>,
    ) -> Option<Vec<Occurrence>> {
        let Some((run, pause)) = payment
            .run(which)
            .and_then(|run| Some((run, run.pause.as_ref()?)))
        else {
            return Some(Vec::new());
        };
        let PauseReason::Calling { url } = &pause.why else {
            return Some(Vec::new());
        };
        let body = json!({
            "payment": payment.id().to_string(),
            "status": payment.status().text(),
            "amount": payment.money().minor(),
            "currency": payment.money().currency().code(),
            "capturedAmount": payment.captured(),
            "refundedAmount": payment.refunded(),
            "orderId": payment.order_id(),
            "intent": payment.intent().map(|intent| intent.to_string()),
            "dispute": run.dispute.map(|dispute| dispute.to_string()),
        });
        let (called, words) = self
            .hook(Hook {
                team: payment.team(),
                calling: &self.inner.calling,
                url,
                run,
                at: pause.next,
                body,
            })
            .await?;
        let title = if called {
            "Webhook called"
        } else {
            "Webhook call failed"
        };
        Some(vec![
            Occurrence::new(self.inner.world.now(), title)
                .saying(words)
                .event(PaymentEvent::WebhookCalled { taken: called }),
        ])
    }

    /// Whether somebody here makes the call that the run rests at.
    pub(super) fn is_calling(&self, payment: &Payment, which: Option<Uuid>) -> bool {
        payment
            .run(which)
            .is_some_and(|run| self.inner.calling.lock().contains(&run.instance))
    }

    /// Makes a call. Says whether it was taken, and what came of it. `None`: too many are under way, or
    /// this one is, or it can't be signed now.
    pub(crate) async fn hook(&self, hook: Hook<'_>) -> Option<(bool, String)> {
        let _under_way = UnderWay::of(hook.calling, hook.run.instance)?;
        let Hook {
            team,
            url,
            run,
            at,
            mut body,
            ..
        } = hook;
        if self.endpoint_url(url).is_err() {
            return Some((false, "Its address is none that can be called.".to_owned()));
        }
        if let Some(members) = body.as_object_mut() {
            members.insert("flow".to_owned(), run.id.as_str().into());
            members.insert("flowVersion".to_owned(), run.version.into());
            members.insert("instance".to_owned(), run.instance.to_string().into());
        }
        let id = format!("{}-{at}", run.instance);
        let call = FlowCall {
            url,
            id: &id,
            body: &body.to_string(),
        };
        match self.call_signed(team, &call).await {
            Called::Made(attempt) => Some(in_words(&attempt)),
            Called::TooMany => {
                let words = "The team's flows call too many addresses: delete webhook endpoints. The flow goes on.";
                Some((false, words.to_owned()))
            }
            Called::Later => None,
        }
    }
}

/// Whether a call was taken, and what came of it.
fn in_words(attempt: &Attempt) -> (bool, String) {
    let answered = |status| format!("It answered {status}");
    match attempt.status {
        Some(status) if attempt.is_taken() => (true, format!("{}.", answered(status))),
        Some(status) => (
            false,
            format!(
                "{}, which is no success. The flow goes on.",
                answered(status)
            ),
        ),
        None => (
            false,
            "It could not be reached, or did not answer in time. The flow goes on.".to_owned(),
        ),
    }
}

/// The instances whose calls are under way.
pub(crate) type Calling = Mutex<BTreeSet<Uuid>>;

/// Keeps an instance among those that call until it is dropped.
struct UnderWay<'a>(&'a Calling, Uuid);

impl<'a> UnderWay<'a> {
    /// `None` when too many are, or when somebody makes this call already.
    fn of(calling: &'a Calling, instance: Uuid) -> Option<Self> {
        let mut instances = calling.lock();
        let free = instances.len() < AT_ONCE && instances.insert(instance);
        // Made only then: dropping one takes the lock, and lets the instance go.
        free.then(|| Self(calling, instance))
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_makes_one_call_at_a_time_and_few_make_one_at_once() {
        let calling = Calling::default();
        let first = UnderWay::of(&calling, Uuid::from_u128(0));
        assert!(first.is_some());
        assert!(
            UnderWay::of(&calling, Uuid::from_u128(0)).is_none(),
            "it is under way"
        );
        assert!(
            UnderWay::of(&calling, Uuid::from_u128(0)).is_none(),
            "and stays so"
        );
        let others: Vec<_> = (1..)
            .map_while(|n| UnderWay::of(&calling, Uuid::from_u128(n)))
            .collect();
        assert_eq!(others.len(), AT_ONCE - 1);
        drop(first);
        assert!(UnderWay::of(&calling, Uuid::from_u128(0)).is_some());
    }
}
