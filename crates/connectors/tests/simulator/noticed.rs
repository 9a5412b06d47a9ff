//! The scenarios notice a connector that breaks a rule: each rule is broken once.

use connector::{
    Answer, Authorise, CallError, Complete, Connector, Descriptor, Finding, Follow, LaterAnswer,
    LookUp, Reference, Tokenise, Tokenised,
    scenarios::{self, Challenge, Fixtures},
};
use domain::{id::PaymentId, money::Money};
use futures_util::future::BoxFuture;

use crate::{
    scenarios::Browser,
    shop::{Shop, card, eur},
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

impl Connector for Faulty {
    fn descriptor(&self) -> &Descriptor {
        self.shop.simulator.descriptor()
    }

    fn authorise<'a>(
        &'a self,
        call: &'a Authorise<'a>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(async move {
            let fine = card("4242424242424242");
            let card = if self.fault == Fault::ApprovesEverything {
                Some(&fine)
            } else {
                call.card
            };
            let capture = match self.fault {
                Fault::NeverCaptures => false,
                Fault::CapturesWithEveryAuthorisation => true,
                _ => call.capture,
            };
            let answer = self
                .shop
                .simulator
                .authorise(&Authorise {
                    card,
                    capture,
                    ..*call
                })
                .await?;
            Ok(match answer {
                Answer::Approved { approval, .. } => Answer::Approved {
                    captured: call.capture,
                    approval,
                },
                other => other,
            })
        })
    }

    fn capture<'a>(
        &'a self,
        call: &'a Follow<'a>,
    ) -> BoxFuture<'a, Result<LaterAnswer, CallError>> {
        Box::pin(async move {
            if self.fault == Fault::SaysDoneWithoutEffect {
                return Ok(LaterAnswer::Done {
                    processor_id: None,
                    booked: None,
                });
            }
            self.shop
                .simulator
                .capture(&Follow {
                    reference: &self.passed_on(call.reference),
                    ..*call
                })
                .await
        })
    }

    fn cancel<'a>(&'a self, call: &'a Follow<'a>) -> BoxFuture<'a, Result<LaterAnswer, CallError>> {
        Box::pin(async move {
            if self.fault == Fault::KeepsWhatIsGivenUp {
                return Ok(LaterAnswer::Done {
                    processor_id: None,
                    booked: None,
                });
            }
            self.shop.simulator.cancel(call).await
        })
    }

    fn refund<'a>(&'a self, call: &'a Follow<'a>) -> BoxFuture<'a, Result<LaterAnswer, CallError>> {
        Box::pin(async move {
            if self.fault == Fault::IsSilent {
                std::future::pending::<()>().await;
            }
            let half = Money::new(call.money.minor() / 2 + 1, call.money.currency());
            let money = if self.fault == Fault::TakesHalf {
                half
            } else {
                call.money
            };
            self.shop
                .simulator
                .refund(&Follow {
                    reference: &self.passed_on(call.reference),
                    money,
                    ..*call
                })
                .await
        })
    }

    fn look_up<'a>(&'a self, call: &'a LookUp<'a>) -> BoxFuture<'a, Result<Finding, CallError>> {
        Box::pin(async move {
            let found = self.shop.simulator.look_up(call).await?;
            Ok(match (self.fault, found) {
                (Fault::FindsNothing, _) => Finding::NotFound,
                (Fault::FindsEverything, Finding::NotFound) => Finding::Later(LaterAnswer::Done {
                    processor_id: None,
                    booked: None,
                }),
                (_, found) => found,
            })
        })
    }

    fn complete<'a>(&'a self, call: &'a Complete<'a>) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(async move {
            let answer = self.shop.simulator.complete(call).await?;
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

    fn tokenise<'a>(
        &'a self,
        call: &'a Tokenise<'a>,
    ) -> BoxFuture<'a, Result<Tokenised, CallError>> {
        Box::pin(async move {
            let other = self.shop.reference();
            let reference = if self.fault == Fault::GivesAnotherToken {
                other.as_str()
            } else {
                call.reference
            };
            self.shop
                .simulator
                .tokenise(&Tokenise { reference, ..*call })
                .await
        })
    }

    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String> {
        self.shop.simulator.check_settings(settings)
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
    let fixtures = Fixtures {
        connection: &faulty.shop.connection,
        currency: eur(1).currency(),
        approved: &approved,
        declined: &declined,
        challenge: Some(Challenge {
            card: &challenged,
            return_url: "https://pay.example/3ds/abc",
            customer: &customer,
        }),
    };
    let failures = faulty
        .shop
        .play(scenarios::play(&faulty, &faulty.shop.world, &fixtures));
    failures
        .into_iter()
        .map(|failure| failure.scenario)
        .collect()
}

#[test]
fn each_broken_rule_is_noticed_by_the_scenario_that_is_about_it() {
    for (fault, scenario) in [
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
    ] {
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
