//! Merchants' servers: they take events, and are down, slow, redirected or wrong about what they have taken, as the seed decides.
//!
//! What a server has taken it never forgets, whatever it answered: the checker judges by that. One that answers 200 has taken a
//! message by the contract, read or not.

mod manners;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use http_client::{Body, Http, HttpError, Reason, Recipient, Reply, Request};
use parking_lot::Mutex;
use processors::{Played, adyen::Adyen, stripe::Stripe};
use serde_json::{Value, json};
use world::World;

pub(crate) use manners::Temper;
use manners::{Ending, Turn};

use crate::{
    chance::Chance,
    counts::Counts,
    stage::{Doorway, Side},
};

/// All servers of merchants, by the names of their hosts.
pub(crate) struct Servers {
    world: World,
    kept: Mutex<Kept>,
    pub(crate) faults: Counts,
    counts: Arc<Counts>,
}

struct Kept {
    chance: Chance,
    /// Whether nothing goes wrong any more, but for what is down.
    calm: bool,
    known: BTreeMap<String, Temper>,
    receipts: Vec<Value>,
}

/// What is sent, without what it is borrowed from: it goes on when the sender dies.
struct Message {
    host: String,
    headers: Vec<(&'static str, String)>,
    body: String,
    timeout: Duration,
}

impl Servers {
    /// No servers yet. What they take is counted among `counts`.
    pub(crate) fn new(world: &World, chance: Chance, counts: &Arc<Counts>) -> Arc<Self> {
        let kept = Kept {
            chance,
            calm: true,
            known: BTreeMap::new(),
            receipts: Vec::new(),
        };
        Arc::new(Self {
            world: world.clone(),
            kept: Mutex::new(kept),
            faults: Counts::default(),
            counts: Arc::clone(counts),
        })
    }

    /// A server is there from now on.
    pub(crate) fn add(&self, host: &str, temper: Temper) {
        self.kept.lock().known.insert(host.to_owned(), temper);
    }

    /// Whether things go wrong from now on.
    pub(crate) fn set_calm(&self, calm: bool) {
        self.kept.lock().calm = calm;
    }

    /// When the last server is back.
    pub(crate) fn all_back_at(&self) -> Option<Timestamp> {
        let kept = self.kept.lock();
        kept.known.values().filter_map(Temper::back_at).max()
    }

    /// How many messages were taken.
    pub(crate) fn count(&self) -> usize {
        self.kept.lock().receipts.len()
    }

    /// What was taken, in order.
    pub(crate) fn receipts(&self) -> Vec<Value> {
        self.kept.lock().receipts.clone()
    }

    /// What becomes of a message to this host.
    fn turn(&self, host: &str) -> Turn {
        let now = self.world.now();
        let kept = &mut *self.kept.lock();
        let calm = kept.calm;
        let Some(temper) = kept.known.get(host) else {
            return Turn::refused();
        };
        let (turn, name) = temper.turn(&mut kept.chance, now, calm);
        if let Some(name) = name {
            self.faults.add(name);
        }
        turn
    }

    /// The server takes a message, or says so without having read it.
    fn take(&self, message: &Message, is_unread: bool) {
        let mut receipt = json!({
            "host": message.host,
            "at": self.world.now().micros(),
            "body": message.body,
            "unread": is_unread,
        });
        if let Some(fields) = receipt.as_object_mut() {
            for (name, value) in &message.headers {
                fields.insert((*name).to_owned(), value.as_str().into());
            }
        }
        self.counts.add("(events that were delivered)");
        self.kept.lock().receipts.push(receipt);
    }

    async fn post(self: Arc<Self>, message: Message) -> Result<Reply, HttpError> {
        let turn = self.turn(&message.host);
        let (world, timeout) = (self.world.clone(), message.timeout);
        let is_unread = turn.ending == Ending::Unread;
        let takes_after = turn.takes_after;
        if let Some(after) = takes_after.or(is_unread.then_some(turn.answers_after)) {
            let servers = Arc::clone(&self);
            world.spawn(async move {
                servers.world.sleep(after).await;
                servers.take(&message, is_unread);
            });
        }
        let answered = async {
            world.sleep(turn.answers_after).await;
            match turn.ending {
                Ending::Status(status) => Ok(Reply::new(status, "taken")),
                Ending::Unread => Ok(Reply::new(200, "")),
                Ending::Refused => Err(HttpError::not_sent(Reason::Unreachable(
                    "connection refused".to_owned(),
                ))),
                Ending::Broken => Err(HttpError::maybe_sent(Reason::Broken(
                    "connection reset".to_owned(),
                ))),
            }
        };
        world
            .timeout(timeout, answered)
            .await
            .unwrap_or(Err(HttpError::maybe_sent(Reason::Elapsed)))
    }
}

/// The way of one node to merchants' servers, and to the processors that are played in their own wire formats.
pub(crate) struct Road {
    pub(crate) servers: Arc<Servers>,
    pub(crate) stripe: Played<Stripe>,
    pub(crate) adyen: Played<Adyen>,
    pub(crate) doorway: Doorway,
}

impl Http for Road {
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move {
            if let Recipient::Processor { .. } = recipient {
                let is_adyen = request.url.host().ends_with("adyen.com");
                let (count, call) = if is_adyen {
                    ("(requests to Adyen)", "request to Adyen")
                } else {
                    ("(requests to Stripe)", "request to Stripe")
                };
                self.servers.counts.add(count);
                self.doorway.call(Side::Before, call).await;
                let reply = if is_adyen {
                    self.adyen.send(recipient, request).await
                } else {
                    self.stripe.send(recipient, request).await
                };
                self.doorway.call(Side::After, call).await;
                return reply;
            }
            let (Recipient::Subscriber, Body::Json(body)) = (recipient, &request.body) else {
                let reason = Reason::Unreachable("there is no network".to_owned());
                return Err(HttpError::not_sent(reason));
            };
            let message = Message {
                host: request.url.host().to_owned(),
                headers: request.headers.to_vec(),
                body: String::from_utf8_lossy(body).into_owned(),
                timeout: request.timeout,
            };
            self.doorway.delivery(Side::Before).await;
            let reply = Arc::clone(&self.servers).post(message).await;
            self.doorway.delivery(Side::After).await;
            reply
        })
    }
}
