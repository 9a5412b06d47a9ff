//! Whether the service's own address can be reached by processors.

use http_client::{Url, is_public};

/// Whether an address begins with `https://` and names a host of the public internet: no private or local address, and no name without a
/// dot or of a network of its own (RFC 6762, RFC 8375, RFC 6761).
pub(super) fn is_reachable(address: &str) -> bool {
    let Some(url) = address
        .starts_with("https://")
        .then(|| Url::https(address).ok())
        .flatten()
    else {
        return false;
    };
    let host = url.host().trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse() {
        return is_public(address);
    }
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let is_own = [
        "localhost",
        "local",
        "internal",
        "home.arpa",
        "test",
        "invalid",
    ]
    .iter()
    .any(|end| name == *end || name.ends_with(&format!(".{end}")));
    name.contains('.') && !is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_with_tls_are_reachable() {
        for address in [
            "https://pay.shop.example",
            "https://pay.shop.example:8443/base",
            "https://8.8.8.8",
            "https://[2001:4860:4860::8888]",
        ] {
            assert!(is_reachable(address), "{address}");
        }
        for address in [
            "",
            "http://pay.shop.example",
            "https://localhost",
            "https://a.localhost",
            "https://intranet",
            "https://printer.local",
            "https://pay.internal.",
            "https://127.0.0.1:8080",
            "https://10.0.0.1",
            "https://192.168.1.2",
            "https://169.254.169.254",
            "https://[::1]",
            "https://[fe80::1]",
            "https://",
        ] {
            assert!(!is_reachable(address), "{address}");
        }
    }
}
