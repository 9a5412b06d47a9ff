//! What is sent, and what comes back.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{HostPattern, Identity, Url};

/// The largest body that is sent. Unit: bytes.
pub const REQUEST_MAX: usize = 4 * 1024 * 1024;

/// The largest file that is sent. Unit: bytes.
pub const FILE_MAX: usize = 64 * 1024 * 1024;

/// What stays as it is in a form. Source: the URL standard's `application/x-www-form-urlencoded` percent-encode set.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// One request. Headers and body may hold secrets, so that nothing prints it.
pub struct Request<'a> {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: Method,
    /// Where to.
    pub url: &'a Url,
    /// Further headers: names in lower case. One that is named here replaces the client's own.
    pub headers: &'a [(&'static str, String)],
    /// The body.
    pub body: Body,
    /// The whole exchange ends within this time.
    pub timeout: Duration,
    /// A larger answer is refused; that of a subscriber is cut. Unit: bytes.
    pub most: usize,
}

/// The body of a request.
pub enum Body {
    /// None.
    Empty,
    /// A JSON document.
    Json(Bytes),
    /// A form, encoded by [`Body::form`].
    Form(Bytes),
    /// A file.
    File {
        /// Its media type.
        content_type: &'static str,
        /// Its content.
        content: Bytes,
    },
}

impl Body {
    /// A form of names and values, in this order (`application/x-www-form-urlencoded`).
    pub fn form<'p>(fields: impl IntoIterator<Item = (&'p str, &'p str)>) -> Self {
        let mut text = String::new();
        for (name, value) in fields {
            if !text.is_empty() {
                text.push('&');
            }
            text.extend(utf8_percent_encode(name, FORM));
            text.push('=');
            text.extend(utf8_percent_encode(value, FORM));
        }
        Self::Form(text.into())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Json(bytes) | Self::Form(bytes) => bytes.len(),
            Self::File { content, .. } => content.len(),
        }
    }

    /// How large it may be. Unit: bytes.
    pub(crate) const fn most(&self) -> usize {
        match self {
            Self::Empty | Self::Json(_) | Self::Form(_) => REQUEST_MAX,
            Self::File { .. } => FILE_MAX,
        }
    }

    /// Its media type; `None` without a body.
    pub const fn content_type(&self) -> Option<&'static str> {
        match self {
            Self::Empty => None,
            Self::Json(_) => Some("application/json"),
            Self::Form(_) => Some("application/x-www-form-urlencoded"),
            Self::File { content_type, .. } => Some(content_type),
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Empty => Bytes::new(),
            Self::Json(bytes) | Self::Form(bytes) => bytes.clone(),
            Self::File { content, .. } => content.clone(),
        }
    }
}

/// Who is called: it decides what is checked, and whether connections are kept.
#[derive(Clone, Copy)]
pub enum Recipient<'a> {
    /// A processor that our own code names. Connections are kept for the next request; its addresses are not judged, since
    /// a processor may be reached over a private line.
    Processor {
        /// The only hosts that may be called.
        hosts: &'a [HostPattern],
    },
    /// An address that somebody else gave. Each of its host's addresses is judged after it was resolved; nothing is kept.
    Stranger {
        /// The hosts that may be called; `None`: any.
        hosts: Option<&'a [HostPattern]>,
        /// Who we are, where the other side asks for a certificate.
        identity: Option<&'a Identity>,
    },
    /// A server that somebody else gave the address of and that is called often, such as a webhook endpoint. Addresses are judged as
    /// those of a stranger when a connection is made, and the connection is kept for the next request. Its status is what counts: of
    /// the body no more is read than was asked for, and a body that breaks off or never ends changes nothing.
    Subscriber,
}

impl Recipient<'_> {
    /// A stranger at any host, to whom we show no certificate.
    pub const STRANGER: Self = Self::Stranger {
        hosts: None,
        identity: None,
    };

    pub(crate) fn allows(&self, url: &Url) -> bool {
        let hosts = match self {
            Self::Processor { hosts } => Some(*hosts),
            Self::Stranger { hosts, .. } => *hosts,
            Self::Subscriber => None,
        };
        hosts.is_none_or(|hosts| hosts.iter().any(|host| host.allows(url)))
    }
}

/// What came back, whatever its status. Redirects are answers like others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    /// A reply without headers.
    pub fn new(status: u16, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: body.into(),
        }
    }

    /// The value of a header, when it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// How long the other side asks to wait, where it says so in seconds.
    /// Source: RFC 9110, section 10.2.3; its other form, a date, depends on the other side's clock and is not read.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds: u32 = self.header("retry-after")?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_encoded_field_by_field_in_its_order() {
        let Body::Form(bytes) = Body::form([
            ("metadata[order id]", "a&b=c"),
            ("amount", "1000"),
            ("name", "Zoë+1"),
        ]) else {
            panic!("no form");
        };
        assert_eq!(
            bytes,
            "metadata%5Border%20id%5D=a%26b%3Dc&amount=1000&name=Zo%C3%AB%2B1"
        );
    }

    #[test]
    fn the_time_to_wait_is_read_in_seconds_alone() {
        let reply = |value: &'static str| {
            let mut reply = Reply::new(429, "");
            let value = http::HeaderValue::from_static(value);
            reply.headers.insert("retry-after", value);
            reply
        };
        assert_eq!(reply("7").retry_after(), Some(Duration::from_secs(7)));
        for unread in [
            "",
            "-1",
            "1.5",
            "Fri, 31 Dec 1999 23:59:59 GMT",
            "99999999999",
        ] {
            assert_eq!(reply(unread).retry_after(), None, "{unread}");
        }
        assert_eq!(Reply::new(429, "").retry_after(), None);
    }
}
