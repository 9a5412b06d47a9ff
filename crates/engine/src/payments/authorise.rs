//! Authorisation.
//!
//! The story of a payment on one screen: the instrument is found, the flow decides where it goes, payment and attempt
//! are committed, the processor is asked, and its answer is settled and committed.

use db::Date;
use domain::{
    Code, Fault, Timestamp,
    caller::{Caller, ClientGrant, Credential, forbidden},
    id::PaymentId,
    intent::Intent,
    money::{Currency, Money},
    payment::{
        CaptureRule, FlowRun, Initiator, Line as Words, Origin, PaidWith, Payer as KeptPayer,
        Payment, Status, ThreeDsWish,
    },
    redirect::RedirectUrl,
};
use flow::Position;
use store::once::Claim;

use super::{
    Instrument, Payer, PaymentView,
    attempt::Asked,
    automation::{Followed, With},
    checkout::{Blocked, first_statements},
    instrument::Paying,
    money::wanted_money,
    route::Line,
    steps::approvals,
    triggers::Before,
};
use crate::{
    Engine,
    commit::{Ended, Extra},
    dated::Draws,
    deadline::Deadline,
    faults::Stop,
    flows::Runnable,
    numbers::Number,
    once::{Once, Told},
    progress::Progress,
    wallets::OneUse,
};

/// How often the first commit is tried again after an older payment of the checkout was given up for it.
const TRIES: u32 = 4;

/// Where the customer's ways back stand in the arguments.
const THREE_DS_REDIRECT: &str = "authorisePayment.perform3DSecure.redirectUrl";
const APM_REDIRECT: &str = "authorisePayment.apmRedirectUrl";

/// A request for a payment.
pub struct Authorise {
    /// How much, in minor units.
    pub amount: Option<i64>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// Where it goes.
    pub target: Target,
    /// The checkout intent that it pays, as sent.
    pub intent: Option<String>,
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
    /// Whether 3D Secure is asked for.
    pub three_ds: ThreeDsWish,
    /// Where the customer returns to after 3D Secure.
    pub three_ds_redirect: Option<RedirectUrl>,
    /// Where the customer returns to after an alternative method's page.
    pub apm_redirect: Option<RedirectUrl>,
    /// Who started it.
    pub initiator: Initiator,
}

/// Where a payment goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Where the flow says, as sent; the intent's flow or the team's default when absent.
    Flow(Option<String>),
    /// To this connection, as sent: headless.
    Connection(String),
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
            Err(fault) => {
                return Told {
                    result: Err(fault),
                    replayed: false,
                };
            }
        };
        if grant.is_some()
            && matches!(
                &parsed,
                Ok(Authorise {
                    target: Target::Connection(_),
                    ..
                })
            )
        {
            return Told {
                result: Err(forbidden()),
                replayed: false,
            };
        }
        if let Err(fault) = self
            .count_raw_card(caller, once.as_ref(), parsed.as_ref().ok())
            .await
        {
            return Told {
                result: Err(fault),
                replayed: false,
            };
        }
        // Boxed, since it is large and handed on from one future to the next.
        let parsed = parsed
            .map(Box::new)
            .and_then(|command| granted(command, grant.as_ref()))
            .and_then(|command| {
                let names = [
                    ("authorisePayment.orderId", command.order_id.as_deref()),
                    (
                        "authorisePayment.transactionId",
                        command.transaction_id.as_deref(),
                    ),
                ];
                let card = match &command.instrument {
                    Some(Instrument::Card(card)) => Some(&card.number),
                    _ => None,
                };
                self.refuse_numbers(&names, card)?;
                Ok(command)
            });
        let (engine, caller_of) = (self.clone(), caller.clone());
        let run = |command: Box<Authorise>, claim: Option<Claim>, deadline: Deadline| async move {
            let asked = Asked {
                team: caller_of.team,
                deadline,
                progress: Progress::new(&engine.inner.watching),
                claim,
            };
            let work = {
                let (engine, progress) = (engine.clone(), asked.progress.clone());
                let with = (asked.claim.clone(), deadline);
                async move { Box::pin(engine.authorised(&caller_of, progress, command, with)).await }
            };
            engine.in_time(&asked, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }

    /// Counts the number of a raw card before anything is told, what the key tells included.
    async fn count_raw_card(
        &self,
        caller: &Caller,
        once: Option<&Once>,
        command: Option<&Authorise>,
    ) -> Result<(), Fault> {
        match (command, once) {
            (Some(command), _) => match &command.instrument {
                Some(Instrument::Card(card)) => {
                    self.count_number(caller, Number::Card(&card.number)).await
                }
                _ => Ok(()),
            },
            (None, Some(once)) => {
                let path = "/authorisePayment/paymentMethod";
                self.count_named(caller, &once.arguments, path).await
            }
            (None, None) => Ok(()),
        }
    }

    async fn authorised(
        &self,
        caller: &Caller,
        progress: Progress,
        mut command: Box<Authorise>,
        with: (Option<Claim>, Deadline),
    ) -> Result<PaymentView, Stop> {
        let (claim, deadline) = with;
        self.check_returns(
            caller,
            &[
                (command.three_ds_redirect.as_ref(), THREE_DS_REDIRECT),
                (command.apm_redirect.as_ref(), APM_REDIRECT),
            ],
        )
        .await?;
        let intent = match &command.intent {
            Some(intent) => Some(self.paying_intent(caller, intent).await?),
            None => None,
        };
        trusts_intent(caller, intent.as_ref())?;
        let means = self.means(caller, command.instrument.take()).await?;
        let money = wanted_money(&command, &means.money(), intent.as_ref())?;
        let way = self.way(caller, &command, intent.as_ref()).await?;
        let paying = self
            .instrument(caller, (means, command.payer.take()))
            .await?;
        let Paying {
            method,
            payer,
            once,
        } = paying;
        let mut planned = new_payment(caller, money, &way, *command, (method, payer));
        planned.intent = intent.as_ref().map(|intent| intent.id);
        let first = First {
            caller,
            planned,
            way,
            once,
            claim: claim.as_ref(),
            deadline,
            progress,
        };
        let (payment, operation) = Box::pin(self.first_commit(first)).await?;
        let own = payment.version + u64::from(operation.is_some());
        let payment = match operation {
            Some(n) => self.carry_out(payment, n, Some(deadline)).await?,
            None => payment,
        };
        let settled = payment.version;
        let payment = Box::pin(self.onward(payment)).await?;
        if let Some(claim) = claim
            .as_ref()
            .filter(|_| payment.version != settled || payment.owed_answer.is_some())
        {
            return self
                .told_in_time(claim, (payment.team, payment.id, operation), deadline)
                .await;
        }
        if payment.version != own
            && let Some(told) = self.told_under(claim.as_ref()).await?
        {
            // Somebody else has settled it, and it has gone on since.
            return Ok(told);
        }
        if let Some(attempt) = payment.attempt() {
            payment.verdict(attempt.n)?;
        }
        Ok(PaymentView::of(payment))
    }

    /// The flow or the connection that the payment goes by.
    async fn way(
        &self,
        caller: &Caller,
        command: &Authorise,
        intent: Option<&Intent>,
    ) -> Result<Way, Stop> {
        let of_intent = intent.map(|intent| intent.flow.as_str());
        match &command.target {
            Target::Connection(id) => {
                let Some(id) = domain::id::ConnectionId::parse(id) else {
                    return Err(self.no_open_line(caller.team).await?);
                };
                Ok(Way::Connection(self.open_line(caller.team, &id).await?))
            }
            Target::Flow(Some(wanted)) if of_intent.is_some_and(|flow| flow != wanted) => Err(
                Fault::invalid("authorisePayment.flowId", "must be the flow of the intent").into(),
            ),
            Target::Flow(wanted) => {
                let wanted = wanted.as_deref().or(of_intent);
                Ok(Way::Flow(self.runnable(caller.team, wanted).await?))
            }
        }
    }

    /// Commits the payment with its first attempt, before the processor is asked.
    async fn first_commit(&self, first: First<'_>) -> Result<(Payment, Option<u32>), Stop> {
        let (mut draws, mut tries) = (Draws::default(), 0);
        let refused = loop {
            // As late as possible: until the commit has ended nothing that is dated later is shown to those who follow lists.
            let date = match self.draw_date(&mut draws).await {
                Ok(date) => date,
                Err(stop) => break stop,
            };
            match Box::pin(self.commit_dated(&first, date)).await {
                Ok(Tried::Done(payment, began)) => return Ok((*payment, began)),
                Ok(Tried::Freed) => tries += 1,
                Err(Stop::Outdated) => {}
                Err(stop) => break stop,
            }
            if tries >= TRIES {
                break Fault::new(
                    Code::OperationInProgress,
                    "Other payments of this checkout are under way. Try again.",
                )
                .into();
            }
        };
        self.forget_card(&first.planned).await;
        Err(refused)
    }

    /// Makes the payment under this date, and commits it.
    async fn commit_dated(&self, first: &First<'_>, date: Date) -> Result<Tried, Stop> {
        let (caller, claim) = (first.caller, first.claim);
        let mut payment = self.payment_of(&first.planned, &date);
        self.note_try(caller, payment.id);
        let with = With {
            once: claim.map(|claim| claim.once.clone()),
            deadline: Some(first.deadline),
            run: None,
            gone: false,
        };
        let before = Before::of(&payment);
        let mut followed = self.first_step(&mut payment, &first.way, &with).await?;
        self.trigger(&mut payment, &before, None, &mut followed.lines)
            .await?;
        let live = !super::settle::ended_without_money(payment.status);
        let once = first
            .once
            .as_ref()
            .map(|once| once.guard(payment.team, payment.id));
        let (guards, mut more): (Vec<_>, Vec<_>) = first_statements(caller, &payment, once, live)
            .into_iter()
            .unzip();
        more.extend(approvals(&payment));
        // An operation's own end tells the key; without one this is all that there is to tell.
        let goes_on = payment.goes_on_at_once(self.inner.world.now());
        payment.owed_answer = claim
            .map(|claim| claim.once.clone())
            .filter(|_| followed.began.is_none() && goes_on);
        let told = followed.began.is_none() && !goes_on;
        payment.answered = claim
            .filter(|_| told)
            .map(|claim| claim.once.clone())
            .into_iter()
            .collect();
        let told = told.then(|| super::settle::told_payment(&payment));
        let extra = Extra {
            claim: claim.map(|claim| self.claim(claim, Some(&payment.id.key()), told.as_deref())),
            more,
            deadline: Some(first.deadline),
            date: Some(date),
            progress: Some(first.progress.clone()),
        };
        match self
            .commit_payment(&payment, &followed.lines, extra)
            .await?
        {
            Ended::Done => {
                self.ended_early(&payment, false);
                Ok(Tried::Done(Box::new(payment), followed.began))
            }
            Ended::Taken => Err(Stop::Taken),
            Ended::Refused(statement) => {
                let guard = guards.get(statement).copied();
                match Box::pin(self.blocked(caller, &payment, guard)).await? {
                    Blocked::Freed => Ok(Tried::Freed),
                    Blocked::Refused(fault) => Err(fault.into()),
                }
            }
            Ended::Overtaken => Err(Fault::unknown().into()),
        }
    }

    /// The payment as it was planned, with its id. Dates of payments are whole milliseconds, so that the order of ids is that of
    /// dates.
    fn payment_of(&self, planned: &Payment, date: &Date) -> Payment {
        let id = PaymentId::new(self.inner.world.uuid_at(date.at()));
        let mut payment = planned.clone();
        payment.created_at = domain::dated::date_of(id.uuid()).unwrap_or(date.at());
        payment.id = id;
        if let Some(run) = &mut payment.flow {
            run.started_at = payment.created_at;
            run.instance = self.inner.world.uuid_v7();
        }
        payment
    }

    /// What is done with the payment before anything is committed: the flow up to the first attempt, or the attempt itself.
    async fn first_step(
        &self,
        payment: &mut Payment,
        way: &Way,
        with: &With,
    ) -> Result<Followed, Stop> {
        // The date is of the database's clock, which may be a little ahead of this one's.
        let at = payment.created_at.min(self.inner.world.now());
        match way {
            Way::Flow(runnable) => {
                let mut followed = self
                    .follow_flow(payment, &runnable.program, Position::START, with)
                    .await?;
                let words = format!(
                    "Runs under the flow {}, version {}.",
                    runnable.id, runnable.version
                );
                followed
                    .lines
                    .insert(0, Words::new(at, "Payment created").saying(words));
                Ok(followed)
            }
            Way::Connection(line) => {
                let words = format!(
                    "At the connection {}, which the merchant named.",
                    line.connection.id
                );
                let created = Words::new(at, "Payment created").saying(words);
                if !super::route::takes(line, payment.method.method) {
                    let reason = "the connection can't take this method";
                    return Err(
                        Fault::invalid("authorisePayment.paymentMethod.type", reason).into(),
                    );
                }
                let (n, sent) = self.begin_attempt(payment, line, with);
                Ok(Followed {
                    lines: vec![created, sent],
                    began: Some(n),
                })
            }
        }
    }
}

/// What a browser's credential was made for; `None` for a secret key.
fn authorising(caller: &Caller) -> Result<Option<ClientGrant>, Fault> {
    match &caller.credential {
        Credential::Secret => Ok(None),
        Credential::Client(grant)
            if grant.intent.is_some() || (grant.amount.is_some() && grant.currency.is_some()) =>
        {
            Ok(Some(grant.clone()))
        }
        Credential::Client(_) => Err(without_amount(
            "The client token was made without an amount and without an intent.",
        )),
        Credential::Public => Err(forbidden()),
    }
}

/// A client token that can't pay, and what to do.
fn without_amount(why: &str) -> Fault {
    let way_out =
        "Make it with amount and currency, or with an intentId whose amount a secret key has set.";
    Fault::new(Code::Forbidden, format!("{why} {way_out}"))
}

/// A client token without an amount pays what its intent says, if a secret key has said it.
fn trusts_intent(caller: &Caller, intent: Option<&Intent>) -> Result<(), Fault> {
    let Credential::Client(grant) = &caller.credential else {
        return Ok(());
    };
    let is_trusted = |intent: &Intent| {
        intent.money_is_trusted && intent.currency_is_trusted && intent.money.is_some()
    };
    if grant.amount.is_some() || intent.is_some_and(is_trusted) {
        return Ok(());
    }
    Err(without_amount(
        "The client token was made without an amount, and no secret key has set one in its intent.",
    ))
}

/// The way that a payment goes.
enum Way {
    Flow(Runnable),
    Connection(Line),
}

/// What is decided before the first commit.
struct First<'a> {
    caller: &'a Caller,
    /// The payment without its id and its date.
    planned: Payment,
    way: Way,
    /// Of an instrument that is used once.
    once: Option<OneUse>,
    claim: Option<&'a Claim>,
    deadline: Deadline,
    progress: Progress,
}

/// How a try of the first commit ended.
enum Tried {
    /// It is on disk, with the operation that is to be carried out.
    Done(Box<Payment>, Option<u32>),
    /// What stood in its way is gone.
    Freed,
}

/// The payment as it is asked for; its id and its dates are to come.
fn new_payment(
    caller: &Caller,
    money: Money,
    way: &Way,
    command: Authorise,
    (method, customer): (PaidWith, Option<KeptPayer>),
) -> Payment {
    let created_at = Timestamp::from_micros(0);
    let (origin, capture_rule, flow) = match way {
        Way::Flow(flow) => {
            let (id, name, version) = (flow.id.clone(), flow.name.clone(), flow.version);
            let run = FlowRun {
                id,
                name,
                version,
                instance: uuid::Uuid::nil(),
                started_at: created_at,
                pause: None,
            };
            (Origin::Automation, CaptureRule::Immediate, Some(run))
        }
        Way::Connection(_) => (Origin::Headless, CaptureRule::Api, None),
    };
    Payment {
        id: PaymentId::new(uuid::Uuid::nil()),
        team: caller.team,
        version: 1,
        created_at,
        status: Status::Active,
        money,
        captured: 0,
        refund_failed: false,
        owed_answer: None,
        answered: Vec::new(),
        capture_at: None,
        expires_at: None,
        order_id: command.order_id,
        transaction_id: command.transaction_id,
        origin,
        flow,
        triggered: Vec::new(),
        capture_rule,
        method,
        customer,
        description: command.description,
        statement_descriptor: command.statement_descriptor,
        metadata: command.metadata,
        fraud: command.fraud,
        initiator: command.initiator,
        intent: None,
        three_ds: command.three_ds,
        three_ds_redirect: command
            .three_ds_redirect
            .map(|address| address.as_str().to_owned()),
        apm_redirect: command
            .apm_redirect
            .map(|address| address.as_str().to_owned()),
        rule: None,
        route: None,
        made_by: matches!(caller.credential, Credential::Client(_)).then_some(caller.key),
        gateway: None,
        operations: Vec::new(),
    }
}

/// Binds a command to what a client token was made for.
fn granted(
    mut command: Box<Authorise>,
    grant: Option<&ClientGrant>,
) -> Result<Box<Authorise>, Fault> {
    let Some(grant) = grant else {
        return Ok(command);
    };
    let differs = |field: &str| {
        Fault::invalid(
            format!("authorisePayment.{field}"),
            "must be what the client token was made for",
        )
    };
    let currency = grant.currency.as_deref().and_then(Currency::parse);
    // Without an amount of its own the token pays what its intent says, which is compared when that is read.
    if grant.amount.is_some() {
        if command.amount.is_some() && command.amount != grant.amount {
            return Err(differs("amount"));
        }
        if command.currency.is_some() && command.currency != currency {
            return Err(differs("currencyCode"));
        }
        command.amount = grant.amount;
        command.currency = currency;
    }
    if command.initiator == Initiator::Merchant {
        let reason = "must be CUSTOMER: a browser is the customer's";
        return Err(Fault::invalid("authorisePayment.initiator", reason));
    }
    if let Some(flow) = &grant.flow {
        if !matches!(&command.target, Target::Flow(wanted) if wanted.as_deref().is_none_or(|wanted| wanted == flow.as_str()))
        {
            return Err(differs("flowId"));
        }
        command.target = Target::Flow(Some(flow.as_str().to_owned()));
    }
    if let Some(intent) = grant.intent {
        let named = command.intent.as_deref().map(domain::id::IntentId::parse);
        if named.is_some_and(|named| named != Some(intent)) {
            return Err(differs("intentId"));
        }
        command.intent = Some(intent.to_string());
    }
    Ok(command)
}
