//! The verbs of the scenarios: each call is bounded as the engine bounds it.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::{Timestamp, answer::Booking, id::PaymentId, money::Money, payment::ThreeDsWish};
use world::World;

use super::Fixtures;
use crate::{
    AccountFacts, Answer, Authorise, CallError, Cancel, Capabilities, Capture, CardData, Complete,
    Connector, Credentials, Earlier, Fact, Finding, FundingSource, LaterAnswer, Link, LookUp,
    Reference, Refund, SentBetween, StoredCredential, ThreeDsCall, Tokenise, Tokenised,
};

/// How often a pending operation is asked after.
const PATIENCE: usize = 20;

/// How long is waited in between where the connector names no times.
const PAUSE: Duration = Duration::from_secs(30);

/// Our name for the owner of the cards.
const SHOPPER: &str = "0192f0c4-8a51-7000-8000-00000000c0de";

/// An authorisation with all that is said of it.
pub(super) struct Wanted<'a> {
    pub(super) funding_source: FundingSource<'a>,
    pub(super) charge: Charge,
    pub(super) return_url: Option<&'a str>,
    pub(super) merchant_initiated: bool,
    pub(super) stored: Option<StoredCredential<'a>>,
}

/// One scenario's place: a payment of its own.
pub(super) struct Stage<'a> {
    connector: &'a dyn Connector,
    world: &'a World,
    pub(super) fixtures: &'a Fixtures<'a>,
    payment: PaymentId,
    numbers: AtomicU32,
    credentials: Option<&'a Credentials>,
    began_at: Timestamp,
    /// What each later operation was for.
    verbs: Mutex<BTreeMap<Reference, Verb>>,
}

/// An approved authorisation.
pub(super) struct Approved {
    pub(super) reference: Reference,
    pub(super) processor_id: Option<String>,
}

/// What is asked for: an amount, and whether it is captured at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    pub(super) minor: i64,
    pub(super) capture: bool,
}

impl Charge {
    /// An amount that is authorised alone.
    pub(super) const fn hold(minor: i64) -> Self {
        Self {
            minor,
            capture: false,
        }
    }
}

/// Which later operation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    /// The final capture.
    Capture,
    /// A capture that leaves the authorisation open for another.
    CapturePart,
    Cancel,
    Refund,
}

impl<'a> Stage<'a> {
    pub(super) fn new(
        connector: &'a dyn Connector,
        world: &'a World,
        fixtures: &'a Fixtures<'a>,
    ) -> Self {
        let payment = PaymentId::new(world.uuid_v7());
        Self {
            connector,
            world,
            fixtures,
            payment,
            numbers: AtomicU32::new(1),
            credentials: fixtures.link.credentials,
            began_at: world.now(),
            verbs: Mutex::default(),
        }
    }

    /// The same place for somebody with these credentials.
    pub(super) fn with_credentials(&self, credentials: &'a Credentials) -> Self {
        Self {
            credentials: Some(credentials),
            numbers: AtomicU32::new(1_000),
            verbs: Mutex::default(),
            ..*self
        }
    }

    pub(super) fn facts(&self) -> &'static [Fact] {
        self.connector.descriptor().facts
    }

    pub(super) fn can(&self) -> Capabilities {
        self.connector.descriptor().capabilities
    }

    /// A reference that was not used before.
    pub(super) fn reference(&self) -> Reference {
        Reference::new(self.payment, self.numbers.fetch_add(1, Ordering::Relaxed))
    }

    /// What the processor says of the account; `None` where it can't be asked.
    pub(super) async fn probe(&self) -> Result<Option<Result<AccountFacts, CallError>>, String> {
        let Some(probe) = self.connector.probe() else {
            return Ok(None);
        };
        let answer = self.in_time(probe.account(&self.link())).await?;
        Ok(Some(answer))
    }

    /// Asks for an authorisation, or for a sale.
    pub(super) async fn ask(
        &self,
        reference: &Reference,
        card: &CardData,
        charge: Charge,
    ) -> Result<Result<Answer, CallError>, String> {
        self.ask_with(reference, card, charge, None).await
    }

    /// The same for a customer who can be sent to a page.
    pub(super) async fn ask_with(
        &self,
        reference: &Reference,
        card: &CardData,
        charge: Charge,
        return_url: Option<&str>,
    ) -> Result<Result<Answer, CallError>, String> {
        let wanted = Wanted {
            funding_source: FundingSource::Card(card),
            charge,
            return_url,
            merchant_initiated: false,
            stored: None,
        };
        self.ask_for(reference, &wanted).await
    }

    /// Asks for an authorisation, or for a sale, with all that is said of it.
    pub(super) async fn ask_for(
        &self,
        reference: &Reference,
        wanted: &Wanted<'_>,
    ) -> Result<Result<Answer, CallError>, String> {
        let card = wanted.funding_source.card();
        let call = Authorise {
            reference,
            money: self.money(wanted.charge.minor),
            capture: wanted.charge.capture,
            method: card
                .unwrap_or(self.fixtures.approved)
                .number
                .brand()
                .method(),
            funding_source: wanted.funding_source,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: wanted.return_url,
                browser: None,
            },
            merchant_initiated: wanted.merchant_initiated,
            stored: wanted.stored,
            shopper: wanted.stored.map(|_| SHOPPER),
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        self.in_time(self.connector.authorise(&self.link(), &call))
            .await
    }

    /// Completes an authorisation whose customer has done what was asked.
    pub(super) async fn complete(
        &self,
        reference: &Reference,
        charge: Charge,
    ) -> Result<Result<Answer, CallError>, String> {
        let call = Complete {
            authorisation: Earlier {
                reference,
                processor_id: None,
            },
            money: self.money(charge.minor),
            capture: charge.capture,
            returned: None,
        };
        self.in_time(self.connector.complete(&self.link(), &call))
            .await
    }

    /// Asks for a token of the processor's own. `None`: it stores nothing.
    pub(super) async fn tokenise(
        &self,
        reference: &Reference,
        card: &CardData,
        return_url: Option<&str>,
    ) -> Option<Result<Result<Tokenised, CallError>, String>> {
        let stored = self.connector.stored()?;
        let call = Tokenise {
            reference: reference.as_str(),
            card,
            currency: self.fixtures.currency,
            shopper: SHOPPER,
            return_url,
        };
        let link = self.link();
        Some(self.in_time(stored.tokenise(&link, &call)).await)
    }

    /// An authorisation (with `capture`: a sale) that must be approved.
    pub(super) async fn approved(&self, minor: i64, capture: bool) -> Result<Approved, String> {
        let reference = self.reference();
        let charge = Charge { minor, capture };
        match self.ask(&reference, self.fixtures.approved, charge).await? {
            Ok(Answer::Approved { captured, approval }) if captured == capture => Ok(Approved {
                reference,
                processor_id: approval.processor_id,
            }),
            other => Err(format!("instead of an approval: {other:?}")),
        }
    }

    /// An authorisation that is approved and takes several captures; `None` where the processor has none of these.
    pub(super) async fn approved_for_several(
        &self,
        minor: i64,
    ) -> Result<Option<Approved>, String> {
        let reference = self.reference();
        let charge = Charge::hold(minor);
        match self.ask(&reference, self.fixtures.approved, charge).await? {
            Ok(Answer::Approved { approval, .. }) => {
                let by_default = self.can().several_captures;
                let takes_several = approval.several_captures.unwrap_or(by_default);
                let approved = Approved::with(reference, approval.processor_id);
                Ok(takes_several.then_some(approved))
            }
            other => Err(format!("instead of an approval: {other:?}")),
        }
    }

    /// Money that is captured: by a sale where the processor has one, else by authorisation and capture.
    pub(super) async fn captured(&self, minor: i64) -> Result<Approved, String> {
        if self.can().sale {
            return self.approved(minor, true).await;
        }
        let approved = self.approved(minor, false).await?;
        self.takes_effect(Verb::Capture, &approved, minor).await?;
        Ok(approved)
    }

    /// Sends a later operation under a reference.
    pub(super) async fn send(
        &self,
        verb: Verb,
        about: &Approved,
        reference: &Reference,
        minor: i64,
    ) -> Result<Result<LaterAnswer, CallError>, String> {
        let (authorisation, money) = (about.earlier(), self.money(minor));
        self.verbs().insert(reference.clone(), verb);
        let link = self.link();
        match verb {
            Verb::Capture | Verb::CapturePart => {
                let call = Capture {
                    reference,
                    authorisation,
                    money,
                    is_final: matches!(verb, Verb::Capture),
                    reason: None,
                };
                self.in_time(self.connector.capture(&link, &call)).await
            }
            Verb::Cancel => {
                let call = Cancel {
                    reference,
                    authorisation,
                    money,
                    asked: None,
                    reason: None,
                };
                self.in_time(self.connector.cancel(&link, &call)).await
            }
            Verb::Refund => self.refund_of(about, None, reference, minor).await,
        }
    }

    /// Sends a refund of one capture, or of what was captured at all.
    pub(super) async fn refund_of(
        &self,
        about: &Approved,
        capture: Option<Earlier<'_>>,
        reference: &Reference,
        minor: i64,
    ) -> Result<Result<LaterAnswer, CallError>, String> {
        self.verbs().insert(reference.clone(), Verb::Refund);
        let call = Refund {
            reference,
            authorisation: about.earlier(),
            capture,
            money: self.money(minor),
            reason: None,
        };
        self.in_time(self.connector.refund(&self.link(), &call))
            .await
    }

    /// A later operation under a new reference that must take effect, at once or in time. Returns its reference.
    pub(super) async fn takes_effect(
        &self,
        verb: Verb,
        about: &Approved,
        minor: i64,
    ) -> Result<Reference, String> {
        let reference = self.reference();
        let answer = self.send(verb, about, &reference, minor).await?;
        self.is_done(verb, about, &reference, answer).await?;
        Ok(reference)
    }

    /// Follows an answer until it is final; it must be done.
    pub(super) async fn is_done(
        &self,
        verb: Verb,
        about: &Approved,
        reference: &Reference,
        answer: Result<LaterAnswer, CallError>,
    ) -> Result<(), String> {
        let mut answer = answer;
        let schedule = self.connector.descriptor().pending_schedule;
        let last = schedule.last().copied().unwrap_or(PAUSE);
        for pause in schedule
            .iter()
            .copied()
            .chain(std::iter::repeat(last))
            .take(PATIENCE)
        {
            match answer {
                Ok(LaterAnswer::Done { .. }) => return Ok(()),
                Ok(LaterAnswer::Pending { .. }) => self.world.sleep(pause).await,
                Ok(LaterAnswer::Refused { .. } | LaterAnswer::Reversed { .. }) | Err(_) => break,
            }
            let finding = self.look_up(reference, about).await?;
            answer = match finding.operation(of(reference)) {
                Some(later) => Ok(later.clone()),
                None => return Err(format!("a pending {verb:?} is not found: {finding:?}")),
            };
        }
        Err(format!("instead of an effect of the {verb:?}: {answer:?}"))
    }

    /// A later operation under a new reference that must not take effect. Returns its reference.
    pub(super) async fn is_refused(
        &self,
        verb: Verb,
        about: &Approved,
        minor: i64,
    ) -> Result<Reference, String> {
        let reference = self.reference();
        match self.send(verb, about, &reference, minor).await? {
            Ok(LaterAnswer::Refused { .. }) | Err(CallError::Rejected { .. }) => Ok(reference),
            other => Err(format!("instead of a refusal of the {verb:?}: {other:?}")),
        }
    }

    fn verbs(&self) -> MutexGuard<'_, BTreeMap<Reference, Verb>> {
        self.verbs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an operation under this reference was for; of one that was never sent, a capture.
    fn what(&self, reference: &Reference) -> Booking {
        match self.verbs().get(reference) {
            Some(Verb::Cancel) => Booking::Cancellation,
            Some(Verb::Refund) => Booking::Refund,
            Some(Verb::Capture | Verb::CapturePart) | None => Booking::Capture,
        }
    }

    /// Looks a reference up.
    pub(super) async fn look_up(
        &self,
        reference: &Reference,
        about: &Approved,
    ) -> Result<Finding, String> {
        let authorisation = about.earlier();
        let is_own = *reference == about.reference;
        let call = LookUp {
            asked: if is_own { authorisation } else { of(reference) },
            what: if is_own {
                Booking::Authorisation
            } else {
                self.what(reference)
            },
            sent: SentBetween {
                from: self.began_at,
                until: self.world.now(),
            },
            authorisation,
            phase: None,
        };
        self.in_time(self.connector.look_up(&self.link(), &call))
            .await?
            .map_err(|error| format!("the look-up failed: {error}"))
    }

    async fn in_time<T>(&self, call: impl Future<Output = T>) -> Result<T, String> {
        let timeout = self.connector.descriptor().call_timeout;
        self.world
            .timeout(timeout, call)
            .await
            .map_err(|world::Elapsed| "there was no answer in time".to_owned())
    }

    /// The link of a call that begins now.
    pub(super) fn link(&self) -> Link<'a> {
        Link {
            now: self.world.now(),
            credentials: self.credentials,
            ..self.fixtures.link
        }
    }

    fn money(&self, minor: i64) -> Money {
        Money::new(minor, self.fixtures.currency)
    }
}

/// An operation of which the processor's id is not known.
pub(super) const fn of(reference: &Reference) -> Earlier<'_> {
    Earlier {
        reference,
        processor_id: None,
    }
}

impl Approved {
    fn earlier(&self) -> Earlier<'_> {
        Earlier {
            reference: &self.reference,
            processor_id: self.processor_id.as_deref(),
        }
    }

    /// An authorisation that was approved in another way than by [`Stage::approved`].
    pub(super) fn with(reference: Reference, processor_id: Option<String>) -> Self {
        Self {
            reference,
            processor_id,
        }
    }

    /// Stands for an authorisation that was not approved, or never asked for.
    pub(super) fn not(reference: Reference) -> Self {
        Self {
            reference,
            processor_id: None,
        }
    }
}
