//! Where a request comes from, as far as bounds and quotas tell callers apart.

use std::net::{IpAddr, Ipv4Addr};

/// What bounds and quotas count as one place: an IPv4 address, or the first 64 bits of an IPv6 address, since one
/// subscriber has all addresses below them. Source: behaviour contract, section 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    /// One IPv4 address, also when it came mapped into IPv6.
    V4(Ipv4Addr),
    /// The first 64 bits of an IPv6 address.
    V6(u64),
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => {
                let bits = address.to_bits() >> 64;
                Self::V6(u64::try_from(bits).unwrap_or(u64::MAX))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn ipv6_counts_by_the_first_64_bits_and_ipv4_by_address() {
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    }
}
