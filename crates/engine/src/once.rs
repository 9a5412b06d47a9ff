//! Idempotency: the same request under the same key is answered once and told again.
//!
//! # How it works
//! A key is kept as a hash, with a keyed hash of the request's coerced arguments, never the arguments. It is inserted
//! in the first commit of the operation that it guards; the answer is written in the commit that settles it, as a
//! snapshot from which a replay is rendered through its own selection. A fault that comes before the first commit is
//! written together with the key.
//!
//! # What is promised
//! Of any number of requests with one key, at once or one after the other, on any node, one is carried out; the others
//! wait for its answer and are told the same.
//!
//! # What is not
//! Our own failures are not remembered, nor what is refused before the operation begins.

use std::{future::Future, sync::Arc, time::Duration};

use db::Change;
use domain::{
    Code, Fault,
    caller::{Caller, Credential},
    id::{CustomerId, PaymentId},
    payment::OnceRef,
};
use serde::{Deserialize, Serialize};
use store::once::{Claim, Record};
use zeroize::Zeroizing;

use crate::{
    Engine,
    deadline::Deadline,
    faults::Stop,
    payments::{may_read, may_use},
    request::Request,
};

/// The scope of payments, as it is stored.
pub(crate) const AUTHORISE_SCOPE: &str = "authorise";

/// What an idempotency key belongs to, within a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Payments, by whatever operation they are made.
    Authorise,
    /// Tokens, by whatever operation they are made.
    Tokenise,
    /// Customers.
    CreateCustomer,
    /// Captures of one payment (its id as sent).
    Capture(String),
    /// Cancellations of one payment.
    Cancel(String),
    /// Refunds of one payment.
    Refund(String),
}

impl Scope {
    fn text(&self) -> String {
        // What is no id is not written down: it may be anything, a card's number too.
        let of = |what: &str, payment: &str| {
            let id = PaymentId::parse(payment).map_or_else(|| "none".to_owned(), PaymentId::key);
            format!("{what}:{id}")
        };
        match self {
            Self::Authorise => AUTHORISE_SCOPE.to_owned(),
            Self::Tokenise => "tokenise".to_owned(),
            Self::CreateCustomer => "customer".to_owned(),
            Self::Capture(payment) => of("capture", payment),
            Self::Cancel(payment) => of("cancel", payment),
            Self::Refund(payment) => of("refund", payment),
        }
    }

    /// What an empty text means in the arguments: where it stands for an absent one, the two are one request.
    fn blanks(&self) -> Blanks {
        match self {
            Self::Authorise | Self::Tokenise => Blanks::Absent,
            Self::CreateCustomer | Self::Capture(_) | Self::Cancel(_) | Self::Refund(_) => {
                Blanks::Values
            }
        }
    }

    /// Clients keep one key for their whole life when they make customers: another request is a new one there.
    fn another_request_is_new(&self) -> bool {
        matches!(self, Self::CreateCustomer)
    }
}

/// An idempotency key with the request that it came with.
pub struct Once {
    /// The key, 1 to 255 characters.
    pub key: String,
    /// What it belongs to.
    pub scope: Scope,
    /// The operation's arguments after coercion.
    pub arguments: serde_json::Value,
}

/// Wiped: the arguments may hold a card number.
impl Drop for Once {
    fn drop(&mut self) {
        domain::wipe::wipe(&mut self.arguments);
    }
}

/// An answer, and whether it was told before.
#[derive(Debug)]
pub struct Told<T> {
    /// The answer.
    pub result: Result<T, Fault>,
    /// Whether it is told again.
    pub replayed: bool,
}

impl<T> Told<T> {
    pub(crate) fn now(result: Result<T, Fault>) -> Self {
        Self {
            result,
            replayed: false,
        }
    }
}

/// What is kept of an answer.
#[derive(Serialize, Deserialize)]
pub(crate) enum Snapshot<T> {
    /// The result.
    #[serde(rename = "ok")]
    Result(T),
    /// The fault.
    #[serde(rename = "fault")]
    Fault(Fault),
}

impl<T: Serialize> Snapshot<T> {
    /// The snapshot as it is stored.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A result that can be kept as a snapshot and told again.
pub(crate) trait Kept: Sized + Send {
    /// What is stored.
    type Stored: Serialize + serde::de::DeserializeOwned + Send;

    /// What is stored of this result.
    fn stored(&self) -> Self::Stored;

    /// The result from what was stored.
    fn restored(
        engine: &Engine,
        stored: Self::Stored,
    ) -> impl Future<Output = Result<Self, Fault>> + Send;

    /// The id that a reused key's fault names.
    fn id(stored: &Self::Stored) -> Option<String>;

    /// What the first request did, for the fault of a reused key: a clause such as `made a payment that is DECLINED`.
    fn ended(stored: &Self::Stored) -> String;
}

/// A request that asks what a key tells.
#[derive(Clone, Copy)]
struct Asking<'a> {
    claim: &'a Claim,
    scope: &'a Scope,
    /// Whose it is; `None` for the request that has taken the key.
    reader: Option<&'a Caller>,
}

impl<'a> Asking<'a> {
    /// The payment's request that has taken the key.
    fn holder(claim: &'a Claim) -> Self {
        Self {
            claim,
            scope: &Scope::Authorise,
            reader: None,
        }
    }
}

enum Existing<T> {
    Told(Told<T>),
    Free,
}

impl Engine {
    /// Carries out `run` once for the key, and tells its answer to everyone who asks with the same request.
    ///
    /// `run` inserts the request's claim in its first commit, and stops with [`Stop::Taken`] when that was refused.
    pub(crate) async fn once<C, T, R>(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<C, Fault>,
        run: impl FnOnce(C, Arc<Request>) -> R,
    ) -> Told<T>
    where
        C: Send,
        T: Kept,
        R: Future<Output = Result<T, Stop>> + Send,
    {
        let claim = once.as_ref().map(|once| self.claim_of(caller, once));
        let request = self.request(caller, claim);
        let (Some(once), Some(claim)) = (&once, &request.claim) else {
            return Told::now(match parsed {
                Ok(command) => Box::pin(run(command, Arc::clone(&request)))
                    .await
                    .map_err(only_fault),
                Err(fault) => Err(fault),
            });
        };
        let deadline = request.deadline;
        let asking = Asking {
            claim,
            scope: &once.scope,
            reader: Some(caller),
        };
        match self.existing(asking, deadline).await {
            Ok(Existing::Free) => {}
            Ok(Existing::Told(told)) => return told,
            Err(stop) => return Told::now(Err(only_fault(stop))),
        }
        let result = match parsed {
            Ok(command) => Box::pin(run(command, Arc::clone(&request))).await,
            Err(fault) => Err(Stop::Fault(fault)),
        };
        match result {
            Ok(value) => Told::now(Ok(value)),
            Err(Stop::Fault(fault)) if fault.is_remembered() => {
                self.remember(asking, fault, deadline).await
            }
            // What is under way may be this very request, sent twice at the same moment: then its answer is told.
            Err(Stop::Fault(fault)) if fault.code == Code::OperationInProgress => {
                match self.existing(asking, deadline).await {
                    Ok(Existing::Told(told)) => told,
                    Ok(Existing::Free) => Told::now(Err(fault)),
                    Err(stop) => Told::now(Err(only_fault(stop))),
                }
            }
            Err(stop @ (Stop::Fault(_) | Stop::Outdated)) => Told::now(Err(only_fault(stop))),
            Err(Stop::Taken) => self.told_by_another(asking, deadline).await,
        }
    }

    /// Writes a fault with its key, unless the operation has taken the key already (then its answer is written).
    async fn remember<T: Kept>(
        &self,
        asking: Asking<'_>,
        fault: Fault,
        deadline: Deadline,
    ) -> Told<T> {
        let claim = asking.claim;
        let snapshot = Snapshot::<T::Stored>::Fault(fault.clone()).text();
        let mut change = Change::new(self.change_id(), &claim.once.key);
        change.push(self.claim(claim, None, Some(&snapshot)));
        match self.commit_plain(change).await {
            Ok(None) => Told::now(Err(fault)),
            // The key is taken: by this very operation, whose first commit took it, or by another request.
            Ok(Some(_)) => {
                let mut told = self.told_by_another(asking, deadline).await;
                match &told.result {
                    Err(unread) if unread.is_ours() && fault.is_outcome() => Told::now(Err(fault)),
                    Err(told_fault) => {
                        told.replayed &= *told_fault != fault;
                        told
                    }
                    Ok(_) => told,
                }
            }
            // The commit that brought the outcome has told the key already.
            Err(_) if fault.is_outcome() => Told::now(Err(fault)),
            Err(stop) => Told::now(Err(only_fault(stop))),
        }
    }

    async fn told_by_another<T: Kept>(&self, asking: Asking<'_>, deadline: Deadline) -> Told<T> {
        match self.existing(asking, deadline).await {
            Ok(Existing::Told(told)) => told,
            Ok(Existing::Free) => Told::now(Err(in_progress())),
            Err(stop) => Told::now(Err(only_fault(stop))),
        }
    }

    /// What is told under the key, waiting for the request that has it until the deadline.
    async fn existing<T: Kept>(
        &self,
        asking: Asking<'_>,
        deadline: Deadline,
    ) -> Result<Existing<T>, Stop> {
        let existing = self.awaited(asking, deadline).await?;
        Ok(existing.unwrap_or_else(|| Existing::Told(Told::now(Err(in_progress())))))
    }

    /// The same; `None` when the deadline comes first.
    async fn awaited<T: Kept>(
        &self,
        asking: Asking<'_>,
        deadline: Deadline,
    ) -> Result<Option<Existing<T>>, Stop> {
        let claim = asking.claim;
        let world = &self.inner.world;
        let mut pause = Duration::from_millis(2);
        loop {
            let forgotten = world
                .now()
                .before(self.inner.settings.idempotency_retention);
            let Some(record) =
                store::once::find(&self.inner.store, claim.team, &claim.once, forgotten).await?
            else {
                return Ok(Some(Existing::Free));
            };
            if let Some(existing) = self.tell(asking, &record).await? {
                return Ok(Some(existing));
            }
            if deadline.left(world.now()) < pause {
                return Ok(None);
            }
            world.sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// What the key tells whoever has it, once nothing follows at once any more: the request that took it is told the same.
    /// `None` when its time is over before.
    pub(crate) async fn kept_answer<T: Kept>(
        &self,
        claim: &Claim,
        deadline: Deadline,
    ) -> Result<Option<T>, Stop> {
        match self.awaited(Asking::holder(claim), deadline).await? {
            Some(Existing::Told(told)) => told.result.map(Some).map_err(Stop::Fault),
            Some(Existing::Free) => Err(Stop::Fault(in_progress())),
            None => Ok(None),
        }
    }

    /// What the key tells already; `None` without one, or while its answer is still to come.
    pub(crate) async fn told_under<T: Kept>(
        &self,
        claim: Option<&Claim>,
    ) -> Result<Option<T>, Stop> {
        let Some(claim) = claim else { return Ok(None) };
        let forgotten = self
            .inner
            .world
            .now()
            .before(self.inner.settings.idempotency_retention);
        let Some(record) =
            store::once::find(&self.inner.store, claim.team, &claim.once, forgotten).await?
        else {
            return Ok(None);
        };
        match self.tell(Asking::holder(claim), &record).await? {
            Some(Existing::Told(told)) => told.result.map(Some).map_err(Stop::Fault),
            Some(Existing::Free) | None => Ok(None),
        }
    }

    /// What a record tells this request; `None` while its answer is still to come.
    async fn tell<T: Kept>(
        &self,
        asking: Asking<'_>,
        record: &Record,
    ) -> Result<Option<Existing<T>>, Stop> {
        let Asking { claim, scope, .. } = asking;
        if !self.may_be_told(asking, record).await? {
            return Ok(Some(Existing::Told(Told::now(Err(reused_by_another())))));
        }
        let same = is_same_request(&record.fingerprint, &claim.fingerprint);
        let Some(answer) = record.answer.as_deref() else {
            return Ok(None);
        };
        let snapshot: Snapshot<T::Stored> = serde_json::from_str(answer).map_err(|error| {
            db::DbError::Corrupt(format!("once: an answer can't be read: {error}"))
        })?;
        let result = match snapshot {
            Snapshot::Fault(fault) if same => Err(fault),
            Snapshot::Result(stored) if same => T::restored(self, stored).await,
            _ if scope.another_request_is_new() => return Ok(Some(Existing::Free)),
            Snapshot::Fault(first) => {
                let fault = reused_after_fault(&first);
                return Ok(Some(Existing::Told(Told::now(Err(fault)))));
            }
            Snapshot::Result(stored) => {
                let fault = reused(&T::ended(&stored), T::id(&stored));
                return Ok(Some(Existing::Told(Told::now(Err(fault)))));
            }
        };
        Ok(Some(Existing::Told(Told {
            result,
            replayed: true,
        })))
    }

    fn claim_of(&self, caller: &Caller, once: &Once) -> Claim {
        let canonical = Zeroizing::new(canonical(&once.arguments, once.scope.blanks()));
        let mut scope = once.scope.text();
        let hash = self.inner.vault.request_hash(canonical.as_bytes());
        let fingerprint = format!("{CANONICAL_VERSION}:{hash}");
        if once.scope.another_request_is_new() {
            // The request is part of what the key belongs to, so another request is another record.
            scope = format!("{scope}:{fingerprint}");
        }
        let browser = matches!(caller.credential, Credential::Client(_)).then_some(caller.key);
        if let Some(browser) = browser.filter(|_| once.scope.another_request_is_new()) {
            // Who asks too: another browser would be told an id that it must not know.
            scope = format!("{scope}:{}", browser.key());
        }
        Claim {
            team: caller.team,
            once: OnceRef {
                scope,
                key: self.inner.vault.request_hash(once.key.as_bytes()),
            },
            fingerprint,
            taken_by: browser,
        }
    }

    /// Whether a request may learn what became of the key. A browser's may when its own token took it, or when it may read what
    /// was made; whether the requests are equal is nothing that it may learn otherwise.
    async fn may_be_told(&self, asking: Asking<'_>, record: &Record) -> Result<bool, Stop> {
        let Some(caller) = asking.reader else {
            return Ok(true);
        };
        match &caller.credential {
            Credential::Secret => return Ok(true),
            Credential::Public => return Ok(false),
            Credential::Client(_) if record.taken_by == Some(caller.key) => return Ok(true),
            Credential::Client(_) => {}
        }
        let Some(stream) = record.stream.as_deref() else {
            return Ok(false);
        };
        let (store, team) = (&self.inner.store, caller.team);
        match asking.scope {
            Scope::Authorise => {
                let Some(id) = PaymentId::parse(stream) else {
                    return Ok(false);
                };
                let payment = store::payment::of_team(store, team, id).await?;
                Ok(payment.is_some_and(|payment| may_read(caller, &payment)))
            }
            Scope::Tokenise => {
                let Some(id) = CustomerId::parse(stream) else {
                    return Ok(false);
                };
                let customer = store::customer::of_team(store, team, id).await?;
                Ok(customer.is_some_and(|customer| may_use(caller, &customer)))
            }
            Scope::CreateCustomer | Scope::Capture(_) | Scope::Cancel(_) | Scope::Refund(_) => {
                Ok(false)
            }
        }
    }
}

/// The same, for a browser that may not learn anything of the first request: not even whether it was an equal one.
fn reused_by_another() -> Fault {
    Fault::new(
        Code::KeyReused,
        "This idempotency key was used by another credential. Nothing was done. Send the request with a new key.",
    )
}

/// The fault of a key that was used for another request.
fn reused(ended: &str, first: Option<String>) -> Fault {
    let message = format!(
        "This idempotency key was used for another request, which {ended}. Nothing was done for this one: send it with a key of \
         its own."
    );
    let mut fault = Fault::new(Code::KeyReused, message);
    fault.id.clone_from(&first);
    fault.first = first;
    fault
}

/// The same, when the first request under the key ended with a fault.
fn reused_after_fault(first: &Fault) -> Fault {
    // What its customer was to do is no advice for this request.
    let ended = if first.is_outcome() {
        format!("ended with {}", first.code.text())
    } else {
        let said = first.message.trim_end_matches('.');
        format!("ended with {}: {said}", first.code.text())
    };
    let mut fault = reused(&ended, Some(first.code.text().to_owned()));
    fault.id.clone_from(&first.id);
    fault
}

fn in_progress() -> Fault {
    Fault::new(
        Code::KeyInProgress,
        "The first request with this idempotency key is still under way. Send the same request again in a moment.",
    )
}

/// What is told of a stop where no key can be taken.
pub(crate) fn only_fault(stop: Stop) -> Fault {
    match stop {
        Stop::Fault(fault) => fault,
        // Told only to those who brought a key.
        Stop::Taken => Fault::unknown(),
        Stop::Outdated => Fault::unavailable(),
    }
}

/// How arguments are written before they are hashed. To be raised with every change of that, so that a node of another
/// version does not take the same request for another one.
const CANONICAL_VERSION: u32 = 1;

/// Whether two fingerprints are of one request. Those of different versions can't be compared; then the key alone counts,
/// since a repeated request that is refused would be sent again under a new key.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AnswerOfAnotherRequest = crate::bugs::any_request)
)]
fn is_same_request(one: &str, other: &str) -> bool {
    let version = |text: &str| text.split(':').next().map(str::to_owned);
    one == other || version(one) != version(other)
}

/// The same text for equal arguments: keys in order, nothing of the document's layout, a payment's id without prefix,
/// numbers as exact decimals.
fn canonical(arguments: &serde_json::Value, blanks: Blanks) -> String {
    let mut arguments = arguments.clone();
    let text = canonical_text(&mut arguments, blanks);
    domain::wipe::wipe(&mut arguments);
    text
}

fn canonical_text(arguments: &mut serde_json::Value, blanks: Blanks) -> String {
    if let Some(id) = arguments.get_mut("id")
        && let Some(payment) = id.as_str().and_then(PaymentId::parse)
    {
        *id = payment.key().into();
    }
    sorted(
        arguments,
        Rules {
            nulls: Nulls::Absent,
            blanks,
        },
    )
}

/// What counts as nothing given.
#[derive(Clone, Copy)]
struct Rules {
    nulls: Nulls,
    blanks: Blanks,
}

/// What an explicit null means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// The same as nothing given.
    Absent,
    /// A value like others: in the merchant's own JSON.
    Values,
}

/// What an empty text means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// The same as nothing given.
    Absent,
    /// A value like others.
    Values,
}

impl Rules {
    /// The merchant's own JSON: every value counts.
    const OWN: Self = Self {
        nulls: Nulls::Values,
        blanks: Blanks::Values,
    };

    fn is_given(self, value: &serde_json::Value) -> bool {
        let is_null = self.nulls == Nulls::Absent && value.is_null();
        let is_blank = self.blanks == Blanks::Absent && value.as_str() == Some("");
        !is_null && !is_blank
    }
}

fn sorted(value: &serde_json::Value, rules: Rules) -> String {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| rules.is_given(value))
                .collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let texts = fields.into_iter().map(|(name, value)| {
                let is_own = matches!(name.as_str(), "metadata" | "fraud" | "walletToken");
                let rules = if is_own { Rules::OWN } else { rules };
                format!("{}:{}", Value::from(name.as_str()), sorted(value, rules))
            });
            format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted(item, rules)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Number(number) => decimal(number),
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}

/// A number as a decimal without exponent or needless zeros: `1`, `1.0` and `1e0` are one.
fn decimal(number: &serde_json::Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(),
        Some(float) => format!("{float}"),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(arguments: &serde_json::Value) -> String {
        canonical(arguments, Blanks::Values)
    }

    #[test]
    fn numbers_are_compared_as_decimals_and_empty_texts_count_as_absent_where_they_are() {
        let of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        for (one, other) in [
            (r#"{"metadata": {"a": 1}}"#, r#"{"metadata": {"a": 1.0}}"#),
            (r#"{"metadata": [100, 0]}"#, r#"{"metadata": [1e2, -0.0]}"#),
            (r#"{"fraud": {"a": 0.5}}"#, r#"{"fraud": {"a": 0.50}}"#),
        ] {
            assert_eq!(text(&of(one)), text(&of(other)));
        }
        let (blank, absent) = (of(r#"{"o": {"d": "", "e": 1}}"#), of(r#"{"o": {"e": 1}}"#));
        assert_eq!(
            canonical(&blank, Blanks::Absent),
            canonical(&absent, Blanks::Absent)
        );
        assert_ne!(text(&blank), text(&absent));
        let own = of(r#"{"metadata": {"a": ""}}"#);
        assert_ne!(
            canonical(&own, Blanks::Absent),
            canonical(&of(r#"{"metadata": {}}"#), Blanks::Absent)
        );
        assert_ne!(
            text(&of(r#"{"metadata": 1}"#)),
            text(&of(r#"{"metadata": "1"}"#))
        );
    }

    #[test]
    fn fingerprints_of_another_version_are_not_compared() {
        assert!(is_same_request("1:a", "1:a") && !is_same_request("1:a", "1:b"));
        assert!(is_same_request("1:a", "2:b"));
    }

    #[test]
    fn equal_arguments_have_one_canonical_text() {
        let one = serde_json::json!({"b": [1, {"y": null, "x": "é\""}], "a": true});
        let two: serde_json::Value =
            serde_json::from_str(r#"{"a":true,"b":[1,{"x":"\u00e9\"","y":null}]}"#).unwrap();
        assert_eq!(text(&one), text(&two));
        assert_ne!(
            text(&one),
            text(&serde_json::json!({"a": true, "b": [{"x": "é\"", "y": null}, 1]}))
        );
        let with_null = serde_json::json!({"amount": null, "reason": "r"});
        assert_eq!(text(&with_null), text(&serde_json::json!({"reason": "r"})));
        let own = serde_json::json!({"metadata": {"a": null}});
        assert_ne!(text(&own), text(&serde_json::json!({"metadata": {}})));
        let (bare, prefixed) = (
            "01929f6e-0000-7000-8000-000000000001",
            "payments:01929F6E-0000-7000-8000-000000000001",
        );
        assert_eq!(
            text(&serde_json::json!({"id": bare})),
            text(&serde_json::json!({"id": prefixed}))
        );
    }

    #[test]
    fn scopes_of_one_payment_are_one_however_its_id_is_written() {
        let bare = Scope::Refund("01929F6E-0000-7000-8000-000000000001".to_owned());
        let prefixed = Scope::Refund("payments:01929f6e-0000-7000-8000-000000000001".to_owned());
        assert_eq!(bare.text(), prefixed.text());
    }
}
