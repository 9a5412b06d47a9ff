//! Calls with all that they hold, so that they go on when their caller dies.

use connector::{
    AccountData, Answer, Authorise, CallError, CardData, Complete, Connector, Cryptogram, Finding,
    Follow, LaterAnswer, LookUp, Reference, ThreeDsCall,
};
use connectors::simulator::Simulator;
use domain::{id::ConnectionId, method::Method, money::Money, payment::ThreeDsWish};
use serde_json::Value;

/// A call.
pub(super) enum Request {
    /// For an authorisation.
    Authorise(Box<Authorisation>),
    /// That completes one.
    Complete(Box<Completion>),
    /// About one.
    Later(Verb, Box<Following>),
    /// That asks what became of another.
    LookUp(Box<Looking>),
}

/// What is asked about an authorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Capture,
    Cancel,
    Refund,
}

/// How a call was answered.
pub(super) enum Reply {
    Answer(Answer),
    Later(LaterAnswer),
    Finding(Finding),
}

pub(super) struct Authorisation {
    reference: Reference,
    connection: ConnectionId,
    money: Money,
    capture: bool,
    settings: Value,
    method: Method,
    card: Option<CardData>,
    account: Option<AccountData>,
    wish: ThreeDsWish,
    return_url: Option<String>,
    merchant_initiated: bool,
}

pub(super) struct Completion {
    reference: Reference,
    processor_id: Option<String>,
    connection: ConnectionId,
    settings: Value,
    money: Money,
    capture: bool,
}

pub(super) struct Following {
    reference: Reference,
    authorisation: Reference,
    processor_id: Option<String>,
    connection: ConnectionId,
    settings: Value,
    money: Money,
}

pub(super) struct Looking {
    reference: Reference,
    authorisation: Reference,
    processor_id: Option<String>,
    connection: ConnectionId,
    settings: Value,
}

impl Request {
    pub(super) fn authorise(call: &Authorise<'_>) -> Self {
        Self::Authorise(Box::new(Authorisation {
            reference: call.reference.clone(),
            connection: call.connection.clone(),
            money: call.money,
            capture: call.capture,
            settings: call.settings.clone(),
            method: call.method,
            card: call.card.map(copied),
            account: call.account.map(copied_account),
            wish: call.three_ds.wish,
            return_url: call.three_ds.return_url.map(str::to_owned),
            merchant_initiated: call.merchant_initiated,
        }))
    }

    pub(super) fn complete(call: &Complete<'_>) -> Self {
        Self::Complete(Box::new(Completion {
            reference: call.reference.clone(),
            processor_id: call.processor_id.map(str::to_owned),
            connection: call.connection.clone(),
            settings: call.settings.clone(),
            money: call.money,
            capture: call.capture,
        }))
    }

    pub(super) fn later(verb: Verb, call: &Follow<'_>) -> Self {
        Self::Later(
            verb,
            Box::new(Following {
                reference: call.reference.clone(),
                authorisation: call.authorisation.clone(),
                processor_id: call.processor_id.map(str::to_owned),
                connection: call.connection.clone(),
                settings: call.settings.clone(),
                money: call.money,
            }),
        )
    }

    pub(super) fn look_up(call: &LookUp<'_>) -> Self {
        Self::LookUp(Box::new(Looking {
            reference: call.reference.clone(),
            authorisation: call.authorisation.clone(),
            processor_id: call.processor_id.map(str::to_owned),
            connection: call.connection.clone(),
            settings: call.settings.clone(),
        }))
    }

    /// What it does, in a word.
    pub(super) fn verb(&self) -> &'static str {
        match self {
            Self::Authorise(_) => "authorise",
            Self::Complete(_) => "complete",
            Self::Later(Verb::Capture, _) => "capture",
            Self::Later(Verb::Cancel, _) => "cancel",
            Self::Later(Verb::Refund, _) => "refund",
            Self::LookUp(_) => "look-up",
        }
    }

    /// Whether it asks this connection for an authorisation.
    pub(super) fn asks_for_money_at(&self, connection: &str) -> bool {
        matches!(self, Self::Authorise(held) if held.connection.as_str() == connection)
    }

    /// Does it.
    pub(super) async fn perform(&self, simulator: &Simulator) -> Result<Reply, CallError> {
        match self {
            Self::Authorise(held) => held.perform(simulator).await,
            Self::Complete(held) => {
                let call = Complete {
                    reference: &held.reference,
                    processor_id: held.processor_id.as_deref(),
                    connection: &held.connection,
                    settings: &held.settings,
                    money: held.money,
                    capture: held.capture,
                };
                simulator.complete(&call).await.map(Reply::Answer)
            }
            Self::Later(verb, held) => held.perform(*verb, simulator).await,
            Self::LookUp(held) => {
                let call = LookUp {
                    reference: &held.reference,
                    authorisation: &held.authorisation,
                    processor_id: held.processor_id.as_deref(),
                    connection: &held.connection,
                    settings: &held.settings,
                };
                simulator.look_up(&call).await.map(Reply::Finding)
            }
        }
    }
}

impl Authorisation {
    async fn perform(&self, simulator: &Simulator) -> Result<Reply, CallError> {
        let call = Authorise {
            reference: &self.reference,
            connection: &self.connection,
            money: self.money,
            capture: self.capture,
            settings: &self.settings,
            method: self.method,
            card: self.card.as_ref(),
            account: self.account.as_ref(),
            three_ds: ThreeDsCall {
                wish: self.wish,
                return_url: self.return_url.as_deref(),
            },
            merchant_initiated: self.merchant_initiated,
            statement_descriptor: None,
            fraud: None,
        };
        simulator.authorise(&call).await.map(Reply::Answer)
    }
}

impl Following {
    async fn perform(&self, verb: Verb, simulator: &Simulator) -> Result<Reply, CallError> {
        let call = Follow {
            reference: &self.reference,
            authorisation: &self.authorisation,
            processor_id: self.processor_id.as_deref(),
            connection: &self.connection,
            settings: &self.settings,
            money: self.money,
            reason: None,
        };
        let answer = match verb {
            Verb::Capture => simulator.capture(&call).await,
            Verb::Cancel => simulator.cancel(&call).await,
            Verb::Refund => simulator.refund(&call).await,
        };
        answer.map(Reply::Later)
    }
}

/// A bank account as the request holds it. Wiped with the request.
fn copied_account(account: &AccountData) -> AccountData {
    AccountData {
        number: account.number.duplicate(),
        kind: account.kind.clone(),
        holder: account.holder.clone(),
        mandate: account.mandate.clone(),
    }
}

/// A card as the request holds it. Wiped with the request.
fn copied(card: &CardData) -> CardData {
    CardData {
        number: card.number.duplicate(),
        expiry: card.expiry,
        cvc: card
            .cvc
            .as_ref()
            .map(domain::card_number::SecurityCode::duplicate),
        name: card.name.clone(),
        address: card.address.clone(),
        cryptogram: card.cryptogram.as_ref().map(|kept| Cryptogram {
            value: kept.value.clone(),
            eci: kept.eci.clone(),
        }),
    }
}
