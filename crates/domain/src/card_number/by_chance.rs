//! Texts that have a card's number by chance: they are passed over when numbers are looked for.

use std::borrow::Cow;

/// The shortest hexadecimal text that is a key or a hash: 16 bytes.
const KEY_LENGTH: usize = 32;

/// So many letters a key of that length has, but for one in 2,700. Digits with fewer could hide a number.
const KEY_LETTERS: usize = 4;

/// The text with a letter in place of each word that is a hexadecimal key or hash.
pub(super) fn without_hex_keys(text: &str) -> Cow<'_, str> {
    if text.len() < KEY_LENGTH {
        return Cow::Borrowed(text);
    }
    let is_edge = |letter: char| !letter.is_alphanumeric();
    let words = text.split_inclusive(is_edge).map(|word| {
        let key = word.trim_end_matches(is_edge);
        match word.strip_prefix(key) {
            Some(behind) if is_hex_key(key) => Cow::Owned(format!("h{behind}")),
            _ => Cow::Borrowed(word),
        }
    });
    Cow::Owned(words.collect())
}

fn is_hex_key(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    word.len() >= KEY_LENGTH
        && letters >= KEY_LETTERS
        && word.bytes().all(|letter| letter.is_ascii_hexdigit())
}

/// The text with a letter in place of each UUID.
pub(super) fn without_uuids(text: &str) -> Cow<'_, str> {
    if text.len() < UUID_LENGTH || !text.contains('-') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let bounded = !kept.ends_with(char::is_alphanumeric);
        match rest.split_at_checked(UUID_LENGTH) {
            Some((uuid, behind))
                if bounded && is_uuid(uuid) && !behind.starts_with(char::is_alphanumeric) =>
            {
                kept.push('u');
                rest = behind;
            }
            _ => {
                kept.push(letter);
                rest = rest.strip_prefix(letter).unwrap_or_default();
            }
        }
    }
    Cow::Owned(kept)
}

/// Whether these are the letters of a UUID as RFC 9562 makes them. One of digits alone could hide a number.
pub(super) fn is_uuid(text: &str) -> bool {
    let fits = |(place, letter): (usize, u8)| match place {
        8 | 13 | 18 | 23 => letter == b'-',
        14 => matches!(letter, b'1'..=b'8'),
        19 => matches!(letter, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
        _ => letter.is_ascii_hexdigit(),
    };
    text.bytes().enumerate().all(fits) && text.bytes().any(|letter| letter.is_ascii_alphabetic())
}

/// Bytes of a UUID as text.
pub(super) const UUID_LENGTH: usize = 36;
