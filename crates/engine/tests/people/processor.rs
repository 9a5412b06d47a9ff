//! The processor of these stories: it approves everything, unless a connection's settings say otherwise.

use std::{sync::Arc, time::Duration};

use connector::{
    Action, ActionKind, Answer, Approval, Authorise, CallError, Called, Cancel, Capabilities,
    Capture, Certainty, Complete, Connector, Credentials, Descriptor, Finding, LaterAnswer, Link,
    LookUp, Notices, Probe, Refund, Registers, Stored, Tokenise, Tokenised,
};
use domain::{
    caller::Mode,
    decline::{Decline, DeclineCode},
    method::Method,
};
use futures_util::future::BoxFuture;
use http_client::{Http, HttpError, Reason, Recipient, Reply, Request};
use parking_lot::Mutex;
use serde_json::Value;
use world::World;

use crate::desk::Desk;

/// What became of the one authorisation that asks for the customer. Shared by every node.
#[derive(Clone, Default)]
pub(crate) struct Challenge(Arc<Mutex<Asked>>);

#[derive(Default)]
struct Asked {
    return_url: Option<String>,
    stage: Stage,
    completed: u32,
    captures: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Asked,
    Passed,
    Completed,
    GivenUp,
}

impl Challenge {
    /// The customer has done what was asked. The token of the address of the return.
    pub(crate) fn passed(&self) -> String {
        self.0.lock().stage = Stage::Passed;
        self.token()
    }

    /// The token of the address of the return.
    pub(crate) fn token(&self) -> String {
        let asked = self.0.lock();
        let url = asked.return_url.as_deref().unwrap();
        url.rsplit('/').next().unwrap().to_owned()
    }

    /// How often it was completed by what the customer came back with.
    pub(crate) fn completed(&self) -> u32 {
        self.0.lock().completed
    }

    /// The references under which it was asked for a capture, in order.
    pub(crate) fn captures(&self) -> Vec<String> {
        self.0.lock().captures.clone()
    }

    /// Whether nothing stands any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.0.lock().stage == Stage::GivenUp
    }

    fn moves(&self, from: &[Stage], to: Stage) -> bool {
        let mut asked = self.0.lock();
        let may = from.contains(&asked.stage);
        asked.stage = if may { to } else { asked.stage };
        may
    }
}

/// The settings of its connections: `asks` for 3D Secure, is `silent` and can't be asked either, `takes` so many
/// milliseconds, `refuses_cancel`.
pub(crate) struct Approves {
    facts: Descriptor,
    pub(crate) world: World,
    pub(crate) desk: Desk,
    challenge: Challenge,
}

impl Approves {
    pub(crate) fn connector(
        world: &World,
        desk: &Desk,
        challenge: &Challenge,
    ) -> Arc<dyn Connector> {
        Self::with(world, desk, challenge, &[])
    }

    /// One that can't be asked whether the customer has finished: it wants what the customer came back with.
    pub(crate) fn by_return(
        world: &World,
        desk: &Desk,
        challenge: &Challenge,
    ) -> Arc<dyn Connector> {
        Self::with(world, desk, challenge, &["result"])
    }

    fn with(
        world: &World,
        desk: &Desk,
        challenge: &Challenge,
        returned: &'static [&'static str],
    ) -> Arc<dyn Connector> {
        let facts = Descriptor {
            processor: "approves",
            name: "Approves",
            logo: None,
            methods: &[Method::Card],
            capabilities: Capabilities {
                sale: true,
                partial_capture: true,
                several_captures: false,
                partial_refund: true,
            },
            credentials: super::account::CREDENTIALS,
            hosts: Vec::new(),
            call_timeout: Duration::from_secs(2),
            not_found_final_after: returned.is_empty().then_some(Duration::from_secs(10)),
            returned,
            authorisation_lifetime: Duration::from_hours(168),
            facts: &[],
            pending_schedule: &[],
        };
        Arc::new(Self {
            facts,
            world: world.clone(),
            desk: desk.clone(),
            challenge: challenge.clone(),
        })
    }

    /// Completes by what the customer came back with: `passed`, or `lost`, whose first answer is lost on its way.
    fn judge(&self, call: &Complete<'_>) -> Result<Answer, CallError> {
        let result = call.returned.and_then(|returned| returned.get("result"));
        if !matches!(result, Some("passed" | "lost")) {
            return Err(CallError::rejected("another result"));
        }
        let is_first = self.challenge.moves(&[Stage::Asked], Stage::Completed);
        if is_first {
            self.challenge.0.lock().completed += 1;
        }
        if is_first && result == Some("lost") {
            return Err(CallError::unknown("silence"));
        }
        Ok(approved(call.capture))
    }

    async fn takes(&self, settings: &Value) {
        if let Some(millis) = settings.get("takes").and_then(Value::as_u64) {
            self.world.sleep(Duration::from_millis(millis)).await;
        }
    }
}

fn is(settings: &Value, what: &str) -> bool {
    settings.get(what).is_some()
}

fn asked(ready: bool) -> Answer {
    let url = "https://issuer.example/".to_owned();
    let action = Action::new(ActionKind::ThreeDSecure, url, ready);
    Answer::ActionRequired {
        action,
        approval: Approval::default(),
    }
}

fn approved(captured: bool) -> Answer {
    Answer::Approved {
        captured,
        approval: Approval::default(),
    }
}

impl Connector for Approves {
    fn descriptor(&self) -> &Descriptor {
        &self.facts
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            self.takes(link.settings).await;
            if is(link.settings, "silent") {
                return Err(CallError::unknown("silence"));
            }
            if is(link.settings, "asks") {
                let return_url = call.three_ds.return_url.map(str::to_owned);
                *self.challenge.0.lock() = Asked {
                    return_url,
                    ..Asked::default()
                };
                return Ok(asked(false));
            }
            Ok(approved(call.capture))
        })
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let mut asked = self.challenge.0.lock();
            asked.captures.push(call.reference.as_str().to_owned());
            let lost = link.settings.get("loses_captures").and_then(Value::as_u64);
            match (u64::try_from(asked.captures.len()), lost) {
                (Ok(count), Some(lost)) if count <= lost => Err(CallError::unknown("silence")),
                (Ok(2), _) if is(link.settings, "refuses_replay") => {
                    Err(CallError::rejected("it is captured"))
                }
                _ => Ok(DONE),
            }
        })
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, _: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            self.takes(link.settings).await;
            let given_up = !is(link.settings, "asks")
                || self.challenge.moves(
                    &[Stage::Asked, Stage::Passed, Stage::GivenUp],
                    Stage::GivenUp,
                );
            Ok(if is(link.settings, "refuses_cancel") || !given_up {
                LaterAnswer::Refused {
                    reason: "no".into(),
                    booked: None,
                }
            } else {
                DONE
            })
        })
    }

    fn refund<'a>(&'a self, _: &'a Link<'a>, _: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async { Ok(DONE) })
    }

    fn look_up<'a>(&'a self, link: &'a Link<'a>, _: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(async move {
            if is(link.settings, "silent") {
                return Err(CallError::unknown("silence"));
            }
            if !is(link.settings, "asks") {
                return Ok(Finding::nothing());
            }
            if !self.facts.returned.is_empty() {
                return Ok(Finding::nothing());
            }
            // It is faster than what changes something.
            self.world.sleep(Duration::from_millis(50)).await;
            let stage = self.challenge.0.lock().stage;
            let authorisation = Some(match stage {
                Stage::Asked => asked(false),
                Stage::Passed => asked(true),
                Stage::Completed => approved(true),
                Stage::GivenUp => given_up(),
            });
            Ok(Finding {
                authorisation,
                operations: Vec::new(),
            })
        })
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            self.takes(link.settings).await;
            if !self.facts.returned.is_empty() {
                return self.judge(call);
            }
            let done = self
                .challenge
                .moves(&[Stage::Passed, Stage::Completed], Stage::Completed);
            self.takes(link.settings).await;
            Ok(if done {
                approved(call.capture)
            } else {
                given_up()
            })
        })
    }

    fn check_credentials(&self, credentials: &Credentials, mode: Mode) -> Result<(), String> {
        super::account::check(credentials, mode)
    }

    fn probe(&self) -> Option<&dyn Probe> {
        Some(self)
    }

    fn certainty(&self) -> Option<&dyn Certainty> {
        (!self.facts.returned.is_empty()).then_some(self)
    }

    fn notices(&self) -> Option<&dyn Notices> {
        Some(self)
    }

    fn registers(&self) -> Option<&dyn Registers> {
        Some(self)
    }

    fn stored(&self) -> Option<&dyn Stored> {
        Some(self)
    }

    fn check_settings(&self, settings: &Value) -> Result<(), String> {
        if is(settings, "refuse") {
            Err("must not be refused".to_owned())
        } else {
            Ok(())
        }
    }
}

impl Stored for Approves {
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised> {
        Box::pin(self.desk.answer(link, call))
    }
}

/// It took effect.
const DONE: LaterAnswer = LaterAnswer::Done {
    processor_id: None,
    booked: None,
};

fn given_up() -> Answer {
    Answer::Declined {
        decline: Decline::of(DeclineCode::PaymentCancelled),
        approval: Approval::default(),
    }
}

/// Reaches nobody: what is called answers never, or is not there.
pub(crate) struct Silence(pub(crate) World);

impl Http for Silence {
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move {
            if request.url.host() == "silent.example" {
                self.0.sleep(Duration::from_mins(1)).await;
                return Err(HttpError::maybe_sent(Reason::Elapsed));
            }
            http_client::Nowhere.send(recipient, request).await
        })
    }
}

impl Certainty for Approves {
    fn replays_within(&self) -> Duration {
        Duration::from_hours(1)
    }

    fn abandon<'a>(&'a self, link: &'a Link<'a>, _: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        let _ = self
            .challenge
            .moves(&[Stage::Asked, Stage::Completed], Stage::GivenUp);
        Box::pin(async move {
            if is(link.settings, "refuses_abandon") {
                return Ok(LaterAnswer::Refused {
                    reason: "no".into(),
                    booked: None,
                });
            }
            Ok(DONE)
        })
    }
}
