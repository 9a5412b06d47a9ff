//! `pointsman events`

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};
use world::World;

use super::{
    api::{Answer, Api},
    arguments::Events,
    runtime,
};

pub(super) fn run(command: &Events) -> anyhow::Result<ExitCode> {
    let Events::Trigger { kind, access } = command;
    let Some(kind) = kind else {
        for recipe in RECIPES {
            output::line(&format!("{:<24} {}", recipe.kind, recipe.says));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let recipe = RECIPES
        .iter()
        .find(|recipe| recipe.kind == kind.as_str())
        .ok_or_else(|| {
            anyhow!(
                "{kind:?} can't be triggered; `pointsman events trigger` lists the kinds that can"
            )
        })?;
    runtime()?.block_on(async {
        let api = Api::of(access, &World::real())?;
        recipe.play(&api).await.map(|()| ExitCode::SUCCESS)
    })
}

/// How an event of a kind is made to happen.
struct Recipe {
    kind: &'static str,
    /// What is done for it.
    says: &'static str,
    steps: &'static [Step],
}

/// A request of a recipe.
enum Step {
    /// A payment with this card, under this flow.
    Authorise {
        card: &'static str,
        flow: &'static str,
    },
    /// The payment of the step before is captured, cancelled or refunded.
    Then(Later),
    /// A checkout begins.
    StartIntent,
    /// The checkout is paid, and ends.
    PayIntent,
}

/// A later operation of a payment.
#[derive(Clone, Copy)]
enum Later {
    Cancel,
    Refund,
}

const AT_ONCE: &str = "default";
const LATER: &str = "capture-by-api";

const RECIPES: &[Recipe] = &[
    Recipe {
        kind: "payment.created",
        says: "a payment that succeeds",
        steps: &[Step::Authorise {
            card: "4242424242424242",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.authorised",
        says: "a payment that is to be captured later",
        steps: &[Step::Authorise {
            card: "4242424242424242",
            flow: LATER,
        }],
    },
    Recipe {
        kind: "payment.captured",
        says: "a payment that succeeds",
        steps: &[Step::Authorise {
            card: "4242424242424242",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.action_required",
        says: "a payment that needs 3D Secure",
        steps: &[Step::Authorise {
            card: "4000002760003184",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.declined",
        says: "a payment that the issuer declines",
        steps: &[Step::Authorise {
            card: "4000000000000002",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.failed",
        says: "a payment with a technical failure",
        steps: &[Step::Authorise {
            card: "4000000000000119",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.cancelled",
        says: "an authorised payment that is cancelled",
        steps: &[
            Step::Authorise {
                card: "4242424242424242",
                flow: LATER,
            },
            Step::Then(Later::Cancel),
        ],
    },
    Recipe {
        kind: "payment.unknown",
        says: "a payment without an answer; a look-up finds that it charged",
        steps: &[Step::Authorise {
            card: "4000000000000903",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "payment.refunded",
        says: "a payment that is refunded",
        steps: &[
            Step::Authorise {
                card: "4242424242424242",
                flow: AT_ONCE,
            },
            Step::Then(Later::Refund),
        ],
    },
    Recipe {
        kind: "payment.refund_pending",
        says: "a refund that settles later",
        steps: &[
            Step::Authorise {
                card: "4000000000007726",
                flow: AT_ONCE,
            },
            Step::Then(Later::Refund),
        ],
    },
    Recipe {
        kind: "payment.refund_failed",
        says: "a refund that fails later",
        steps: &[
            Step::Authorise {
                card: "4000000000005126",
                flow: AT_ONCE,
            },
            Step::Then(Later::Refund),
        ],
    },
    Recipe {
        kind: "payment.disputed",
        says: "a payment that its customer disputes",
        steps: &[Step::Authorise {
            card: "4000000000000259",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "dispute.opened",
        says: "a payment that its customer disputes",
        steps: &[Step::Authorise {
            card: "4000000000002685",
            flow: AT_ONCE,
        }],
    },
    Recipe {
        kind: "intent.complete",
        says: "a checkout that is paid and completed",
        steps: &[Step::StartIntent, Step::PayIntent],
    },
    Recipe {
        kind: "intent.inactive",
        says: "a checkout that is left; the event comes when it has rested (limits.intent_inactivity)",
        steps: &[Step::StartIntent],
    },
];

/// What the steps of a recipe have made.
#[derive(Default)]
struct Made {
    payment: String,
    intent: String,
}

impl Recipe {
    async fn play(&self, api: &Api) -> anyhow::Result<()> {
        let mut made = Made::default();
        for step in self.steps {
            let said = step.play(api, &mut made).await?;
            output::line(&said);
        }
        Ok(())
    }
}

impl Step {
    /// Makes the request. Returns what came of it.
    async fn play(&self, api: &Api, made: &mut Made) -> anyhow::Result<String> {
        match self {
            Self::Authorise { card, flow } => {
                let payment = json!({"amount": 5099, "currencyCode": "EUR", "flowId": flow,
                    "paymentMethod": {"type": "CARD", "card": card_of(card)}});
                authorise(api, payment, made).await
            }
            Self::Then(later) => {
                let name = later.name();
                let query = format!("mutation($id: ID!) {{ {name}(id: $id) {{ id status }} }}");
                let answer = api.run(&query, json!({"id": made.payment})).await?;
                let status = answer.text(&format!("/data/{name}/status"));
                refuse_error(&answer)?;
                Ok(format!("{} is {status}.", made.payment))
            }
            Self::StartIntent => {
                let query = "mutation { startIntent(trackingId: \"triggered\", paymentFlowId: \"default\", \
                             amount: {amount: 5099, currency: \"EUR\"}) { id status } }";
                let answer = api.run(query, Value::Null).await?;
                refuse_error(&answer)?;
                answer
                    .text("/data/startIntent/id")
                    .clone_into(&mut made.intent);
                Ok(format!("The intent {} has started.", made.intent))
            }
            Self::PayIntent => {
                let payment = json!({"amount": 5099, "currencyCode": "EUR", "intentId": made.intent,
                    "paymentMethod": {"type": "CARD", "card": card_of("4242424242424242")}});
                let paid = authorise(api, payment, made).await?;
                let query = "mutation($id: ID!, $paid: ID) { completeIntent(id: $id, paymentReference: $paid) { status } }";
                let ids = json!({"id": made.intent, "paid": made.payment});
                let answer = api.run(query, ids).await?;
                refuse_error(&answer)?;
                Ok(format!("{paid} The intent is complete."))
            }
        }
    }
}

impl Later {
    const fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancelPayment",
            Self::Refund => "refundPayment",
        }
    }
}

fn card_of(number: &str) -> Value {
    json!({"number": number, "expMonth": 12, "expYear": 2040, "cvc": "123"})
}

/// Makes a payment, whatever becomes of it.
async fn authorise(api: &Api, payment: Value, made: &mut Made) -> anyhow::Result<String> {
    let query = "mutation($p: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $p) { id status } }";
    let answer = api.run(query, json!({"p": payment})).await?;
    let named = answer.text("/errors/0/extensions/id");
    if !named.is_empty() {
        named.clone_into(&mut made.payment);
        return Ok(format!(
            "{named}: {}",
            answer.error().unwrap_or("it waits.")
        ));
    }
    refuse_error(&answer)?;
    answer
        .text("/data/authorizePayment/id")
        .clone_into(&mut made.payment);
    let status = answer.text("/data/authorizePayment/status");
    Ok(format!("{} is {status}.", made.payment))
}

fn refuse_error(answer: &Answer) -> anyhow::Result<()> {
    match answer.error() {
        Some(error) => bail!("{error}"),
        None => Ok(()),
    }
}
