//! Answers that come one after the other, by server-sent events: the protocol "GraphQL over server-sent events", distinct connections mode.
//!
//! A stream ends with `complete` when the operation is over. When the server stops, or the connection is old enough, it ends without: the client
//! connects again, and goes on behind the last answer that it has had (`Last-Event-ID`).

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use domain::{Code, Fault, Timestamp, caller::Caller};
use futures_util::{FutureExt as _, future::BoxFuture, stream};
use graphql::{Frame, Sink, Wanted};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tokio::sync::{mpsc, oneshot, watch};
use zeroize::Zeroizing;

use super::{
    connections::OpenedAt,
    edge::{network_of, source_of},
    envelope::{Envelope, Media, ResponseLabels},
    graphql::{caller_of, method_of, parameters, respond},
    key,
    web::{Web, Working},
};

/// After this time the credential is judged again, and a comment is sent, so that nobody between takes the connection for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Nothing is sent on a judgement of the credential that is older: a revocation holds within a second, as for requests.
const FRESH: Duration = Duration::from_secs(1);
/// A stream lasts this long at least, however old its connection is.
const SHORTEST: Duration = Duration::from_secs(30);
/// Answers that wait for the connection to take them.
const WAITING: usize = 16;
/// What a client is asked to wait before it connects again. Unit: milliseconds.
const RETRY: &str = "retry: 1000\n\n";
/// The end of an operation.
const COMPLETE: &str = "event: complete\ndata:\n\n";

/// Whether a request wants its answer as a stream.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|range| range.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// Answers a request with a stream; one that can't run has an ordinary answer.
pub(super) async fn answer(web: &Arc<Web>, request: Request) -> Response {
    let work = opened(web, request).boxed();
    let opened = web.world.timeout(web.rules.request_timeout, work).await;
    match opened.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable()))) {
        Ok(response) => response,
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn opened(web: &Arc<Web>, request: Request) -> Result<Response, Envelope> {
    let Some(working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let method = method_of(request.method())?;
    let source = source_of(&request, &web.rules.trusted_proxies);
    let network = network_of(&request, &web.rules.trusted_proxies);
    let caller = caller_of(web, request.headers(), source, network).await?;
    let bearer = key::bearer(request.headers()).map(|bearer| Zeroizing::new(bearer.to_owned()));
    let last = request.headers().get("last-event-id");
    let wanted = Wanted {
        method,
        idempotency_key: key::idempotency(request.headers()),
        last_place: last
            .and_then(|last| last.to_str().ok())
            .filter(|last| !last.is_empty())
            .map(str::to_owned),
    };
    let ends_at = ends_at(web, &request);
    let asked = parameters(web, method, request).await?;
    let (begun, has_begun) = oneshot::channel();
    let (frames, receiver) = mpsc::channel(WAITING);
    let run = run(
        Arc::clone(web),
        caller,
        Asked { asked, wanted },
        Line {
            begun: Some(begun),
            frames,
        },
    );
    web.world.spawn(run);
    match has_begun.await {
        Ok(Begun::Refused(refusal)) => Ok(respond(*refusal, Media::GraphqlResponse)),
        Ok(Begun::Running(operation)) => {
            let body = Running {
                web: Arc::clone(web),
                frames: receiver,
                closing: web.closing(),
                bearer,
                ends_at,
                judged_at: web.world.now(),
                is_placed: false,
                place: None,
                is_over: false,
                _working: working,
            };
            Ok(streamed(body, operation))
        }
        Err(_panicked) => Err(Envelope::of(Fault::unknown())),
    }
}

/// A stream ends with its connection's time.
fn ends_at(web: &Web, request: &Request) -> Timestamp {
    let now = web.world.now();
    let least = now.after(SHORTEST);
    let OpenedAt { at, lasts } = request.extensions().get().copied().unwrap_or(OpenedAt {
        at: now,
        lasts: SHORTEST,
    });
    least.max(at.after(lasts))
}

/// What is asked for.
struct Asked {
    asked: graphql::Request,
    wanted: Wanted,
}

/// How a request began.
enum Begun {
    /// It can't run.
    Refused(Box<graphql::Response>),
    /// It runs; its operation, for metrics.
    Running(&'static str),
}

/// Where the answers of a running operation go.
struct Line {
    begun: Option<oneshot::Sender<Begun>>,
    frames: mpsc::Sender<Frame>,
}

impl Sink for Line {
    fn begin(&mut self, operation: &'static str) {
        if let Some(begun) = self.begun.take() {
            // A client that is gone is noticed by the next answer.
            let _ = begun.send(Begun::Running(operation));
        }
    }

    fn send(&mut self, frame: Frame) -> BoxFuture<'_, bool> {
        async move { self.frames.send(frame).await.is_ok() }.boxed()
    }
}

/// Runs the operation until it is over or nobody takes its answers.
async fn run(web: Arc<Web>, caller: Caller, asked: Asked, mut line: Line) {
    let frames = line.frames.clone();
    let Asked { asked, wanted } = asked;
    let refusal = {
        let api = &web.service.api;
        let work = api.stream(&caller, &asked, wanted, &mut line);
        tokio::select! {
            refusal = Box::pin(work) => refusal,
            () = frames.closed() => None,
        }
    };
    if let (Some(refusal), Some(begun)) = (refusal, line.begun.take()) {
        let _ = begun.send(Begun::Refused(Box::new(refusal)));
    }
}

/// A stream that is being sent.
struct Running {
    web: Arc<Web>,
    frames: mpsc::Receiver<Frame>,
    closing: watch::Receiver<bool>,
    bearer: Option<Zeroizing<String>>,
    ends_at: Timestamp,
    /// When the credential was judged last.
    judged_at: Timestamp,
    /// Whether the client knows where the stream begins.
    is_placed: bool,
    /// Where the stream is, if the client does not know that yet.
    place: Option<String>,
    is_over: bool,
    _working: Working,
}

impl Running {
    /// What is sent next; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let world = self.web.world.clone();
        loop {
            if self.is_over {
                return None;
            }
            let now = world.now();
            let left = self.ends_at.since(now);
            if left.is_zero() {
                return None;
            }
            let rest = HEARTBEAT.saturating_sub(now.since(self.judged_at));
            // Also where answers come all the time, and when the clock was set back.
            if rest.is_zero() || now < self.judged_at {
                return Some(self.heartbeat().await);
            }
            let Self {
                closing, frames, ..
            } = self;
            let next = tokio::select! {
                biased;
                _ = async { closing.wait_for(|closing| *closing).await.is_ok() } => return None,
                frame = frames.recv() => Some(frame),
                () = world.sleep(rest.min(left)) => None,
            };
            match next {
                Some(Some(frame)) => {
                    let is_stale = world.now().since(self.judged_at) >= FRESH;
                    if is_stale && let Some(refusal) = self.judged().await {
                        return Some(refusal);
                    }
                    if let Some(text) = self.taken(frame) {
                        return Some(Bytes::from(text));
                    }
                }
                Some(None) => {
                    self.is_over = true;
                    return Some(Bytes::from_static(COMPLETE.as_bytes()));
                }
                None => {}
            }
        }
    }

    /// What is written of a frame. The place where a stream begins is written at once, so that a client that is cut off before the first answer
    /// misses nothing; where it is later, with the next sign of life.
    fn taken(&mut self, frame: Frame) -> Option<String> {
        if frame.body.is_some() {
            self.place = None;
        } else if std::mem::replace(&mut self.is_placed, true) {
            self.place = frame.place;
            return None;
        }
        self.is_placed = true;
        Some(written(&frame))
    }

    /// Judges the credential. Where it has ended, the end of the stream.
    async fn judged(&mut self) -> Option<Bytes> {
        self.judged_at = self.web.world.now();
        let engine = &self.web.service.engine;
        let bearer = self.bearer.as_ref()?;
        let fault = engine.authenticate(bearer).await.err()?;
        if fault.code != Code::Unauthorized {
            return None;
        }
        self.is_over = true;
        let frame = Frame {
            place: None,
            body: Some(graphql::refusal(&fault)),
        };
        Some(Bytes::from([written(&frame), COMPLETE.to_owned()].concat()))
    }

    /// A sign of life, unless the credential has ended.
    async fn heartbeat(&mut self) -> Bytes {
        if let Some(refusal) = self.judged().await {
            return refusal;
        }
        let place = self.place.take().map(|place| id(&place));
        Bytes::from([":\n".to_owned(), place.unwrap_or_default(), "\n".to_owned()].concat())
    }
}

/// An answer as an event; where it has none, its place alone. Neither JSON nor a cursor has a line break in it.
fn written(frame: &Frame) -> String {
    let id = frame.place.as_deref().map(id).unwrap_or_default();
    let Some(body) = &frame.body else {
        return format!("{id}\n");
    };
    let body = String::from_utf8_lossy(body);
    format!("{id}event: next\ndata: {body}\n\n")
}

fn id(place: &str) -> String {
    format!("id: {place}\n")
}

fn streamed(running: Running, operation: &'static str) -> Response {
    let begin = stream::iter([Ok::<_, Infallible>(Bytes::from_static(RETRY.as_bytes()))]);
    let rest = stream::unfold(running, |mut running| async move {
        let next = running.next().await?;
        Some((Ok::<_, Infallible>(next), running))
    });
    let body = Body::from_stream(stream::StreamExt::chain(begin, rest));
    let mut response = (StatusCode::OK, body).into_response();
    let headers = response.headers_mut();
    let media = HeaderValue::from_static("text/event-stream; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, media);
    // Proxies of one kind gather answers before they pass them on, unless they are asked not to.
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    headers.insert(unbuffered, HeaderValue::from_static("no"));
    response.extensions_mut().insert(ResponseLabels {
        operation,
        code: "ok",
    });
    response
}
