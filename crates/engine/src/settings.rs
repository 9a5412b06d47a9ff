//! The engine's settings.

use std::{sync::Arc, time::Duration};

use domain::{
    Fault, Hint, Timestamp,
    caller::Mode,
    card_number::CardNumber,
    card_ranges::CardRanges,
    test_numbers::{self, TestRange},
};

use crate::OrderIds;
use crate::quotas::QuotaLimits;
use crate::webhooks::WebhookSettings;

/// The engine's settings, checked by the reader of the configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Test or live.
    pub mode: Mode,
    /// Origins whose pages may show the payment form where their team has set none; `None`: any in test mode, none in live.
    pub allowed_origins: Option<Vec<String>>,
    /// Until when payments may have a past that is not in the database: it was restored from a backup of this time. Nothing is
    /// sent for such a payment before its processor was asked.
    pub restored_at: Option<Timestamp>,
    /// How long idempotency keys are kept.
    pub idempotency_retention: Duration,
    /// How long an authorisation can be captured at most; when absent as its processor says of it, else the connector's own time.
    pub authorisation_lifetime: Option<Duration>,
    /// When an unknown outcome is looked up, counted from the time it became unknown; then daily.
    pub recovery_schedule: Vec<Duration>,
    /// How long an authorisation without an answer waits for news from a processor that can't be read, before that is asked to let
    /// nothing stand.
    pub abandon_after: Duration,
    /// How often jobs look for work.
    pub poll_interval: Duration,
    /// By when a request must have its answer.
    pub request_deadline: Duration,
    /// How long the customer has to come back from a processor's page.
    pub customer_lifetime: Duration,
    /// After so many failures in a row a connection is rested.
    pub rest_after: u32,
    /// How long a connection is rested at first; then twice as long each time, up to ten times.
    pub rest_for: Duration,
    /// How long a client token lives.
    pub client_token_lifetime: Duration,
    /// An intent without activity for this long is inactive.
    pub intent_inactivity: Duration,
    /// A customer that a browser made and nobody used is erased after this time.
    pub browser_customer_lifetime: Duration,
    /// An intent that a browser started and nobody paid is erased after this time without activity.
    pub browser_intent_lifetime: Duration,
    /// What browsers' credentials may do.
    pub quotas: QuotaLimits,
    /// Card numbers that test mode takes.
    pub test_numbers: TestNumbers,
    /// How long entries of the audit trail are kept.
    pub audit_retention: Duration,
    /// Streams that this node serves at a time.
    pub streams: u32,
    /// Streams of one team among them.
    pub streams_of_team: u32,
    /// How much is kept as attachments.
    pub attachments: domain::attachment::Limits,
    /// Which of the merchant's own names are taken for a card's number.
    pub order_ids: OrderIds,
    /// What is known of cards by their first digits; empty where the operator has no table.
    pub card_ranges: Arc<CardRanges>,
    /// How events are sent to webhook endpoints.
    pub webhooks: WebhookSettings,
}

/// Card numbers that test mode takes; live mode takes every one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestNumbers {
    /// Those that are published for tests, and those in these ranges.
    Published(Vec<TestRange>),
    /// Every one, real ones too: for those who must.
    All,
}

impl Settings {
    /// Whether the number may be used here. Of wallets' tokens nothing is asked: a test wallet has none of a real card.
    pub(crate) fn takes(&self, number: &CardNumber) -> bool {
        match (&self.test_numbers, self.mode) {
            (TestNumbers::All, _) | (_, Mode::Live) => true,
            (TestNumbers::Published(ranges), Mode::Test) => {
                test_numbers::is_published(number) || ranges.iter().any(|range| range.holds(number))
            }
        }
    }
}

/// A number that is not for tests, in test mode.
pub(crate) fn not_a_test_number(field: String) -> Fault {
    Fault::invalid(field, "must be a test card number in test mode").hinting(Hint::TestNumbers)
}

impl Default for Settings {
    fn default() -> Self {
        let seconds = [5, 30, 120, 600, 3600];
        Self {
            mode: Mode::Test,
            allowed_origins: None,
            restored_at: None,
            idempotency_retention: Duration::from_hours(24),
            authorisation_lifetime: None,
            recovery_schedule: seconds.into_iter().map(Duration::from_secs).collect(),
            abandon_after: Duration::from_mins(15),
            poll_interval: Duration::from_millis(500),
            request_deadline: Duration::from_secs(24),
            customer_lifetime: Duration::from_hours(24),
            rest_after: 5,
            rest_for: Duration::from_secs(30),
            client_token_lifetime: Duration::from_hours(3),
            intent_inactivity: Duration::from_mins(5),
            browser_customer_lifetime: Duration::from_hours(24),
            browser_intent_lifetime: Duration::from_hours(30 * 24),
            quotas: QuotaLimits::default(),
            test_numbers: TestNumbers::Published(Vec::new()),
            audit_retention: Duration::from_hours(400 * 24),
            streams: 1_000,
            streams_of_team: 250,
            attachments: domain::attachment::Limits::default(),
            order_ids: OrderIds::Equal,
            card_ranges: Arc::default(),
            webhooks: WebhookSettings::default(),
        }
    }
}
