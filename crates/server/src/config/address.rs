//! Addresses in the configuration: ranges of proxies, origins of pages.

use std::net::IpAddr;

use super::setting::{Given, Setting};

/// An address, or a range of them: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpRange {
    first: IpAddr,
    prefix: u32,
}

impl IpRange {
    /// A range that a test names.
    #[cfg(test)]
    pub(crate) fn sample(text: &str) -> Self {
        Self::parse(text).unwrap()
    }

    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().ok()?)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().ok()?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(most);
        (prefix <= most).then_some(Self { first, prefix })
    }

    /// Whether the address is in the range.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differing = u32::from(first) ^ u32::from(address);
                differing.leading_zeros() >= self.prefix
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differing = u128::from(first) ^ u128::from(address);
                differing.leading_zeros() >= self.prefix
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl Setting for IpRange {
    const EXPECTED: &'static str = "an address or a range such as `10.0.0.0/8`";

    fn read(given: &Given) -> Option<Self> {
        Self::parse(&String::read(given)?)
    }

    fn show(&self) -> String {
        format!("{}/{}", self.first, self.prefix)
    }
}

/// The origin of a page: scheme, host and perhaps a port, as browsers send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let host = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))?;
        let fits = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte)
        };
        (!host.is_empty() && host.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// The origin as it is compared.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Setting for Origin {
    const EXPECTED: &'static str = "an origin in lower case such as `https://shop.example`";

    fn read(given: &Given) -> Option<Self> {
        Self::parse(&String::read(given)?)
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> IpRange {
        IpRange::parse(text).unwrap()
    }

    #[test]
    fn a_range_holds_its_own_addresses_alone() {
        let inside: IpAddr = "10.1.2.3".parse().unwrap();
        assert!(range("10.0.0.0/8").contains(inside));
        assert!(range("10.1.2.3").contains(inside));
        assert!(range("0.0.0.0/0").contains(inside));
        assert!(!range("10.1.2.4").contains(inside));
        assert!(!range("11.0.0.0/8").contains(inside));
        assert!(!range("::/0").contains(inside));
        assert!(range("fd00::/8").contains("fd12::1".parse().unwrap()));
        assert_eq!(IpRange::parse("10.0.0.0/33"), None);
        assert_eq!(IpRange::parse("ten"), None);
    }

    #[test]
    fn an_origin_has_no_path() {
        assert!(Origin::parse("https://shop.example").is_some());
        assert!(Origin::parse("http://localhost:3000").is_some());
        assert!(Origin::parse("https://shop.example/").is_none());
        assert!(Origin::parse("shop.example").is_none());
        assert!(Origin::parse("*").is_none());
    }
}
