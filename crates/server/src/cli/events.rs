//! `pointsman events`

use std::{process::ExitCode, time::Duration};

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
        for (kind, why) in NOT_ON_DEMAND {
            output::line(&format!("{kind:<24} not on demand: {why}"));
        }
        return Ok(ExitCode::SUCCESS);
    };
    if let Some((kind, why)) = NOT_ON_DEMAND.iter().find(|(known, _)| known == kind) {
        bail!("{kind} does not happen on demand: {why}");
    }
    let recipe = RECIPES
        .iter()
        .find(|recipe| recipe.kind == kind.as_str())
        .ok_or_else(|| {
            anyhow!(
                "{kind:?} can't be triggered; `pointsman events trigger` lists the kinds that can"
            )
        })?;
    runtime()?.block_on(async {
        let world = World::real();
        let desk = Desk {
            api: Api::of(access, &world)?,
            world,
        };
        recipe.play(&desk).await.map(|()| ExitCode::SUCCESS)
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
    /// The same, which the processor refuses.
    Refused(Later),
    /// A checkout begins.
    StartIntent,
    /// The checkout is paid, and ends.
    PayIntent,
    /// The payment of the step before is disputed. The time to respond ends soon, or in a week.
    OpenDispute { ends_soon: bool },
    /// The dispute of the step before takes this status.
    MoveDispute(&'static str),
    /// Each of the team's endpoints is tested.
    TestEndpoints,
}

/// A later operation of a payment.
#[derive(Clone, Copy)]
enum Later {
    Cancel,
    Capture,
    CapturePart,
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
        kind: "payment.released",
        says: "an authorised payment of which a part is captured and the rest released",
        steps: &[
            Step::Authorise {
                card: "4242424242424242",
                flow: LATER,
            },
            Step::Then(Later::CapturePart),
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
        kind: "payment.capture_failed",
        says: "a capture that the processor refuses",
        steps: &[
            Step::Authorise {
                card: "4000000000000937",
                flow: LATER,
            },
            Step::Refused(Later::Capture),
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
        kind: "dispute.updated",
        says: "a dispute that comes under review",
        steps: &[PAID, OPEN, Step::MoveDispute("UNDER_REVIEW")],
    },
    Recipe {
        kind: "dispute.response_due",
        says: "a dispute whose time to respond ends in an hour",
        steps: &[PAID, Step::OpenDispute { ends_soon: true }],
    },
    Recipe {
        kind: "dispute.won",
        says: "a dispute that is won",
        steps: &[PAID, OPEN, Step::MoveDispute("WON")],
    },
    Recipe {
        kind: "dispute.lost",
        says: "a dispute that is lost",
        steps: &[PAID, OPEN, Step::MoveDispute("LOST")],
    },
    Recipe {
        kind: "dispute.closed",
        says: "a dispute that is withdrawn",
        steps: &[PAID, OPEN, Step::MoveDispute("CLOSED")],
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
    Recipe {
        kind: "endpoint.test",
        says: "a test of each endpoint that you have; it is in no list of events",
        steps: &[Step::TestEndpoints],
    },
];

/// Kinds that nobody can make happen at once, each with the reason.
const NOT_ON_DEMAND: &[(&str, &str)] = &[
    (
        "endpoint.disabled",
        "an endpoint is disabled when it has taken nothing for three days (webhooks.retry_schedule)",
    ),
    (
        "page.script_found",
        "a browser reports it: open a guarded page that has a script which is not in its inventory, or send a report to its reportUrl",
    ),
];

/// A payment that succeeds.
const PAID: Step = Step::Authorise {
    card: "4242424242424242",
    flow: AT_ONCE,
};
/// It is disputed.
const OPEN: Step = Step::OpenDispute { ends_soon: false };

/// How often, and how far apart, the service is asked whether it knows a dispute.
const KNOWN_LOOKS: u32 = 300;
const KNOWN_PAUSE: Duration = Duration::from_millis(100);

/// How long a response is still possible where that ends soon.
const SOON: Duration = Duration::from_hours(1);

/// What recipes are played with.
struct Desk {
    api: Api,
    world: World,
}

/// What the steps of a recipe have made.
#[derive(Default)]
struct Made {
    payment: String,
    intent: String,
    dispute: String,
}

impl Recipe {
    async fn play(&self, desk: &Desk) -> anyhow::Result<()> {
        let mut made = Made::default();
        for step in self.steps {
            let said = step.play(desk, &mut made).await?;
            output::line(&said);
        }
        Ok(())
    }
}

impl Step {
    /// Makes the request. Returns what came of it.
    async fn play(&self, desk: &Desk, made: &mut Made) -> anyhow::Result<String> {
        let api = &desk.api;
        match self {
            Self::Authorise { card, flow } => {
                let payment = json!({"amount": 5099, "currencyCode": "EUR", "flowId": flow,
                    "paymentMethod": {"type": "CARD", "card": card_of(card)}});
                authorise(api, payment, made).await
            }
            Self::Then(later) => {
                let name = later.name();
                let answer = later.ask(api, made).await?;
                let status = answer.text(&format!("/data/{name}/status"));
                refuse_error(&answer)?;
                Ok(format!("{} is {status}.", made.payment))
            }
            Self::Refused(later) => {
                let answer = later.ask(api, made).await?;
                let refusal = answer.error().unwrap_or("nothing was refused.");
                Ok(format!("{}: {refusal}", made.payment))
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
            Self::OpenDispute { ends_soon } => desk.open_dispute(*ends_soon, made).await,
            Self::MoveDispute(status) => {
                let path = format!("/sandbox/disputes/{}", made.dispute);
                api.post(&path, &json!({"status": status})).await?;
                Ok(format!("The dispute {} is {status}.", made.dispute))
            }
            Self::TestEndpoints => test_endpoints(api).await,
        }
    }
}

impl Desk {
    /// The simulator's desk opens a dispute of the payment.
    async fn open_dispute(&self, ends_soon: bool, made: &mut Made) -> anyhow::Result<String> {
        let ends = ends_soon.then(|| self.world.now().after(SOON).rfc3339_seconds());
        let wish = json!({"paymentId": made.payment, "responseDate": ends});
        let answer = self.api.post("/sandbox/disputes", &wish).await?;
        answer
            .text("/sourceDisputeId")
            .clone_into(&mut made.dispute);
        self.await_dispute(made).await?;
        Ok(format!(
            "The simulator's dispute {} is opened.",
            made.dispute
        ))
    }

    /// Waits until the service knows the dispute: of two reports that come at once the later may be applied first, and then the
    /// other is no news.
    async fn await_dispute(&self, made: &Made) -> anyhow::Result<()> {
        let query = "query($id: ID!) { getPayment(id: $id) { disputes { id } } }";
        for _ in 0..KNOWN_LOOKS {
            let answer = self.api.run(query, json!({"id": made.payment})).await?;
            refuse_error(&answer)?;
            let known = answer.at("/data/getPayment/disputes").as_array();
            if known.is_some_and(|known| !known.is_empty()) {
                return Ok(());
            }
            self.world.sleep(KNOWN_PAUSE).await;
        }
        Err(anyhow!("the dispute was not reported within 30 seconds"))
    }
}

async fn test_endpoints(api: &Api) -> anyhow::Result<String> {
    let all = api
        .run("{ listWebhookEndpoints { id } }", Value::Null)
        .await?;
    refuse_error(&all)?;
    let all = all.at("/data/listWebhookEndpoints").as_array().cloned();
    let all = all.filter(|all| !all.is_empty());
    let all = all.ok_or_else(|| anyhow!("there is no endpoint; saveWebhookEndpoint makes one"))?;
    for one in &all {
        let query = "mutation($id: ID!) { sendTestEvent(endpointId: $id) { state } }";
        let answer = api.run(query, json!({"id": one["id"]})).await?;
        refuse_error(&answer)?;
    }
    Ok(format!("{} endpoints were tested.", all.len()))
}

impl Later {
    async fn ask(self, api: &Api, made: &Made) -> anyhow::Result<Answer> {
        let name = self.name();
        let part = match self {
            Self::CapturePart => ", amount: 1, final: false",
            Self::Cancel | Self::Capture | Self::Refund => "",
        };
        let query = format!("mutation($id: ID!) {{ {name}(id: $id{part}) {{ id status }} }}");
        api.run(&query, json!({"id": made.payment})).await
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancelPayment",
            Self::Capture | Self::CapturePart => "capturePayment",
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::event::EventKind;

    use super::*;

    #[test]
    fn every_kind_that_merchants_get_is_there_once() {
        let recipes = RECIPES.iter().map(|recipe| recipe.kind);
        let here: Vec<&str> = recipes
            .chain(NOT_ON_DEMAND.iter().map(|(kind, _)| *kind))
            .collect();
        let kinds: BTreeSet<&str> = EventKind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(here.iter().copied().collect::<BTreeSet<_>>(), kinds);
        assert_eq!(here.len(), kinds.len());
    }
}
