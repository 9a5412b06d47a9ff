//! What a handler left of a request's body, read away so that the connection can be used again.
//!
//! A refusal is answered without a look at the body. What is left of it would be the next request's beginning, so hyper
//! closes the connection, and a client that sends on it finds it broken.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use world::World;

/// A body that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The body that a handler reads, and what it leaves.
#[derive(Clone)]
pub(super) struct LeftOver(Arc<Mutex<Body>>);

impl LeftOver {
    /// Shares a body. `None` when there is nothing to read, or when the client sends it only once it is asked to.
    pub(super) fn of(request: &mut axum::extract::Request) -> Option<Self> {
        let waits = request.headers().contains_key(http::header::EXPECT);
        if waits || request.body().is_end_stream() {
            return None;
        }
        let body = std::mem::take(request.body_mut());
        let left = Self(Arc::new(Mutex::new(body)));
        *request.body_mut() = Body::new(left.clone());
        Some(left)
    }

    /// Reads away what is left, up to `most` bytes. False when there is more, or when it does not come in time.
    pub(super) async fn read_away(mut self, world: &World, most: usize) -> bool {
        let work = async {
            let mut seen = 0_usize;
            while let Some(frame) = self.frame().await {
                let Ok(frame) = frame else { return false };
                seen = seen.saturating_add(frame.data_ref().map_or(0, Bytes::len));
                if seen > most {
                    return false;
                }
            }
            true
        };
        world.timeout(PATIENCE, work).await == Ok(true)
    }
}

impl HttpBody for LeftOver {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut body = self.0.lock();
        if body.is_end_stream() {
            return Poll::Ready(None);
        }
        Pin::new(&mut *body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}
