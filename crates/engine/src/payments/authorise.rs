//! Authorisation.
//!
//! The story of a payment on one screen: the instrument is found, the flow decides where it goes, payment and attempt
//! are committed, the processor is asked, and its answer is settled and committed.

use connector::Connector;
use db::Statement;
use domain::{
    Code, Fault, Timestamp,
    caller::{Caller, ClientGrant, Credential, forbidden},
    id::PaymentId,
    money::{Currency, Money},
    payment::{CaptureRule, FlowRun, Gateway, Initiator, Origin, PaidWith, Payer as KeptPayer, Payment, Status},
};
use std::sync::Arc;
use store::{flow::Flow, once::Claim};

use super::{
    Instrument, Payer, PaymentView,
    attempt::Begun,
    instrument::{Means, already_authorised},
    route::Line,
};
use crate::{
    Engine, MAX_CLIENT_ATTEMPTS,
    commit::{Ended, Extra},
    deadline::Deadline,
    faults::Stop,
    once::{Once, Told},
    wallets::{TokenMoney, used_before},
};

/// How long after its commit a raw card's number is looked after by the job, should the request not have done it.
const HIDDEN_CARD_CHECK: std::time::Duration = std::time::Duration::from_mins(1);

/// A request for a payment.
pub struct Authorise {
    /// How much, in minor units.
    pub amount: Option<i64>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// The flow, as sent; the team's default when absent.
    pub flow: Option<String>,
    /// What it is paid with; the customer's default method when absent.
    pub instrument: Option<Instrument>,
    /// Who pays.
    pub payer: Option<Payer>,
    /// The merchant's order.
    pub order_id: Option<String>,
    /// The merchant's id of the transaction attempt.
    pub transaction_id: Option<String>,
    /// The merchant's description.
    pub description: Option<String>,
    /// Text for the customer's statement.
    pub statement_descriptor: Option<String>,
    /// The merchant's own data.
    pub metadata: Option<serde_json::Value>,
    /// Data of the merchant's fraud provider, an object.
    pub fraud: Option<serde_json::Value>,
    /// Who started it.
    pub initiator: Initiator,
}

impl Engine {
    /// Makes a payment. A decline is a payment, not a fault. Source: specification 4.3, behaviour contract, section 7.
    pub async fn authorise(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Authorise, Fault>,
    ) -> Told<PaymentView> {
        let grant = match authorising(caller) {
            Ok(grant) => grant,
            Err(fault) => return Told { result: Err(fault), replayed: false },
        };
        let parsed = parsed.and_then(|command| granted(command, grant.as_ref()));
        let (engine, caller_of) = (self.clone(), caller.clone());
        let run = |command: Authorise, claim: Option<Claim>, deadline: Deadline| async move {
            let id = PaymentId::new(engine.inner.world.uuid_v7());
            let (team, begun) = (caller_of.team, Begun::default());
            let work = {
                let (engine, begun) = (engine.clone(), begun.clone());
                async move { Box::pin(engine.authorised(&caller_of, (id, begun), command, (claim, deadline))).await }
            };
            engine.in_time((team, id, deadline), &begun, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }

    async fn authorised(
        &self,
        caller: &Caller,
        new: (PaymentId, Begun),
        mut command: Authorise,
        with: (Option<Claim>, Deadline),
    ) -> Result<PaymentView, Stop> {
        let ((id, begun), (claim, deadline)) = (new, with);
        let means = self.means(caller, command.instrument.take()).await?;
        let money = wanted_money(&command, &means.money())?;
        let flow = self.flow(caller.team, command.flow.as_deref()).await?;
        let line = self.open_line(caller.team, &flow.document.connection).await?;
        let prepared = Prepared { id, money, means, flow, line };
        let (payment, n) = self.first_commit(caller, prepared, command, (claim.as_ref(), deadline)).await?;
        begun.set();
        let payment = self.carry_out(payment, n).await?;
        let payment = self.complete(payment, claim.map(|claim| claim.once)).await?;
        Ok(PaymentView::of(payment))
    }

    /// Commits the payment with its first attempt, before the processor is asked.
    async fn first_commit(
        &self,
        caller: &Caller,
        mut prepared: Prepared,
        mut command: Authorise,
        with: (Option<&Claim>, Deadline),
    ) -> Result<(Payment, u32), Stop> {
        let (claim, deadline) = with;
        let means = std::mem::replace(&mut prepared.means, Means::Default);
        let paying = self.instrument(caller, prepared.id, (means, command.payer.take())).await?;
        let facts = prepared.line.connector.descriptor();
        let sale = prepared.flow.document.capture == CaptureRule::Immediate && facts.capabilities.sale;
        let connection = prepared.line.connection.id.clone();
        let begin = self.begin(Some(&prepared.line), claim.map(|claim| claim.once.clone()), Some(deadline));
        let mut payment =
            new_payment(caller, &prepared, command, (paying.method, paying.payer), self.instance(prepared.id));
        let chosen = domain::payment::Line::new(payment.created_at, "Payment created")
            .saying(format!("Runs under the flow {}.", prepared.flow.id));
        let (n, sent) = payment.begin_authorise(connection, sale, begin);
        let (guards, more) = first_statements(caller, &payment, paying.guard).into_iter().unzip();
        let guards: Vec<Guard> = guards;
        let claim = claim.map(|claim| self.claim(claim, Some(&payment.id.key()), None));
        let extra = Extra { claim, more, deadline: Some(deadline) };
        let refused = match self.commit_payment(&payment, &[chosen, sent], extra).await {
            Ok(Ended::Done) => return Ok((payment, n)),
            Ok(Ended::Taken) => Stop::Taken,
            Ok(Ended::Refused(statement)) => match guards.get(statement) {
                Some(Guard::Client) => self.client_refused(caller).await?.into(),
                Some(Guard::Wallet) => used_before().into(),
                Some(Guard::HiddenCard) | None => Fault::unknown().into(),
            },
            Ok(Ended::Overtaken) => Fault::unknown().into(),
            Err(stop) => stop,
        };
        if payment.method.hidden {
            self.forget_card(&payment).await;
        }
        Err(refused)
    }

    /// Why a client token could not make another payment.
    async fn client_refused(&self, caller: &Caller) -> Result<Fault, Stop> {
        let credential = store::credential::of_team(&self.inner.store, caller.team, caller.key).await?;
        let live = credential.and_then(|credential| credential.live_payment);
        Ok(live.map_or_else(
            || Fault::new(Code::Forbidden, "This client token has made as many attempts as it may. Make a new one."),
            already_authorised,
        ))
    }

    /// When the payment was made and the run of its flow: the time is that of the id, in whole milliseconds, so that
    /// the order of ids is that of dates.
    fn instance(&self, id: PaymentId) -> (Timestamp, uuid::Uuid) {
        let at = id.uuid().get_timestamp().map_or(self.inner.world.now(), |stamp| {
            let (seconds, nanos) = stamp.to_unix();
            let micros = i64::try_from(seconds).unwrap_or(0).saturating_mul(1_000_000);
            Timestamp::from_micros(micros.saturating_add(i64::from(nanos / 1_000)))
        });
        (at, self.inner.world.uuid_v7())
    }
}

/// What a browser's credential was made for; `None` for a secret key.
fn authorising(caller: &Caller) -> Result<Option<ClientGrant>, Fault> {
    match &caller.credential {
        Credential::Secret => Ok(None),
        Credential::Client(grant) if grant.amount.is_some() && grant.currency.is_some() => Ok(Some(grant.clone())),
        Credential::Client(_) | Credential::Public => Err(forbidden()),
    }
}

/// What the first commit carries besides the payment, each with what it guards.
fn first_statements(caller: &Caller, payment: &Payment, once: Option<Statement>) -> Vec<(Guard, Statement)> {
    let mut statements = Vec::new();
    if let Credential::Client(_) = caller.credential {
        let claim = store::credential::claim_payment(caller.team, caller.key, payment.id, MAX_CLIENT_ATTEMPTS);
        statements.push((Guard::Client, claim));
    }
    if let Some(blob) = payment.method.blob.filter(|_| payment.method.hidden) {
        let due_at = payment.created_at.after(HIDDEN_CARD_CHECK);
        let hidden = store::hidden_card::insert(caller.team, blob, payment.id, due_at);
        statements.push((Guard::HiddenCard, hidden));
    }
    statements.extend(once.map(|once| (Guard::Wallet, once)));
    statements
}

/// What a statement of the first commit guards.
#[derive(Debug, Clone, Copy)]
enum Guard {
    /// A client token's one live payment and its number of attempts.
    Client,
    /// A raw card's number, which is to be erased.
    HiddenCard,
    /// A wallet's token, which is used once.
    Wallet,
}

/// What is decided before the first commit.
struct Prepared {
    id: PaymentId,
    money: Money,
    means: Means,
    flow: Flow,
    line: Line,
}

fn new_payment(
    caller: &Caller,
    prepared: &Prepared,
    command: Authorise,
    paid: (PaidWith, Option<KeptPayer>),
    run: (Timestamp, uuid::Uuid),
) -> Payment {
    let ((method, customer), (created_at, instance)) = (paid, run);
    let connector: &Arc<dyn Connector> = &prepared.line.connector;
    let flow = &prepared.flow;
    Payment {
        id: prepared.id,
        team: caller.team,
        version: 1,
        created_at,
        status: Status::Active,
        money: prepared.money,
        captured: 0,
        refund_failed: false,
        capture_at: None,
        expires_at: None,
        order_id: command.order_id,
        transaction_id: command.transaction_id,
        origin: Origin::Automation,
        flow: Some(FlowRun {
            id: flow.id.clone(),
            name: flow.name.clone(),
            version: 1,
            instance,
            started_at: created_at,
            pause: None,
        }),
        capture_rule: flow.document.capture,
        method,
        customer,
        description: command.description,
        statement_descriptor: command.statement_descriptor,
        metadata: command.metadata,
        fraud: command.fraud,
        initiator: command.initiator,
        intent: None,
        three_ds: domain::payment::ThreeDsWish::AsIssuer,
        three_ds_redirect: None,
        apm_redirect: None,
        rule: None,
        route: None,
        made_by: matches!(caller.credential, Credential::Client(_)).then_some(caller.key),
        gateway: Some(Gateway {
            processor: connector.descriptor().processor.to_owned(),
            name: prepared.line.connection.name.clone(),
            logo: connector.descriptor().logo.map(str::to_owned),
        }),
        operations: Vec::new(),
    }
}

/// Binds a command to what a client token was made for.
fn granted(mut command: Authorise, grant: Option<&ClientGrant>) -> Result<Authorise, Fault> {
    let Some(grant) = grant else { return Ok(command) };
    let differs =
        |field: &str| Fault::invalid(format!("authorisePayment.{field}"), "must be what the client token was made for");
    let currency = grant.currency.as_deref().and_then(Currency::parse);
    if command.amount.is_some() && command.amount != grant.amount {
        return Err(differs("amount"));
    }
    if command.currency.is_some() && command.currency != currency {
        return Err(differs("currencyCode"));
    }
    if command.initiator == Initiator::Merchant {
        let reason = "must be CUSTOMER: a browser is the customer's";
        return Err(Fault::invalid("authorisePayment.initiator", reason));
    }
    command.amount = grant.amount;
    command.currency = currency;
    if let Some(flow) = &grant.flow {
        if command.flow.as_deref().is_some_and(|wanted| wanted != flow.as_str()) {
            return Err(differs("flowId"));
        }
        command.flow = Some(flow.as_str().to_owned());
    }
    Ok(command)
}

/// Amount and currency of the request, else those of its wallet's token; where both tell, they agree.
fn wanted_money(command: &Authorise, token: &TokenMoney) -> Result<Money, Fault> {
    let differs =
        |name: &str| Fault::invalid(format!("authorisePayment.{name}"), "must be what the wallet's token says");
    if token.amount.is_some_and(|told| command.amount.is_some_and(|given| given != told)) {
        return Err(differs("amount"));
    }
    if token.currency.is_some_and(|told| command.currency.is_some_and(|given| given != told)) {
        return Err(differs("currencyCode"));
    }
    let (amount, currency) = (command.amount.or(token.amount), command.currency.or(token.currency));
    if let (None, Some(otherwise)) = (amount, token.otherwise) {
        return if currency.is_none_or(|given| given == otherwise.currency()) {
            Ok(otherwise)
        } else {
            Err(differs("currencyCode"))
        };
    }
    let amount = amount.ok_or_else(|| Fault::invalid("authorisePayment.amount", "must be given"))?;
    let currency = currency.ok_or_else(|| Fault::invalid("authorisePayment.currencyCode", "must be given"))?;
    Money::positive(amount, currency).map_err(|error| Fault::invalid("authorisePayment.amount", error.to_string()))
}
