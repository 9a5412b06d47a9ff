//! Where a customer is sent back to: an address that the merchant gave.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{
    Fault,
    bounded::{CARD, bounded},
    card_number::{holds_card_number, without_escapes},
};

/// Longest address, as given and as normalised. Unit: characters.
pub const REDIRECT_MAX: usize = 2_000;

/// Schemes that a browser or a system acts on by itself, or that lead to no page and no app of the merchant's. Which of the
/// others may be used is for the team's list to say; these can't be listed.
const REFUSED: [&str; 44] = [
    "about",
    "blob",
    "chrome",
    "chrome-extension",
    "content",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "itms",
    "itms-apps",
    "itms-services",
    "jar",
    "javascript",
    "jnlp",
    "ldap",
    "livescript",
    "market",
    "mailto",
    "microsoft-edge",
    "moz-extension",
    "onenote",
    "resource",
    "search",
    "search-ms",
    "shell",
    "sip",
    "skype",
    "sms",
    "smb",
    "ssh",
    "steam",
    "tel",
    "telnet",
    "vbscript",
    "view-source",
    "vnc",
    "vscode",
    "vscode-insiders",
    "zoommtg",
    "ws",
    "wss",
    "x-javascript",
];

/// An absolute address to which a customer is sent back: http, https, or an app's own scheme (`com.shop.app://`).
///
/// Holds visible ASCII alone, so that it fits a header. Source: behaviour contract, section 4.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RedirectUrl(String);

impl RedirectUrl {
    /// Reads an address, which need not be absolute: `shop.example/back` means https, `localhost:3000/back` http. What is
    /// not ASCII behind the host is percent-encoded. Parsing a normalised address gives it again.
    ///
    /// # Errors
    /// `error.validation` for `field`.
    pub fn parse(text: &str, field: &str) -> Result<Self, Fault> {
        let text = bounded(text.to_owned(), field, REDIRECT_MAX)?;
        if holds_card_number(&without_escapes(&text)) {
            return Err(Fault::invalid(field, CARD));
        }
        let url = normalise(&text).map_err(|reason| Fault::invalid(field, reason))?;
        if url.len() > REDIRECT_MAX {
            return Err(Fault::invalid(
                field,
                format!("must have at most {REDIRECT_MAX} characters once encoded"),
            ));
        }
        Ok(Self(url))
    }

    /// Its scheme, in lower case.
    pub fn scheme(&self) -> &str {
        self.0.split_once("://").map_or("", |(scheme, _)| scheme)
    }

    /// Its host, and its port where one is named.
    pub fn host_and_port(&self) -> (&str, Option<&str>) {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        split_port(split_authority(rest).0)
    }

    /// Whether it leads to the customer's own machine.
    pub fn is_local(&self) -> bool {
        is_local(self.host_and_port().0)
    }

    /// The absolute address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address with more query parameters, percent-encoded, behind those that it has and before its fragment.
    #[must_use]
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let (address, fragment) = match self.0.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment)),
            None => (self.0.as_str(), None),
        };
        let mut url = address.to_owned();
        for (name, value) in parameters {
            if !url.contains('?') {
                url.push('?');
            } else if !url.ends_with(['?', '&']) {
                url.push('&');
            }
            encode(name, &mut url);
            url.push('=');
            encode(value, &mut url);
        }
        if let Some(fragment) = fragment {
            url.push('#');
            url.push_str(fragment);
        }
        url
    }
}

fn normalise(text: &str) -> Result<String, &'static str> {
    if text.chars().any(char::is_whitespace) {
        return Err("must not contain spaces");
    }
    // Browsers read it as a slash, others as a part of the host.
    if text.contains('\\') {
        return Err("must not contain backslashes");
    }
    if let Some((scheme, rest)) = text
        .split_once("://")
        .filter(|(scheme, _)| !scheme.contains(['/', '?', '#', ':']))
    {
        return absolute(scheme, rest);
    }
    let rest = text.strip_prefix("//").unwrap_or(text);
    let (authority, _) = split_authority(rest);
    let (host, port) = split_port(authority);
    // `shop.example:8443` has a port; whatever else stands before a colon is a scheme without its slashes.
    if port.is_some_and(|port| !is_port(port)) || is_refused(host) {
        return Err("must begin with https://, http:// or an app's own scheme and ://");
    }
    absolute(if is_local(host) { "http" } else { "https" }, rest)
}

fn absolute(scheme: &str, rest: &str) -> Result<String, &'static str> {
    let scheme = scheme.to_ascii_lowercase();
    if !is_scheme(&scheme) || is_refused(&scheme) {
        return Err("must begin with https://, http:// or an app's own scheme and ://");
    }
    let (authority, path) = split_authority(rest);
    let web = scheme == "http" || scheme == "https";
    if authority.contains('@') {
        return Err("must not hold a user name");
    }
    if web {
        check_web_host(authority)?;
    }
    let mut url = format!("{scheme}://");
    escape(authority, &mut url);
    if web && !path.starts_with('/') {
        url.push('/');
    }
    escape(path, &mut url);
    Ok(url)
}

fn check_web_host(authority: &str) -> Result<(), &'static str> {
    const HOST: &str = "must name a host, in ASCII (international names as xn--…)";
    let (host, port) = split_port(authority);
    let inside = host
        .strip_prefix('[')
        .and_then(|inside| inside.strip_suffix(']'));
    let is_host = inside.map_or_else(
        || is_host_name(host),
        |address| address.parse::<std::net::Ipv6Addr>().is_ok(),
    );
    if !is_host || host.len() > 255 {
        return Err(HOST);
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Err("must have a port between 1 and 65535, or none");
    }
    Ok(())
}

/// Whether a text is the name of a host, in ASCII.
pub(crate) fn is_host_name(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    name.split('.').all(|label| {
        let letters = label
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
        letters && (1..=63).contains(&label.len())
    })
}

/// What stands before the path, the query and the fragment, and those.
fn split_authority(rest: &str) -> (&str, &str) {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest.split_at(end)
}

/// Host and port; the colons of an IPv6 address in brackets are its own.
pub(crate) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    }
}

/// Whether a text is a port's number.
pub(crate) fn is_port(port: &str) -> bool {
    port.bytes().all(|digit| digit.is_ascii_digit())
        && port.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_local(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]") || host.ends_with(".localhost")
}

/// Whether a scheme may be an app's own.
pub(crate) fn is_app_scheme(scheme: &str) -> bool {
    is_scheme(scheme) && !is_refused(scheme) && !matches!(scheme, "http" | "https")
}

fn is_scheme(scheme: &str) -> bool {
    let mut letters = scheme.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
}

fn is_refused(scheme: &str) -> bool {
    let scheme = scheme.to_ascii_lowercase();
    REFUSED.contains(&scheme.as_str()) || scheme.starts_with("ms-")
}

/// Writes an address as it stands but for what an address can't hold.
fn escape(text: &str, url: &mut String) {
    write_encoded(text, url, |byte| {
        byte.is_ascii_graphic() && !b"\"<>^`{|}".contains(&byte)
    });
}

/// Writes a name or a value of a query: only what means nothing in an address stays as it is (RFC 3986, unreserved).
fn encode(text: &str, url: &mut String) {
    write_encoded(text, url, |byte| {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
    });
}

fn write_encoded(text: &str, url: &mut String, stays: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if stays(byte) {
            url.push(char::from(byte));
        } else {
            // Writing into a text can't fail.
            let _ = write!(url, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RedirectUrl, Fault> {
        RedirectUrl::parse(text, "in.redirectUrl")
    }

    #[test]
    fn addresses_become_absolute() {
        for (given, absolute) in [
            ("https://shop.example/back", "https://shop.example/back"),
            ("HTTPS://shop.example", "https://shop.example/"),
            ("http://shop.example?a=1", "http://shop.example/?a=1"),
            ("shop.example", "https://shop.example/"),
            (
                "shop.example/back?to=https://other.example",
                "https://shop.example/back?to=https://other.example",
            ),
            ("shop.example:8443/back", "https://shop.example:8443/back"),
            ("//shop.example/back", "https://shop.example/back"),
            ("localhost:3000/x", "http://localhost:3000/x"),
            ("localhost", "http://localhost/"),
            ("LOCALHOST:3000", "http://LOCALHOST:3000/"),
            ("app.localhost/x#top", "http://app.localhost/x#top"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("[::1]:8080/x", "http://[::1]:8080/x"),
            ("https://localhost:3000/x", "https://localhost:3000/x"),
            ("com.shop.app://", "com.shop.app://"),
            (
                "https://shop.example/100%?a=%zz%2",
                "https://shop.example/100%?a=%zz%2",
            ),
            (
                "com.shop.app://back/é?a=b",
                "com.shop.app://back/%C3%A9?a=b",
            ),
            ("shopapp:///back", "shopapp:///back"),
            (
                "shop.example/ünï?q=\"<x>\"",
                "https://shop.example/%C3%BCn%C3%AF?q=%22%3Cx%3E%22",
            ),
        ] {
            assert_eq!(parse(given).unwrap().as_str(), absolute, "{given}");
        }
    }

    #[test]
    fn what_leads_to_no_page_or_app_is_refused() {
        for text in [
            "javascript:alert(1)",
            "JavaScript://shop.example/%0aalert(1)",
            "javascript:1",
            "data:text/html,x",
            "data://x",
            "file:///etc/passwd",
            "vbscript:x",
            "blob:https://shop.example/x",
            "intent://scan/#Intent;end",
            "mailto:a@shop.example",
            "com.shop.app:back",
            "shop example",
            "shop.example/a b",
            " https://shop.example",
            "https://shop.example/\u{a0}",
            "https://shop.example/\r\nSet-Cookie: a=b",
            "https://shop.example/\0",
            "https://shop.example\\@other.example",
            "https://user@shop.example",
            "user:secret@shop.example",
            "https://",
            "https:///path",
            "/path",
            "?a=b",
            "#top",
            "",
            "://shop.example",
            "1app://x",
            "https://shop..example",
            "https://münchen.example",
            "https://shop.example:0",
            "https://shop.example:65536",
            "https://shop.example:",
            "https://[::1",
            "https://[shop]",
            "https://shop.example/4242424242424242",
            "https://shop.example/?p=4242%204242%204242%204242",
            "https://shop.example/?p=4242+4242+4242+4242",
            "https://shop.example/%34242424242424242",
            "https://shop.example/4242%E2%80%934242%E2%80%934242%E2%80%934242",
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("in.redirectUrl"), "{text:?}");
            assert!(
                text.is_empty() || !fault.message.contains(text),
                "{text:?} is repeated"
            );
        }
    }

    #[test]
    fn addresses_are_bounded_as_given_and_as_encoded() {
        let longest = format!("https://shop.example/{}", "a".repeat(REDIRECT_MAX - 21));
        assert_eq!(parse(&longest).unwrap().as_str(), longest);
        assert!(parse(&format!("{longest}a")).is_err());
        assert!(parse(&format!("https://shop.example/{}", "é".repeat(400))).is_err());
    }

    #[test]
    fn parameters_follow_those_that_are_there_and_precede_the_fragment() {
        for (given, sent) in [
            (
                "shop.example",
                "https://shop.example/?id=payments%3A1&s=a%20%26",
            ),
            (
                "shop.example/x?a=1",
                "https://shop.example/x?a=1&id=payments%3A1&s=a%20%26",
            ),
            (
                "shop.example/x?",
                "https://shop.example/x?id=payments%3A1&s=a%20%26",
            ),
            (
                "shop.example/x?a=1&#top?",
                "https://shop.example/x?a=1&id=payments%3A1&s=a%20%26#top?",
            ),
            (
                "com.shop.app://",
                "com.shop.app://?id=payments%3A1&s=a%20%26",
            ),
        ] {
            let url = parse(given).unwrap();
            assert_eq!(
                url.with(&[("id", "payments:1"), ("s", "a &")]),
                sent,
                "{given}"
            );
            assert_eq!(url.with(&[]), url.as_str());
        }
    }
}
