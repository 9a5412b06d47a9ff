//! Addresses of pages and scripts, as far as the guard compares them.

/// Longest address. Unit: bytes.
const ADDRESS_MAX: usize = 2_048;

/// An absolute address with `http` or `https`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress {
    origin: String,
    path: String,
    query: String,
}

impl WebAddress {
    /// Reads an absolute address; `None` where it is none, has a user's name in it, or letters that would end a header or an attribute.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(|letter: char| letter.is_ascii_whitespace());
        if text.len() > ADDRESS_MAX || !text.bytes().all(is_plain) {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let port = match scheme.as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return None,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end)?;
        let authority = authority.to_ascii_lowercase();
        let host = authority.strip_suffix(port).unwrap_or(&authority);
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
        if host.is_empty() || host.starts_with(':') || !host.bytes().all(is_host) {
            return None;
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Self {
            origin: format!("{scheme}://{host}"),
            path: without_dots(path),
            query: query.to_owned(),
        })
    }

    /// Scheme, host and port; the usual port is left out.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The address without its query: what is compared and kept.
    pub fn plain(&self) -> String {
        format!("{}{}", self.origin, self.path)
    }

    /// The whole address, to be fetched.
    pub fn whole(&self) -> String {
        if self.query.is_empty() {
            return self.plain();
        }
        format!("{}{}?{}", self.origin, self.path, self.query)
    }

    /// The address to which a reference on this page leads; `None` where it is not fetched over HTTP.
    pub fn join(&self, reference: &str) -> Option<Self> {
        let kept = |letter: &char| !matches!(letter, '\t' | '\n' | '\r');
        let reference: String = reference.chars().filter(kept).collect();
        let reference = reference.trim_matches(|letter: char| letter.is_ascii_whitespace());
        // Browsers take both for one.
        let reference = reference.replace('\\', "/");
        let scheme = self.origin.split("//").next().unwrap_or_default();
        if reference.starts_with("//") {
            return Self::parse(&format!("{scheme}{reference}"));
        }
        if reference.starts_with('/') {
            return Self::parse(&format!("{}{reference}", self.origin));
        }
        let before_path = reference.split(['/', '?', '#']).next().unwrap_or_default();
        if before_path.contains(':') {
            return Self::parse(&reference);
        }
        if reference.is_empty() || reference.starts_with('#') {
            return Some(self.clone());
        }
        if reference.starts_with('?') {
            return Self::parse(&format!("{}{reference}", self.plain()));
        }
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Self::parse(&format!("{}{folder}/{reference}", self.origin))
    }
}

/// What may stand in an address that is written into a header and into markup.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'@')
}

/// The path with its `.` and `..` resolved.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            part => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_spelling_without_query() {
        for (text, plain) in [
            (
                "HTTPS://Shop.Example:443/Pay?x=1#y",
                "https://shop.example/Pay",
            ),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"),
            (
                "https://shop.example/a/../b/./c",
                "https://shop.example/b/c",
            ),
            ("https://shop.example/a/..", "https://shop.example/"),
        ] {
            assert_eq!(WebAddress::parse(text).unwrap().plain(), plain, "{text}");
        }
        for wrong in [
            "",
            "shop.example",
            "ftp://shop.example/",
            "https://",
            "https://ada@shop.example/",
            "https://shop.example/\"onload=",
            "https://shop.example/a b",
        ] {
            assert_eq!(WebAddress::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn references_lead_where_a_browser_goes() {
        let page = WebAddress::parse("https://shop.example/checkout/pay?step=2").unwrap();
        for (reference, whole) in [
            ("a.js", "https://shop.example/checkout/a.js"),
            ("./a.js?v=1", "https://shop.example/checkout/a.js?v=1"),
            ("../a.js", "https://shop.example/a.js"),
            ("/a.js", "https://shop.example/a.js"),
            ("\\a.js", "https://shop.example/a.js"),
            ("//cdn.example/a.js", "https://cdn.example/a.js"),
            ("http://cdn.example/a.js", "http://cdn.example/a.js"),
            (" \n/a.js", "https://shop.example/a.js"),
            ("", "https://shop.example/checkout/pay?step=2"),
        ] {
            let joined = page.join(reference).unwrap();
            assert_eq!(joined.whole(), whole, "{reference}");
        }
        for other in ["data:text/javascript,1", "blob:https://x", "javascript:1"] {
            assert_eq!(page.join(other), None, "{other}");
        }
    }
}
