//! Where the processor of these stories gives its own tokens: idempotent by reference, as the port demands.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use connector::{Action, ActionKind, CallError, Link, OwnToken, Tokenise, Tokenised};
use domain::decline::{Decline, DeclineCode};
use parking_lot::Mutex;
use world::World;

/// How the processor takes requests for tokens from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Gives,
    Challenges,
    Declines,
    Rejects,
    HasNone,
    /// It notes the request and gives no answer.
    Silent,
}

/// Shared by every node.
#[derive(Clone)]
pub(crate) struct Desk(World, Arc<Mutex<Noted>>);

struct Noted {
    mood: Mood,
    calls: usize,
    asked: BTreeMap<String, Asked>,
    /// What sends notifications: the id of each and its secret.
    endpoints: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) connection: String,
    pub(crate) currency: &'static str,
    pub(crate) last4: String,
    pub(crate) cvc: Option<String>,
    pub(crate) return_url: Option<String>,
    pub(crate) passed: bool,
}

impl Desk {
    pub(crate) fn new(world: &World) -> Self {
        let noted = Noted {
            mood: Mood::Gives,
            calls: 0,
            asked: BTreeMap::new(),
            endpoints: BTreeMap::new(),
        };
        Self(world.clone(), Arc::new(Mutex::new(noted)))
    }

    /// Looks at what sends notifications, or changes it.
    pub(crate) fn endpoints<T>(&self, look: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> T {
        look(&mut self.1.lock().endpoints)
    }

    pub(crate) fn becomes(&self, mood: Mood) {
        self.1.lock().mood = mood;
    }

    /// The customer does what was asked, for every request.
    pub(crate) fn customer_passes(&self) {
        self.1
            .lock()
            .asked
            .values_mut()
            .for_each(|asked| asked.passed = true);
    }

    /// Every request by its reference.
    pub(crate) fn asked(&self) -> Vec<(String, Asked)> {
        self.1.lock().asked.clone().into_iter().collect()
    }

    pub(crate) fn calls(&self) -> usize {
        self.1.lock().calls
    }

    pub(crate) async fn answer(
        &self,
        link: &Link<'_>,
        call: &Tokenise<'_>,
    ) -> Result<Tokenised, CallError> {
        let (mood, passed) = {
            let mut noted = self.1.lock();
            noted.calls += 1;
            let new = Asked {
                connection: link.connection.to_string(),
                currency: call.currency.code(),
                last4: call.card.number.last4(),
                cvc: call.card.cvc.as_ref().map(|code| code.expose().to_owned()),
                return_url: call.return_url.map(str::to_owned),
                passed: false,
            };
            let asked = noted
                .asked
                .entry(call.reference.to_owned())
                .or_insert_with(|| new.clone());
            assert_eq!(
                (asked.currency, &asked.return_url),
                (new.currency, &new.return_url),
                "the same request again"
            );
            let passed = asked.passed;
            (noted.mood, passed)
        };
        match mood {
            Mood::Challenges if !passed => Ok(Tokenised::ActionRequired(Action::new(
                ActionKind::ThreeDSecure,
                format!("https://issuer.example/{}", call.reference),
                false,
            ))),
            Mood::Gives | Mood::Challenges => Ok(Tokenised::Token(OwnToken {
                value: format!("tok_{}", call.reference),
                customer: Some(format!("cus_{}", call.shopper)),
                reusable: true,
            })),
            Mood::Declines => Ok(Tokenised::Declined(Decline::of(
                DeclineCode::SuspectedFraud,
            ))),
            Mood::Rejects => Err(CallError::rejected("no")),
            Mood::HasNone => Err(CallError::Unsupported),
            Mood::Silent => {
                self.0.sleep(Duration::from_hours(1)).await;
                Err(CallError::unknown("silence"))
            }
        }
    }
}
