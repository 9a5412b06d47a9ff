//! Content negotiation of the GraphQL endpoint, as the GraphQL-over-HTTP draft asks for.

use http::{HeaderMap, HeaderValue, header};

use super::envelope::Media;

/// The media type of the answer; `None` when the client takes neither.
///
/// Without `Accept`, and for `*/*`, it is `application/json`, since that is what older clients expect. Of several types
/// with the same weight the first counts.
pub(super) fn acceptable(headers: &HeaderMap) -> Option<Media> {
    let mut best: Option<(u16, Media)> = None;
    let mut ranges = 0_usize;
    for value in headers.get_all(header::ACCEPT) {
        let Ok(text) = value.to_str() else { continue };
        for range in text
            .split(',')
            .map(str::trim)
            .filter(|range| !range.is_empty())
        {
            ranges = ranges.saturating_add(1);
            let heavier = |weight: u16| weight > best.map_or(0, |(weight, _)| weight);
            best = weighed(range)
                .filter(|(weight, _)| heavier(*weight))
                .or(best);
        }
    }
    match best {
        Some((_, media)) => Some(media),
        None if ranges == 0 => Some(Media::Json),
        None => None,
    }
}

/// The weight in thousandths of a range, and the type of ours that it stands for.
fn weighed(range: &str) -> Option<(u16, Media)> {
    let mut parts = range.split(';').map(str::trim);
    let media = match parts.next()?.to_ascii_lowercase().as_str() {
        "application/json" | "application/*" | "*/*" => Media::Json,
        "application/graphql-response+json" => Media::GraphqlResponse,
        _ => return None,
    };
    let mut weight = 1000;
    for part in parts {
        let (name, value) = part.split_once('=')?;
        match name.trim().to_ascii_lowercase().as_str() {
            "q" => weight = thousandths(value.trim())?,
            "charset" if !is_utf8(value) => return None,
            _ => {}
        }
    }
    Some((weight, media))
}

/// `0.8` as 800.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(1000),
        _ => None,
    }
}

/// Whether a body is JSON in UTF-8, by its headers.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let one = |name| {
        let mut values = headers.get_all(name).iter();
        (values.next(), values.next().is_none())
    };
    let (Some(value), true) = one(header::CONTENT_TYPE) else {
        return false;
    };
    let Ok(text) = value.to_str() else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|media| media.eq_ignore_ascii_case("application/json"));
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    json && charset.is_none_or(|(_, charset)| is_utf8(charset))
        && is_plain(headers.get(header::CONTENT_ENCODING))
}

fn is_utf8(charset: &str) -> bool {
    let charset = charset.trim().trim_matches('"');
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

fn is_plain(encoding: Option<&HeaderValue>) -> bool {
    encoding.is_none_or(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(text: &'static str) -> Option<Media> {
        acceptable(&HeaderMap::from_iter([(
            header::ACCEPT,
            HeaderValue::from_static(text),
        )]))
    }

    fn content_type(text: &'static str) -> bool {
        is_json(&HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            HeaderValue::from_static(text),
        )]))
    }

    #[test]
    fn without_a_wish_the_answer_is_plain_json() {
        assert_eq!(acceptable(&HeaderMap::new()), Some(Media::Json));
        assert_eq!(accept(""), Some(Media::Json));
        assert_eq!(accept("*/*"), Some(Media::Json));
        assert_eq!(accept("application/*"), Some(Media::Json));
    }

    #[test]
    fn the_heavier_wish_wins_and_of_equals_the_first() {
        assert_eq!(
            accept("application/graphql-response+json, application/json;q=0.9"),
            Some(Media::GraphqlResponse)
        );
        assert_eq!(
            accept("application/graphql-response+json; charset=utf-8, */*"),
            Some(Media::GraphqlResponse)
        );
        assert_eq!(
            accept("application/json, application/graphql-response+json"),
            Some(Media::Json)
        );
        assert_eq!(
            accept("application/graphql-response+json;q=0.1, application/json;q=0.2"),
            Some(Media::Json)
        );
        assert_eq!(
            accept("Application/GraphQL-Response+JSON"),
            Some(Media::GraphqlResponse)
        );
    }

    #[test]
    fn other_types_are_not_acceptable() {
        assert_eq!(accept("text/html"), None);
        assert_eq!(accept("application/json;q=0"), None);
        assert_eq!(accept("application/json; charset=utf-16"), None);
        assert_eq!(
            accept("text/html, application/json;q=0.001"),
            Some(Media::Json)
        );
        assert_eq!(accept("application/json;q=1.5"), None);
    }

    #[test]
    fn a_body_is_json_in_utf_8() {
        assert!(content_type("application/json"));
        assert!(content_type("Application/JSON; Charset=\"UTF-8\""));
        assert!(!content_type("application/json; charset=latin1"));
        assert!(!content_type("text/plain"));
        assert!(!content_type("application/jsonp"));
        assert!(!is_json(&HeaderMap::new()));
        let mut compressed = HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )]);
        compressed.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_json(&compressed));
    }
}
