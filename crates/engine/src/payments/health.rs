//! Which connections fail again and again: they are rested, then tried by one payment at a time.
//!
//! Kept in memory, by each node for itself: a node that can't reach a processor may be the only one that can't.

use std::{collections::BTreeMap, time::Duration};

use domain::{
    Timestamp,
    id::{ConnectionId, TeamId},
};
use parking_lot::Mutex;

/// A probe that has not reported its outcome after this time is taken for lost.
const PROBE: Duration = Duration::from_secs(30);

/// A rest grows to at most so many times the first one.
const MOST_RESTS: u32 = 10;

/// A rest that a processor names is cut to this: what it says must not switch a connection off for a day.
const NAMED_REST_MAX: Duration = Duration::from_mins(15);

/// Connections that are remembered at the same time.
const KEPT: usize = 10_000;

/// Whether payments should be sent to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fitness {
    /// Yes.
    Fit,
    /// It has rested; this payment tries whether it is well again.
    Probe,
    /// It rests until the time.
    Resting(Timestamp),
}

/// When a connection is rested, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RestRules {
    /// After so many failures in a row.
    pub(crate) after: u32,
    /// The first rest; each further one is longer.
    pub(crate) span: Duration,
}

/// How the connections of this node's teams are.
#[derive(Default)]
pub(crate) struct Health(Mutex<BTreeMap<(TeamId, ConnectionId), Record>>);

#[derive(Default)]
struct Record {
    /// Failures since the last success.
    failures: u32,
    /// How often it was rested since the last success.
    rests: u32,
    rests_until: Option<Timestamp>,
    probed_until: Option<Timestamp>,
}

impl Health {
    /// Whether a payment should go there now. The one that is to probe should go.
    pub(crate) fn fitness(
        &self,
        team: TeamId,
        connection: &ConnectionId,
        now: Timestamp,
    ) -> Fitness {
        let mut records = self.0.lock();
        let Some(record) = records.get_mut(&(team, connection.clone())) else {
            return Fitness::Fit;
        };
        let Some(until) = record.rests_until else {
            return Fitness::Fit;
        };
        if now < until {
            return Fitness::Resting(until);
        }
        match record.probed_until {
            Some(probed) if now < probed => Fitness::Resting(probed),
            Some(_) | None => {
                record.probed_until = Some(now.after(PROBE));
                Fitness::Probe
            }
        }
    }

    /// A call went through, whatever its answer was.
    /// Whether it was rested until now.
    pub(crate) fn went_well(&self, team: TeamId, connection: &ConnectionId) -> bool {
        let mut records = self.0.lock();
        let gone = records.remove(&(team, connection.clone()));
        let rested = gone.is_some_and(|record| record.rests_until.is_some());
        if rested {
            measure(&records);
        }
        rested
    }

    /// A call failed. Returns until when the connection is rested, if this failure makes it so.
    pub(crate) fn failed(
        &self,
        team: TeamId,
        connection: &ConnectionId,
        now: Timestamp,
        rules: RestRules,
    ) -> Option<Timestamp> {
        let mut records = self.0.lock();
        if records.len() >= KEPT {
            records.clear();
        }
        let record = records.entry((team, connection.clone())).or_default();
        record.failures = record.failures.saturating_add(1);
        let probed = record.probed_until.take().is_some();
        if record.failures < rules.after && !probed {
            return None;
        }
        record.rests = record.rests.saturating_add(1);
        let times = 1_u32
            .checked_shl(record.rests.saturating_sub(1))
            .unwrap_or(MOST_RESTS)
            .min(MOST_RESTS);
        let until = now.after(rules.span.saturating_mul(times));
        // A longer rest that the processor has named stays.
        let until = record.rests_until.map_or(until, |named| named.max(until));
        record.rests_until = Some(until);
        record.failures = 0;
        measure(&records);
        Some(until)
    }

    /// Rests a connection for a time that its processor named, of which at most [`NAMED_REST_MAX`] counts. Returns its end.
    pub(crate) fn rest_as_named(
        &self,
        team: TeamId,
        connection: &ConnectionId,
        now: Timestamp,
        span: Duration,
    ) -> Timestamp {
        let until = now.after(span.min(NAMED_REST_MAX));
        let mut records = self.0.lock();
        if records.len() >= KEPT {
            records.clear();
        }
        let record = records.entry((team, connection.clone())).or_default();
        let until = record.rests_until.map_or(until, |longer| longer.max(until));
        record.rests_until = Some(until);
        measure(&records);
        until
    }
}

/// Tells how many connections are rested, those included that nobody has tried since their rest.
fn measure(records: &BTreeMap<(TeamId, ConnectionId), Record>) {
    let resting = records
        .values()
        .filter(|record| record.rests_until.is_some())
        .count();
    metrics::gauge!("pointsman_connections_resting")
        .set(u32::try_from(resting).unwrap_or(u32::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: RestRules = rest_after(3);

    const fn rest_after(after: u32) -> RestRules {
        let span = Duration::from_secs(30);
        RestRules { after, span }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_micros(1_767_225_600_000_000).after(Duration::from_secs(seconds))
    }

    fn key() -> (TeamId, ConnectionId) {
        (
            TeamId::new(uuid::Uuid::from_u128(1)),
            ConnectionId::parse("simulator-a").unwrap(),
        )
    }

    #[test]
    fn a_connection_is_rested_after_failures_in_a_row_and_probed_by_one() {
        let health = Health::default();
        let (team, connection) = key();
        assert_eq!(health.failed(team, &connection, at(0), RULES), None);
        assert_eq!(health.failed(team, &connection, at(1), RULES), None);
        assert_eq!(health.fitness(team, &connection, at(1)), Fitness::Fit);
        assert_eq!(health.failed(team, &connection, at(2), RULES), Some(at(32)));
        assert_eq!(
            health.fitness(team, &connection, at(3)),
            Fitness::Resting(at(32))
        );
        assert_eq!(health.fitness(team, &connection, at(32)), Fitness::Probe);
        assert_eq!(
            health.fitness(team, &connection, at(33)),
            Fitness::Resting(at(62)),
            "one probe at a time"
        );
        assert_eq!(
            health.failed(team, &connection, at(34), RULES),
            Some(at(94)),
            "a failed probe rests it twice as long"
        );
        assert_eq!(health.fitness(team, &connection, at(94)), Fitness::Probe);
        health.went_well(team, &connection);
        assert_eq!(health.fitness(team, &connection, at(95)), Fitness::Fit);
    }

    #[test]
    fn a_success_forgets_the_failures_and_another_team_has_its_own() {
        let health = Health::default();
        let (team, connection) = key();
        for second in 0..10 {
            health.failed(team, &connection, at(second), rest_after(100));
            health.went_well(team, &connection);
        }
        assert_eq!(
            health.failed(team, &connection, at(20), rest_after(2)),
            None
        );
        let other = TeamId::new(uuid::Uuid::from_u128(2));
        assert_eq!(
            health.failed(team, &connection, at(21), rest_after(2)),
            Some(at(51))
        );
        assert_eq!(health.fitness(other, &connection, at(22)), Fitness::Fit);
    }

    #[test]
    fn a_probe_that_is_lost_does_not_rest_the_connection_for_ever() {
        let health = Health::default();
        let (team, connection) = key();
        health.failed(team, &connection, at(0), rest_after(1));
        assert_eq!(health.fitness(team, &connection, at(30)), Fitness::Probe);
        assert_eq!(health.fitness(team, &connection, at(60)), Fitness::Probe);
    }

    #[test]
    fn a_rest_that_the_processor_names_is_kept_and_cut_to_a_quarter_of_an_hour() {
        let health = Health::default();
        let (team, connection) = key();
        let fitness = |now| health.fitness(team, &connection, now);
        let named = |seconds| {
            let span = Duration::from_secs(seconds);
            health.rest_as_named(team, &connection, at(0), span)
        };
        assert_eq!(named(60), at(60));
        assert_eq!(fitness(at(59)), Fitness::Resting(at(60)));
        assert_eq!(fitness(at(60)), Fitness::Probe);
        assert_eq!(named(86_400), at(900));
        assert_eq!(named(5), at(900), "a shorter one does not end a longer one");
        let failed = health.failed(team, &connection, at(1), rest_after(1));
        assert_eq!(failed, Some(at(900)), "nor does a failure");
        assert_eq!(fitness(at(899)), Fitness::Resting(at(900)));
    }

    #[test]
    fn rests_grow_up_to_ten_times() {
        let health = Health::default();
        let (team, connection) = key();
        let mut now = at(0);
        let mut spans = Vec::new();
        let rules = RestRules {
            after: 1,
            span: Duration::from_secs(1),
        };
        for _ in 0..7 {
            let until = health.failed(team, &connection, now, rules).unwrap();
            spans.push(until.since(now).as_secs());
            now = until;
            health.fitness(team, &connection, now);
        }
        assert_eq!(spans, [1, 2, 4, 8, 10, 10, 10]);
    }
}
