//! The verbs of the scenarios: each call is bounded as the engine bounds it.

use std::{
    future::Future,
    sync::atomic::{AtomicU32, Ordering},
};

use domain::{id::PaymentId, money::Money, payment::ThreeDsWish};
use world::World;

use super::Fixtures;
use crate::{
    Answer, Authorise, CallError, Capabilities, CardData, Complete, Connector, Finding, Follow,
    LaterAnswer, LookUp, Reference, ThreeDsCall, Tokenise, Tokenised,
};

/// How often a pending operation is asked after.
const PATIENCE: usize = 20;

/// The settings of the connection that is tested.
static NO_SETTINGS: serde_json::Value = serde_json::Value::Null;

/// One scenario's place: a payment of its own.
pub(super) struct Stage<'a> {
    connector: &'a dyn Connector,
    world: &'a World,
    pub(super) fixtures: &'a Fixtures<'a>,
    payment: PaymentId,
    numbers: AtomicU32,
}

/// An approved authorisation.
pub(super) struct Approved {
    pub(super) reference: Reference,
    processor_id: Option<String>,
}

/// Which later operation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Capture,
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
        }
    }

    pub(super) fn can(&self) -> Capabilities {
        self.connector.descriptor().capabilities
    }

    /// A reference that was not used before.
    pub(super) fn reference(&self) -> Reference {
        Reference::new(self.payment, self.numbers.fetch_add(1, Ordering::Relaxed))
    }

    /// Asks for an authorisation, or for a sale.
    pub(super) async fn ask(
        &self,
        reference: &Reference,
        card: &CardData,
        what: (i64, bool),
    ) -> Result<Result<Answer, CallError>, String> {
        self.ask_with(reference, card, what, None).await
    }

    /// The same for a customer who can be sent to a page.
    pub(super) async fn ask_with(
        &self,
        reference: &Reference,
        card: &CardData,
        (minor, capture): (i64, bool),
        return_url: Option<&str>,
    ) -> Result<Result<Answer, CallError>, String> {
        let call = Authorise {
            reference,
            connection: self.fixtures.connection,
            money: self.money(minor),
            capture,
            settings: &NO_SETTINGS,
            method: card.number.brand().method(),
            card: Some(card),
            account: None,
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url,
            },
            merchant_initiated: false,
            statement_descriptor: None,
            fraud: None,
        };
        self.in_time(self.connector.authorise(&call)).await
    }

    /// Completes an authorisation whose customer has done what was asked.
    pub(super) async fn complete(
        &self,
        reference: &Reference,
        (minor, capture): (i64, bool),
    ) -> Result<Result<Answer, CallError>, String> {
        let call = Complete {
            reference,
            processor_id: None,
            connection: self.fixtures.connection,
            settings: &NO_SETTINGS,
            money: self.money(minor),
            capture,
        };
        self.in_time(self.connector.complete(&call)).await
    }

    /// Asks for a token of the processor's own.
    pub(super) async fn tokenise(
        &self,
        reference: &Reference,
        card: &CardData,
        return_url: Option<&str>,
    ) -> Result<Result<Tokenised, CallError>, String> {
        let call = Tokenise {
            reference: reference.as_str(),
            connection: self.fixtures.connection,
            settings: &NO_SETTINGS,
            card,
            currency: self.fixtures.currency,
            return_url,
        };
        self.in_time(self.connector.tokenise(&call)).await
    }

    /// An authorisation (with `capture`: a sale) that must be approved.
    pub(super) async fn approved(&self, minor: i64, capture: bool) -> Result<Approved, String> {
        let reference = self.reference();
        match self
            .ask(&reference, self.fixtures.approved, (minor, capture))
            .await?
        {
            Ok(Answer::Approved { captured, approval }) if captured == capture => Ok(Approved {
                reference,
                processor_id: approval.processor_id,
            }),
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
        let call = Follow {
            reference,
            authorisation: &about.reference,
            processor_id: about.processor_id.as_deref(),
            connection: self.fixtures.connection,
            settings: &NO_SETTINGS,
            money: self.money(minor),
            reason: None,
        };
        self.in_time(match verb {
            Verb::Capture => self.connector.capture(&call),
            Verb::Cancel => self.connector.cancel(&call),
            Verb::Refund => self.connector.refund(&call),
        })
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
        let last = schedule
            .last()
            .copied()
            .unwrap_or(self.connector.descriptor().call_timeout);
        for pause in schedule
            .iter()
            .copied()
            .chain(std::iter::repeat(last))
            .take(PATIENCE)
        {
            match answer {
                Ok(LaterAnswer::Done { .. }) => return Ok(()),
                Ok(LaterAnswer::Pending { .. }) => self.world.sleep(pause).await,
                Ok(LaterAnswer::Refused { .. }) | Err(_) => break,
            }
            answer = match self.look_up(reference, about).await? {
                Finding::Later(later) => Ok(later),
                other => return Err(format!("a pending {verb:?} is found as {other:?}")),
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
            Ok(LaterAnswer::Refused { .. }) | Err(CallError::Rejected(_)) => Ok(reference),
            other => Err(format!("instead of a refusal of the {verb:?}: {other:?}")),
        }
    }

    /// Looks a reference up.
    pub(super) async fn look_up(
        &self,
        reference: &Reference,
        about: &Approved,
    ) -> Result<Finding, String> {
        let call = LookUp {
            reference,
            authorisation: &about.reference,
            processor_id: about.processor_id.as_deref(),
            connection: self.fixtures.connection,
            settings: &NO_SETTINGS,
        };
        self.in_time(self.connector.look_up(&call))
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

    fn money(&self, minor: i64) -> Money {
        Money::new(minor, self.fixtures.currency)
    }
}

impl Approved {
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
