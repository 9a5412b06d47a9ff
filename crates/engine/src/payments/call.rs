//! The one place that calls a processor to move money, and opens the vault for it.

use connector::{AccountData, CardData, Cryptogram, FundingSource, StoredCardData, TokenData};
use domain::{
    card_number::SecurityCode,
    customer::{Instrument, StoredMethod},
    id::{BlobId, PaymentId, TeamId},
    payment::{News, Operation, OperationKind, PaidWith, Payment},
    processor_token::{FieldsToken, ProcessorToken},
};
use futures_util::{FutureExt, future::join};
use vault::{Code, Holder, VaultError};

use super::send;
use crate::{Engine, faults::EngineError};

impl Engine {
    /// Sends operation `n` of a committed payment, if its time to be sent is not over. No transaction is open.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            ResentUnderNewReference = super::bugs::send_again_under_new_reference,
            TimeoutIsFailure = super::bugs::take_silence_for_failure,
            TimerDecides = super::bugs::let_the_timer_cancel,
        )
    )]
    pub(crate) async fn call(&self, payment: &Payment, n: u32) -> Result<News, EngineError> {
        let Some(operation) = payment.operation(n) else {
            return Ok(News::LookUpFailed);
        };
        let Some(connected) = self.line(payment.team(), &operation.connection).await? else {
            return Ok(News::Nothing(
                "the connection does not exist any more".to_owned(),
            ));
        };
        let (own, opened) = match self.opened_for(payment, operation).await? {
            Ok(opened) => opened,
            Err(why) => return Ok(News::Nothing(why.to_owned())),
        };
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => return Ok(News::Nothing(why.to_owned())),
        };
        let return_url = self.return_address(payment, operation);
        let watch = world::Stopwatch::start();
        // The socket can't be fenced, so time is: recovery looks up only when this can't be sent any more.
        if self.is_past_sending(operation) {
            return Ok(News::Nothing("it could not be sent in time".to_owned()));
        }
        let timeout = connected.connector.descriptor().call_timeout;
        let link = self.link(&connected, &connection);
        let sent = send::Sent {
            payment,
            operation,
            funding_source: opened.funding_source(),
            return_url: return_url.as_deref(),
        };
        let answered = self
            .inner
            .world
            .timeout(timeout, sent.through(connected.connector.as_ref(), &link))
            .await;
        let mut concerns_connection = true;
        let news = match answered {
            Ok(Ok(news)) => news,
            Ok(Err(error)) => {
                concerns_connection = send::concerns_connection(&error);
                self.note_failure(payment.team(), &operation.connection, &error);
                self.forget_if_gone(own.as_ref(), &error).await;
                send::failed(&error, operation)
            }
            Err(world::Elapsed) => send::unanswered(operation, timeout),
        };
        // Only what was really sent shows how the connection is; a completion is the customer's pace.
        if concerns_connection && operation.kind.is_attempt() && operation.action.is_none() {
            self.note_health(payment.team(), &operation.connection, &news);
        }
        let (processor, verb, outcome) = (
            connected.connector.descriptor().processor,
            verb(operation.kind),
            outcome(&news),
        );
        metrics::histogram!(
            "pointsman_attempt_call_duration_seconds",
            "processor" => processor,
            "connection" => self.connection_label(payment.team(), &operation.connection),
            "verb" => verb,
            "outcome" => outcome
        )
        .record(watch.elapsed().as_secs_f64());
        Ok(news)
    }

    /// Whether the operation may already have been looked up as one that was not sent.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(SendByIgnored = super::bugs::never_too_late)
    )]
    fn is_past_sending(&self, operation: &Operation) -> bool {
        self.inner.world.now() > operation.send_by
    }

    /// What an operation is paid with, opened for its call: the processor's own token where there is one, which goes before the number.
    /// The inner error says why nothing can be sent.
    async fn opened_for(
        &self,
        payment: &Payment,
        operation: &Operation,
    ) -> Result<Result<(Option<ProcessorToken>, Opened), &'static str>, EngineError> {
        let asks_for_money = matches!(operation.kind, OperationKind::Authorise { .. });
        // An authorisation that is completed needs no number any more.
        let needs_card = asks_for_money && operation.action.is_none();
        let Some(blob) = payment.method().blob.filter(|_| needs_card) else {
            return Ok(Ok((None, Opened::Nothing)));
        };
        let own = self.own_token(payment, operation).await?;
        let opened = match &own {
            Some(own) => self
                .open_own_token(payment, &own.own)
                .await
                .map(Opened::StoredCard),
            None => self.open(payment, blob).await,
        };
        Ok(opened.map(|opened| (own, opened)))
    }

    /// What a payment is paid with, opened for one call. The error says why nothing can be sent.
    async fn open(&self, payment: &Payment, blob: BlobId) -> Result<Opened, &'static str> {
        if let Some(facts) = &payment.method().fields_token {
            return self.open_fields_token(payment, facts, blob).await;
        }
        let Some(account) = &payment.method().account else {
            return self.open_card(payment, blob).await;
        };
        let record = record_of(payment);
        let vault = &self.inner.vault;
        match vault.open_account(payment.team(), &record, blob).await {
            Ok(Some(number)) => Ok(Opened::Account(Box::new(AccountData {
                number,
                kind: account.kind.clone(),
                holder: payment.method().holder.clone(),
                mandate: account.mandate.clone(),
            }))),
            Ok(None) => Err(NOT_STORED),
            Err(error) => Err(unopened(payment, "number", &error)),
        }
    }

    /// The token of a processor's fields, opened for one call. It is not sent once it has expired.
    async fn open_fields_token(
        &self,
        payment: &Payment,
        facts: &FieldsToken,
        blob: BlobId,
    ) -> Result<Opened, &'static str> {
        if facts.expired_at(self.inner.world.now()) {
            return Err("the token of the processor's fields has expired");
        }
        let record = record_of(payment);
        let token = self.inner.vault.open_token(payment.team(), &record, blob);
        match token.await {
            Ok(Some(token)) => Ok(Opened::Token(Box::new(TokenData {
                token,
                name: payment.method().holder.clone(),
                address: payment.method().address.clone(),
            }))),
            Ok(None) => Err(NOT_STORED),
            Err(error) => Err(unopened(payment, "token", &error)),
        }
    }

    /// The card of a payment with its security code, opened for one call.
    async fn open_card(&self, payment: &Payment, blob: BlobId) -> Result<Opened, &'static str> {
        let holder = code_holder(payment.team(), payment.method()).ok_or(NOT_STORED)?;
        let vault = &self.inner.vault;
        let record = record_of(payment);
        // At once, since with a server each is a way there and back.
        let (number, code) = join(
            vault.open_card(payment.team(), &record, blob),
            self.security_code(payment, &holder),
        )
        .await;
        let number = match number {
            Ok(number) => number.ok_or(NOT_STORED)?,
            Err(error) => return Err(unopened(payment, "number", &error)),
        };
        let (cvc, cryptogram) = match code? {
            Some(Code::Security(code)) => (Some(code), None),
            Some(Code::Cryptogram { value, eci }) => (
                None,
                Some(Cryptogram {
                    value: value.to_string(),
                    eci,
                }),
            ),
            None => (None, None),
        };
        let card = Box::new(CardData {
            number,
            expiry: payment.method().expiry.ok_or(NOT_STORED)?,
            cvc,
            brand: payment.method().brand.clone().unwrap_or_default(),
            name: payment.method().holder.clone(),
            address: payment.method().address.clone(),
        });
        Ok(match cryptogram {
            None => Opened::Card(card),
            Some(cryptogram) => Opened::NetworkToken(card, Box::new(cryptogram)),
        })
    }

    /// What is kept under the holder for this authorisation, noted as used by it.
    pub(super) async fn security_code(
        &self,
        payment: &Payment,
        holder: &str,
    ) -> Result<Option<Code>, &'static str> {
        // A raw card has a record by which a job erases all of it.
        let by = payment.method().token.as_ref().map(|_| code_user(payment));
        let used = self.inner.vault.use_code(holder, by.as_deref()).await;
        used.map_err(|error| unopened(payment, "security code", &error))
    }

    /// A stored card with its security code, opened for one call that moves no money.
    pub(crate) async fn open_stored(
        &self,
        method: &StoredMethod,
    ) -> Result<Option<CardData>, EngineError> {
        let Instrument::Card { expiry, brand, .. } = &method.instrument else {
            return Ok(None);
        };
        let record = Holder::token(method.id, &method.token);
        let number = self
            .inner
            .vault
            .open_card(method.team, &record, method.blob)
            .await?;
        let cvc = self
            .inner
            .vault
            .open_cvc(&super::instrument::token_holder(method.team, &method.token))
            .await?;
        Ok(number.map(|number| CardData {
            number,
            expiry: *expiry,
            cvc,
            brand: brand.clone(),
            name: method.holder.clone(),
            address: method.address.clone(),
        }))
    }

    /// Forgets what only the authorisation needed: the security code, and the number of a raw card. The job that looks
    /// after hidden cards does it when this does not come to its end.
    pub(crate) async fn forget_card(&self, team: TeamId, method: &PaidWith) {
        self.forget(Remains::of(team, method)).await;
    }

    /// The same after the answer is on its way.
    pub(crate) fn forget_later(&self, payment: &Payment) {
        let (engine, remains) = (self.clone(), Remains::of(payment.team(), payment.method()));
        let mut work = Box::pin(async move { engine.forget(remains).await });
        // What needs no waiting is done by now, and no task is made for it.
        if work.as_mut().now_or_never().is_none() {
            drop(self.own(work));
        }
    }

    async fn forget(&self, remains: Remains) {
        let forgotten = match &remains.holder {
            Some(holder) => self.inner.vault.forget_cvc(holder).await,
            None => true,
        };
        // The record of a raw card has the job erase both.
        if let Some(blob) = remains.hidden.filter(|_| forgotten) {
            self.erase_hidden(remains.team, blob).await;
        }
    }

    /// Erases a raw card's number, then its record.
    pub(crate) async fn erase_hidden(&self, team: TeamId, blob: domain::id::BlobId) {
        if let Err(error) = self.vault_in_lane().erase(team, blob).await {
            tracing::warn!(error = %error, "a raw card's number can't be erased yet; the job tries again");
            return;
        }
        let mut change = db::Change::new(self.change_id(), &blob.key());
        change.push(store::hidden_card::delete(team, blob));
        if self.commit_plain(change).await.is_err() {
            tracing::warn!("a raw card's record can't be removed yet; the job tries again");
        }
    }
}

/// Why nothing was sent.
const NOT_STORED: &str = "the number is not stored any more";

/// What was opened for a call. Can't be printed.
enum Opened {
    /// The call needs nothing.
    Nothing,
    Card(Box<CardData>),
    NetworkToken(Box<CardData>, Box<Cryptogram>),
    Account(Box<AccountData>),
    Token(Box<TokenData>),
    StoredCard(Box<StoredCardData>),
}

impl Opened {
    fn funding_source(&self) -> FundingSource<'_> {
        match self {
            Self::Nothing => FundingSource::Page,
            Self::Card(card) => FundingSource::Card(card),
            Self::NetworkToken(card, cryptogram) => {
                FundingSource::NetworkToken { card, cryptogram }
            }
            Self::Account(account) => FundingSource::Account(account),
            Self::Token(token) => FundingSource::Token(token),
            Self::StoredCard(card) => FundingSource::StoredCard(card),
        }
    }
}

/// The security code among what the vault keeps for an authorisation.
pub(super) fn code_of(kept: Code) -> Option<SecurityCode> {
    match kept {
        Code::Security(code) => Some(code),
        Code::Cryptogram { .. } => None,
    }
}

/// What only an authorisation needed.
struct Remains {
    team: TeamId,
    /// Under what the security code is kept, if there can be one.
    holder: Option<String>,
    /// A raw card's number.
    hidden: Option<BlobId>,
}

impl Remains {
    fn of(team: TeamId, method: &PaidWith) -> Self {
        Self {
            team,
            holder: code_holder(team, method),
            hidden: method.blob.filter(|_| method.hidden),
        }
    }
}

/// The record that a payment's number is sealed for.
fn record_of(payment: &Payment) -> Holder {
    match &payment.method().token {
        Some(token) => Holder::token(payment.method().id, token),
        None => Holder::hidden(payment.method().id),
    }
}

/// How the vault notes a payment that has opened a security code.
fn code_user(payment: &Payment) -> String {
    format!("{}/{}", payment.team().key(), payment.id().key())
}

/// The payment that the vault has noted.
pub(crate) fn code_user_of(noted: &str) -> Option<(TeamId, PaymentId)> {
    let (team, payment) = noted.split_once('/')?;
    TeamId::parse(team).zip(PaymentId::parse(payment))
}

/// Under what a payment's security code is kept: its token, or the sealed number of a raw card.
/// `None` for an alternative method, which has no code.
fn code_holder(team: TeamId, method: &PaidWith) -> Option<String> {
    match (&method.token, method.blob) {
        (Some(token), _) => Some(super::instrument::token_holder(team, token)),
        (None, Some(blob)) => Some(super::instrument::blob_holder(blob)),
        (None, None) => None,
    }
}

/// Notes why something sealed was not opened, and says it for the timeline: a database that is away passes, a key that does
/// not fit does not.
fn unopened(payment: &Payment, what: &'static str, error: &VaultError) -> &'static str {
    match error {
        VaultError::Db(_) | VaultError::Unclear => {
            tracing::warn!(payment.id = %payment.id(), what, error = %error, "the vault is away");
            "the vault could not be reached, so nothing was sent"
        }
        _ => {
            tracing::error!(payment.id = %payment.id(), what, error = %error, "what is sealed can't be opened");
            "the vault could not open what it keeps, so nothing was sent"
        }
    }
}

/// The verbs of calls to processors, for metrics.
pub(crate) const VERBS: [&str; 6] = [
    "authorise",
    "capture",
    "cancel",
    "refund",
    "reverse",
    "abandon",
];

pub(super) fn verb(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Authorise { .. } => "authorise",
        OperationKind::Capture => "capture",
        OperationKind::Cancel { .. } => "cancel",
        OperationKind::Refund { .. } => "refund",
        OperationKind::Reverse { .. } => "reverse",
        OperationKind::Abandon { .. } => "abandon",
    }
}

fn outcome(news: &News) -> &'static str {
    use domain::answer::{Answer, LaterAnswer};
    match news {
        News::Answer(Answer::Approved { .. }) => "approved",
        News::Answer(Answer::Declined { .. }) => "declined",
        News::Answer(Answer::Held { .. }) | News::Later(LaterAnswer::Pending { .. }) => "pending",
        News::Answer(Answer::ActionRequired { .. }) => "action_required",
        News::Answer(Answer::Failed { .. }) => "failed",
        News::Later(LaterAnswer::Done { .. }) => "done",
        News::Later(LaterAnswer::Refused { .. }) => "refused",
        News::Later(LaterAnswer::Reversed { .. }) => "reversed",
        News::NoAnswer(_) => "no_answer",
        News::Nothing(_) => "not_sent",
        News::NotFound { .. } => "not_found",
        News::LookUpFailed => "look_up_failed",
    }
}
