//! What is stored under a key, and what a request gets of it.

use std::time::Duration;

use domain::{
    Code, Fault, Timestamp,
    caller::{Caller, Credential},
    id::{CustomerId, PaymentId, TeamId},
    payment::{OnceRef, Payment},
};
use store::once::{Answer, Claim, Record};
use zeroize::Zeroizing;

use super::{
    Kept, Once, Response, Scope, Snapshot,
    equality::{CANONICAL_VERSION, canonical, is_same_request},
    payment_response,
};
use crate::{
    Engine,
    deadline::Deadline,
    faults::EngineError,
    payments::{may_read, may_use},
};

/// How often a record is read whose payment is changed at the same time. One change writes the document into the record, so that the
/// second look finds it, or the response that has taken its place.
const LOOKS: usize = 8;

/// A request that reads what is stored under its key.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) claim: &'a Claim,
    /// One that repeats, perhaps, what another has asked for; `None` for the request that has taken the key.
    repeat: Option<Repeat<'a>>,
}

#[derive(Clone, Copy)]
struct Repeat<'a> {
    caller: &'a Caller,
    scope: &'a Scope,
}

impl<'a> Reader<'a> {
    /// A request that may repeat another.
    pub(super) fn repeat(claim: &'a Claim, caller: &'a Caller, scope: &'a Scope) -> Self {
        Self {
            claim,
            repeat: Some(Repeat { caller, scope }),
        }
    }

    /// The request that has taken the key.
    fn holder(claim: &'a Claim) -> Self {
        Self {
            claim,
            repeat: None,
        }
    }

    fn another_request_is_new(self) -> bool {
        self.repeat
            .is_some_and(|repeat| repeat.scope.another_request_is_new())
    }
}

/// What a request finds under its key.
pub(super) enum Found<T> {
    /// A response, or the fault that there is none for it.
    Response(Response<T>),
    /// Nothing: it is carried out.
    Free,
}

impl<T> Found<T> {
    fn fault(fault: Fault) -> Self {
        Self::Response(Response::now(Err(fault)))
    }
}

impl Engine {
    /// What a request finds under its key, after the one that has it, for which it waits until the deadline.
    pub(super) async fn find_response<T: Kept>(
        &self,
        reader: Reader<'_>,
        deadline: Deadline,
    ) -> Result<Found<T>, EngineError> {
        let found = self.await_found(reader, deadline).await?;
        Ok(found.unwrap_or_else(|| Found::fault(in_progress())))
    }

    /// The response to the request that has taken the key, as soon as one is stored. `None` when its time ends before.
    pub(crate) async fn await_response<T: Kept>(
        &self,
        claim: &Claim,
        deadline: Deadline,
    ) -> Result<Option<T>, EngineError> {
        match self.await_found(Reader::holder(claim), deadline).await? {
            Some(Found::Response(reported)) => {
                reported.result.map(Some).map_err(EngineError::Fault)
            }
            Some(Found::Free) => Err(EngineError::Fault(in_progress())),
            None => Ok(None),
        }
    }

    /// The response to the request that has taken the key, if one is stored.
    pub(crate) async fn stored_response<T: Kept>(
        &self,
        claim: &Claim,
    ) -> Result<Option<T>, EngineError> {
        let Some(record) = self.record_of(claim).await? else {
            return Ok(None);
        };
        match self.read(Reader::holder(claim), &record).await? {
            Some(Found::Response(reported)) => {
                reported.result.map(Some).map_err(EngineError::Fault)
            }
            Some(Found::Free) | None => Ok(None),
        }
    }

    /// What a request finds under its key; `None` when the deadline comes before the response.
    async fn await_found<T: Kept>(
        &self,
        reader: Reader<'_>,
        deadline: Deadline,
    ) -> Result<Option<Found<T>>, EngineError> {
        let world = &self.inner.world;
        let mut pause = Duration::from_millis(2);
        loop {
            let Some(record) = self.record_of(reader.claim).await? else {
                return Ok(Some(Found::Free));
            };
            if let Some(found) = self.read(reader, &record).await? {
                return Ok(Some(found));
            }
            if deadline.left(world.now()) < pause {
                return Ok(None);
            }
            world.sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// The key's record, unless it is forgotten.
    async fn record_of(&self, claim: &Claim) -> Result<Option<Record>, EngineError> {
        let retention = self.inner.settings.idempotency_retention;
        let forgotten = self.inner.world.now().before(retention);
        self.read_record(claim.team, &claim.once, forgotten).await
    }

    /// A record with its response as a document, unless it was forgotten before this time.
    pub(crate) async fn read_record(
        &self,
        team: TeamId,
        once: &OnceRef,
        forgotten: Timestamp,
    ) -> Result<Option<Record>, EngineError> {
        for _ in 0..LOOKS {
            let found = store::once::find(&self.inner.store, team, once, forgotten).await?;
            let Some(mut record) = found else {
                return Ok(None);
            };
            let Some(Answer::Version(version)) = record.answer else {
                return Ok(Some(record));
            };
            let payment = self.named_payment(team, &record).await?;
            if let Some(document) = document_of(&payment, version) {
                record.answer = Some(Answer::Document(document));
                return Ok(Some(record));
            }
            // The payment was changed since the record was read: by now the document stands in the record.
        }
        tracing::error!("an idempotency record names a version of its payment that is gone");
        Err(Fault::unknown().into())
    }

    /// The payment whose version a record names.
    async fn named_payment(&self, team: TeamId, record: &Record) -> Result<Payment, EngineError> {
        let id = record.stream.as_deref().and_then(PaymentId::parse);
        let found = match id {
            Some(id) => store::payment::of_team(&self.inner.store, team, id).await?,
            None => None,
        };
        let missing =
            || db::DbError::Corrupt("once: a record names a version of no payment".to_owned());
        Ok(found.ok_or_else(missing)?)
    }

    /// What a record is for this request; `None` while the response is still to come.
    async fn read<T: Kept>(
        &self,
        reader: Reader<'_>,
        record: &Record,
    ) -> Result<Option<Found<T>>, EngineError> {
        if let Some(repeat) = reader.repeat
            && !self.may_learn(repeat, record).await?
        {
            return Ok(Some(Found::fault(reused_by_another())));
        }
        let same = is_same_request(&record.fingerprint, &reader.claim.fingerprint);
        let Some(Answer::Document(response)) = &record.answer else {
            return Ok(None);
        };
        let snapshot: Snapshot<T::Stored> = serde_json::from_str(response).map_err(|error| {
            db::DbError::Corrupt(format!("once: an answer can't be read: {error}"))
        })?;
        let result = match snapshot {
            Snapshot::Fault(fault) if same => Err(fault),
            Snapshot::Result(stored) if same => T::restored(self, stored).await,
            _ if reader.another_request_is_new() => return Ok(Some(Found::Free)),
            Snapshot::Fault(first) => {
                return Ok(Some(Found::fault(reused_after_fault(&first))));
            }
            Snapshot::Result(stored) => {
                let fault = reused(&T::ended(&stored), T::id(&stored));
                return Ok(Some(Found::fault(fault)));
            }
        };
        Ok(Some(Found::Response(Response {
            result,
            replayed: true,
        })))
    }

    /// What the first commit of a request with a key takes.
    pub(super) fn claim_of(&self, caller: &Caller, once: &Once) -> Claim {
        let canonical = Zeroizing::new(canonical(&once.arguments, once.scope.blanks()));
        let mut scope = once.scope.text();
        let hash = self.inner.vault.request_hash(&canonical);
        let fingerprint = format!("{CANONICAL_VERSION}:{hash}");
        if once.scope.another_request_is_new() {
            // The request is part of what the key belongs to, so another request is another record.
            scope = format!("{scope}:{fingerprint}");
        }
        let browser = matches!(caller.credential, Credential::Client(_)).then_some(caller.key);
        if let Some(browser) = browser.filter(|_| once.scope.another_request_is_new()) {
            // Who asks too: another browser would get an id that it must not know.
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
    async fn may_learn(&self, repeat: Repeat<'_>, record: &Record) -> Result<bool, EngineError> {
        let caller = repeat.caller;
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
        match repeat.scope {
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
            Scope::CreateCustomer
            | Scope::CreateLink
            | Scope::Capture(_)
            | Scope::Cancel(_)
            | Scope::Refund(_)
            | Scope::SubmitEvidence(_)
            | Scope::AcceptDispute(_) => Ok(false),
        }
    }
}

/// The document of a payment's version, if that is its version.
fn document_of(payment: &Payment, version: u64) -> Option<String> {
    (payment.version() == version).then(|| payment_response(payment))
}

/// The fault of a key that was used, for a browser that may not learn anything of the first request: not even whether it was an
/// equal one.
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

pub(super) fn in_progress() -> Fault {
    Fault::new(
        Code::KeyInProgress,
        "The first request with this idempotency key is still under way. Send the same request again in a moment.",
    )
}
