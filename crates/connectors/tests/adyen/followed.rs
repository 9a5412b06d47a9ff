//! Adyen with its notifications, as the engine knows it: what a call leaves open is what the notification about it says. The scenarios of
//! every connector ask for outcomes, and Adyen tells none otherwise.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use connector::{
    Action, Answer, Authorise, CallError, Called, Cancel, Capture, Complete, Connector, Descriptor,
    Earlier, Finding, Found, LaterAnswer, Link, LookUp, NoticeContent, Probe, Reference, Refund,
    Returned, Stored, scenarios::Customer,
};
use domain::id::PaymentId;
use futures_util::future::BoxFuture;

use super::shop::Shop;

/// How often the notification about a change is waited for, a second each time.
const PATIENCE: usize = 5;

/// What is known.
#[derive(Default)]
struct Known {
    /// Adyen's ids of authorisations.
    ids: BTreeMap<Reference, String>,
    /// Which authorisations were asked for with their capture.
    sales: BTreeMap<Reference, bool>,
    /// What customers are asked for, and what they brought back.
    asked: BTreeMap<Reference, Action>,
    returned: BTreeMap<String, Returned>,
    /// What notifications say, by their references.
    authorisations: BTreeMap<Reference, Answer>,
    changes: BTreeMap<Reference, LaterAnswer>,
}

pub(crate) struct Followed<'s> {
    shop: &'s Shop,
    known: Mutex<Known>,
}

impl<'s> Followed<'s> {
    pub(crate) fn of(shop: &'s Shop) -> Self {
        Self {
            shop,
            known: Mutex::default(),
        }
    }

    /// Takes what Adyen has notified.
    fn listen(&self) {
        let posts = self.shop.posts();
        let mut known = self.known.lock().unwrap();
        for notice in posts.iter().flat_map(|post| self.shop.read(post).unwrap()) {
            let reference = notice.subject.reference.as_deref();
            let Some((payment, n)) = reference.and_then(Reference::parse) else {
                continue;
            };
            let reference = Reference::new(payment, n);
            match notice.content {
                NoticeContent::Authorisation(answer) => {
                    known.authorisations.insert(reference, answer);
                }
                NoticeContent::Approved(approval) => {
                    let captured = known.sales.get(&reference) == Some(&true);
                    let answer = Answer::Approved { captured, approval };
                    known.authorisations.insert(reference, answer);
                }
                NoticeContent::Later(answer) => {
                    known.changes.insert(reference, answer);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// The authorisation with Adyen's id, as the engine would have it.
    fn with_id(&self, authorisation: Earlier<'_>) -> Option<String> {
        let known = self.known.lock().unwrap();
        let stored = known.ids.get(authorisation.reference).cloned();
        authorisation.processor_id.map(str::to_owned).or(stored)
    }

    /// The outcome of a change that was accepted.
    async fn outcome(
        &self,
        reference: &Reference,
        answer: Result<LaterAnswer, CallError>,
    ) -> Result<LaterAnswer, CallError> {
        let Ok(LaterAnswer::Pending { .. }) = answer else {
            return answer;
        };
        for _ in 0..PATIENCE {
            self.shop.world.sleep(Duration::from_secs(1)).await;
            self.listen();
            let known = self.known.lock().unwrap();
            if let Some(outcome) = known.changes.get(reference) {
                return Ok(outcome.clone());
            }
        }
        answer
    }

    fn note(&self, reference: &Reference, answer: &Answer) {
        let mut known = self.known.lock().unwrap();
        let approval = match answer {
            Answer::Approved { approval, .. }
            | Answer::Declined { approval, .. }
            | Answer::Held { approval } => approval,
            Answer::ActionRequired { action, approval } => {
                known.asked.insert(reference.clone(), action.clone());
                approval
            }
            Answer::Failed { .. } => return,
        };
        if let Some(id) = approval.processor_id.clone() {
            known.ids.insert(reference.clone(), id);
        }
    }

    fn finding(&self, call: &LookUp<'_>) -> Finding {
        self.listen();
        let known = self.known.lock().unwrap();
        let reference = call.authorisation.reference;
        let waits = known
            .asked
            .get(reference)
            .map(|action| Answer::ActionRequired {
                action: Action {
                    ready: known.returned.contains_key(&action.url),
                    ..action.clone()
                },
                approval: connector::Approval::default(),
            });
        let answered = known.authorisations.get(reference).cloned();
        let payment = |reference: &Reference| -> PaymentId {
            Reference::parse(reference.as_str()).unwrap().0
        };
        let of_payment = |change: &Reference| payment(change) == payment(reference);
        let operations = known
            .changes
            .iter()
            .filter(|(change, _)| of_payment(change) && *change != reference)
            .map(|(change, answer)| Found {
                reference: Some(change.clone()),
                processor_id: None,
                answer: answer.clone(),
            });
        // What was never asked for here has nothing.
        let is_known = answered.is_some() || waits.is_some();
        Finding {
            operations: operations.filter(|_| is_known).collect(),
            authorisation: answered.or(waits),
        }
    }
}

impl Customer for Followed<'_> {
    fn decide<'a>(&'a self, action: &'a Action, pass: bool) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let word = if pass { "complete" } else { "fail" };
            let returned = self.shop.press(&action.url, word);
            let mut known = self.known.lock().unwrap();
            known.returned.insert(action.url.clone(), returned);
        })
    }
}

impl Connector for Followed<'static> {
    fn descriptor(&self) -> &Descriptor {
        self.shop.connector.descriptor()
    }

    fn check_settings(&self, settings: &serde_json::Value) -> Result<(), String> {
        self.shop.connector.check_settings(settings)
    }

    fn authorise<'a>(&'a self, link: &'a Link<'a>, call: &'a Authorise<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            let answer = self.shop.connector.authorise(link, call).await?;
            let mut known = self.known.lock().unwrap();
            known.sales.insert(call.reference.clone(), call.capture);
            drop(known);
            self.note(call.reference, &answer);
            Ok(answer)
        })
    }

    fn complete<'a>(&'a self, link: &'a Link<'a>, call: &'a Complete<'a>) -> Called<'a, Answer> {
        Box::pin(async move {
            let reference = call.authorisation.reference;
            let returned = {
                let known = self.known.lock().unwrap();
                let action = known.asked.get(reference);
                action.and_then(|action| known.returned.get(&action.url).cloned())
            };
            let call = Complete {
                returned: returned.as_ref(),
                ..*call
            };
            let answer = self.shop.connector.complete(link, &call).await?;
            self.note(reference, &answer);
            Ok(answer)
        })
    }

    fn capture<'a>(&'a self, link: &'a Link<'a>, call: &'a Capture<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let id = self.with_id(call.authorisation);
            let call = Capture {
                authorisation: with(call.authorisation, id.as_deref()),
                ..*call
            };
            let answer = self.shop.connector.capture(link, &call).await;
            self.outcome(call.reference, answer).await
        })
    }

    fn cancel<'a>(&'a self, link: &'a Link<'a>, call: &'a Cancel<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let id = self.with_id(call.authorisation);
            let call = Cancel {
                authorisation: with(call.authorisation, id.as_deref()),
                ..*call
            };
            let answer = self.shop.connector.cancel(link, &call).await;
            self.outcome(call.reference, answer).await
        })
    }

    fn refund<'a>(&'a self, link: &'a Link<'a>, call: &'a Refund<'a>) -> Called<'a, LaterAnswer> {
        Box::pin(async move {
            let id = self.with_id(call.authorisation);
            let call = Refund {
                authorisation: with(call.authorisation, id.as_deref()),
                ..*call
            };
            let answer = self.shop.connector.refund(link, &call).await;
            self.outcome(call.reference, answer).await
        })
    }

    fn look_up<'a>(&'a self, _: &'a Link<'a>, call: &'a LookUp<'a>) -> Called<'a, Finding> {
        Box::pin(async move { Ok(self.finding(call)) })
    }

    fn stored(&self) -> Option<&dyn Stored> {
        self.shop.connector.stored()
    }

    fn probe(&self) -> Option<&dyn Probe> {
        self.shop.connector.probe()
    }
}

const fn with<'a>(authorisation: Earlier<'a>, id: Option<&'a str>) -> Earlier<'a> {
    Earlier {
        processor_id: id,
        ..authorisation
    }
}
