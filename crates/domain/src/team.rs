//! A team's settings: who may call from where, and where customers may be sent back to.

use serde::{Deserialize, Serialize};

use crate::{
    Fault,
    bounded::{NAME_MAX, bounded},
    caller::Mode,
    id::TeamId,
    redirect::{self, RedirectUrl},
};

/// The most entries of a list.
pub const LIST_MAX: usize = 50;
/// Longest entry of a list. Unit: characters.
const ENTRY_MAX: usize = 300;

/// What a team has set. What is absent was never set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TeamSettings {
    /// Counts its changes; 0 while nothing was set.
    pub version: u64,
    /// Where the team's logo is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// Origins whose pages may call with the team's credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_origins: Option<Vec<String>>,
    /// Hosts that browsers may send customers back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_hosts: Option<Vec<ReturnHost>>,
    /// Schemes of the team's own apps that customers may be sent back to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub return_schemes: Vec<String>,
    /// Whether secret keys see the fingerprints of numbers.
    pub fingerprint: bool,
}

impl Default for TeamSettings {
    fn default() -> Self {
        Self {
            version: 0,
            logo: None,
            allowed_origins: None,
            return_hosts: None,
            return_schemes: Vec::new(),
            fingerprint: true,
        }
    }
}

/// Who chose a return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenBy {
    /// Whether a secret key did; else a browser.
    pub is_server: bool,
    /// Of which mode.
    pub mode: Mode,
}

impl TeamSettings {
    /// Whether customers may be sent back to an address.
    ///
    /// A secret key may name any host. A browser's credential may name the team's hosts; while there is no list, any in test
    /// mode and none in live mode. For everybody `https` is fine, `http` for localhost and in test mode, and a scheme that the
    /// team lists; a secret key may also name an app's reversed domain, such as `com.shop.app`.
    ///
    /// # Errors
    /// `error.validation` for `field`, with what to set.
    pub fn check_return(&self, url: &RedirectUrl, by: ChosenBy, field: &str) -> Result<(), Fault> {
        let refuse = |reason: &str| Err(Fault::invalid(field, reason));
        let is_free = by.is_server || (by.mode == Mode::Test && self.return_hosts.is_none());
        match url.scheme() {
            "http" if by.mode == Mode::Live && !url.is_local() => {
                return refuse("must begin with https://; http:// is for localhost and test mode");
            }
            "http" | "https" => {}
            scheme if self.return_schemes.iter().any(|listed| listed == scheme) => return Ok(()),
            scheme if is_free && scheme.contains('.') => return Ok(()),
            _ => {
                return refuse(
                    "has a scheme that the team does not list: add it to returnSchemes with updateTeam or `pointsman team set`",
                );
            }
        }
        if is_free {
            return Ok(());
        }
        let Some(hosts) = &self.return_hosts else {
            return refuse(
                "can't be chosen by a browser until the team lists its hosts: set returnHosts with updateTeam or `pointsman team set`",
            );
        };
        let is_local = by.mode == Mode::Test && url.is_local();
        if is_local || hosts.iter().any(|host| host.allows(url)) {
            return Ok(());
        }
        refuse(
            "must lead to a host that the team lists: add it to returnHosts with updateTeam or `pointsman team set`",
        )
    }
}

/// A host that customers may be sent back to: `shop.example`, `*.shop.example` for every name below it, either with `:port`.
/// Without a port the scheme's own is meant; `localhost` has any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReturnHost(String);

impl ReturnHost {
    /// Reads a host. `None` when it is none; `*` alone is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (host, port) = redirect::split_port(&text);
        let name = host.strip_prefix("*.");
        let is_name = redirect::is_host_name(name.unwrap_or(host));
        let is_wide = name.is_some_and(|name| !name.contains('.'));
        let fits = is_name && !is_wide && port.is_none_or(redirect::is_port);
        (fits && text.len() <= ENTRY_MAX).then_some(Self(text))
    }

    /// The host as it is written.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a web address leads there.
    pub fn allows(&self, url: &RedirectUrl) -> bool {
        let (pattern, wanted) = redirect::split_port(&self.0);
        let (host, port) = url.host_and_port();
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let is_named = match pattern.strip_prefix("*.") {
            Some(above) => host
                .strip_suffix(above)
                .is_some_and(|below| below.ends_with('.') && below.len() > 1),
            None => host == pattern,
        };
        let usual = if url.scheme() == "http" { "80" } else { "443" };
        let is_port = match wanted {
            Some(wanted) => port.unwrap_or(usual) == wanted,
            None => url.is_local() || port.is_none_or(|port| port == usual),
        };
        is_named && is_port
    }
}

/// The name of a team, without blanks around it: 1 to [`NAME_MAX`] characters, and not of the form of an id, since commands take a
/// team's name or its id. Errors: `error.validation` for `field`.
pub fn name(text: &str, field: &str) -> Result<String, Fault> {
    let name = text.trim();
    if name.is_empty() {
        return Err(Fault::invalid(field, "must not be empty"));
    }
    if TeamId::parse(name).is_some() {
        return Err(Fault::invalid(
            field,
            "must not have the form of an id, since commands take a team's name or its id",
        ));
    }
    bounded(name.to_owned(), field, NAME_MAX)
}

/// Reads the origin of pages: scheme, host and perhaps a port, as browsers send it. `None` when it is none.
pub fn origin(text: &str) -> Option<String> {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let (name, port) = redirect::split_port(host);
    let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
    let fits = is_lower && redirect::is_host_name(name) && port.is_none_or(redirect::is_port);
    (fits && text.len() <= ENTRY_MAX).then(|| text.to_owned())
}

/// Reads the scheme of an app. `None` when it is none, or one that browsers and systems act on by themselves.
pub fn scheme(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    (redirect::is_app_scheme(&text) && text.len() <= ENTRY_MAX).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: ChosenBy = ChosenBy {
        is_server: false,
        mode: Mode::Live,
    };
    const TEST_BROWSER: ChosenBy = ChosenBy {
        is_server: false,
        mode: Mode::Test,
    };
    const SERVER: ChosenBy = ChosenBy {
        is_server: true,
        mode: Mode::Live,
    };

    #[test]
    fn a_team_is_named_without_blanks_around_and_never_like_an_id() {
        assert_eq!(name("  Blue shop ", "name").unwrap(), "Blue shop");
        for bad in [
            "",
            "  ",
            "0199c3d0-0000-7000-8000-000000000001",
            " 0199c3d0-0000-7000-8000-000000000001",
            "4111111111111111",
            "a\nb",
            &"x".repeat(NAME_MAX + 1),
        ] {
            let fault = name(bad, "name").unwrap_err();
            assert_eq!(fault.code, crate::Code::Validation, "{bad:?}");
        }
    }

    fn team(hosts: &[&str], schemes: &[&str]) -> TeamSettings {
        TeamSettings {
            return_hosts: Some(
                hosts
                    .iter()
                    .map(|host| ReturnHost::parse(host).unwrap())
                    .collect(),
            ),
            return_schemes: schemes.iter().map(|text| scheme(text).unwrap()).collect(),
            ..TeamSettings::default()
        }
    }

    fn may(team: &TeamSettings, url: &str, by: ChosenBy) -> bool {
        let url = RedirectUrl::parse(url, "url");
        url.is_ok_and(|url| team.check_return(&url, by, "url").is_ok())
    }

    #[test]
    fn without_a_list_a_browser_chooses_in_test_mode_alone() {
        let unset = TeamSettings::default();
        assert!(may(&unset, "https://anywhere.example", TEST_BROWSER));
        assert!(may(&unset, "com.shop.app://back", TEST_BROWSER));
        assert!(!may(&unset, "https://anywhere.example", BROWSER));
        assert!(!may(&unset, "com.shop.app://back", BROWSER));
        assert!(may(&unset, "https://anywhere.example", SERVER));
        assert!(may(&unset, "com.shop.app://back", SERVER));
        assert!(!may(&unset, "shopapp://back", SERVER));
        assert!(!may(&unset, "http://shop.example", SERVER));
        assert!(may(&unset, "http://localhost:3000", SERVER));
    }

    #[test]
    fn with_a_list_a_browser_chooses_of_it() {
        let team = team(
            &["shop.example", "*.shop.example", "other.example:8443"],
            &["shopapp"],
        );
        for fine in [
            "https://shop.example/back?a=1",
            "https://SHOP.example:443",
            "https://shop.example.",
            "https://a.b.shop.example",
            "https://other.example:8443/x",
            "shopapp://back",
        ] {
            assert!(may(&team, fine, BROWSER), "{fine}");
        }
        for wrong in [
            "https://evil.example",
            "https://shop.example.evil.example",
            "https://evilshop.example",
            "https://shop.example:22",
            "https://other.example",
            "http://shop.example",
            "http://localhost:3000",
            "com.shop.app://back",
            "ms-msdt://x",
        ] {
            assert!(!may(&team, wrong, BROWSER), "{wrong}");
        }
        assert!(may(&team, "localhost:3000", TEST_BROWSER));
        assert!(!may(&team, "https://evil.example", TEST_BROWSER));
        assert!(may(&team, "https://evil.example", SERVER));
    }

    #[test]
    fn hosts_origins_and_schemes_have_their_forms() {
        for wrong in [
            "",
            "*",
            "*.",
            "*.com",
            "a b",
            "https://shop.example",
            "shop.example/x",
            "shop.example:0",
        ] {
            assert_eq!(ReturnHost::parse(wrong), None, "{wrong:?}");
        }
        assert!(ReturnHost::parse("localhost").is_some());
        assert!(
            origin("https://shop.example").is_some() && origin("http://localhost:3000").is_some()
        );
        for wrong in [
            "*",
            "null",
            "shop.example",
            "https://shop.example/",
            "https://Shop.example",
            "https://",
        ] {
            assert_eq!(origin(wrong), None, "{wrong:?}");
        }
        assert_eq!(scheme("ShopApp").as_deref(), Some("shopapp"));
        for wrong in [
            "",
            "https",
            "javascript",
            "ms-msdt",
            "search",
            "vscode",
            "1app",
            "a:b",
        ] {
            assert_eq!(scheme(wrong), None, "{wrong:?}");
        }
    }
}
