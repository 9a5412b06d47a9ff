//! The simulator's facts.

use std::time::Duration;

use connector::{Capabilities, CredentialField, CredentialPurpose, Descriptor, Fact};
use domain::method::Method;

/// A call that takes longer has no answer: what the silent test numbers play.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// What the simulated account says.
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

/// The field of the credentials that the simulated account checks.
pub(super) const API_KEY: &str = "apiKey";

/// The field of the credentials with the secret of notifications.
pub(super) const NOTIFICATION_SECRET: &str = "notificationSecret";

/// What the simulated account expects there.
pub(super) const EXPECTED_KEY: &str = "simulator-key";

/// The key of an account that says of itself that it moves real money: what a test installation must refuse.
pub(super) const LIVE_ACCOUNT_KEY: &str = "simulator-key-of-live-account";

/// How the keys of live mode begin. There is no such account; what counts is that test mode refuses the key.
pub(super) const LIVE_PREFIX: &str = "live-";

pub(super) static DESCRIPTOR: Descriptor = Descriptor {
    processor: "simulator",
    name: "Simulator",
    logo: None,
    methods: &[
        Method::Card,
        Method::Mastercard,
        Method::Visa,
        Method::Amex,
        Method::Maestro,
        Method::Dankort,
        Method::Discover,
        Method::Diners,
        Method::Jcb,
        Method::Unionpay,
        Method::WalletaPay,
        Method::WalletbPay,
        Method::Walletc,
        Method::Bnpla,
        Method::Ideal,
        Method::BanContact,
        Method::GiroPay,
        Method::Sofort,
        Method::Openbanking,
        Method::AliPay,
        Method::WeChat,
        Method::BuyNowPayLater,
        Method::Affirm,
        Method::AfterPay,
        Method::ClearPay,
        Method::SepaDirectDebit,
        Method::Bacs,
        Method::Becs,
        Method::AchDebit,
        Method::Ach,
        Method::DirectDebit,
        Method::Account,
    ],
    capabilities: Capabilities {
        sale: true,
        partial_capture: true,
        several_captures: true,
        partial_refund: true,
    },
    credentials: &[
        CredentialField {
            name: API_KEY,
            is_required: false,
            is_secret: true,
            purpose: CredentialPurpose::Calls,
            form: "simulator-key",
            about: "the simulated account's key; every key but simulator-key is refused with each call",
        },
        CredentialField {
            name: NOTIFICATION_SECRET,
            is_required: false,
            is_secret: true,
            purpose: CredentialPurpose::Notifications,
            form: "whsec_…",
            about: "the secret that notifications are signed with; without it they are signed with one that is made of the connection's address for them",
        },
    ],
    // It is called without a network.
    hosts: Vec::new(),
    call_timeout: CALL_TIMEOUT,
    // A look-up waits for every write of a call that has ended (`Books::catch_up`), so there is nothing to wait for.
    not_found_final_after: Some(Duration::ZERO),
    returned: &[],
    authorisation_lifetime: Duration::from_hours(7 * 24),
    facts: FACTS,
    pending_schedule: &[
        Duration::from_secs(1),
        Duration::from_secs(1),
        Duration::from_secs(2),
        Duration::from_secs(5),
    ],
};
