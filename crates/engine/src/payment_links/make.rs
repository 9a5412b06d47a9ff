//! Making and ending links.

use crate::boxed;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use db::Change;
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, IntentId, LinkId, TeamId},
    intent::{Changes, Status},
    money::{Currency, Money},
    payment_link::{self, PaymentLink},
    redirect::RedirectUrl,
};
use store::{
    credential,
    payment_link::{self as table, LinkRow},
};
use uuid::Uuid;

use super::{PaymentLinkView, no_such_link};
use crate::{
    Engine, StartIntent,
    change::Round,
    faults::{EngineError, intent_not_found, only_fault},
};

/// Length of the secret part of an address. Unit: bytes.
const SECRET: usize = 16;

/// A request for a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatePaymentLink {
    /// How much, in minor units.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
    /// The flow that its payments run under, as sent; the intent's or the team's default when absent.
    pub flow: Option<String>,
    /// The intent that it pays, as sent.
    pub intent: Option<String>,
    /// The merchant's order.
    pub order_id: Option<String>,
    /// What it is for, as the customer reads it.
    pub description: Option<String>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Whether it is for one payment alone.
    pub single_use: bool,
    /// The way back to the shop.
    pub return_url: Option<RedirectUrl>,
}

/// What stands in an address: the team, so that nobody else's rows are looked at, and random bits.
pub(super) fn team_of(token: &str) -> Option<TeamId> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (team, rest) = bytes.split_first_chunk::<16>()?;
    (rest.len() == SECRET).then(|| TeamId::new(Uuid::from_bytes(*team)))
}

impl Engine {
    /// Makes a link. One for one payment gets an intent of its own, unless it names one.
    ///
    /// # Errors
    /// `error.flow.not-found`, `error.intent.not-found`; `error.validation` for a time that is over, an intent with another amount
    /// or one that is complete, a card number in the order's id, or an address that customers can't be sent to.
    #[boxed]
    pub async fn create_payment_link(
        &self,
        caller: &Caller,
        wanted: CreatePaymentLink,
    ) -> Result<PaymentLinkView, Fault> {
        self.refuse_numbers(&[("orderId", wanted.order_id.as_deref())], None)?;
        self.check_returns(caller, &[(wanted.return_url.as_ref(), "returnUrl")])
            .await?;
        self.link_made(caller, wanted).await.map_err(only_fault)
    }

    async fn link_made(
        &self,
        caller: &Caller,
        wanted: CreatePaymentLink,
    ) -> Result<PaymentLinkView, EngineError> {
        let now = self.inner.world.now();
        let expires_at = wanted
            .expires_at
            .map(|at| payment_link::expires_at(at, now, "expiresAt"))
            .transpose()?;
        let id = LinkId::new(self.inner.world.uuid_v7());
        let (flow, intent) = self.paid_through(caller, id, &wanted).await?;
        let mut bytes = caller.team.uuid().as_bytes().to_vec();
        let mut secret = [0; SECRET];
        self.inner.world.fill(&mut secret);
        bytes.extend_from_slice(&secret);
        let link = PaymentLink {
            id,
            team: caller.team,
            version: 1,
            token: URL_SAFE_NO_PAD.encode(bytes),
            created_at: now,
            money: Money::new(wanted.amount, wanted.currency),
            flow,
            order_id: wanted.order_id,
            description: wanted.description,
            intent,
            return_url: wanted.return_url,
            expires_at,
            ended_at: None,
        };
        let deed = Deed::on(caller.team, Act::PaymentLinkCreated, "payment link", id);
        let change = Change::new(self.change_id(), &id.key())
            .with(table::insert(&link))
            .with(self.audit(&deed));
        match self.commit_plain(change).await? {
            None => Ok(self.link_view(LinkRow {
                link,
                payment: None,
            })),
            Some(_) => Err(Fault::unknown().into()),
        }
    }

    /// The flow and, for one payment, the intent.
    async fn paid_through(
        &self,
        caller: &Caller,
        id: LinkId,
        wanted: &CreatePaymentLink,
    ) -> Result<(FlowId, Option<IntentId>), EngineError> {
        let money = Money::new(wanted.amount, wanted.currency);
        if let Some(named) = &wanted.intent {
            if !wanted.single_use {
                let reason =
                    "fits a link for one payment alone: leave singleUse out, or set it to true";
                return Err(Fault::invalid("intentId", reason).into());
            }
            return self
                .named_intent(caller, named, wanted.flow.as_deref(), money)
                .await;
        }
        let flow = self.runnable(caller.team, wanted.flow.as_deref()).await?.id;
        if !wanted.single_use {
            return Ok((flow, None));
        }
        let tracking_id = wanted.order_id.clone().unwrap_or_else(|| id.to_string());
        let start = StartIntent {
            tracking_id,
            flow: flow.as_str().to_owned(),
            currency: wanted.currency,
            changes: Changes {
                amount: Some(wanted.amount),
                ..Changes::default()
            },
        };
        let started = self.start_intent(caller, start).await?;
        Ok((flow, Some(started.intent.id)))
    }

    async fn named_intent(
        &self,
        caller: &Caller,
        named: &str,
        flow: Option<&str>,
        money: Money,
    ) -> Result<(FlowId, Option<IntentId>), EngineError> {
        let id = IntentId::parse(named).ok_or_else(intent_not_found)?;
        let intent = store::intent::of_team(&self.inner.store, caller.team, id)
            .await?
            .ok_or_else(intent_not_found)?;
        if intent.status == Status::Complete {
            return Err(
                Fault::invalid("intentId", "must be an intent that is not complete").into(),
            );
        }
        if intent.money != Some(money) || !intent.money_is_trusted {
            let reason = "must be what a secret key has set in the intent";
            return Err(Fault::invalid("amount", reason).into());
        }
        if flow.is_some_and(|flow| flow != intent.flow.as_str()) {
            return Err(Fault::invalid("flowId", "must be the intent's").into());
        }
        Ok((intent.flow, Some(id)))
    }

    pub(super) async fn link_ended(
        &self,
        caller: &Caller,
        id: LinkId,
    ) -> Result<Round<()>, EngineError> {
        let found = table::of_team(&self.inner.store, caller.team, id).await?;
        let mut link = found.ok_or_else(no_such_link)?.link;
        if !link.end(self.inner.world.now()) {
            return Ok(Round::Done(()));
        }
        let deed = Deed::on(caller.team, Act::PaymentLinkEnded, "payment link", id);
        let change = Change::new(self.change_id(), &id.key())
            .with(table::update(&link))
            .with(credential::revoke_named(
                link.team,
                &id.key(),
                self.inner.world.now(),
            ))
            .with(self.audit(&deed));
        let refused = self.commit_plain(change).await?;
        // Pages that are open have tokens of the link.
        self.inner.access.clear();
        Ok(Round::of(refused, ()))
    }
}
