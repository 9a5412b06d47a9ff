//! The id of a request: the client's own when it is well formed, else a new one.

use domain::card_number::holds_card_number;
use http::{HeaderMap, HeaderName, HeaderValue};
use world::World;

/// The header that carries it.
pub(super) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id of a client's own.
const LONGEST: usize = 128;

/// The id of a request: 1 to 128 of `A-Z a-z 0-9 . _ -`, and no card number, since ids are logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestId(String);

impl RequestId {
    /// The request's own, or a new one.
    pub(super) fn of(headers: &HeaderMap, world: &World) -> Self {
        headers
            .get(HEADER)
            .and_then(own)
            .unwrap_or_else(|| Self(format!("req-{}", world.token(22))))
    }

    /// The id.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The header's value.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

fn own(value: &HeaderValue) -> Option<RequestId> {
    let text = value.to_str().ok()?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let well_formed = (1..=LONGEST).contains(&text.len()) && text.bytes().all(fits);
    (well_formed && !holds_card_number(text)).then(|| RequestId(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(value: &str) -> RequestId {
        let (world, _) = World::simulated(1);
        RequestId::of(
            &HeaderMap::from_iter([(HEADER, HeaderValue::from_bytes(value.as_bytes()).unwrap())]),
            &world,
        )
    }

    #[test]
    fn a_well_formed_id_is_kept() {
        for kept in ["a", "0192-Ab.c_d", &"x".repeat(128)] {
            assert_eq!(id(kept).text(), kept);
        }
    }

    #[test]
    fn a_card_number_is_no_id() {
        for card in [
            "4242424242424242",
            "order-4242424242424242-a",
            "4242-4242-4242-4242",
        ] {
            assert!(id(card).text().starts_with("req-"), "{card}");
        }
        for kept in [
            "4242424242424241",
            "4242-4242",
            "01a1fc89-c83e-7731-8a9c-ab2cdd21041b",
            "1769851800006",
            "1769851800014",
        ] {
            assert_eq!(id(kept).text(), kept);
        }
    }

    #[test]
    fn any_other_is_replaced() {
        for replaced in ["", " ", "a b", "a\"b", "ümlaut", "a/b", &"x".repeat(129)] {
            let new = id(replaced);
            assert_ne!(new.text(), replaced);
            assert!(new.text().starts_with("req-") && new.text().len() == 26);
        }
        let (world, _) = World::simulated(1);
        assert!(
            RequestId::of(&HeaderMap::new(), &world)
                .text()
                .starts_with("req-")
        );
    }
}
