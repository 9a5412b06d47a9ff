//! Where Adyen's services are. Source: docs/processors/adyen.md, "Addresses and requests".

use connector::{CallError, Link};
use domain::caller::Mode;
use http_client::Url;

use super::descriptor::LIVE_PREFIX;

/// Which of Adyen's services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// Payments.
    Checkout,
    /// Disputes.
    Disputes,
    /// What the account is set to.
    Management,
}

impl Service {
    /// What all its paths begin with, in test mode.
    const fn root(self) -> &'static str {
        match self {
            Self::Checkout => "/v72/",
            Self::Disputes => "/ca/services/DisputeService/v30/",
            Self::Management => "/v3/",
        }
    }
}

/// A path of a service.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address<'a> {
    pub(super) service: Service,
    pub(super) path: &'a str,
}

impl Address<'_> {
    /// The address of a path. Source: docs/processors/adyen.md, "Addresses and requests".
    pub(super) fn url(self, link: &Link<'_>) -> Result<Url, CallError> {
        let Self { service, path } = self;
        let bad = |_| CallError::rejected("the address can't be made");
        let path_in_test = format!("{}{path}", service.root());
        if let Some(base) = link.base {
            return base.at(&path_in_test).map_err(bad);
        }
        let host = match (service, link.mode) {
            (Service::Checkout, Mode::Test) => "https://checkout-test.adyen.com".to_owned(),
            (Service::Disputes, Mode::Test) => "https://ca-test.adyen.com".to_owned(),
            (Service::Disputes, Mode::Live) => "https://ca-live.adyen.com".to_owned(),
            (Service::Management, Mode::Test) => "https://management-test.adyen.com".to_owned(),
            (Service::Management, Mode::Live) => "https://management-live.adyen.com".to_owned(),
            (Service::Checkout, Mode::Live) => {
                let prefix = link.credential(LIVE_PREFIX).unwrap_or_default();
                if prefix.is_empty() {
                    return Err(CallError::rejected("the connection has no livePrefix"));
                }
                format!("https://{prefix}-checkout-live.adyenpayments.com")
            }
        };
        let path = match (service, link.mode) {
            (Service::Checkout, Mode::Live) => format!("/checkout{path_in_test}"),
            _ => path_in_test,
        };
        Url::https(&host)
            .and_then(|host| host.at(&path))
            .map_err(bad)
    }
}

#[cfg(test)]
mod tests {
    use connector::Credentials;
    use domain::{Timestamp, id::ConnectionId};
    use serde_json::Value;

    use super::*;

    fn with_link<T>(mode: Mode, credentials: &str, run: impl FnOnce(&Link<'_>) -> T) -> T {
        let connection = ConnectionId::parse("adyen").unwrap();
        let credentials = Credentials::read(credentials.as_bytes()).unwrap();
        let settings = Value::Null;
        run(&Link {
            mode,
            credentials: Some(&credentials),
            ..Link::offline(&connection, &settings, Timestamp::from_micros(0))
        })
    }

    #[test]
    fn test_and_live_have_addresses_of_their_own() {
        let at = |mode, credentials: &str, service| {
            with_link(mode, credentials, |link| {
                let url = Address {
                    service,
                    path: "payments",
                }
                .url(link);
                url.map(|url| format!("{}{}", url.authority(), url.path()))
            })
        };
        let live = r#"{"livePrefix": "17-Shop"}"#;
        for (mode, credentials, service, expected) in [
            (
                Mode::Test,
                "{}",
                Service::Checkout,
                "checkout-test.adyen.com/v72/payments",
            ),
            (
                Mode::Test,
                "{}",
                Service::Disputes,
                "ca-test.adyen.com/ca/services/DisputeService/v30/payments",
            ),
            (
                Mode::Test,
                "{}",
                Service::Management,
                "management-test.adyen.com/v3/payments",
            ),
            (
                Mode::Live,
                live,
                Service::Management,
                "management-live.adyen.com/v3/payments",
            ),
            (
                Mode::Live,
                live,
                Service::Checkout,
                "17-shop-checkout-live.adyenpayments.com/checkout/v72/payments",
            ),
            (
                Mode::Live,
                live,
                Service::Disputes,
                "ca-live.adyen.com/ca/services/DisputeService/v30/payments",
            ),
        ] {
            let url = at(mode, credentials, service).unwrap();
            assert_eq!(url.to_ascii_lowercase(), expected.to_ascii_lowercase());
        }
        assert!(at(Mode::Live, "{}", Service::Checkout).is_err());
    }
}
