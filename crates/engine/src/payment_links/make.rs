//! Making and ending links.

use crate::boxed;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use db::{Change, Statement};
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, IntentId, LinkId, TeamId},
    intent::{Changes, Intent, Status},
    money::{Currency, Money},
    payment_link::{self, PaymentLink},
    redirect::RedirectUrl,
};
use std::sync::Arc;
use store::{credential, payment_link as table};
use uuid::Uuid;

use super::{PaymentLinkView, no_such_link};
use crate::{
    Engine, StartIntent,
    change::Round,
    faults::{EngineError, intent_not_found},
    idempotency::{Kept, Once, Response, Snapshot},
    request::Request,
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

impl Kept for PaymentLinkView {
    type Stored = Box<PaymentLink>;

    fn stored(&self) -> Self::Stored {
        Box::new(self.link.clone())
    }

    async fn restored(engine: &Engine, stored: Self::Stored) -> Result<Self, Fault> {
        Ok(engine.new_link_view(*stored))
    }

    fn id(stored: &Self::Stored) -> Option<String> {
        Some(stored.id.to_string())
    }

    fn ended(_stored: &Self::Stored) -> String {
        "made a payment link".to_owned()
    }
}

impl Engine {
    /// Makes a link. One for one payment gets an intent of its own, unless it names one.
    ///
    /// Errors: `error.flow.not-found`, `error.intent.not-found`; `error.validation` for a time that is over, an intent with another
    /// amount or one that is complete, an address that customers can't be sent to, or, with `vault.order_ids = "luhn"`, an order's id
    /// that looks like a card's number.
    #[boxed]
    pub async fn create_payment_link(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<CreatePaymentLink, Fault>,
    ) -> Response<PaymentLinkView> {
        let run = |wanted, request| self.link_made(wanted, request);
        self.once(caller, once, parsed, run).await
    }

    async fn link_made(
        &self,
        wanted: CreatePaymentLink,
        request: Arc<Request>,
    ) -> Result<PaymentLinkView, EngineError> {
        let caller = &request.caller;
        self.refuse_numbers(&[("orderId", wanted.order_id.as_deref())], None)?;
        self.check_returns(caller, &[(wanted.return_url.as_ref(), "returnUrl")])
            .await?;
        let link = self.new_link(caller, &wanted).await?;
        let link = if wanted.single_use && link.intent.is_none() {
            self.commit_with_intent(link, &request).await?
        } else {
            let mut change =
                Change::new(self.change_id(), &link.id.key()).until(request.deadline.at());
            for statement in self.statements_of(&link, &request) {
                change.push(statement);
            }
            match self.commit_naming(change, link.id).await? {
                None => link,
                Some(0) if request.claim.is_some() => return Err(EngineError::Taken),
                Some(_) => return Err(Fault::unknown().into()),
            }
        };
        Ok(self.new_link_view(link))
    }

    /// A link as it is made. One for one payment has the intent that it names, and none yet otherwise.
    async fn new_link(
        &self,
        caller: &Caller,
        wanted: &CreatePaymentLink,
    ) -> Result<PaymentLink, EngineError> {
        let now = self.inner.world.now();
        let expires_at = wanted
            .expires_at
            .map(|at| payment_link::expires_at(at, now, "expiresAt"))
            .transpose()?;
        let (flow, intent) = self.paid_through(caller, wanted).await?;
        let mut bytes = caller.team.uuid().as_bytes().to_vec();
        let mut secret = [0; SECRET];
        self.inner.world.fill(&mut secret);
        bytes.extend_from_slice(&secret);
        Ok(PaymentLink {
            id: LinkId::new(self.inner.world.uuid_v7()),
            team: caller.team,
            version: 1,
            token: URL_SAFE_NO_PAD.encode(bytes),
            created_at: now,
            money: Money::new(wanted.amount, wanted.currency),
            flow,
            order_id: wanted.order_id.clone(),
            description: wanted.description.clone(),
            intent,
            return_url: wanted.return_url.clone(),
            expires_at,
            ended_at: None,
        })
    }

    /// Commits a link with an intent of its own: neither is there without the other.
    async fn commit_with_intent(
        &self,
        link: PaymentLink,
        request: &Request,
    ) -> Result<PaymentLink, EngineError> {
        let tracking_id = link.order_id.clone().unwrap_or_else(|| link.id.to_string());
        let start = StartIntent {
            tracking_id,
            flow: link.flow.as_str().to_owned(),
            currency: link.money.currency(),
            changes: Changes {
                amount: Some(link.money.minor()),
                ..Changes::default()
            },
        };
        let with_intent = |intent: &Intent| PaymentLink {
            intent: Some(intent.id),
            ..link.clone()
        };
        let with = |intent: &Intent| self.statements_of(&with_intent(intent), request);
        let takes_key = request.claim.is_some();
        let started = self.start_with(&request.caller, start, takes_key, &with);
        Ok(with_intent(&started.await?))
    }

    /// What is written with a link: the idempotency key first.
    fn statements_of(&self, link: &PaymentLink, request: &Request) -> Vec<Statement> {
        let stream = link.id.key();
        let answer = Snapshot::Result(link).text();
        let claim = request.claim.as_ref();
        let claim = claim.map(|claim| self.claim(claim, Some(&stream), Some(&answer)));
        let deed = Deed::on(link.team, Act::PaymentLinkCreated, "payment link", link.id);
        let made = [table::insert(link), self.audit(&deed)];
        claim.into_iter().chain(made).collect()
    }

    /// The flow and, for one payment, the intent that is named.
    async fn paid_through(
        &self,
        caller: &Caller,
        wanted: &CreatePaymentLink,
    ) -> Result<(FlowId, Option<IntentId>), EngineError> {
        let money = Money::new(wanted.amount, wanted.currency);
        let Some(named) = &wanted.intent else {
            let flow = self.runnable(caller.team, wanted.flow.as_deref()).await?.id;
            return Ok((flow, None));
        };
        if !wanted.single_use {
            let reason =
                "fits a link for one payment alone: leave singleUse out, or set it to true";
            return Err(Fault::invalid("intentId", reason).into());
        }
        self.named_intent(caller, named, wanted.flow.as_deref(), money)
            .await
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
