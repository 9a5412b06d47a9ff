//! The client over the network.

use std::{
    error::Error as _,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Method, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{self, connect::capture_connection},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::sync::Semaphore;
use world::{Elapsed, World};

use crate::{
    Http, HttpError, Identity, Reason, Recipient, Reply, Request, TrustError,
    dial::{Dial, MADE_WITHIN, NoConnection},
    tls::Trust,
};

/// A kept connection that was not used for this time is closed. Processors close theirs after a minute or more.
const IDLE: Duration = Duration::from_secs(30);

/// Connections to one host that are kept while nothing uses them.
const IDLE_PER_HOST: usize = 64;

/// The same of a subscriber's: there may be thousands of them, and one that waits for a place must have it before its own time is over.
const SUBSCRIBER_IDLE: Duration = Duration::from_secs(5);

/// Connections to one host of a subscriber that are kept while nothing uses them.
const SUBSCRIBER_IDLE_PER_HOST: usize = 16;

/// A subscriber's body that has not ended after this time is left: its status is known.
const BODY_WITHIN: Duration = Duration::from_secs(2);

type Exchange = legacy::Client<Dial, Full<Bytes>>;

/// Whether strangers at private addresses may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// They may.
    Allowed,
    /// Only the public internet is called.
    Refused,
}

/// The client over the network. One for the whole process: it keeps the connections to processors.
pub struct Client {
    world: World,
    private: Private,
    trust: Trust,
    /// Made at the first request, since reading the system's authorities takes longer than a start may.
    pooled: OnceLock<Exchange>,
    /// The same for subscribers, whose addresses are judged.
    subscribers: OnceLock<Exchange>,
    /// Places for connections to subscribers; `None`: as many as are asked for.
    places: Option<Arc<Semaphore>>,
}

impl Client {
    /// A client that trusts the system's authorities and those in `further` (PEM).
    ///
    /// # Errors
    /// `further` holds none.
    pub fn new(world: World, private: Private, further: Option<&str>) -> Result<Self, TrustError> {
        Ok(Self {
            world,
            private,
            trust: Trust::new(further)?,
            pooled: OnceLock::new(),
            subscribers: OnceLock::new(),
            places: None,
        })
    }

    /// The same with at most so many connections to subscribers at a time, kept ones included. A request that finds no place waits
    /// for one.
    #[must_use]
    pub fn with_subscribers(self, connections: usize) -> Self {
        let most = connections.min(Semaphore::MAX_PERMITS);
        Self {
            places: Some(Arc::new(Semaphore::new(most))),
            ..self
        }
    }

    /// Whether a text can be the further authorities of a client.
    ///
    /// # Errors
    /// It holds none.
    pub fn check_authorities(further: &str) -> Result<(), TrustError> {
        Trust::new(Some(further)).map(|_| ())
    }

    /// The exchange that obeys the recipient's rules.
    fn exchange(&self, recipient: &Recipient<'_>) -> Result<Exchange, HttpError> {
        match recipient {
            Recipient::Processor { .. } => self.to_processors(),
            Recipient::Subscriber => self.to_subscribers(),
            Recipient::Stranger { identity, .. } => {
                let dial = self.dial(*identity, self.private == Private::Refused)?;
                Ok(legacy::Client::builder(TokioExecutor::new())
                    .pool_max_idle_per_host(0)
                    .retry_canceled_requests(false)
                    .build(dial))
            }
        }
    }

    fn to_processors(&self) -> Result<Exchange, HttpError> {
        if let Some(exchange) = self.pooled.get() {
            return Ok(exchange.clone());
        }
        let exchange = kept(self.dial(None, false)?, IDLE, IDLE_PER_HOST);
        Ok(self.pooled.get_or_init(|| exchange).clone())
    }

    fn to_subscribers(&self) -> Result<Exchange, HttpError> {
        if let Some(exchange) = self.subscribers.get() {
            return Ok(exchange.clone());
        }
        let dial = Dial {
            places: self.places.clone(),
            ..self.dial(None, self.private == Private::Refused)?
        };
        let exchange = kept(dial, SUBSCRIBER_IDLE, SUBSCRIBER_IDLE_PER_HOST);
        Ok(self.subscribers.get_or_init(|| exchange).clone())
    }

    fn dial(&self, identity: Option<&Identity>, public_only: bool) -> Result<Dial, HttpError> {
        let tls = self
            .trust
            .settings(identity)
            .map_err(|error| HttpError::not_sent(Reason::Unreachable(error.to_string())))?;
        Ok(Dial {
            world: self.world.clone(),
            public_only,
            tls: tls.into(),
            within: MADE_WITHIN,
            places: None,
        })
    }

    async fn talk(
        &self,
        recipient: &Recipient<'_>,
        request: &Request<'_>,
    ) -> Result<Reply, HttpError> {
        if !recipient.allows(request.url) {
            return Err(HttpError::not_sent(Reason::HostNotAllowed));
        }
        if request.body.len() > request.body.most() {
            return Err(HttpError::not_sent(Reason::RequestTooLarge));
        }
        let mut message = message(recipient, request)?;
        // Says later whether the request was ever given a connection.
        let connection = capture_connection(&mut message);
        let exchange = self.exchange(recipient)?;
        let work = async {
            let answer = exchange.request(message).await.map_err(Failure::Exchange)?;
            match recipient {
                Recipient::Subscriber => Ok(self.read_some(answer, request.most).await),
                Recipient::Processor { .. } | Recipient::Stranger { .. } => {
                    read(answer, request.most).await
                }
            }
        };
        let failure = match self.world.timeout(request.timeout, work).await {
            Ok(Ok(reply)) => return Ok(reply),
            Ok(Err(failure)) => failure,
            Err(Elapsed) => Failure::Elapsed,
        };
        let had_connection = connection.connection_metadata().is_some();
        Err(failure.into_error(had_connection))
    }
}

/// The exchange of a pool that keeps its connections.
fn kept(dial: Dial, idle: Duration, idle_per_host: usize) -> Exchange {
    // A request that a kept connection provably did not take is sent once more, on a new one.
    legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(idle)
        .pool_max_idle_per_host(idle_per_host)
        .retry_canceled_requests(true)
        .build(dial)
}

impl Client {
    /// The status, and of the body what is there in time.
    async fn read_some(&self, answer: http::Response<Incoming>, most: usize) -> Reply {
        let (head, mut body) = answer.into_parts();
        let mut read = Vec::new();
        let reading = async {
            while let Some(Ok(frame)) = body.frame().await {
                let Some(data) = frame.data_ref() else {
                    continue;
                };
                let room = most.saturating_sub(read.len());
                read.extend(data.iter().take(room));
                if data.len() > room {
                    break;
                }
            }
        };
        // One that is cut or late loses its connection, nothing else.
        self.world
            .timeout(BODY_WITHIN, reading)
            .await
            .unwrap_or_default();
        Reply {
            status: head.status.as_u16(),
            headers: head.headers,
            body: read.into(),
        }
    }
}

impl Http for Client {
    fn send<'a>(
        &'a self,
        recipient: Recipient<'a>,
        request: &'a Request<'a>,
    ) -> BoxFuture<'a, Result<Reply, HttpError>> {
        Box::pin(async move { self.talk(&recipient, request).await })
    }
}

/// How an exchange failed.
enum Failure {
    Exchange(legacy::Error),
    Elapsed,
    TooLarge,
    Broken(String),
}

impl Failure {
    /// The error of a request. `had_connection`: it was given a connection, so it may have been written.
    fn into_error(self, had_connection: bool) -> HttpError {
        let error = match self {
            Self::Exchange(error) => error,
            Self::Elapsed if had_connection => return HttpError::maybe_sent(Reason::Elapsed),
            Self::Elapsed => return HttpError::not_sent(Reason::Elapsed),
            Self::TooLarge => return HttpError::maybe_sent(Reason::ReplyTooLarge),
            Self::Broken(why) => return HttpError::maybe_sent(Reason::Broken(why)),
        };
        let source = error.source();
        if let Some(NoConnection(reason)) = source.and_then(|source| source.downcast_ref()) {
            return HttpError::not_sent(reason.clone());
        }
        // hyper gives a request back only when it had not begun to write it.
        let unwritten = source
            .and_then(|source| source.downcast_ref::<hyper::Error>())
            .is_some_and(hyper::Error::is_canceled);
        let why = source.map_or_else(|| error.to_string(), ToString::to_string);
        if !had_connection || unwritten {
            HttpError::not_sent(Reason::Unreachable(why))
        } else {
            HttpError::maybe_sent(Reason::Broken(why))
        }
    }
}

async fn read(answer: http::Response<Incoming>, most: usize) -> Result<Reply, Failure> {
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, most).collect().await;
    let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
        Some(_) => Failure::TooLarge,
        None => Failure::Broken(error.to_string()),
    })?;
    Ok(Reply {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.to_bytes(),
    })
}

fn message(
    recipient: &Recipient<'_>,
    request: &Request<'_>,
) -> Result<http::Request<Full<Bytes>>, HttpError> {
    let unwritable = |why: &str| HttpError::not_sent(Reason::Unwritable(why.to_owned()));
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    if !methods.contains(&request.method) {
        return Err(unwritable("the method"));
    }
    let mut message = http::Request::new(Full::new(request.body.bytes()));
    *message.method_mut() = request.method.clone();
    *message.uri_mut() = request.url.uri().ok_or_else(|| unwritable("the address"))?;
    let headers = message.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    if let Some(content_type) = request.body.content_type() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    if matches!(recipient, Recipient::Stranger { .. }) {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in request.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| unwritable(name))?;
        value.set_sensitive(true);
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unwritable(name))?;
        headers.insert(name, value);
    }
    Ok(message)
}

const ACCEPT: &str = "application/json, */*;q=0.1";
const USER_AGENT: &str = concat!("pointsman/", env!("CARGO_PKG_VERSION"));
