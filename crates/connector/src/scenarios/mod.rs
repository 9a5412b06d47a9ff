//! The scenarios that every connector must pass, written once.
//!
//! A connector's tests call [`play`] with a world and what its processor's sandbox needs, and expect no failures. What a
//! processor can't do by its own [`crate::Capabilities`] is left out.

mod after;
mod customer;
mod facts;
mod link;
mod money;
mod once;
mod several;
mod stage;
mod stored;

use std::fmt;

use domain::money::Currency;
use futures_util::future::BoxFuture;
use world::World;

use crate::{Action, CardData, Connector, Credentials, Fact, Link};
use stage::Stage;

/// What the scenarios need of the processor's sandbox.
pub struct Fixtures<'a> {
    /// The connection that is used. Its time is that of each call.
    pub link: Link<'a>,
    /// Credentials of the right form that the processor refuses, where it checks any.
    pub wrong_credentials: Option<&'a Credentials>,
    /// The currency of all amounts; they are up to 1000 of its minor units.
    pub currency: Currency,
    /// A card that is approved, and whose later operations all take effect.
    pub approved: &'a CardData,
    /// A card that is declined.
    pub declined: &'a CardData,
    /// Where the sandbox has a challenge that a test can pass.
    pub challenge: Option<Challenge<'a>>,
    /// Facts that the processor says of other payments than these. The connector's own tests hold them.
    pub facts_elsewhere: &'a [Fact],
    /// What the processor is made otherwise for.
    pub skips: &'a [Skip],
}

/// A scenario that a processor does not pass, for what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skip {
    /// The scenario's name.
    pub scenario: &'static str,
    /// Why it holds otherwise there, and who sees to it.
    pub reason: &'static str,
}

/// The customer at the processor's page.
pub trait Customer: Send + Sync {
    /// Passes the challenge, or fails it.
    fn decide<'a>(&'a self, action: &'a Action, pass: bool) -> BoxFuture<'a, ()>;
}

/// A challenge of the processor's sandbox.
pub struct Challenge<'a> {
    /// A card that is approved when its challenge is passed.
    pub card: &'a CardData,
    /// Where the customer would come back to.
    pub return_url: &'a str,
    /// Who passes it.
    pub customer: &'a dyn Customer,
}

/// A scenario that went otherwise than it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The scenario's name, a sentence.
    pub scenario: &'static str,
    /// What was seen.
    pub seen: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.scenario, self.seen)
    }
}

/// `Err` tells what was seen instead.
type Verdict = Result<(), String>;
type Scenario = for<'a> fn(&'a Stage<'a>) -> BoxFuture<'a, Verdict>;

const SCENARIOS: &[(&str, Scenario)] = &[
    ("a sale is captured at once", money::sale),
    (
        "an authorisation is captured whole, and only once",
        money::capture,
    ),
    (
        "an authorisation is captured in part",
        money::partial_capture,
    ),
    (
        "a capture above the authorised amount is refused",
        money::capture_above,
    ),
    (
        "a decline has a reason, and nothing comes of it",
        money::decline,
    ),
    (
        "a sale is refunded in parts, never above what was captured",
        money::refunds,
    ),
    ("a refund names its capture", money::refund_of_a_capture),
    (
        "what is not captured is not refunded",
        money::refund_uncaptured,
    ),
    (
        "an authorisation is cancelled, and nothing comes of it then",
        money::cancel,
    ),
    ("what is captured is not cancelled", money::cancel_captured),
    (
        "several captures take what was authorised, and not one more",
        several::captures,
    ),
    (
        "a final capture ends the authorisation, whatever it leaves",
        several::final_capture,
    ),
    (
        "a cancellation after a capture releases the rest, and what is captured stays",
        several::release,
    ),
    (
        "a refund of one of several captures takes no more than that one has left",
        several::refund_of_one,
    ),
    (
        "a capture that is not final, sent twice, is one",
        several::twice,
    ),
    ("an authorisation sent twice is one", once::authorise),
    ("a capture sent twice is one", once::capture),
    ("a refund sent twice is one", once::refund),
    (
        "a reference is not taken for another amount",
        once::another_amount,
    ),
    (
        "an authorisation is found as it was answered",
        after::authorisation,
    ),
    ("a decline is found as it was answered", after::decline),
    (
        "later operations are found as they were answered",
        after::later_operations,
    ),
    ("what never happened is not found", after::nothing),
    (
        "every operation has an id of its own, which stays",
        after::ids,
    ),
    (
        "what a look-up lists next to the call that it is about is true",
        after::lists,
    ),
    (
        "the fields that a connector says it fills are filled, and no others",
        facts::known,
    ),
    (
        "wrong credentials are refused as such, and nothing happens",
        link::credentials,
    ),
    (
        "a probe tells about the account, and refuses wrong credentials as such",
        link::probe,
    ),
    (
        "a challenge that is passed is charged once, when it is completed",
        customer::passed,
    ),
    (
        "a challenge that is failed charges nothing",
        customer::failed,
    ),
    (
        "what waits for the customer is given up for good",
        customer::given_up,
    ),
    (
        "a token is given once for a request, after the card's challenge",
        customer::token,
    ),
    (
        "a payment by which the customer agrees brings the scheme's transaction, which a merchant's payment names",
        stored::network,
    ),
    (
        "a card that the processor stores is charged by its own token, once for each request",
        stored::own_token,
    ),
    (
        "a stored card that the processor does not know is refused as such",
        stored::gone,
    ),
    (
        "a merchant's payment whose issuer wants the customer is a soft decline",
        stored::nobody_present,
    ),
];

/// Plays every scenario, each with a payment of its own, and returns those that failed.
pub async fn play(
    connector: &dyn Connector,
    world: &World,
    fixtures: &Fixtures<'_>,
) -> Vec<Failure> {
    let mut failures = unknown_skips(fixtures.skips);
    let skipped = |scenario: &str| fixtures.skips.iter().any(|skip| skip.scenario == scenario);
    for (scenario, run) in SCENARIOS.iter().filter(|(name, _)| !skipped(name)) {
        let stage = Stage::new(connector, world, fixtures);
        if let Err(seen) = run(&stage).await {
            failures.push(Failure { scenario, seen });
        }
    }
    failures
}

/// A skip that names no scenario, or has no reason, is a failure.
fn unknown_skips(skips: &[Skip]) -> Vec<Failure> {
    let is_known = |skip: &&Skip| {
        SCENARIOS.iter().any(|(name, _)| *name == skip.scenario) && !skip.reason.is_empty()
    };
    let unknown = skips.iter().filter(|skip| !is_known(skip));
    unknown
        .map(|skip| Failure {
            scenario: skip.scenario,
            seen: "it is skipped, and there is no such scenario, or no reason".to_owned(),
        })
        .collect()
}

/// Fails with what was seen unless `expected`.
fn expect(expected: bool, seen: impl fmt::Debug) -> Verdict {
    if expected {
        Ok(())
    } else {
        Err(format!("{seen:?}"))
    }
}
