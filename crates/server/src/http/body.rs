//! The body of a request, never more than allowed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::body::{Body, HttpBody};
use domain::Code;
use http::StatusCode;
use http_body_util::BodyExt;
use world::World;
use zeroize::{Zeroize, Zeroizing};

use super::envelope::Envelope;

/// A body that is too large is still read up to this many times the limit, and thrown away: a client that is cut off while
/// it sends may never read the answer.
const READ_AWAY: usize = 16;

/// Room for a body whose length was not declared. Unit: bytes.
const UNDECLARED: u64 = 16 * 1024;

/// How fast a body must come: so many bytes within each such time, the last one apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) bytes: u64,
    pub(super) within: Duration,
}

/// The whole body, as [`read`] gives it; nothing where it comes more slowly than `pace`.
pub(super) async fn read_steadily(
    body: Body,
    limit: usize,
    world: &World,
    pace: Pace,
) -> Option<Result<Zeroizing<Vec<u8>>, Envelope>> {
    let seen = Arc::new(AtomicU64::new(0));
    let counted = {
        let seen = Arc::clone(&seen);
        body.map_frame(move |frame| {
            let bytes = frame.data_ref().map_or(0, bytes::Bytes::len);
            seen.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
            frame
        })
    };
    let too_slow = async {
        let mut before = 0;
        loop {
            world.sleep(pace.within).await;
            let now = seen.load(Ordering::Relaxed);
            if now.saturating_sub(before) < pace.bytes {
                return;
            }
            before = now;
        }
    };
    tokio::select! {
        biased;
        whole = read(Body::new(counted), limit) => Some(whole),
        () = too_slow => None,
    }
}

/// The whole body, which is wiped when it is dropped: it may hold a card number.
pub(super) async fn read(mut body: Body, limit: usize) -> Result<Zeroizing<Vec<u8>>, Envelope> {
    // Room from the start, since growing would leave copies behind. A body without a length grows in few steps.
    let reported = body.size_hint().exact().unwrap_or(UNDECLARED);
    let room = usize::try_from(reported).unwrap_or(limit).min(limit);
    let mut whole = Zeroizing::new(Vec::with_capacity(room));
    let mut seen = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Envelope::malformed(
                Code::GraphqlSyntax,
                "The body could not be read.",
            ));
        };
        let Some(data) = frame.data_ref() else {
            continue;
        };
        seen = seen.saturating_add(data.len());
        if seen <= limit {
            extend(&mut whole, data);
        } else {
            whole.zeroize();
        }
        if seen > limit.saturating_mul(READ_AWAY) {
            break;
        }
    }
    if seen > limit {
        return Err(Envelope::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            Code::GraphqlLimit,
            format!("The body is larger than {limit} bytes."),
        ));
    }
    Ok(whole)
}

/// Adds to the body. What is too small for it is wiped.
fn extend(whole: &mut Zeroizing<Vec<u8>>, data: &[u8]) {
    let length = whole.len().saturating_add(data.len());
    if length > whole.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(length.saturating_mul(2)));
        larger.extend_from_slice(whole);
        *whole = larger;
    }
    whole.extend_from_slice(data);
}
