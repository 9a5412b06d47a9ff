//! What a customer's browser says of itself, for a challenge that an issuer shows by its own means.

use serde::{Deserialize, Serialize};

use crate::{Fault, bounded::bounded, text_enum::text_enum};

/// Longest user agent and list of accepted types, in characters; longer ones are cut. Source: EMV 3-D Secure 2.3.1, `browserUserAgent`
/// and `browserAcceptHeader`.
pub const AGENT_MAX: usize = 2_048;
/// Most colours, in bits.
const DEEPEST: i32 = 64;
/// Largest side of a screen, in pixels. Source: EMV 3-D Secure 2.3.1, `browserScreenHeight`.
const WIDEST: i32 = 999_999;
/// Farthest from UTC, in minutes.
const FARTHEST: i32 = 24 * 60;

text_enum!(
    /// The size of the window in which a challenge is shown. Source: EMV 3-D Secure 2.3.1, `challengeWindowSize`.
    WindowSize {
        /// 250 × 400 pixels.
        W250 = "01",
        /// 390 × 400 pixels.
        W390 = "02",
        /// 500 × 600 pixels.
        W500 = "03",
        /// 600 × 400 pixels.
        W600 = "04",
        /// The whole screen.
        Full = "05",
    }
);

/// What a customer's browser says of itself. What it does not say is absent.
///
/// Source: EMV 3-D Secure 2.3.1, browser data elements. It is about a person, and erased with the customer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Browser {
    /// The language, such as `en-IE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Bits of a colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_depth: Option<i32>,
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_height: Option<i32>,
    /// Pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_width: Option<i32>,
    /// Minutes from local time to UTC, as `getTimezoneOffset` has it: -60 in Paris in winter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone_offset: Option<i32>,
    /// The `User-Agent` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// The `Accept` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_header: Option<String>,
    /// Whether it runs Java.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub java_enabled: Option<bool>,
    /// The size of the window that the page has for a challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_size: Option<WindowSize>,
}

/// A language, such as `en` or `zh-Hant-TW`. Source: RFC 5646, of which EMV 3-D Secure takes 35 characters.
///
/// # Errors
/// `error.validation` for `field`.
pub fn language(text: String, field: &str) -> Result<String, Fault> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if text.is_empty() || text.len() > 35 || !text.bytes().all(fits) {
        return Err(Fault::invalid(field, "must be a language such as en-IE"));
    }
    Ok(text)
}

/// A header of the browser's, cut at [`AGENT_MAX`] characters: what a browser sends must not keep its customer from paying.
///
/// # Errors
/// `error.validation` for `field`: it has control characters, or a card's number.
pub fn header(text: &str, field: &str) -> Result<String, Fault> {
    bounded(text.chars().take(AGENT_MAX).collect(), field, AGENT_MAX)
}

/// Bits of a colour.
///
/// # Errors
/// `error.validation` for `field`.
pub fn color_depth(bits: i32, field: &str) -> Result<i32, Fault> {
    within(bits, &(1..=DEEPEST), field)
}

/// A side of a screen.
///
/// # Errors
/// `error.validation` for `field`.
pub fn pixels(pixels: i32, field: &str) -> Result<i32, Fault> {
    within(pixels, &(0..=WIDEST), field)
}

/// Minutes from local time to UTC.
///
/// # Errors
/// `error.validation` for `field`.
pub fn time_zone_offset(minutes: i32, field: &str) -> Result<i32, Fault> {
    within(minutes, &(-FARTHEST..=FARTHEST), field)
}

fn within(number: i32, range: &std::ops::RangeInclusive<i32>, field: &str) -> Result<i32, Fault> {
    if range.contains(&number) {
        return Ok(number);
    }
    let reason = format!("must be from {} to {}", range.start(), range.end());
    Err(Fault::invalid(field, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_agent_is_cut_and_a_strange_number_refused() {
        let long = "x".repeat(AGENT_MAX + 1);
        assert_eq!(header(&long, "a").unwrap().len(), AGENT_MAX);
        assert!(header("a\r\nb", "a").is_err());
        assert!(header("Mozilla/5.0 4111111111111111", "a").is_err());
        assert!(language("zh-Hant-TW".to_owned(), "a").is_ok());
        for bad in ["", "en_IE", "en IE", &"a".repeat(36)] {
            assert!(language(bad.to_owned(), "a").is_err(), "{bad:?}");
        }
        assert!(color_depth(30, "a").is_ok() && color_depth(0, "a").is_err());
        assert!(pixels(0, "a").is_ok() && pixels(1_000_000, "a").is_err());
        assert!(time_zone_offset(-840, "a").is_ok() && time_zone_offset(1_441, "a").is_err());
    }
}
