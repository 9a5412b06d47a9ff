//! Texts of processors. They come from outside, are kept in clear and are shown to people, in browsers and on terminals.

use std::{borrow::Cow, fmt, ops::Deref};

use serde::{Deserialize, Serialize};

use crate::{
    card_number::{mask_card_numbers, mask_cards_where},
    processor_token::OwnToken,
};

/// Longest text of a processor that is kept. Unit: characters.
pub const TEXT_MAX: usize = 500;
/// Longest id of a processor that is kept. Unit: characters.
pub const ID_MAX: usize = 255;

/// Longest address of a page that is kept. Unit: bytes.
const ADDRESS_MAX: usize = 2048;

/// A text of a processor as it is kept: one line of at most [`TEXT_MAX`] characters, without card numbers. There is no other way to make
/// one, so what a connector hands on as this type is clean wherever it goes, into logs too.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct ProcessorText(String);

impl From<&str> for ProcessorText {
    fn from(text: &str) -> Self {
        Self(processor_text(text, TEXT_MAX))
    }
}

impl From<String> for ProcessorText {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl Deref for ProcessorText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProcessorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProcessorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A text of a processor as it is kept: one line of at most `max` characters, without card numbers.
pub fn processor_text(text: &str, max: usize) -> String {
    let line = one_line(text);
    cut(mask_card_numbers(&line), max)
}

/// The text in one line, with spaces for control characters and without those that are invisible or change the direction of writing:
/// they could pass a forged line, or a command to a terminal, for words of ours.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| parts(letter) || hides(letter)) {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().filter(|letter| !hides(*letter));
    let mut line = String::with_capacity(text.len());
    for letter in kept {
        match letter {
            letter if !parts(letter) => line.push(letter),
            _ if !line.ends_with(' ') => line.push(' '),
            _ => {}
        }
    }
    Cow::Owned(line.trim().to_owned())
}

/// Control characters, and what ends a line or a paragraph.
fn parts(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// What has no width, or changes the direction of writing. Source: Unicode 16, general category Cf.
const fn hides(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// At most so many characters, the last of them a sign that there was more.
fn cut(text: Cow<'_, str>, max: usize) -> String {
    if text.chars().nth(max).is_none() {
        return text.into_owned();
    }
    let kept = text.chars().take(max.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// Brings a text into the form in which it is kept.
pub(crate) fn clean(text: &mut String) {
    *text = processor_text(text, TEXT_MAX);
}

/// An address of a page. One that no browser would take as it is, is left out.
pub(crate) fn clean_address(address: &mut Option<String>) {
    *address = address.take().filter(|text| is_address(text));
}

/// Whether a browser can be sent to an address as it is.
pub fn is_address(text: &str) -> bool {
    text.len() <= ADDRESS_MAX && one_line(text) == text
}

/// The card of a payment, as far as it is known. It cleans ids: they look like numbers of other cards by chance, and calls need them
/// as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnCard<'a> {
    /// The first digits.
    pub bin: Option<&'a str>,
    /// All but the last digits masked.
    pub masked: Option<&'a str>,
}

impl OwnCard<'_> {
    /// Whether an id can be kept as it is: of a bounded length, in one line, and not the card's number.
    pub fn keeps(self, id: &str) -> bool {
        let mut kept = Some(id.to_owned());
        self.clean_id(&mut kept);
        kept.as_deref() == Some(id)
    }

    /// Whether a processor's own token can be kept as it is.
    pub fn keeps_token(self, own: &OwnToken) -> bool {
        let customer = own.customer.as_deref();
        !own.value.is_empty()
            && self.keeps(&own.value)
            && customer.is_none_or(|customer| !customer.is_empty() && self.keeps(customer))
    }

    /// Brings an id, where there is one, into the form in which it is kept.
    pub fn clean_id(self, id: &mut Option<String>) {
        if let Some(id) = id {
            let last = self.masked.map(|masked| masked.trim_start_matches('*'));
            let line = one_line(id);
            let masked = mask_cards_where(&line, |digits| {
                self.bin.is_some_and(|bin| digits.starts_with(bin))
                    && last.is_some_and(|last| digits.ends_with(last))
            });
            *id = cut(masked, ID_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_terminals_and_forged_lines_become_plain_words() {
        for (text, kept) in [
            (
                "\u{1b}]0;PWN\u{7}\u{1b}[2J\nFake line",
                "]0;PWN [2J Fake line",
            ),
            ("a\0b\u{9b}2Jc\u{2028}d", "a b 2Jc d"),
            ("ref\u{202e}dne\u{2069}\u{200b}ed", "refdneed"),
            ("Überweisung nach 東京", "Überweisung nach 東京"),
            ("", ""),
        ] {
            assert_eq!(processor_text(text, TEXT_MAX), kept, "{text:?}");
        }
    }

    #[test]
    fn texts_are_bounded_and_hold_no_card_number() {
        assert_eq!(processor_text("abcdef", 6), "abcdef");
        assert_eq!(processor_text("äöüabcdef", 6), "äöüab…");
        assert_eq!(
            processor_text("card 4242\u{200b}4242\u{1b}42424242 x", 500),
            "card ******** ****4242 x"
        );
        let at_the_end = format!("{} 4242424242424242", "x".repeat(490));
        assert!(!processor_text(&at_the_end, TEXT_MAX).contains("4242"));
    }

    #[test]
    fn the_type_is_clean_however_it_is_made() {
        let dirty = "4242424242424242\u{1b}[2J\nx";
        let text = ProcessorText::from(dirty);
        assert_eq!(&*text, "************4242 [2J x");
        let json = serde_json::to_string(&dirty).unwrap();
        let read: ProcessorText = serde_json::from_str(&json).unwrap();
        assert_eq!(read, text);
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            "\"************4242 [2J x\""
        );
        assert_eq!(
            format!("{text} {text:?}"),
            "************4242 [2J x \"************4242 [2J x\""
        );
    }

    #[test]
    fn an_id_is_kept_as_it_is_unless_it_is_the_payments_own_card() {
        let card = OwnCard {
            bin: Some("424242"),
            masked: Some("************4242"),
        };
        let cleaned = |id: &str| {
            let mut id = Some(id.to_owned());
            card.clean_id(&mut id);
            id.unwrap_or_default()
        };
        assert_eq!(cleaned("5555555555554444"), "5555555555554444");
        assert_eq!(cleaned("re_4242424242424242"), "re_************4242");
        assert_eq!(cleaned("re\u{1b}[2J\0"), "re [2J");
        assert_eq!(cleaned(&"x".repeat(900)).chars().count(), ID_MAX);
    }
}
