//! Webhooks of the merchant's that come in: they let flows go on, and start some.

use crate::boxed;
use domain::{
    Code, Fault,
    caller::Caller,
    id::{PaymentId, TeamId},
    payment::{self, Payment},
};
use flow::Trigger;
use uuid::Uuid;

use super::effects::Effects;
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, flow_not_found, only_fault, payment_not_found},
    webhooks::{Message, SignedWebhook, count_received},
};

/// A webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// The name under which it came.
    pub name: String,
    /// The payment whose flows it is for.
    pub payment: Option<PaymentId>,
    /// The instance of a flow without a payment that it is for.
    pub instance: Option<Uuid>,
    /// All that it says.
    pub body: serde_json::Value,
}

impl Webhook {
    /// Reads for whom a webhook is: its members `payment` and `instance`, ids.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.flow.not-found` for what can't be an id.
    pub fn of(name: String, body: serde_json::Value) -> Result<Self, Fault> {
        let member = |name: &str| {
            body.get(name)
                .map(|member| member.as_str().unwrap_or_default())
        };
        let payment = member("payment")
            .map(|id| PaymentId::parse(id).ok_or_else(payment_not_found))
            .transpose()?;
        let instance = member("instance")
            .map(|id| Uuid::parse_str(id).map_err(|_| flow_not_found()))
            .transpose()?;
        Ok(Self {
            name,
            payment,
            instance,
            body,
        })
    }
}

/// What a webhook did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookOutcome {
    /// How many flows go on.
    pub resumed: usize,
    /// How many flows have begun.
    pub started: usize,
}

impl Engine {
    /// Takes a webhook. With a payment or an instance it lets flows go on that wait for its name; without, it starts those
    /// that it is the trigger of.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.flow.not-found`.
    #[boxed]
    pub async fn receive_webhook(
        &self,
        caller: &Caller,
        webhook: Webhook,
    ) -> Result<WebhookOutcome, Fault> {
        self.take_webhook(caller.team, webhook, None).await
    }

    /// The same for a message that an endpoint's server has signed: it has its effect once, however often it comes.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.flow.not-found`; `api.key.unauthorized` for one that would begin a flow of a closed team.
    #[boxed]
    pub async fn receive_signed_webhook(
        &self,
        signed: &SignedWebhook,
        webhook: Webhook,
    ) -> Result<WebhookOutcome, Fault> {
        let (team, message) = (signed.team, Some(signed.message()));
        if webhook.payment.is_none() && webhook.instance.is_none() {
            self.begins_for(team).await.map_err(only_fault)?;
        }
        let taken = self.take_webhook(team, webhook, message).await;
        if taken.is_ok() {
            count_received("taken");
        }
        taken
    }

    /// What is under way for a closed team goes on; nothing begins for it.
    async fn begins_for(&self, team: TeamId) -> Result<(), EngineError> {
        let found = store::team::of_id(&self.inner.store, team).await?;
        if found.is_some_and(|team| team.closed_at.is_none()) {
            return Ok(());
        }
        let message = "The team is closed: no flow begins for it.";
        Err(Fault::new(Code::Unauthorized, message).into())
    }

    async fn take_webhook(
        &self,
        team: TeamId,
        webhook: Webhook,
        message: Option<&Message>,
    ) -> Result<WebhookOutcome, Fault> {
        let received = payment::ReceivedWebhook {
            name: webhook.name,
            body: webhook.body,
        };
        match (webhook.payment, webhook.instance) {
            (Some(id), _) => {
                let (payment, resumed) = self
                    .resume_payment(Key { team, id }, &received, message)
                    .await
                    .map_err(only_fault)?;
                for which in &resumed {
                    self.go_on_later(payment.clone(), *which);
                }
                Ok(WebhookOutcome {
                    resumed: resumed.len(),
                    started: 0,
                })
            }
            (None, Some(instance)) => {
                let resumed = self
                    .resume_instance(team, instance, &received, message)
                    .await
                    .map_err(only_fault)?;
                Ok(WebhookOutcome {
                    resumed: usize::from(resumed),
                    started: 0,
                })
            }
            (None, None) => {
                let is_wanted = |trigger: &Trigger| matches!(trigger, Trigger::Webhook { name } if *name == received.name);
                let started = self
                    .start_instances(team, is_wanted, &received, message)
                    .await
                    .map_err(only_fault)?;
                Ok(WebhookOutcome {
                    resumed: 0,
                    started,
                })
            }
        }
    }

    /// Commits that the payment's flows which wait for the webhook may go on. Returns which.
    async fn resume_payment(
        &self,
        key: Key<PaymentId>,
        received: &payment::ReceivedWebhook,
        message: Option<&Message>,
    ) -> Result<(Payment, Vec<Option<Uuid>>), EngineError> {
        let resume = |payment| async move {
            if self.had_effect(message).await? {
                return Ok(Decision::Leave(payment, Vec::new()));
            }
            Ok(self.with_webhook(payment, received, message))
        };
        self.change(key, resume).await
    }

    /// The payment with the webhook, and its runs that go on.
    fn with_webhook(
        &self,
        mut payment: Payment,
        received: &payment::ReceivedWebhook,
        message: Option<&Message>,
    ) -> Decision<Payment, Vec<Option<Uuid>>> {
        let at = self.inner.world.now();
        match payment.receive_webhook(received, at) {
            Some((waiting, entry)) => {
                let mut effects = Effects::of(vec![entry]);
                let noted = message.map(|message| message.note(at));
                effects.parts.statements.extend(noted);
                Decision::Write(payment, effects, waiting)
            }
            None => Decision::Leave(payment, Vec::new()),
        }
    }

    /// Goes on with a run after the answer is on its way.
    pub(super) fn go_on_later(&self, payment: Payment, which: Option<Uuid>) {
        let engine = self.clone();
        drop(self.own(Box::pin(async move { engine.go_on(payment, which).await })));
    }
}
