//! What the head of a request must not be: what a proxy in front and we could read in two ways.

use http::{Request, StatusCode, Version, header};

use super::envelope::Envelope;
use domain::Code;

/// Headers of one request may have this many bytes in all.
pub(super) const HEADER_BYTES: usize = 32 * 1024;

/// Refuses a request whose head can be read in two ways, or is too large. The connection ends then.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Envelope> {
    let refuse = |message: &str| Err(Envelope::malformed(Code::GraphqlSyntax, message));
    let hosts = request.headers().get_all(header::HOST).iter().count();
    // Source: RFC 9112, section 3.2.
    if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
        return refuse("The request must have one Host header.");
    }
    let codings = request.headers().get_all(header::TRANSFER_ENCODING);
    let mut codings = codings.iter();
    if let Some(coding) = codings.next()
        && (codings.next().is_some()
            || !coding
                .as_bytes()
                .trim_ascii()
                .eq_ignore_ascii_case(b"chunked"))
    {
        return refuse("The only transfer coding that is understood is chunked.");
    }
    let size = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum::<usize>();
    if size > HEADER_BYTES {
        return Err(Envelope::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Code::GraphqlLimit,
            format!("The headers are larger than {HEADER_BYTES} bytes."),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&str, &str)], version: Version) -> Option<u16> {
        let mut request = Request::builder().version(version);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let refused = check(&request.body(()).unwrap()).err()?;
        Some(refused.status().as_u16())
    }

    #[test]
    fn a_request_has_one_host() {
        assert_eq!(status(&[("host", "a")], Version::HTTP_11), None);
        assert_eq!(status(&[], Version::HTTP_11), Some(400));
        assert_eq!(status(&[], Version::HTTP_10), None);
        let two = [("host", "a"), ("host", "a")];
        assert_eq!(status(&two, Version::HTTP_11), Some(400));
        assert_eq!(status(&two, Version::HTTP_10), Some(400));
    }

    #[test]
    fn the_only_transfer_coding_is_chunked() {
        let coding = |value| {
            status(
                &[("host", "a"), ("transfer-encoding", value)],
                Version::HTTP_11,
            )
        };
        assert_eq!(coding("chunked"), None);
        assert_eq!(coding("Chunked "), None);
        for other in ["identity", "gzip, chunked", "chunked, chunked", ""] {
            assert_eq!(coding(other), Some(400), "{other:?}");
        }
        let two = [
            ("host", "a"),
            ("transfer-encoding", "identity"),
            ("transfer-encoding", "chunked"),
        ];
        assert_eq!(status(&two, Version::HTTP_11), Some(400));
    }

    #[test]
    fn headers_have_a_size() {
        let long = "x".repeat(HEADER_BYTES);
        let headers = [("host", "a"), ("x-long", long.as_str())];
        assert_eq!(status(&headers, Version::HTTP_11), Some(431));
    }
}
