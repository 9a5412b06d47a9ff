//! Calls with all that they hold, so that they go on when their caller dies.

use connector::{
    AccountData, Answer, Authorise, Booking, CallError, Cancel, Capture, CardData, Complete,
    Connector, Cryptogram, Earlier, Finding, FoundResponse, FundingSource, LaterAnswer, Link,
    LookUp, RecurringReason, Reference, Refund, SentBetween, StoredCardData, StoredCredential,
    ThreeDsCall, TokenData,
};
use connectors::simulator::Simulator;
use domain::{
    Timestamp, dispute::DisputeReport, id::ConnectionId, method::Method, money::Money,
    payment::ThreeDsWish,
};
use serde_json::Value;

use super::respond::Response;

/// A call with the connection that it goes through.
pub(super) struct Request {
    connection: ConnectionId,
    settings: Value,
    /// Where the processor sends notifications.
    notify: Option<String>,
    at: Timestamp,
    what: What,
}

/// A call.
enum What {
    /// For an authorisation.
    Authorise(Box<Authorisation>),
    /// That completes one.
    Complete(Completion),
    /// About one.
    Later(Verb, Following),
    /// That asks what became of another.
    LookUp(Looking),
    /// About a response to a dispute.
    Respond(Box<Response>),
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
    Responded(DisputeReport),
    Response(FoundResponse),
}

impl Reply {
    pub(super) fn answer(self) -> Result<Answer, CallError> {
        let Self::Answer(answer) = self else {
            return Err(nonsense());
        };
        Ok(answer)
    }

    pub(super) fn later(self) -> Result<LaterAnswer, CallError> {
        let Self::Later(answer) = self else {
            return Err(nonsense());
        };
        Ok(answer)
    }

    pub(super) fn finding(self) -> Result<Finding, CallError> {
        let Self::Finding(finding) = self else {
            return Err(nonsense());
        };
        Ok(finding)
    }

    pub(super) fn responded(self) -> Result<DisputeReport, CallError> {
        let Self::Responded(report) = self else {
            return Err(nonsense());
        };
        Ok(report)
    }

    pub(super) fn response(self) -> Result<FoundResponse, CallError> {
        let Self::Response(found) = self else {
            return Err(nonsense());
        };
        Ok(found)
    }
}

fn nonsense() -> CallError {
    CallError::unknown("the answer is of another sort")
}

struct Authorisation {
    reference: Reference,
    money: Money,
    capture: bool,
    method: Method,
    paid: Paid,
    wish: ThreeDsWish,
    return_url: Option<String>,
    merchant_initiated: bool,
    stored: Option<Agreement>,
    shopper: Option<String>,
}

/// What a request says of the agreement on a stored card.
struct Agreement {
    reason: RecurringReason,
    first: bool,
    network_id: Option<String>,
}

enum Paid {
    Card(CardData),
    NetworkToken(CardData, Cryptogram),
    Account(AccountData),
    Token(TokenData),
    StoredCard(StoredCardData),
    Page,
}

struct Completion {
    authorisation: Sent,
    money: Money,
    capture: bool,
}

struct Following {
    reference: Reference,
    authorisation: Sent,
    capture: Option<Sent>,
    /// Whether a capture is the final one.
    is_final: bool,
    money: Money,
}

struct Looking {
    asked: Sent,
    what: Booking,
    sent: SentBetween,
    authorisation: Sent,
    phase: Option<String>,
}

/// An operation that was sent before.
struct Sent {
    reference: Reference,
    processor_id: Option<String>,
}

impl Sent {
    fn of(earlier: Earlier<'_>) -> Self {
        Self {
            reference: earlier.reference.clone(),
            processor_id: earlier.processor_id.map(str::to_owned),
        }
    }

    fn earlier(&self) -> Earlier<'_> {
        Earlier {
            reference: &self.reference,
            processor_id: self.processor_id.as_deref(),
        }
    }
}

impl Request {
    fn through(link: &Link<'_>, what: What) -> Self {
        Self {
            connection: link.connection.clone(),
            settings: link.settings.clone(),
            notify: link.notification_url.map(str::to_owned),
            at: link.now,
            what,
        }
    }

    pub(super) fn authorise(link: &Link<'_>, call: &Authorise<'_>) -> Self {
        let held = Authorisation {
            reference: call.reference.clone(),
            money: call.money,
            capture: call.capture,
            method: call.method,
            paid: Paid::of(call.funding_source),
            wish: call.three_ds.wish,
            return_url: call.three_ds.return_url.map(str::to_owned),
            merchant_initiated: call.merchant_initiated,
            stored: call.stored.map(|stored| Agreement {
                reason: stored.reason,
                first: stored.first,
                network_id: stored.network_id.map(str::to_owned),
            }),
            shopper: call.shopper.map(str::to_owned),
        };
        Self::through(link, What::Authorise(Box::new(held)))
    }

    pub(super) fn complete(link: &Link<'_>, call: &Complete<'_>) -> Self {
        let held = Completion {
            authorisation: Sent::of(call.authorisation),
            money: call.money,
            capture: call.capture,
        };
        Self::through(link, What::Complete(held))
    }

    pub(super) fn capture(link: &Link<'_>, call: &Capture<'_>) -> Self {
        let held = Following {
            reference: call.reference.clone(),
            authorisation: Sent::of(call.authorisation),
            capture: None,
            is_final: call.is_final,
            money: call.money,
        };
        Self::through(link, What::Later(Verb::Capture, held))
    }

    pub(super) fn cancel(link: &Link<'_>, call: &Cancel<'_>) -> Self {
        let held = Following {
            reference: call.reference.clone(),
            authorisation: Sent::of(call.authorisation),
            capture: None,
            is_final: true,
            money: call.money,
        };
        Self::through(link, What::Later(Verb::Cancel, held))
    }

    pub(super) fn refund(link: &Link<'_>, call: &Refund<'_>) -> Self {
        let held = Following {
            reference: call.reference.clone(),
            authorisation: Sent::of(call.authorisation),
            capture: call.capture.map(Sent::of),
            is_final: true,
            money: call.money,
        };
        Self::through(link, What::Later(Verb::Refund, held))
    }

    pub(super) fn look_up(link: &Link<'_>, call: &LookUp<'_>) -> Self {
        let held = Looking {
            asked: Sent::of(call.asked),
            what: call.what,
            sent: call.sent,
            authorisation: Sent::of(call.authorisation),
            phase: call.phase.map(str::to_owned),
        };
        Self::through(link, What::LookUp(held))
    }

    pub(super) fn respond(link: &Link<'_>, response: Response) -> Self {
        Self::through(link, What::Respond(Box::new(response)))
    }

    /// What it does, in a word.
    pub(super) fn verb(&self) -> &'static str {
        match &self.what {
            What::Authorise(_) => "authorise",
            What::Complete(_) => "complete",
            What::Later(Verb::Capture, _) => "capture",
            What::Later(Verb::Cancel, _) => "cancel",
            What::Later(Verb::Refund, _) => "refund",
            What::LookUp(_) => "look-up",
            What::Respond(held) => held.verb(),
        }
    }

    /// Whether it only asks what became of another.
    pub(super) fn is_look_up(&self) -> bool {
        match &self.what {
            What::LookUp(_) => true,
            What::Respond(held) => held.is_look_up(),
            What::Authorise(_) | What::Complete(_) | What::Later(..) => false,
        }
    }

    /// Whether it captures, cancels or refunds.
    pub(super) fn is_later(&self) -> bool {
        matches!(self.what, What::Later(..))
    }

    /// Whether it asks this connection for an authorisation.
    pub(super) fn asks_for_money_at(&self, connection: &str) -> bool {
        matches!(self.what, What::Authorise(_)) && self.connection.as_str() == connection
    }

    /// Does it.
    pub(super) async fn perform(&self, simulator: &Simulator) -> Result<Reply, CallError> {
        let link = Link {
            notification_url: self.notify.as_deref(),
            ..Link::offline(&self.connection, &self.settings, self.at)
        };
        match &self.what {
            What::Authorise(held) => held.perform(simulator, &link).await,
            What::Complete(held) => {
                let call = Complete {
                    authorisation: held.authorisation.earlier(),
                    money: held.money,
                    capture: held.capture,
                    returned: None,
                };
                simulator.complete(&link, &call).await.map(Reply::Answer)
            }
            What::Later(verb, held) => held.perform(*verb, simulator, &link).await,
            What::LookUp(held) => {
                let call = LookUp {
                    what: held.what,
                    sent: held.sent,
                    phase: held.phase.as_deref(),
                    ..LookUp::new(held.asked.earlier(), held.authorisation.earlier())
                };
                simulator.look_up(&link, &call).await.map(Reply::Finding)
            }
            What::Respond(held) => held.perform(simulator, &link).await,
        }
    }
}

impl Authorisation {
    async fn perform(&self, simulator: &Simulator, link: &Link<'_>) -> Result<Reply, CallError> {
        let call = Authorise {
            reference: &self.reference,
            money: self.money,
            capture: self.capture,
            method: self.method,
            funding_source: self.paid.funding_source(),
            three_ds: ThreeDsCall {
                wish: self.wish,
                return_url: self.return_url.as_deref(),
                browser: None,
            },
            merchant_initiated: self.merchant_initiated,
            stored: self.stored.as_ref().map(|stored| StoredCredential {
                reason: stored.reason,
                first: stored.first,
                network_id: stored.network_id.as_deref(),
            }),
            shopper: self.shopper.as_deref(),
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        simulator.authorise(link, &call).await.map(Reply::Answer)
    }
}

impl Following {
    async fn perform(
        &self,
        verb: Verb,
        simulator: &Simulator,
        link: &Link<'_>,
    ) -> Result<Reply, CallError> {
        let (reference, authorisation) = (&self.reference, self.authorisation.earlier());
        let (money, reason) = (self.money, None);
        let answer = match verb {
            Verb::Capture => {
                let call = Capture {
                    reference,
                    authorisation,
                    money,
                    is_final: self.is_final,
                    reason,
                };
                simulator.capture(link, &call).await
            }
            Verb::Cancel => {
                let call = Cancel {
                    reference,
                    authorisation,
                    money,
                    asked: None,
                    reason,
                };
                simulator.cancel(link, &call).await
            }
            Verb::Refund => {
                let call = Refund {
                    reference,
                    authorisation,
                    capture: self.capture.as_ref().map(Sent::earlier),
                    money,
                    reason,
                };
                simulator.refund(link, &call).await
            }
        };
        answer.map(Reply::Later)
    }
}

impl Paid {
    /// What a request is paid with, as it holds it. Wiped with the request.
    fn of(funding_source: FundingSource<'_>) -> Self {
        match funding_source {
            FundingSource::Card(card) => Self::Card(copied(card)),
            FundingSource::NetworkToken { card, cryptogram } => {
                let kept = Cryptogram {
                    value: cryptogram.value.clone(),
                    eci: cryptogram.eci.clone(),
                };
                Self::NetworkToken(copied(card), kept)
            }
            FundingSource::Account(account) => Self::Account(AccountData {
                number: account.number.duplicate(),
                kind: account.kind.clone(),
                holder: account.holder.clone(),
                mandate: account.mandate.clone(),
            }),
            FundingSource::Token(data) => Self::Token(TokenData {
                token: data.token.duplicate(),
                name: data.name.clone(),
                address: data.address.clone(),
            }),
            FundingSource::StoredCard(data) => Self::StoredCard(StoredCardData {
                token: data.token.clone(),
                cvc: data
                    .cvc
                    .as_ref()
                    .map(domain::card_number::SecurityCode::duplicate),
                brand: data.brand.clone(),
                name: data.name.clone(),
                address: data.address.clone(),
            }),
            FundingSource::Page => Self::Page,
        }
    }

    fn funding_source(&self) -> FundingSource<'_> {
        match self {
            Self::Card(card) => FundingSource::Card(card),
            Self::NetworkToken(card, cryptogram) => {
                FundingSource::NetworkToken { card, cryptogram }
            }
            Self::Account(account) => FundingSource::Account(account),
            Self::Token(token) => FundingSource::Token(token),
            Self::StoredCard(card) => FundingSource::StoredCard(card),
            Self::Page => FundingSource::Page,
        }
    }
}

fn copied(card: &CardData) -> CardData {
    CardData {
        number: card.number.duplicate(),
        expiry: card.expiry,
        cvc: card
            .cvc
            .as_ref()
            .map(domain::card_number::SecurityCode::duplicate),
        brand: card.brand.clone(),
        name: card.name.clone(),
        address: card.address.clone(),
    }
}
