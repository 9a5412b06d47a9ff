//! A caller of the simulator, with books that can be read.

use std::{future::Future, sync::Arc, time::Duration};

use connector::{
    Answer, Authorise, CallError, Cancel, Capture, CardData, Connector, Credentials, Earlier,
    Finding, FundingSource, LaterAnswer, Link, LookUp, Reference, Refund, ThreeDsCall,
};
use connectors::simulator::{BookingKind, MemoryBooks, Simulator, read_books};
use domain::{
    card_number::CardNumber,
    expiry::Expiry,
    id::{ConnectionId, PaymentId},
    money::{Currency, Money},
    payment::ThreeDsWish,
};
use serde_json::Value;
use world::{Elapsed, Sim, World};

pub(crate) static NO_SETTINGS: Value = Value::Null;

/// What a look-up says of the call that it asks about.
#[derive(Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment")]
pub(crate) enum Seen {
    Authorisation(Answer),
    Later(LaterAnswer),
    NotFound,
}

impl Seen {
    pub(crate) fn of(finding: Finding, call: &LookUp<'_>) -> Self {
        let later = finding.operation(call.asked).cloned();
        match (call.is_of_authorisation(), finding.authorisation, later) {
            (true, Some(answer), _) => Self::Authorisation(answer),
            (false, _, Some(later)) => Self::Later(later),
            _ => Self::NotFound,
        }
    }
}

/// A link to the simulator.
pub(crate) fn link<'a>(
    connection: &'a ConnectionId,
    settings: &'a Value,
    credentials: Option<&'a Credentials>,
) -> Link<'a> {
    Link {
        credentials,
        notification_url: Some("https://pay.example/notifications/the-token"),
        ..Link::offline(connection, settings, domain::Timestamp::from_micros(0))
    }
}

/// An operation of which the simulator's id is not known.
pub(crate) fn earlier(reference: &Reference) -> Earlier<'_> {
    Earlier {
        reference,
        processor_id: None,
    }
}

pub(crate) struct Shop {
    pub(crate) world: World,
    pub(crate) sim: Sim,
    pub(crate) books: Arc<MemoryBooks>,
    pub(crate) simulator: Simulator,
    pub(crate) connection: ConnectionId,
}

/// What is asked for: an amount, and whether it is captured at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charge {
    pub(crate) money: Money,
    pub(crate) capture: bool,
}

impl Charge {
    /// An amount in EUR, captured at once or not.
    pub(crate) fn of(minor: i64, capture: bool) -> Self {
        let money = eur(minor);
        Self { money, capture }
    }

    /// One that is authorised alone.
    pub(crate) fn hold(minor: i64) -> Self {
        Self::of(minor, false)
    }

    /// One that is captured at once.
    pub(crate) fn sale(minor: i64) -> Self {
        Self::of(minor, true)
    }
}

/// An operation after an authorisation.
#[derive(Clone, Copy)]
pub(crate) struct FollowUp<'a> {
    pub(crate) authorisation: &'a Reference,
    pub(crate) reference: &'a Reference,
}

/// What a call came to: an answer, or silence until its time was over.
pub(crate) type Call<T> = Result<Result<T, CallError>, Elapsed>;

impl Shop {
    pub(crate) fn open() -> Self {
        let (world, sim) = World::simulated(11);
        let books = Arc::new(MemoryBooks::default());
        let simulator = Simulator::new(world.clone(), Arc::clone(&books) as Arc<_>);
        Self {
            world,
            sim,
            books,
            simulator,
            connection: connection("simulator-a"),
        }
    }

    /// A link to this shop's connection.
    pub(crate) fn link(&self) -> Link<'_> {
        link(&self.connection, &NO_SETTINGS, None)
    }

    /// A reference of a new payment.
    pub(crate) fn reference(&self) -> Reference {
        Reference::new(PaymentId::new(self.world.uuid_v7()), 1)
    }

    pub(crate) fn play<T>(&self, work: impl Future<Output = T>) -> T {
        self.sim.run_until(work).unwrap()
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.play(self.world.sleep(Duration::from_millis(millis)));
    }

    pub(crate) fn authorise(
        &self,
        reference: &Reference,
        number: &str,
        charge: Charge,
    ) -> Call<Answer> {
        self.authorise_with(reference, number, &self.connection, charge)
    }

    pub(crate) fn authorise_with(
        &self,
        reference: &Reference,
        number: &str,
        connection: &ConnectionId,
        charge: Charge,
    ) -> Call<Answer> {
        let Charge { money, capture } = charge;
        let card = card(number);
        let call = Authorise {
            reference,
            money,
            capture,
            method: card.number.brand().method(),
            funding_source: FundingSource::Card(&card),
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        let link = link(connection, &NO_SETTINGS, None);
        self.in_time(self.simulator.authorise(&link, &call))
    }

    /// An authorisation of 1000 that was approved.
    pub(crate) fn authorised(&self, number: &str) -> Reference {
        let reference = self.reference();
        let answer = self.authorise(&reference, number, Charge::hold(1000));
        assert!(
            matches!(
                answer,
                Ok(Ok(Answer::Approved {
                    captured: false,
                    ..
                }))
            ),
            "{answer:?}"
        );
        reference
    }

    /// A sale of 1000 that was approved.
    pub(crate) fn sold(&self, number: &str) -> Reference {
        let reference = self.reference();
        let answer = self.authorise(&reference, number, Charge::sale(1000));
        assert!(
            matches!(answer, Ok(Ok(Answer::Approved { captured: true, .. }))),
            "{answer:?}"
        );
        reference
    }

    pub(crate) fn later(
        &self,
        kind: BookingKind,
        about: &Reference,
        reference: &Reference,
        minor: i64,
    ) -> Call<LaterAnswer> {
        let follow_up = FollowUp {
            authorisation: about,
            reference,
        };
        self.later_with(kind, follow_up, &self.connection, eur(minor))
    }

    pub(crate) fn later_with(
        &self,
        kind: BookingKind,
        follow_up: FollowUp<'_>,
        connection: &ConnectionId,
        money: Money,
    ) -> Call<LaterAnswer> {
        let reference = follow_up.reference;
        let authorisation = earlier(follow_up.authorisation);
        let capture = Capture {
            reference,
            authorisation,
            money,
            is_final: true,
            reason: None,
        };
        let cancel = Cancel {
            reference,
            authorisation,
            money,
            asked: None,
            reason: None,
        };
        let refund = Refund {
            reference,
            authorisation,
            capture: None,
            money,
            reason: None,
        };
        let link = link(connection, &NO_SETTINGS, None);
        self.in_time(match kind {
            BookingKind::Capture => self.simulator.capture(&link, &capture),
            BookingKind::Cancel => self.simulator.cancel(&link, &cancel),
            BookingKind::Refund => self.simulator.refund(&link, &refund),
        })
    }

    pub(crate) fn look_up(&self, about: &Reference, reference: &Reference) -> Seen {
        self.look_up_at(&self.connection, about, reference)
    }

    pub(crate) fn look_up_at(
        &self,
        connection: &ConnectionId,
        about: &Reference,
        reference: &Reference,
    ) -> Seen {
        let call = LookUp::new(earlier(reference), earlier(about));
        let link = link(connection, &NO_SETTINGS, None);
        let found = self.in_time(self.simulator.look_up(&link, &call));
        Seen::of(found.unwrap().unwrap(), &call)
    }

    /// The whole books.
    pub(crate) fn read(&self) -> Vec<Value> {
        let books = self
            .play(read_books(self.books.as_ref(), None, self.world.now()))
            .unwrap();
        books["entries"].as_array().unwrap().clone()
    }

    /// The books' entry of an authorisation.
    pub(crate) fn entry(&self, reference: &Reference) -> Value {
        let books = self
            .play(read_books(
                self.books.as_ref(),
                Some(reference.as_str()),
                self.world.now(),
            ))
            .unwrap();
        assert_eq!(
            books["entries"].as_array().map(Vec::len),
            Some(1),
            "{books}"
        );
        books["entries"][0].clone()
    }

    /// Authorised, captured and refunded, as the books have it.
    pub(crate) fn sums(&self, reference: &Reference) -> [i64; 3] {
        let entry = self.entry(reference);
        ["authorised", "captured", "refunded"].map(|name| entry[name].as_i64().unwrap())
    }

    pub(crate) fn in_time<T>(&self, call: impl Future<Output = T>) -> Result<T, Elapsed> {
        let timeout = self.simulator.descriptor().call_timeout;
        self.play(self.world.timeout(timeout, call))
    }
}

pub(crate) fn connection(id: &str) -> ConnectionId {
    ConnectionId::parse(id).unwrap()
}

pub(crate) fn eur(minor: i64) -> Money {
    Money::new(minor, Currency::parse("EUR").unwrap())
}

pub(crate) fn card(number: &str) -> CardData {
    CardData {
        number: CardNumber::parse(number.to_owned()).unwrap_or_else(|error| panic!("{error}")),
        expiry: Expiry::parse(11, 2033).unwrap(),
        cvc: None,
        brand: "VISA".to_owned(),
        name: None,
        address: None,
    }
}
