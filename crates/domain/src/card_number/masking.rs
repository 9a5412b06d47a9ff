//! Texts with the card numbers in them masked.

use std::{borrow::Cow, ops::Range};

use super::{
    MAX_DIGITS, SHOWN,
    by_chance::{UUID_LENGTH, is_uuid},
    card_at_end, holds_card_number, plain_digit, separates,
};

/// The text with `*` for the digits of what [`holds_card_number`] sees, but the last four.
pub fn mask_card_numbers(text: &str) -> Cow<'_, str> {
    mask_cards_where(text, |_| true)
}

/// The text with the percent escapes of an address resolved, and spaces for `+`, so that a number between them is seen.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', '+']) {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let escaped = behind.split_first_chunk::<2>().and_then(|(digits, after)| {
            let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
            let value = high?.checked_mul(16)?.checked_add(low?)?;
            Some((u8::try_from(value).ok()?, after))
        });
        match (first, escaped) {
            (b'%', Some((byte, after))) => {
                bytes.push(byte);
                rest = after;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The same for those card numbers alone whose digits are meant.
pub fn mask_cards_where(text: &str, is_meant: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !holds_card_number(text) {
        return Cow::Borrowed(text);
    }
    let mut letters: Vec<char> = text.chars().collect();
    let plain = without_uuids(&letters);
    let mut run: Vec<Group> = Vec::new();
    for group in groups(&plain) {
        let follows = run.last().is_some_and(|last: &Group| {
            let between = plain.get(last.place.end..group.place.start);
            between.is_some_and(|between| separates(between.iter().copied()))
        });
        if !follows {
            run.clear();
        }
        run.push(group);
        // A number has no more groups than digits.
        if run.len() > MAX_DIGITS {
            run.remove(0);
        }
        let texts: Vec<&str> = run.iter().map(|group| group.digits.as_str()).collect();
        let Some(card) = card_at_end(&texts) else {
            continue;
        };
        if !is_meant(&card.digits) {
            continue;
        }
        let from = run.len().saturating_sub(card.groups);
        let places = run.iter().skip(from).flat_map(|group| group.place.clone());
        let hidden = card.digits.len().saturating_sub(SHOWN);
        for place in places.take(hidden) {
            if let Some(letter) = letters.get_mut(place) {
                *letter = '*';
            }
        }
        run.clear();
    }
    Cow::Owned(letters.into_iter().collect())
}

/// Digits that follow each other.
struct Group {
    digits: String,
    place: Range<usize>,
}

/// The groups of digits, in order.
fn groups(plain: &[char]) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for (place, letter) in plain.iter().enumerate() {
        if !letter.is_ascii_digit() {
            continue;
        }
        match all.last_mut() {
            Some(last) if last.place.end == place => {
                last.digits.push(*letter);
                last.place.end = place.saturating_add(1);
            }
            _ => all.push(Group {
                digits: letter.to_string(),
                place: place..place.saturating_add(1),
            }),
        }
    }
    all
}

/// Plain digits in the place of others, and letters in the place of UUIDs.
fn without_uuids(letters: &[char]) -> Vec<char> {
    let plain = letters
        .iter()
        .map(|letter| plain_digit(*letter).unwrap_or(*letter));
    let mut plain: Vec<char> = plain.collect();
    let mut from: usize = 0;
    while let Some(window) = plain.get(from..from.saturating_add(UUID_LENGTH)) {
        let is_part = |place: Option<usize>| {
            let letter = place.and_then(|place| plain.get(place));
            letter.is_some_and(|letter| letter.is_alphanumeric())
        };
        let end = from.saturating_add(UUID_LENGTH);
        let stands_alone = !is_part(from.checked_sub(1)) && !is_part(Some(end));
        let starts = window.get(8) == Some(&'-') && stands_alone;
        if starts && is_uuid(&window.iter().collect::<String>()) {
            plain.splice(from..end, ['u'; UUID_LENGTH]);
            from = end;
        } else {
            from = from.saturating_add(1);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_masked_but_for_their_last_four_digits() {
        for (text, masked) in [
            ("4242424242424242", "************4242"),
            ("paid 4242 4242-4242/4242.", "paid **** ****-****/4242."),
            (
                "01 4242424242424242 x 378282246310005",
                "01 ************4242 x ***********0005",
            ),
            ("４２４２４２４２４２４２４２４２", "************４２４２"),
            (
                "5c383244-2317-4101-818b-acb120ffe2fe: 4242 4242 4242 4242",
                "5c383244-2317-4101-818b-acb120ffe2fe: **** **** **** 4242",
            ),
            (
                "42424242-4242-4242-8000-000000000000",
                "********-****-4242-8000-000000000000",
            ),
            (
                "é 4242424242424242 é 4242424242424242",
                "é ************4242 é ************4242",
            ),
        ] {
            assert_eq!(mask_card_numbers(text), masked, "{text}");
            assert!(!holds_card_number(masked), "{masked}");
        }
        for text in [
            "",
            "order 17",
            "2026112106220001",
            "5c383244-2317-4101-818b-acb120ffe2fe",
        ] {
            assert_eq!(mask_card_numbers(text), text);
        }
    }

    #[test]
    fn only_those_that_are_meant_are_masked() {
        let text = "4242424242424242 5555555555554444";
        let masked = mask_cards_where(text, |digits| digits.starts_with('5'));
        assert_eq!(masked, "4242424242424242 ************4444");
    }
}
