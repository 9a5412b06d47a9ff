//! The query part of an address.

use percent_encoding::percent_decode_str;

/// Names and values in order; `None` when an escape is broken or the text is not UTF-8.
pub(super) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    // The library leaves a broken escape as it is.
    let escapes = spaced.split('%').skip(1);
    let mut digits = escapes.map(|rest| rest.as_bytes().get(..2));
    if !digits.all(|two| two.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))) {
        return None;
    }
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_pluses_are_decoded() {
        let read = pairs("query=%7B+__typename+%7D&variables=%7b%7d&x").unwrap();
        let expected = [("query", "{ __typename }"), ("variables", "{}"), ("x", "")];
        assert_eq!(
            read,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(pairs("a=%F0%9F%8F%83").unwrap()[0].1, "🏃");
    }

    #[test]
    fn broken_escapes_and_bytes_that_are_no_text_are_refused() {
        for broken in ["a=%", "a=%2", "a=%zz", "a=%ff", "a=%c3%28", "%ff=a"] {
            assert_eq!(pairs(broken), None, "{broken}");
        }
    }
}
