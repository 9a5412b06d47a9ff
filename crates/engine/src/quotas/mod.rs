//! Quotas of callers in a browser.
//!
//! A public key stands in every page, and a client token is in the shopper's hands. So what they may do is counted for each
//! credential *and* network: one hostile visitor uses up the own share and nobody else's. A credential's total is far above
//! one visitor's share, and bounds those with many addresses.
//!
//! Counts are in memory and of one node: they slow abuse down and are not what money depends on. A network that is not known
//! (a trusted proxy that names no client) is nobody's, and only the totals count.

mod buckets;
mod tried;

use std::time::Duration;

use domain::{
    Code, Fault, Timestamp,
    caller::Caller,
    id::{KeyId, PaymentId, TeamId},
    network::Network,
    payment::Payment,
};
use parking_lot::Mutex;

use self::{buckets::Buckets, tried::Tried};
use crate::Engine;

/// Root fields may come in a burst of as many as this time brings.
const BURST: Duration = Duration::from_secs(10);
const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);
/// Requests with reports of a team's pages in a minute, from one network. One visitor's page makes some ten.
const NETWORK_REPORTS: u64 = 60;
/// The same for the pages of all teams, those that nobody has included: several shops may be visited from one network.
const REPORTER_REPORTS: u64 = 240;
/// The same from all networks: what is new is there within them, and counts need not be right to the last.
const TEAM_REPORTS: u64 = 600;

/// What browsers' credentials may do. `None`: as much as they like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaLimits {
    /// Root fields per second of one visitor: a credential at a network.
    pub visitor_fields_per_second: Option<u64>,
    /// Root fields per second of one credential.
    pub key_fields_per_second: Option<u64>,
    /// Bytes stored per hour for one visitor.
    pub visitor_bytes_per_hour: Option<u64>,
    /// Bytes stored per hour for one credential.
    pub key_bytes_per_hour: Option<u64>,
    /// Declined payments per hour of one visitor.
    pub visitor_declines_per_hour: Option<u64>,
    /// Declined payments per hour of one team's visitors at one network.
    pub network_declines_per_hour: Option<u64>,
}

/// What a root field is about to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Act {
    /// Bytes that it stores, about.
    pub stores: u64,
    /// Whether it is an authorisation.
    pub pays: bool,
}

type Visitor = (KeyId, Network);

/// The counts of one node.
pub(crate) struct Quotas {
    visitor_fields: Option<Buckets<Visitor>>,
    key_fields: Option<Buckets<KeyId>>,
    visitor_bytes: Option<Buckets<Visitor>>,
    key_bytes: Option<Buckets<KeyId>>,
    visitor_declines: Option<Buckets<Visitor>>,
    network_declines: Option<Buckets<(TeamId, Network)>>,
    reporter_reports: Buckets<Network>,
    network_reports: Buckets<(TeamId, Network)>,
    team_reports: Buckets<TeamId>,
    tried: Mutex<Tried>,
}

impl Quotas {
    /// Nothing is counted yet.
    pub(crate) fn new(limits: &QuotaLimits) -> Self {
        fn fields<K: Ord + Copy>(per_second: Option<u64>) -> Option<Buckets<K>> {
            per_second.map(|most| Buckets::new(most.saturating_mul(BURST.as_secs()), BURST))
        }
        fn hourly<K: Ord + Copy>(per_hour: Option<u64>) -> Option<Buckets<K>> {
            per_hour.map(|most| Buckets::new(most, HOUR))
        }
        Self {
            visitor_fields: fields(limits.visitor_fields_per_second),
            key_fields: fields(limits.key_fields_per_second),
            visitor_bytes: hourly(limits.visitor_bytes_per_hour),
            key_bytes: hourly(limits.key_bytes_per_hour),
            visitor_declines: hourly(limits.visitor_declines_per_hour),
            network_declines: hourly(limits.network_declines_per_hour),
            reporter_reports: Buckets::new(REPORTER_REPORTS, MINUTE),
            network_reports: Buckets::new(NETWORK_REPORTS, MINUTE),
            team_reports: Buckets::new(TEAM_REPORTS, MINUTE),
            tried: Mutex::default(),
        }
    }

    /// Counts a request with browsers' reports, whatever page they are of.
    ///
    /// # Errors
    /// `error.rate-limited`.
    pub(crate) fn admit_reporter(
        &self,
        network: Option<Network>,
        now: Timestamp,
    ) -> Result<(), Fault> {
        take(Some(&self.reporter_reports), network, 1, now)
            .map_err(|wait| Refusal::reports(wait).fault())
    }

    /// Counts a request with browsers' reports of a team's page.
    ///
    /// # Errors
    /// `error.rate-limited`.
    pub(crate) fn admit_report(
        &self,
        team: TeamId,
        network: Option<Network>,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let network = network.map(|network| (team, network));
        take(Some(&self.network_reports), network, 1, now)
            .and_then(|()| self.team_reports.take(team, 1, now))
            .map_err(|wait| Refusal::reports(wait).fault())
    }

    fn admit(&self, caller: &Caller, act: Act, now: Timestamp) -> Result<(), Refusal> {
        let visitor = caller.network.map(|network| (caller.key, network));
        take(self.visitor_fields.as_ref(), visitor, 1, now).map_err(Refusal::fields)?;
        take(self.key_fields.as_ref(), Some(caller.key), 1, now).map_err(Refusal::fields)?;
        if act.pays {
            let at_team = caller.network.map(|network| (caller.team, network));
            check(self.visitor_declines.as_ref(), visitor, now).map_err(Refusal::declines)?;
            check(self.network_declines.as_ref(), at_team, now).map_err(Refusal::declines)?;
        }
        if act.stores > 0 {
            let key = Some(caller.key);
            take(self.visitor_bytes.as_ref(), visitor, act.stores, now).map_err(Refusal::bytes)?;
            take(self.key_bytes.as_ref(), key, act.stores, now).map_err(Refusal::bytes)?;
        }
        Ok(())
    }

    fn declined(&self, team: TeamId, visitor: Visitor, now: Timestamp) {
        if let Some(buckets) = &self.visitor_declines {
            buckets.charge(visitor, now);
        }
        if let Some(buckets) = &self.network_declines {
            buckets.charge((team, visitor.1), now);
        }
    }

    fn counts_declines(&self) -> bool {
        self.visitor_declines.is_some() || self.network_declines.is_some()
    }
}

fn take<K: Ord + Copy>(
    buckets: Option<&Buckets<K>>,
    key: Option<K>,
    units: u64,
    now: Timestamp,
) -> Result<(), Duration> {
    match (buckets, key) {
        (Some(buckets), Some(key)) => buckets.take(key, units, now),
        (None, _) | (_, None) => Ok(()),
    }
}

fn check<K: Ord + Copy>(
    buckets: Option<&Buckets<K>>,
    key: Option<K>,
    now: Timestamp,
) -> Result<(), Duration> {
    match (buckets, key) {
        (Some(buckets), Some(key)) => buckets.check(key, now),
        (None, _) | (_, None) => Ok(()),
    }
}

/// Which quota is used up, and how long it takes until it is not.
struct Refusal {
    quota: &'static str,
    message: &'static str,
    wait: Duration,
}

impl Refusal {
    fn fields(wait: Duration) -> Self {
        Self {
            quota: "fields",
            message: "Too many operations came with this credential from one place. Please wait a moment.",
            wait,
        }
    }

    fn declines(wait: Duration) -> Self {
        Self {
            quota: "declines",
            message: "Too many payments were declined. Please try again later.",
            wait,
        }
    }

    fn bytes(wait: Duration) -> Self {
        Self {
            quota: "bytes",
            message: "Too much was stored with this credential. Please try again later.",
            wait,
        }
    }

    fn reports(wait: Duration) -> Self {
        Self {
            quota: "page_reports",
            message: "Too many reports came of this page. Please wait a moment.",
            wait,
        }
    }

    fn fault(self) -> Fault {
        metrics::counter!("pointsman_quota_refusals_total", "quota" => self.quota).increment(1);
        Fault::new(Code::RateLimited, self.message).after(self.wait)
    }
}

/// Shows the refusals' counters from the start on.
pub(crate) fn begin_counting() {
    for refusal in [
        Refusal::fields,
        Refusal::declines,
        Refusal::bytes,
        Refusal::reports,
    ] {
        let quota = refusal(Duration::ZERO).quota;
        metrics::counter!("pointsman_quota_refusals_total", "quota" => quota).increment(0);
    }
}

impl Engine {
    /// Counts what a browser's credential is about to do. A merchant's server has no quotas here.
    ///
    /// # Errors
    /// `error.rate-limited` when a quota is used up.
    pub fn admit(&self, caller: &Caller, act: Act) -> Result<(), Fault> {
        if caller.is_server() {
            return Ok(());
        }
        let now = self.inner.world.now();
        let admitted = self.inner.quotas.admit(caller, act, now);
        admitted.map_err(Refusal::fault)
    }

    /// From now on a decline of this payment counts against the visitor.
    pub(crate) fn note_try(&self, caller: &Caller, payment: PaymentId) {
        let quotas = &self.inner.quotas;
        if let (false, true, Some(network)) =
            (caller.is_server(), quotas.counts_declines(), caller.network)
        {
            quotas.tried.lock().note(payment, (caller.key, network));
        }
    }

    /// The same for a payment whose customer comes back from 3D Secure to a node that does not know it.
    pub(crate) fn note_return(&self, payment: &Payment, network: Option<Network>) {
        let quotas = &self.inner.quotas;
        if let (false, true, Some(key), Some(network)) = (
            payment.authorisation_ended(),
            quotas.counts_declines(),
            payment.made_by(),
            network,
        ) {
            quotas.tried.lock().note_new(payment.id(), (key, network));
        }
    }

    /// Counts a decline, once. What was given up is none.
    pub(crate) fn count_decline(&self, payment: &Payment) {
        let quotas = &self.inner.quotas;
        if payment.made_by().is_none() || !payment.authorisation_ended() {
            return;
        }
        let visitor = quotas.tried.lock().forget(payment.id());
        if let Some(visitor) = visitor.filter(|_| payment.was_refused()) {
            quotas.declined(payment.team(), visitor, self.inner.world.now());
        }
    }
}
