//! What is measured of payments. Labels are bounded: an installation with thousands of teams gets `other` for those that come last.

use crate::boxed;
use std::collections::BTreeSet;

use db::DbError;
use domain::{
    Timestamp,
    decline::DeclineCode,
    id::{ConnectionId, TeamId},
    intent,
    payment::{Payment, Status},
};
use parking_lot::Mutex;

use crate::{Engine, jobs, numbers, payments, quotas};

/// Pairs of team and connection that have labels of their own.
const LABELLED: usize = 200;
/// Unknown payments that are counted of a team.
const COUNTED: i64 = 10_000;
/// Stands for what has no label of its own.
const OTHER: &str = "other";
/// Stands for the connection of a payment that was sent nowhere.
const NOWHERE: &str = "none";

/// So many pairs are shown before they are used; the other labels are left to those that are used.
const SHOWN: usize = 100;
/// How an authorisation may come to its end.
const ENDS: [Status; 5] = [
    Status::Authorised,
    Status::Succeeded,
    Status::Declined,
    Status::Failed,
    Status::Cancelled,
];

/// Shows every counter whose labels are known from the start on: an increase from nothing is none to Prometheus, so the first event
/// would be missed.
pub(crate) fn begin_counting() {
    jobs::begin_counting();
    numbers::begin_counting();
    quotas::begin_counting();
    for status in intent::Status::ALL {
        metrics::counter!("pointsman_intent_commits_total", "status" => status.code()).increment(0);
    }
    metrics::counter!("pointsman_connection_rests_total").increment(0);
    metrics::counter!("pointsman_dispute_look_ups_failed_total").increment(0);
    metrics::counter!("pointsman_credentials_refused_total").increment(0);
}

/// The same for what is counted of a connection.
fn begin_counting_of(team: &str, connection: &str, processor: &str) {
    for outcome in ["forged", "unknown_payment", "unreadable", "failed"] {
        metrics::counter!(
            "pointsman_notifications_total",
            "processor" => processor.to_owned(), "outcome" => outcome
        )
        .increment(0);
    }
    for status in ENDS {
        metrics::counter!(
            "pointsman_payments_total",
            "team" => team.to_owned(), "connection" => connection.to_owned(), "status" => status.text()
        )
        .increment(0);
    }
    for code in DeclineCode::ALL {
        metrics::counter!(
            "pointsman_declines_total",
            "connection" => connection.to_owned(), "code" => code.code(), "type" => code.default_type().code()
        )
        .increment(0);
    }
    let labels = [
        ("processor", processor.to_owned()),
        ("connection", connection.to_owned()),
    ];
    metrics::counter!("pointsman_look_ups_total", &labels).increment(0);
    for verb in payments::VERBS {
        let labels = [
            ("processor", processor.to_owned()),
            ("connection", connection.to_owned()),
            ("verb", verb.to_owned()),
            ("outcome", "no_answer".to_owned()),
        ];
        // A histogram is shown once it is known, with nothing in it.
        drop(metrics::histogram!(
            "pointsman_attempt_call_duration_seconds",
            &labels
        ));
    }
}

/// The connections that have labels of their own, those that were used first.
#[derive(Default)]
pub(crate) struct Labels(Mutex<BTreeSet<(TeamId, ConnectionId)>>);

impl Labels {
    /// The labels of a team and its connection.
    pub(crate) fn of(&self, team: TeamId, connection: &ConnectionId) -> (String, String) {
        let mut known = self.0.lock();
        let pair = (team, connection.clone());
        if !known.contains(&pair) {
            if known.len() >= LABELLED {
                return (OTHER.to_owned(), OTHER.to_owned());
            }
            known.insert(pair);
        }
        (team.to_string(), connection.to_string())
    }
}

impl Labels {
    /// The labels of a pair that is not known yet, while there is room for such as are not used.
    fn shown(&self, team: TeamId, connection: &ConnectionId) -> Option<(String, String)> {
        {
            let known = self.0.lock();
            if known.len() >= SHOWN || known.contains(&(team, connection.clone())) {
                return None;
            }
        }
        Some(self.of(team, connection))
    }
}

impl Engine {
    /// Shows the counters of every connection that there is.
    async fn begin_counting(&self, team: TeamId) -> Result<(), DbError> {
        for connection in store::connection::of_team(&self.inner.store, team).await? {
            if let Some((team, label)) = self.inner.labels.shown(team, &connection.id) {
                begin_counting_of(&team, &label, &connection.processor);
            }
        }
        Ok(())
    }

    /// The label of a connection.
    pub(crate) fn connection_label(&self, team: TeamId, connection: &ConnectionId) -> String {
        self.inner.labels.of(team, connection).1
    }

    /// Notes whether a connection is rested.
    pub(crate) fn rests(&self, team: TeamId, connection: &ConnectionId, rests: bool) {
        let (team, connection) = self.inner.labels.of(team, connection);
        metrics::gauge!("pointsman_connection_resting", "team" => team, "connection" => connection)
            .set(if rests { 1.0 } else { 0.0 });
    }

    /// Counts a payment whose authorisation has just come to its end.
    pub(crate) fn count_outcome(&self, payment: &Payment) {
        let (team, connection) = match payment.attempt() {
            Some(attempt) => self.inner.labels.of(payment.team(), &attempt.connection),
            None => (payment.team().to_string(), NOWHERE.to_owned()),
        };
        if let Some(decline) = payment.decline().filter(|_| payment.was_refused()) {
            metrics::counter!(
                "pointsman_declines_total",
                "connection" => connection.clone(), "code" => decline.code.code(), "type" => decline.kind.code()
            )
            .increment(1);
        }
        metrics::counter!(
            "pointsman_payments_total",
            "team" => team, "connection" => connection, "status" => payment.status().text()
        )
        .increment(1);
    }

    /// Looks at what waits in the database, for the gauges: unknown payments and overdue ones. Nodes of one database see the
    /// same.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn observe(&self) -> Result<(), DbError> {
        let store = &self.inner.store;
        store.measure_clock().await?;
        let now = self.inner.world.now();
        let mut unknown = 0_u32;
        let mut oldest: Option<Timestamp> = None;
        for team in store::team::all(store).await? {
            self.begin_counting(team.id).await?;
            let status = Status::NoAnswerFromPsp;
            let found = store::watch::with_status(store, team.id, status, COUNTED).await?;
            unknown = unknown.saturating_add(found.count);
            oldest = [oldest, found.oldest].into_iter().flatten().min();
        }
        // What is due below, the look at the oldest row finds: it lowers the floor.
        let after = self.inner.floors.payments.look(now).after;
        let due = store::watch::first_due(store, after).await?;
        metrics::gauge!("pointsman_payments_unknown").set(unknown);
        metrics::gauge!("pointsman_payments_unknown_age_seconds").set(age(oldest, now));
        metrics::gauge!("pointsman_payments_overdue_seconds").set(age(due, now));
        Ok(())
    }
}

/// How long ago it was, in seconds; 0 when it was not.
fn age(at: Option<Timestamp>, now: Timestamp) -> f64 {
    at.map_or(0.0, |at| now.since(at).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_bounded() {
        let labels = Labels::default();
        let connection = ConnectionId::parse("a").unwrap();
        let team = |number| TeamId::new(uuid::Uuid::from_u128(number));
        for number in 0..200 {
            assert_eq!(labels.of(team(number), &connection).1, "a");
        }
        assert_eq!(labels.of(team(200), &connection).0, "other");
        assert_eq!(labels.of(team(7), &connection).0, team(7).to_string());
    }
}
