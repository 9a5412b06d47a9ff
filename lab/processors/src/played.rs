//! A machine in the place of the network: what a connector sends is answered in the same process, at the world's time.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use http_client::{Http, HttpError, Reason, Recipient, Reply as Received, Request as Outgoing};
use parking_lot::{Mutex, MutexGuard};
use world::World;

use crate::{Answer, Conduct, Machine, Reply, Request};

/// A processor that is played in the same process. Clones share its books.
pub struct Played<M> {
    world: World,
    machine: Arc<Mutex<M>>,
}

impl<M> Clone for Played<M> {
    fn clone(&self) -> Self {
        Self {
            world: self.world.clone(),
            machine: Arc::clone(&self.machine),
        }
    }
}

impl<M: Machine + 'static> Played<M> {
    /// Plays this machine.
    pub fn new(world: World, machine: M) -> Self {
        Self {
            world,
            machine: Arc::new(Mutex::new(machine)),
        }
    }

    /// The machine itself.
    pub fn machine(&self) -> MutexGuard<'_, M> {
        self.machine.lock()
    }

    /// The time as the machine counts it.
    pub fn now(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.world.now().micros()).unwrap_or(0))
    }

    /// The machine's answer now, without what befalls it on its way.
    pub fn asked(&self, request: &Request) -> Reply {
        self.machine().answer(request, self.now()).reply
    }

    async fn exchange(&self, outgoing: &Outgoing<'_>) -> Result<Received, HttpError> {
        let request = read(outgoing);
        let Answer { reply, conduct } = self.machine().answer(&request, self.now());
        match conduct {
            Conduct::Whole => Ok(received(&reply)),
            Conduct::Lost | Conduct::CutAt(_) => {
                let reason = Reason::Broken("the connection was closed".to_owned());
                Err(HttpError::maybe_sent(reason))
            }
            Conduct::After(pause) if pause > outgoing.timeout => {
                self.world.sleep(outgoing.timeout).await;
                Err(HttpError::maybe_sent(Reason::Elapsed))
            }
            Conduct::After(pause) => {
                self.world.sleep(pause).await;
                Ok(received(&reply))
            }
        }
    }
}

impl<M: Machine + 'static> Http for Played<M> {
    fn send<'a>(
        &'a self,
        _: Recipient<'a>,
        request: &'a Outgoing<'a>,
    ) -> BoxFuture<'a, Result<Received, HttpError>> {
        Box::pin(self.exchange(request))
    }
}

/// A request as the machine reads it.
fn read(outgoing: &Outgoing<'_>) -> Request {
    let kind = outgoing.body.content_type();
    let kind = kind.map(|kind| ("content-type".to_owned(), kind.to_owned()));
    let given = outgoing
        .headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    Request {
        method: outgoing.method.as_str().to_owned(),
        path: outgoing.url.path().to_owned(),
        query: outgoing.url.query().unwrap_or_default().to_owned(),
        headers: kind.into_iter().chain(given).collect(),
        body: outgoing.body.bytes().to_vec(),
    }
}

fn received(reply: &Reply) -> Received {
    let mut received = Received::new(reply.status, reply.body.clone());
    for (name, value) in &reply.headers {
        let name = http_client::HeaderName::try_from(name.as_str());
        let value = http_client::HeaderValue::try_from(value.as_str());
        if let (Ok(name), Ok(value)) = (name, value) {
            received.headers.insert(name, value);
        }
    }
    received
}
