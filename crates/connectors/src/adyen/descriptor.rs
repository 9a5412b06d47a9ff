//! Adyen's facts. Sources: docs/processors/adyen.md.

use std::{sync::LazyLock, time::Duration};

use connector::{Capabilities, CredentialField, CredentialPurpose, Descriptor, Fact};
use domain::method::Method;
use http_client::HostPattern;

/// The field of the credentials with the API key.
pub(super) const API_KEY: &str = "apiKey";

/// The field of the credentials with the merchant account.
pub(super) const MERCHANT_ACCOUNT: &str = "merchantAccount";

/// The field of the credentials with the prefix of the live addresses.
pub(super) const LIVE_PREFIX: &str = "livePrefix";

/// The field of the credentials with the key of notifications.
pub(super) const HMAC_KEY: &str = "hmacKey";

/// The fields of the credentials with the user and the password that Adyen sends with notifications.
pub(super) const NOTIFICATION_USER: &str = "notificationUser";
pub(super) const NOTIFICATION_PASSWORD: &str = "notificationPassword";

/// The setting that says that the account has several captures switched on.
pub(super) const SEVERAL_CAPTURES: &str = "several_captures";

/// The setting with the address that replaces Adyen's own. Test mode alone; the engine reads it.
pub(super) const BASE_URL: &str = "base_url";

/// The time of a whole call, which is one request, and three for evidence.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

static CREDENTIALS: &[CredentialField] = &[
    CredentialField {
        name: API_KEY,
        is_required: true,
        is_secret: true,
        purpose: CredentialPurpose::Calls,
        form: "AQE…",
        about: "the API key of a web service user (ws_…) with the role Checkout webservice, and Merchant dispute management for disputes; in Adyen's Customer Area under Developers, API credentials",
    },
    CredentialField {
        name: MERCHANT_ACCOUNT,
        is_required: true,
        is_secret: false,
        purpose: CredentialPurpose::Calls,
        form: "YourCompanyECOM",
        about: "the merchant account that is charged for, not the company account; at the top of Adyen's Customer Area",
    },
    CredentialField {
        name: LIVE_PREFIX,
        is_required: false,
        is_secret: false,
        purpose: CredentialPurpose::Calls,
        form: "1797a841fbb37ca7-YourCompany",
        about: "the prefix of the live addresses, in live mode alone; in Adyen's live Customer Area under Developers, API URLs, Prefix",
    },
    CredentialField {
        name: HMAC_KEY,
        is_required: false,
        is_secret: true,
        purpose: CredentialPurpose::Notifications,
        form: "64 hexadecimal digits",
        about: "the HMAC key of the standard webhook; in Adyen's Customer Area under Developers, Webhooks. Without it no notification is believed, and captures, cancellations and refunds stay pending",
    },
    CredentialField {
        name: NOTIFICATION_USER,
        is_required: false,
        is_secret: false,
        purpose: CredentialPurpose::Notifications,
        form: "a name without a colon",
        about: "the user name of the webhook's basic authentication, if it has one; deliveries without it are refused then",
    },
    CredentialField {
        name: NOTIFICATION_PASSWORD,
        is_required: false,
        is_secret: true,
        purpose: CredentialPurpose::Notifications,
        form: "a password",
        about: "the password of the webhook's basic authentication, with notificationUser",
    },
];

/// Source: docs/processors/adyen.md, "Results".
const FACTS: &[Fact] = &[
    Fact::SourceId,
    Fact::Eci,
    Fact::ThreeDsVersion,
    Fact::ThreeDsResult,
    Fact::ProcessorStatus,
    Fact::NetworkStatus,
    Fact::RiskLevel,
    Fact::RiskScore,
    Fact::CardType,
    Fact::IssuingBank,
    Fact::CardCountry,
];

pub(super) static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    processor: "adyen",
    name: "Adyen",
    logo: None,
    methods: &[
        Method::Card,
        Method::Bnpla,
        Method::Ideal,
        Method::BanContact,
        Method::SepaDirectDebit,
    ],
    capabilities: Capabilities {
        sale: true,
        partial_capture: true,
        partial_refund: true,
        // Each approval says what the connection's setting says.
        several_captures: false,
    },
    credentials: CREDENTIALS,
    hosts: [
        "checkout-test.adyen.com",
        "ca-test.adyen.com",
        "ca-live.adyen.com",
        "management-test.adyen.com",
        "management-live.adyen.com",
        "*.adyenpayments.com",
    ]
    .into_iter()
    .filter_map(HostPattern::parse)
    .collect(),
    call_timeout: CALL_TIMEOUT,
    // Nothing can be read: an absence is never proven.
    not_found_final_after: None,
    // Source: docs/processors/adyen.md, "Results".
    returned: &["redirectResult"],
    // The longest delay of a capture, 672 hours. EXPIRE tells of an earlier end.
    authorisation_lifetime: Duration::from_hours(672),
    facts: FACTS,
    pending_schedule: &[],
});
