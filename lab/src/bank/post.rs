//! The post of processors: notifications on their way, doubled, late, out of order, lost and sent again; and those that others forge.

use std::{sync::Arc, time::Duration};

use connectors::simulator::{derived_secret, sign};
use futures_util::future::{BoxFuture, ready};
use http_client::{Body, Http, HttpError, Recipient, Reply, Request};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::Bank;
use crate::chance::Chance;

/// How often the books are looked at for what is to be sent.
const ROUND: Duration = Duration::from_secs(1);
/// At most of so many entries at a time.
const AT_ONCE: u32 = 50;
/// Nobody listens there: what is posted is collected.
const LOCAL: &str = "http://post.example";

/// What takes longer on its way may be refused for its age: the simulator's tolerance of five minutes, less what clocks differ.
const TIMELY: Duration = Duration::from_mins(3);

/// How a delivery is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    NotGenuine,
}

/// A notification on its way.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    /// The last part of the address.
    pub(crate) token: String,
    pub(crate) id: String,
    /// Unit: seconds.
    pub(crate) time: i64,
    pub(crate) signature: String,
    pub(crate) body: String,
}

/// Takes a letter to a node. `None`: no answer came.
pub(crate) type Carrier =
    Arc<dyn Fn(usize, Letter) -> BoxFuture<'static, Option<Verdict>> + Send + Sync>;

/// The post.
pub(crate) struct PostOffice {
    bank: Arc<Bank>,
    carrier: Carrier,
    nodes: usize,
    kept: Mutex<Kept>,
}

struct Kept {
    chance: Chance,
    /// What was collected and not dealt with yet: id and body.
    collected: Vec<(String, String)>,
    under_way: usize,
    calm: bool,
    wrong: Vec<(&'static str, String)>,
}

impl PostOffice {
    pub(crate) fn new(
        bank: &Arc<Bank>,
        chance: Chance,
        nodes: usize,
        carrier: Carrier,
    ) -> Arc<Self> {
        let kept = Kept {
            chance,
            collected: Vec::new(),
            under_way: 0,
            calm: true,
            wrong: Vec::new(),
        };
        Arc::new(Self {
            bank: Arc::clone(bank),
            carrier,
            nodes,
            kept: Mutex::new(kept),
        })
    }

    /// Whether things go wrong from now on.
    pub(crate) fn set_calm(&self, calm: bool) {
        self.kept.lock().calm = calm;
    }

    /// Whether nothing is under way, and nothing is to be sent soon.
    pub(crate) fn is_quiet(&self) -> bool {
        let kept = self.kept.lock();
        let is_empty = kept.under_way == 0 && kept.collected.is_empty();
        is_empty
            && self
                .bank
                .ledger
                .kept()
                .iter()
                .all(|entry| entry.send_at().is_none())
    }

    /// What was answered otherwise than it must be: the invariant, and the letter.
    pub(crate) fn wrong(&self) -> Vec<(&'static str, String)> {
        self.kept.lock().wrong.clone()
    }

    /// Sends what processors have to say, for as long as the world goes on.
    pub(crate) async fn run(self: Arc<Self>) {
        loop {
            self.bank.world.sleep(ROUND).await;
            // The books are in memory and always there.
            let _ = self.bank.simulator.send_due(&*self, LOCAL, AT_ONCE).await;
            let collected = std::mem::take(&mut self.kept.lock().collected);
            for (id, body) in collected {
                self.post(&id, &body);
            }
        }
    }

    /// Sends a notification off, and what else is drawn.
    fn post(self: &Arc<Self>, id: &str, body: &str) {
        let Some(url) = self.address_of(id) else {
            return;
        };
        let (copies, forges) = {
            let kept = &mut *self.kept.lock();
            let copies = if kept.calm {
                1
            } else {
                1 + kept.chance.index(3)
            };
            (copies, !kept.calm && kept.chance.one_in(4))
        };
        for copy in 0..copies {
            if copy > 0 {
                self.bank.faults.add("notification: one more copy");
            }
            let (office, id, body, url) = (
                Arc::clone(self),
                id.to_owned(),
                body.to_owned(),
                url.clone(),
            );
            self.kept.lock().under_way += 1;
            self.bank.world.spawn(async move {
                office.bring(&url, &id, &body).await;
                office.kept.lock().under_way -= 1;
            });
        }
        if forges {
            let (office, id, body) = (Arc::clone(self), id.to_owned(), body.to_owned());
            self.bank
                .world
                .spawn(async move { office.forge(&url, &id, &body).await });
        }
    }

    /// Brings a notification until it is taken.
    async fn bring(&self, url: &str, id: &str, body: &str) {
        let late = self.draw(|chance| match chance.below(4) {
            0 => chance.millis(1_000, 90_000),
            _ => chance.millis(1, 300),
        });
        self.bank.world.sleep(late).await;
        loop {
            let letter = self.letter(url, id, body);
            let node = self.kept.lock().chance.index(self.nodes);
            let sent = self.bank.world.now();
            let verdict = (self.carrier)(node, letter).await;
            let took = self.bank.world.now().since(sent);
            match verdict {
                Some(Verdict::Accepted) => return,
                // A process that stood still judges it by its clock when it goes on.
                Some(Verdict::NotGenuine) if took > TIMELY => {
                    self.bank
                        .faults
                        .add("notification: judged too late, sent again");
                }
                Some(Verdict::NotGenuine) => {
                    let wrong = (
                        "genuine-notifications-are-accepted",
                        format!("{id}: {body}"),
                    );
                    self.kept.lock().wrong.push(wrong);
                    return;
                }
                None => {
                    self.bank.faults.add("notification: not taken, sent again");
                    let pause = self.draw(|chance| chance.millis(1_000, 20_000));
                    self.bank.world.sleep(pause).await;
                }
            }
        }
    }

    /// Somebody else sends what the processor never said, or what it said long ago.
    async fn forge(&self, url: &str, id: &str, body: &str) {
        self.bank
            .world
            .sleep(self.draw(|chance| chance.millis(1, 20_000)))
            .await;
        let right = self.letter(url, id, body);
        let forged = forged_body(body);
        let seconds = right.time;
        let letter = match self.kept.lock().chance.below(4) {
            0 => Letter {
                body: forged,
                ..right
            },
            1 => {
                let signature = sign("whsec_Z3Vlc3NlZA==", id, seconds, forged.as_bytes());
                Letter {
                    body: forged,
                    signature,
                    ..right
                }
            }
            2 => Letter {
                signature: String::new(),
                body: forged,
                ..right
            },
            _ => {
                let time = seconds - 3_600;
                let signature = sign(&derived_secret(url), id, time, body.as_bytes());
                Letter {
                    time,
                    signature,
                    ..right
                }
            }
        };
        self.bank.faults.add("notification: forged");
        let shown = format!("{letter:?}");
        let node = self.kept.lock().chance.index(self.nodes);
        if (self.carrier)(node, letter).await == Some(Verdict::Accepted) {
            self.kept
                .lock()
                .wrong
                .push(("forged-notifications-are-refused", shown));
        }
    }

    fn letter(&self, url: &str, id: &str, body: &str) -> Letter {
        let time = self.bank.world.now().micros().div_euclid(1_000_000);
        Letter {
            token: url.rsplit('/').next().unwrap_or_default().to_owned(),
            id: id.to_owned(),
            time,
            signature: sign(&derived_secret(url), id, time, body.as_bytes()),
            body: body.to_owned(),
        }
    }

    fn draw(&self, draw: impl FnOnce(&mut Chance) -> Duration) -> Duration {
        let kept = &mut *self.kept.lock();
        if kept.calm {
            return Duration::from_millis(20);
        }
        draw(&mut kept.chance)
    }

    /// Where the notifications of an entry go, by the id of one.
    fn address_of(&self, id: &str) -> Option<String> {
        let entries = self.bank.ledger.kept();
        let is_its = |reference: &str| {
            id.strip_prefix("simmsg_")
                .and_then(|rest| rest.strip_prefix(reference))
                .is_some_and(|rest| rest.starts_with('_'))
        };
        let entry = entries
            .into_iter()
            .find(|entry| is_its(entry.reference.as_str()))?;
        Some(entry.notify?.url)
    }
}

/// A body that says what would do harm.
fn forged_body(body: &str) -> String {
    let mut read: Value = serde_json::from_str(body).unwrap_or_default();
    if let Some(dispute) = read.get_mut("dispute").and_then(Value::as_object_mut) {
        dispute.insert("status".to_owned(), "LOST".into());
        dispute.insert("stage".to_owned(), "ARBITRATION".into());
        dispute.insert("processor_reason".to_owned(), "forged".into());
    } else if let Some(payment) = read.get_mut("payment").and_then(Value::as_object_mut) {
        payment.insert("amount".to_owned(), json!(1_000_000));
        payment.insert("captured".to_owned(), json!(1_000_000));
        payment.insert("order".to_owned(), json!("forged"));
    } else if let Some(fields) = read.as_object_mut() {
        fields.insert("forged".to_owned(), json!(true));
    }
    read.to_string()
}

impl Http for PostOffice {
    fn send<'a>(
        &'a self,
        _: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        if let Body::Json(body) = &request.body {
            let id = request
                .headers
                .iter()
                .find(|header| header.0 == "webhook-id");
            let id = id.map(|header| header.1.clone()).unwrap_or_default();
            let body = String::from_utf8_lossy(body).into_owned();
            self.kept.lock().collected.push((id, body));
        }
        Box::pin(ready(Ok(Reply::new(200, ""))))
    }
}
