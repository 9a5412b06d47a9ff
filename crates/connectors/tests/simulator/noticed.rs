//! The scenarios notice a connector that breaks a rule: each rule is broken once.

use connector::{
    AccountFacts, Answer, Approval, Authorise, CallError, Called, Cancel, Capture, Cause, Complete,
    Connector, Credentials, Descriptor, Finding, Found, FundingSource, LaterAnswer, Link, LookUp,
    Probe, Reference, Refund, Stored, Tokenise, Tokenised,
    scenarios::{self, Challenge, Fixtures},
};
use domain::{
    decline::{Decline, DeclineCode},
    id::PaymentId,
    money::Money,
};

use crate::{
    scenarios::Browser,
    shop::{NO_SETTINGS, Shop, card, eur, link},
};

/// How the connector misbehaves.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    ApprovesEverything,
    NeverCaptures,
    CapturesWithEveryAuthorisation,
    ForgetsTheReference,
    SaysDoneWithoutEffect,
    FindsNothing,
    FindsEverything,
    IsSilent,
    TakesHalf,
    ChargesBeforeTheCustomerDecides,
    KeepsWhatIsGivenUp,
    GivesAnotherToken,
    IgnoresCredentials,
    HasOneIdForAll,
    RefundsAnyCapture,
    EveryCaptureIsFinal,
    NoCaptureIsFinal,
    KeepsTheRest,
    ListsWhatNeverHappened,
    BringsNoTransaction,
    TakesAnyToken,
    CallsADemandAFailure,
}

struct Faulty {
    shop: Shop,
    fault: Fault,
}

impl Faulty {
    /// A reference that the simulator has not seen, when the fault wants it.
    fn passed_on(&self, reference: &Reference) -> Reference {
        if self.fault == Fault::ForgetsTheReference {
            self.shop.reference()
        } else {
            reference.clone()
        }
    }
}

/// It took effect, and nothing more is said of it.
const DONE: LaterAnswer = LaterAnswer::Done {
    processor_id: None,
    booked: None,
};

impl Faulty {
    /// What is passed on of the connection.
    fn link<'a>(&self, link: &Link<'a>) -> Link<'a> {
        let mut link = *link;
        if self.fault == Fault::IgnoresCredentials {
            link.credentials = None;
        }
        link
    }

    /// The answer with the one id that this fault gives to everything.
    fn named(&self, answer: LaterAnswer) -> LaterAnswer {
        match answer {
            LaterAnswer::Done { booked, .. } if self.fault == Fault::HasOneIdForAll => {
                LaterAnswer::Done {
                    processor_id: Some("the one".to_owned()),
                    booked,
                }
            }
            other => other,
        }
    }
}

impl Connector for Faulty {
    fn descriptor(&self) -> &Descriptor {
        self.shop.simulator.descriptor()
    }

    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String> {
        self.shop.simulator.check_settings(settings)
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            let fine = card("4242424242424242");
            let funding_source = if self.fault == Fault::ApprovesEverything {
                FundingSource::Card(&fine)
            } else {
                call.funding_source
            };
            let capture = match self.fault {
                Fault::NeverCaptures => false,
                Fault::CapturesWithEveryAuthorisation => true,
                _ => call.capture,
            };
            let call = Authorise {
                funding_source,
                capture,
                ..*call
            };
            let link = self.link(link);
            let answer = self.shop.simulator.authorise(&link, &call);
            let answer = match answer.await {
                Err(CallError::Rejected {
                    cause: Cause::StoredCardGone,
                    ..
                }) if self.fault == Fault::TakesAnyToken => Answer::Approved {
                    captured: call.capture,
                    approval: Approval::default(),
                },
                answer => answer?,
            };
            Ok(match answer {
                Answer::Approved { mut approval, .. } => {
                    if self.fault == Fault::BringsNoTransaction {
                        approval.scheme_transaction_id = None;
                    }
                    Answer::Approved {
                        captured: call.capture,
                        approval,
                    }
                }
                Answer::Declined { decline, .. }
                    if self.fault == Fault::CallsADemandAFailure
                        && decline.code == DeclineCode::AuthorizationRequired =>
                {
                    Answer::Declined {
                        decline: Decline::of(DeclineCode::ThreeDSecure),
                        approval: Approval::default(),
                    }
                }
                other => other,
            })
        })
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            if self.fault == Fault::SaysDoneWithoutEffect {
                return Ok(DONE);
            }
            let reference = &self.passed_on(call.reference);
            let is_final = match self.fault {
                Fault::EveryCaptureIsFinal => true,
                Fault::NoCaptureIsFinal => false,
                _ => call.is_final,
            };
            let call = Capture {
                reference,
                is_final,
                ..*call
            };
            let answer = self.shop.simulator.capture(link, &call).await?;
            Ok(self.named(answer))
        })
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            if matches!(self.fault, Fault::KeepsWhatIsGivenUp | Fault::KeepsTheRest) {
                return Ok(DONE);
            }
            self.shop.simulator.cancel(link, call).await
        })
    }

    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            if self.fault == Fault::IsSilent {
                std::future::pending::<()>().await;
            }
            let half = Money::new(call.money.minor() / 2 + 1, call.money.currency());
            let mut call = *call;
            if self.fault == Fault::TakesHalf {
                call.money = half;
            }
            if self.fault == Fault::RefundsAnyCapture {
                call.capture = None;
            }
            let reference = &self.passed_on(call.reference);
            let call = Refund { reference, ..call };
            let answer = self.shop.simulator.refund(link, &call).await?;
            Ok(self.named(answer))
        })
    }

    fn look_up<'a>(&'a self, link: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(async move {
            let found = self.shop.simulator.look_up(&self.link(link), call).await;
            let mut found = found?;
            match self.fault {
                Fault::FindsNothing => return Ok(Finding::nothing()),
                Fault::FindsEverything if found.operation(call.asked).is_none() => {
                    found.operations.push(Found {
                        reference: Some(call.asked.reference.clone()),
                        processor_id: None,
                        answer: DONE,
                    });
                }
                Fault::ListsWhatNeverHappened => {
                    let twice = found.operations.first().cloned();
                    found.operations.extend(twice);
                }
                _ => {}
            }
            for operation in &mut found.operations {
                operation.answer = self.named(operation.answer.clone());
            }
            Ok(found)
        })
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            let answer = self.shop.simulator.complete(link, call).await?;
            Ok(match answer {
                Answer::ActionRequired { approval, .. }
                    if self.fault == Fault::ChargesBeforeTheCustomerDecides =>
                {
                    Answer::Approved {
                        captured: call.capture,
                        approval,
                    }
                }
                other => other,
            })
        })
    }

    fn stored(&self) -> Option<&dyn Stored> {
        Some(self)
    }

    fn probe(&self) -> Option<&dyn Probe> {
        Some(self)
    }
}

impl Probe for Faulty {
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts> {
        Box::pin(async move {
            let probe = self.shop.simulator.probe().unwrap();
            probe.account(&self.link(link)).await
        })
    }
}

impl Stored for Faulty {
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised> {
        Box::pin(async move {
            let other = self.shop.reference();
            let reference = if self.fault == Fault::GivesAnotherToken {
                other.as_str()
            } else {
                call.reference
            };
            let call = Tokenise { reference, ..*call };
            self.shop.simulator.tokenise(link, &call).await
        })
    }
}

fn failures(fault: Fault) -> Vec<&'static str> {
    let faulty = Faulty {
        shop: Shop::open(),
        fault,
    };
    let (approved, declined) = (card("4242424242424242"), card("4000000000000002"));
    let challenged = card("4000002760003184");
    let customer = Browser(&faulty.shop.simulator);
    let wrong = Credentials::read(br#"{"apiKey": "wrong"}"#).unwrap();
    let fixtures = Fixtures {
        link: link(&faulty.shop.connection, &NO_SETTINGS, None),
        wrong_credentials: Some(&wrong),
        currency: eur(1).currency(),
        approved: &approved,
        declined: &declined,
        challenge: Some(Challenge {
            card: &challenged,
            return_url: "https://pay.example/3ds/abc",
            customer: &customer,
        }),
        facts_elsewhere: &[],
        skips: &[],
    };
    let failures = faulty
        .shop
        .play(scenarios::play(&faulty, &faulty.shop.world, &fixtures));
    failures
        .into_iter()
        .map(|failure| failure.scenario)
        .collect()
}

/// Each broken rule, with the scenario that is about it.
const BROKEN: &[(Fault, &str)] = &[
    (
        Fault::ApprovesEverything,
        "a decline has a reason, and nothing comes of it",
    ),
    (Fault::NeverCaptures, "a sale is captured at once"),
    (
        Fault::CapturesWithEveryAuthorisation,
        "what is not captured is not refunded",
    ),
    (Fault::ForgetsTheReference, "a refund sent twice is one"),
    (Fault::ForgetsTheReference, "a capture sent twice is one"),
    (
        Fault::SaysDoneWithoutEffect,
        "an authorisation is captured whole, and only once",
    ),
    (
        Fault::SaysDoneWithoutEffect,
        "an authorisation is captured in part",
    ),
    (
        Fault::FindsNothing,
        "an authorisation is found as it was answered",
    ),
    (
        Fault::FindsNothing,
        "later operations are found as they were answered",
    ),
    (Fault::FindsEverything, "what never happened is not found"),
    (
        Fault::IsSilent,
        "a sale is refunded in parts, never above what was captured",
    ),
    (
        Fault::TakesHalf,
        "a sale is refunded in parts, never above what was captured",
    ),
    (
        Fault::ChargesBeforeTheCustomerDecides,
        "a challenge that is passed is charged once, when it is completed",
    ),
    (
        Fault::KeepsWhatIsGivenUp,
        "what waits for the customer is given up for good",
    ),
    (
        Fault::GivesAnotherToken,
        "a token is given once for a request, after the card's challenge",
    ),
    (
        Fault::IgnoresCredentials,
        "wrong credentials are refused as such, and nothing happens",
    ),
    (
        Fault::IgnoresCredentials,
        "a probe tells about the account, and refuses wrong credentials as such",
    ),
    (
        Fault::HasOneIdForAll,
        "every operation has an id of its own, which stays",
    ),
    (Fault::RefundsAnyCapture, "a refund names its capture"),
    (
        Fault::EveryCaptureIsFinal,
        "several captures take what was authorised, and not one more",
    ),
    (
        Fault::NoCaptureIsFinal,
        "a final capture ends the authorisation, whatever it leaves",
    ),
    (
        Fault::KeepsTheRest,
        "a cancellation after a capture releases the rest, and what is captured stays",
    ),
    (
        Fault::RefundsAnyCapture,
        "a refund of one of several captures takes no more than that one has left",
    ),
    (
        Fault::ForgetsTheReference,
        "a capture that is not final, sent twice, is one",
    ),
    (
        Fault::BringsNoTransaction,
        "a payment by which the customer agrees brings the scheme's transaction, which a merchant's payment names",
    ),
    (
        Fault::TakesHalf,
        "a card that the processor stores is charged by its own token, once for each request",
    ),
    (
        Fault::TakesAnyToken,
        "a stored card that the processor does not know is refused as such",
    ),
    (
        Fault::CallsADemandAFailure,
        "a merchant's payment whose issuer wants the customer is a soft decline",
    ),
    (
        Fault::ListsWhatNeverHappened,
        "what a look-up lists next to the call that it is about is true",
    ),
];

#[test]
fn each_broken_rule_is_noticed_by_the_scenario_that_is_about_it() {
    for &(fault, scenario) in BROKEN {
        let failed = failures(fault);
        assert!(
            failed.contains(&scenario),
            "{scenario} is not among {failed:?}"
        );
    }
}

#[test]
fn references_lead_back_to_payment_and_operation() {
    let payment = PaymentId::new(Shop::open().world.uuid_v7());
    let reference = Reference::new(payment, 17);
    assert_eq!(Reference::parse(reference.as_str()), Some((payment, 17)));
    for text in [
        "",
        "17",
        "-17",
        "payments:",
        &payment.key(),
        &format!("{}-", payment.key()),
    ] {
        assert_eq!(Reference::parse(text), None, "{text}");
    }
}
