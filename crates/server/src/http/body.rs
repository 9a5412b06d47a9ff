//! The body of a request, never more than allowed.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use domain::Code;
use http::StatusCode;
use http_body_util::BodyExt;

use super::envelope::Envelope;

/// A body that is too large is still read up to this many times the limit, and thrown away: a client that is cut off while
/// it sends may never read the answer.
const READ_AWAY: usize = 16;

/// The whole body.
pub(super) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Envelope> {
    let mut whole = BytesMut::new();
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
            whole.extend_from_slice(data);
        } else {
            whole.clear();
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
    Ok(whole.freeze())
}
