//! Stripe's facts. Sources: docs/processors/stripe.md.

use std::{sync::LazyLock, time::Duration};

use connector::{Capabilities, CredentialField, CredentialPurpose, Descriptor, Fact};
use domain::method::Method;
use http_client::HostPattern;

/// Where the API is.
pub(super) const API: &str = "https://api.stripe.com/";

/// Where files go.
pub(super) const FILES: &str = "https://files.stripe.com/";

/// The version that is spoken. Source: `apiVersion.js` of npm `stripe` 23.1.0.
pub(super) const VERSION: &str = "2026-10-28.endive";

/// The field of the credentials with the secret key.
pub(super) const SECRET_KEY: &str = "secretKey";

/// The field of the credentials with the secret of the webhook endpoint.
pub(super) const WEBHOOK_SECRET: &str = "webhookSecret";

/// The setting of accounts from which Stripe takes the scheme's id of a transaction that it may not have made.
/// Source: docs/processors/stripe.md, "Stored credentials and wallets".
pub(super) const NETWORK_IDS: &str = "network_transaction_ids";

/// The time of a whole call, which is up to three requests.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// All that there are. Source: docs/processors/stripe.md, "States".
const FACTS: &[Fact] = Fact::ALL;

static CREDENTIALS: &[CredentialField] = &[
    CredentialField {
        name: SECRET_KEY,
        is_required: true,
        is_secret: true,
        purpose: CredentialPurpose::Calls,
        form: "sk_test_…",
        about: "the secret key, or a restricted key (rk_) with write access to PaymentIntents, SetupIntents, PaymentMethods, Customers, Tokens, Refunds, Disputes and Files; in Stripe's dashboard under Developers, API keys",
    },
    CredentialField {
        name: WEBHOOK_SECRET,
        is_required: false,
        is_secret: true,
        purpose: CredentialPurpose::Notifications,
        form: "whsec_…",
        about: "the signing secret of the webhook endpoint; in Stripe's dashboard under Developers, Webhooks. Without it no notification is believed",
    },
];

static PENDING: &[Duration] = &[
    Duration::from_mins(1),
    Duration::from_mins(10),
    Duration::from_hours(1),
    Duration::from_hours(6),
];

pub(super) static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| Descriptor {
    processor: "stripe",
    name: "Stripe",
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
        // Each charge says whether it was granted: `multicapture.status`.
        several_captures: false,
    },
    credentials: CREDENTIALS,
    hosts: ["api.stripe.com", "files.stripe.com"]
        .into_iter()
        .filter_map(HostPattern::parse)
        .collect(),
    call_timeout: CALL_TIMEOUT,
    // What moves money names an intent that was made before, and lists of intents are consistent at once by Stripe's own
    // recommendation, not by its promise: hence the margin.
    not_found_final_after: Some(Duration::from_mins(10)),
    returned: &[],
    // "capture_before" of each charge has its own end; this counts where Stripe names none.
    authorisation_lifetime: Duration::from_hours(7 * 24),
    facts: FACTS,
    pending_schedule: PENDING,
});
