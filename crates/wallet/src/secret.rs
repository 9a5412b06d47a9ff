//! Texts that come out of a token and are never shown.

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// Longest cryptogram. Unit: characters. American Express has the longest, 40 bytes as base64.
const CRYPTOGRAM_MAX: usize = 128;

/// A text that is wiped when dropped and has no way to be shown.
pub(crate) struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The text, given away to a type that wipes it as well.
    pub(crate) fn into_text(mut self) -> String {
        std::mem::take(&mut *self.0)
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

/// The one-time value that proves to the issuer that the wallet made this token (base64). It has no `Debug`, `Display`,
/// `Serialize`, `Clone` or equality, and wipes its memory when dropped.
pub struct Cryptogram(Zeroizing<String>);

impl Cryptogram {
    /// Reads 1 to 128 visible ASCII characters, and wipes the text when it is anything else.
    pub fn parse(text: String) -> Option<Self> {
        let text = Zeroizing::new(text);
        let valid = (1..=CRYPTOGRAM_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        valid.then_some(Self(text))
    }

    /// The clear value. Only sealing and the call to a processor have a use for it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A second copy, as secret as the first.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cryptogram_is_a_short_visible_text() {
        assert_eq!(
            Cryptogram::parse("AgAAAAAA+/=".to_owned())
                .unwrap()
                .duplicate()
                .expose(),
            "AgAAAAAA+/="
        );
        for text in [
            String::new(),
            "a b".to_owned(),
            "a\n".to_owned(),
            "é".to_owned(),
            "A".repeat(129),
        ] {
            assert!(Cryptogram::parse(text).is_none());
        }
        assert!(Cryptogram::parse("A".repeat(128)).is_some());
    }
}
