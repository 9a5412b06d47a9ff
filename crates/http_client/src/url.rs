//! Addresses that are called, and the hosts that may be.

use std::net::IpAddr;

use http::{Uri, uri::PathAndQuery};

/// Longest address. Unit: bytes.
const URL_MAX: usize = 2_048;

/// An address to be called: scheme, host, port, path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    pub(crate) tls: bool,
    /// Lower case; an IPv6 address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) authority: String,
    pub(crate) path: PathAndQuery,
}

/// Why a text is no address that is called, as a clause about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// No absolute address with a host, or one with a user's name or password in it.
    #[error(
        "must be an absolute address such as https://shop.example/hooks, of at most 2048 characters, without a user name"
    )]
    Form,
    /// Not `https`, where nothing else is allowed.
    #[error("must begin with https://")]
    Scheme,
    /// Neither `https` nor `http`, where both are allowed.
    #[error("must begin with https:// or http://")]
    AnyScheme,
}

impl Url {
    /// Reads an `https` address. Errors: `Form`, `Scheme`.
    pub fn https(text: &str) -> Result<Self, BadUrl> {
        match Self::http_or_https(text) {
            Ok(url) if url.tls => Ok(url),
            Ok(_) | Err(BadUrl::AnyScheme) => Err(BadUrl::Scheme),
            Err(why) => Err(why),
        }
    }

    /// Reads an `https` or `http` address. Errors: `Form`, `AnyScheme`.
    pub fn http_or_https(text: &str) -> Result<Self, BadUrl> {
        if text.len() > URL_MAX
            || text
                .bytes()
                .any(|byte| !byte.is_ascii_graphic() || byte == b'\\')
        {
            return Err(BadUrl::Form);
        }
        let uri: Uri = text.parse().map_err(|_| BadUrl::Form)?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(BadUrl::AnyScheme),
            None => return Err(BadUrl::Form),
        };
        let authority = uri
            .authority()
            .filter(|authority| !authority.as_str().contains('@'))
            .ok_or(BadUrl::Form)?;
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .trim_end_matches('.');
        if !is_host(host) {
            return Err(BadUrl::Form);
        }
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        // A port that is there but no number, or zero, leads nowhere.
        if port == 0
            || (authority.as_str().ends_with(':'))
            || (authority.port().is_none() && has_port(authority.as_str()))
        {
            return Err(BadUrl::Form);
        }
        Ok(Self {
            tls,
            host: host.to_ascii_lowercase(),
            port,
            authority: authority.as_str().to_owned(),
            path: uri
                .path_and_query()
                .cloned()
                .unwrap_or_else(|| PathAndQuery::from_static("/")),
        })
    }

    /// The address of another path (with a query, if there is one) at the same host. It begins with `/`.
    ///
    /// # Errors
    /// `Form`.
    pub fn at(&self, path: &str) -> Result<Self, BadUrl> {
        let scheme = if self.tls { "https" } else { "http" };
        if !path.starts_with('/') {
            return Err(BadUrl::Form);
        }
        Self::http_or_https(&format!("{scheme}://{}{path}", self.authority))
    }

    /// The pattern that allows this host at this port alone.
    pub fn own_host(&self) -> Option<HostPattern> {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        HostPattern::parse(&format!("{host}:{}", self.port))
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn uri(&self) -> Option<Uri> {
        let scheme = if self.tls { "https" } else { "http" };
        Uri::builder()
            .scheme(scheme)
            .authority(self.authority.as_str())
            .path_and_query(self.path.clone())
            .build()
            .ok()
    }

    /// The host and, where one was given, the port: the value of the header `host`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path.
    pub fn path(&self) -> &str {
        self.path.path()
    }

    /// The query, without its question mark.
    pub fn query(&self) -> Option<&str> {
        self.path.query()
    }

    /// The host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }
}

fn has_port(authority: &str) -> bool {
    authority
        .rsplit_once(']')
        .map_or(authority, |(_, rest)| rest)
        .contains(':')
}

/// Whether the text is an address, or a name of letters, digits, hyphens and dots that doesn't look like a number: some
/// resolvers read `2130706433` and `0x7f.1` as addresses.
fn is_host(host: &str) -> bool {
    if host.parse::<IpAddr>().is_ok() {
        return true;
    }
    let label = |label: &str| {
        !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-')
    };
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let last = host.rsplit('.').next().unwrap_or_default();
    host.len() <= 253
        && host.bytes().all(letters)
        && host.split('.').all(label)
        && !last.starts_with(|first: char| first.is_ascii_digit())
}

/// A host that may be called: `host`, `*.host` for every name below it, at the scheme's own port; either with `:port` for that port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    below: bool,
    host: String,
    port: Option<u16>,
}

impl HostPattern {
    /// Reads a pattern; `None` when it is none. `*` alone is none: it would allow everything.
    pub fn parse(text: &str) -> Option<Self> {
        let (below, rest) = text
            .strip_prefix("*.")
            .map_or((false, text), |rest| (true, rest));
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, Some(port.parse().ok()?))
            }
            _ => (rest, None),
        };
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_ascii_lowercase();
        let named = !below || (host.contains('.') && host.parse::<IpAddr>().is_err());
        (is_host(&host) && named && port != Some(0)).then_some(Self { below, host, port })
    }

    /// The pattern as it is written.
    pub fn text(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{host}{port}", if self.below { "*." } else { "" })
    }

    /// Whether the address's host may be called.
    pub fn allows(&self, url: &Url) -> bool {
        let named = match url.host.strip_suffix(self.host.as_str()) {
            Some("") => !self.below,
            Some(before) => self.below && before.ends_with('.') && before.len() > 1,
            None => false,
        };
        let usual = if url.tls { 443 } else { 80 };
        named && url.port == self.port.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_a_host_and_no_user() {
        let url = Url::https("https://Pay.Example:8443/a?b=c#d").unwrap();
        assert_eq!(
            (url.host(), url.port, url.path.as_str()),
            ("pay.example", 8443, "/a?b=c")
        );
        assert_eq!(Url::https("https://pay.example").unwrap().port, 443);
        assert_eq!(
            Url::https("https://pay.example.").unwrap().host(),
            "pay.example"
        );
        assert_eq!(Url::https("https://[::1]/").unwrap().host(), "::1");
        assert_eq!(Url::http_or_https("http://pay.example").unwrap().port, 80);
        assert_eq!(Url::https("http://pay.example"), Err(BadUrl::Scheme));
        assert_eq!(Url::https("ftp://pay.example"), Err(BadUrl::Scheme));
        let ftp = Url::http_or_https("ftp://pay.example");
        assert_eq!(ftp, Err(BadUrl::AnyScheme));
        for wrong in [
            "",
            "pay.example",
            "/path",
            "https://",
            "https:///x",
            "https://a@pay.example",
            "https://a:b@pay.example",
            "https://pay.example:0",
            "https://pay.example:x",
            "https://pay.example:99999",
            "https://pay example",
            "https://pay.example\\@evil.example",
            "https://2130706433/",
            "https://0x7f.0.0.1",
            "https://127.1",
            "https://pay..example",
            "https://pay.example/\u{0}",
            "https://pày.example",
        ] {
            assert!(Url::https(wrong).is_err(), "{wrong}");
        }
        assert!(Url::https(&format!("https://pay.example/{}", "a".repeat(2_048))).is_err());
    }

    #[test]
    fn a_pattern_allows_a_host_or_the_names_below_it() {
        let allows = |pattern: &str, url: &str| {
            HostPattern::parse(pattern)
                .unwrap()
                .allows(&Url::https(url).unwrap())
        };
        assert!(allows(
            "*.apple.com",
            "https://apple-pay-gateway.apple.com/x"
        ));
        assert!(allows("*.apple.com", "https://a.b.APPLE.com:443/x"));
        assert!(!allows("*.apple.com", "https://a.apple.com:22/"));
        assert!(allows("*.apple.com:444", "https://a.apple.com:444/"));
        for other in [
            "https://apple.com",
            "https://evilapple.com",
            "https://apple.com.evil.example",
            "https://x.apple.co",
        ] {
            assert!(!allows("*.apple.com", other), "{other}");
        }
        assert!(!allows("pay.example", "https://pay.example:1234/"));
        assert!(!allows("pay.example", "https://a.pay.example"));
        assert!(
            allows("localhost:8443", "https://localhost:8443/")
                && !allows("localhost:8443", "https://localhost/")
        );
        assert!(allows("[::1]:8443", "https://[::1]:8443/"));
        for wrong in [
            "",
            "*",
            "*.",
            "*.com",
            "*.127.0.0.1",
            "a b",
            "https://pay.example",
            "pay.example/x",
            "a:0",
            "a:x",
            "**.a.b",
        ] {
            assert!(HostPattern::parse(wrong).is_none(), "{wrong}");
        }
        assert_eq!(
            HostPattern::parse("*.Apple.com:443").unwrap().text(),
            "*.apple.com:443"
        );
    }
}
