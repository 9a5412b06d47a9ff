//! The headers that say who asks, and under which idempotency key.

use http::{HeaderMap, HeaderName, header};

/// The header of idempotency keys: ours, and the one of the IETF's draft that others use. Both mean the same.
static IDEMPOTENCY_KEYS: [HeaderName; 2] = [
    HeaderName::from_static("x-idempotency-key"),
    HeaderName::from_static("idempotency-key"),
];

/// The credential: one `Authorization` header with the scheme Bearer.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// The idempotency key. Several under one name, two that differ, or one that is not ASCII, is returned as an empty one, which is never
/// valid: where keys are ignored such a header is too.
pub(super) fn idempotency(headers: &HeaderMap) -> Option<String> {
    let mut keys = IDEMPOTENCY_KEYS.iter().filter_map(|name| {
        let mut values = headers.get_all(name).iter();
        let first = values.next()?;
        let key = first.to_str().ok().filter(|_| values.next().is_none());
        Some(key.unwrap_or_default())
    });
    let first = keys.next()?;
    let key = if keys.all(|other| other == first) {
        first
    } else {
        ""
    };
    Some(key.to_owned())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: &HeaderName, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_credential_is_one_bearer() {
        let one = |text: &str| {
            bearer(&headers(&header::AUTHORIZATION, &[text.as_bytes()])).map(str::to_owned)
        };
        assert_eq!(one("Bearer sk_test_1").as_deref(), Some("sk_test_1"));
        assert_eq!(one("bearer  sk_test_1").as_deref(), Some("sk_test_1"));
        for wrong in ["sk_test_1", "Basic sk_test_1", "Bearer", "Bearer ", ""] {
            assert_eq!(one(wrong), None, "{wrong:?}");
        }
        assert_eq!(
            bearer(&headers(
                &header::AUTHORIZATION,
                &[b"Bearer a", b"Bearer a"]
            )),
            None
        );
        assert_eq!(bearer(&HeaderMap::new()), None);
    }

    #[test]
    fn several_keys_or_other_letters_are_no_valid_key() {
        let given = |values: &[&[u8]]| {
            let [ours, theirs] = IDEMPOTENCY_KEYS
                .each_ref()
                .map(|name| idempotency(&headers(name, values)));
            assert_eq!(ours, theirs);
            ours
        };
        assert_eq!(given(&[b"k-1"]).as_deref(), Some("k-1"));
        assert_eq!(given(&[]), None);
        assert_eq!(given(&[b""]).as_deref(), Some(""));
        assert_eq!(given(&[b"k-1", b"k-1"]).as_deref(), Some(""));
        assert_eq!(given(&["schlüssel".as_bytes()]).as_deref(), Some(""));
    }
    #[test]
    fn both_names_mean_the_same_and_must_not_differ() {
        let given = |ours: &[u8], theirs: &[u8]| {
            let mut both = headers(&IDEMPOTENCY_KEYS[0], &[ours]);
            both.extend(headers(&IDEMPOTENCY_KEYS[1], &[theirs]));
            idempotency(&both)
        };
        assert_eq!(given(b"k-1", b"k-1").as_deref(), Some("k-1"));
        assert_eq!(given(b"k-1", b"k-2").as_deref(), Some(""));
        assert_eq!(given(b"k-1", b"").as_deref(), Some(""));
    }
}
