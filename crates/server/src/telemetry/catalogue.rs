//! Every family of metrics with what it says: the one list that `# HELP` and `docs/metrics.md` are held against.

/// How a family is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Counter,
    Gauge,
    Histogram,
}
use Measure::{Counter, Gauge, Histogram};

/// Name, measure, meaning; sorted by name. Those of the process are written by [`super::process`].
const FAMILIES: [(&str, Measure, &str); 51] = [
    (
        "pointsman_attempt_call_duration_seconds",
        Histogram,
        "Calls to processors: how long they took, by processor, connection, verb and outcome.",
    ),
    (
        "pointsman_build_info",
        Gauge,
        "The running version and commit; always 1.",
    ),
    (
        "pointsman_connection_resting",
        Gauge,
        "1 while this node leaves a connection out after repeated failures, by team and connection.",
    ),
    (
        "pointsman_connection_rests_total",
        Counter,
        "How often a connection was left out after repeated failures.",
    ),
    (
        "pointsman_connections_resting",
        Gauge,
        "Connections that this node leaves out after repeated failures, until a payment finds them well again.",
    ),
    (
        "pointsman_credentials_refused_total",
        Counter,
        "Calls that a processor refused because of the connection's credentials.",
    ),
    (
        "pointsman_database_failing",
        Gauge,
        "1 while a database's disk refuses what is committed.",
    ),
    (
        "pointsman_db_batch_changes",
        Histogram,
        "Changes in one commit of the database.",
    ),
    (
        "pointsman_db_batch_duration_seconds",
        Histogram,
        "How long one commit of the database took, with all changes in it.",
    ),
    (
        "pointsman_db_batch_failures_total",
        Counter,
        "Commits of the database that failed as a whole: nothing of them was written.",
    ),
    (
        "pointsman_db_clock_skew_seconds",
        Gauge,
        "By how much this machine's clock and the database's certainly differed when they were last compared.",
    ),
    (
        "pointsman_db_commit_duration_seconds",
        Histogram,
        "How long a change took to be committed, waiting included.",
    ),
    (
        "pointsman_db_conflicts_total",
        Counter,
        "Changes that found that somebody else had been first.",
    ),
    (
        "pointsman_db_connection_losses_total",
        Counter,
        "Connections to the database's server that broke.",
    ),
    (
        "pointsman_db_connections_open",
        Gauge,
        "Connections to the database's server that are open, by database and role.",
    ),
    (
        "pointsman_db_connections_wanted",
        Gauge,
        "Connections to the database's server that this node holds when all is well, by database and role.",
    ),
    (
        "pointsman_db_failures_total",
        Counter,
        "Requests to the database that failed, by database and kind.",
    ),
    (
        "pointsman_db_queue_depth",
        Gauge,
        "Changes that wait to be committed.",
    ),
    (
        "pointsman_db_schema_version",
        Gauge,
        "The number of the last migration that this program knows.",
    ),
    (
        "pointsman_db_unknown_commits_total",
        Counter,
        "Commits whose answer was lost; they are submitted again until it is known.",
    ),
    (
        "pointsman_declines_total",
        Counter,
        "Declined payments, by connection, decline code and type.",
    ),
    (
        "pointsman_dispute_look_ups_failed_total",
        Counter,
        "Questions to processors whether they have a response to a dispute that found out nothing.",
    ),
    (
        "pointsman_disputes_total",
        Counter,
        "Changes of disputes, by the status after them.",
    ),
    (
        "pointsman_http_connections_open",
        Gauge,
        "Connections of clients that are open.",
    ),
    (
        "pointsman_http_connections_refused_total",
        Counter,
        "Connections that were closed since their address had too many.",
    ),
    (
        "pointsman_http_connections_stalled_total",
        Counter,
        "Connections that were cut since their client took no byte of an answer in time.",
    ),
    (
        "pointsman_http_rate_limited_total",
        Counter,
        "Requests that were refused since their credential sent too many, by kind of credential.",
    ),
    (
        "pointsman_http_request_duration_seconds",
        Histogram,
        "From a request's headers to its answer, by root field.",
    ),
    (
        "pointsman_http_requests_total",
        Counter,
        "Requests, by root field and error code.",
    ),
    (
        "pointsman_idempotent_replays_total",
        Counter,
        "Requests that were answered with the stored response of an earlier one under the same idempotency key.",
    ),
    (
        "pointsman_intent_commits_total",
        Counter,
        "Commits of intents, by status.",
    ),
    (
        "pointsman_job_item_failures_total",
        Counter,
        "Rows that a background job could not work on, by job and outcome.",
    ),
    (
        "pointsman_job_items_total",
        Counter,
        "What background jobs have done, by job.",
    ),
    (
        "pointsman_job_overdue_seconds",
        Gauge,
        "How long the oldest row has been waiting for its job; 0 when none is.",
    ),
    (
        "pointsman_job_runs_total",
        Counter,
        "Runs of background jobs, by job and outcome.",
    ),
    (
        "pointsman_log_lines_lost_total",
        Counter,
        "Lines of the log that were lost since standard error was read too slowly.",
    ),
    (
        "pointsman_log_lines_total",
        Counter,
        "Lines of the log, by level; info stands for it and everything below.",
    ),
    (
        "pointsman_look_ups_total",
        Counter,
        "Look-ups of payments at their processors, by processor and connection.",
    ),
    (
        "pointsman_notifications_total",
        Counter,
        "Notifications of processors, by processor and outcome.",
    ),
    (
        "pointsman_number_alarms_total",
        Counter,
        "Alarms about card and account numbers that were brought, by kind: many, alike, client_token.",
    ),
    (
        "pointsman_payments_overdue_seconds",
        Gauge,
        "How long the most overdue payment has been waiting for background work; 0 when none is.",
    ),
    (
        "pointsman_payments_total",
        Counter,
        "Payments whose authorisation has come to its end, once each, by team, connection and status.",
    ),
    (
        "pointsman_payments_unknown",
        Gauge,
        "Payments whose outcome is unknown, in all teams, counted up to 10000 a team.",
    ),
    (
        "pointsman_payments_unknown_age_seconds",
        Gauge,
        "The age of the oldest payment whose outcome is unknown; 0 when there is none.",
    ),
    (
        "pointsman_quota_refusals_total",
        Counter,
        "Root fields that were refused since a quota of browsers' credentials was used up, by quota.",
    ),
    (
        "pointsman_ready",
        Gauge,
        "1 when this node takes work, as /health/ready says.",
    ),
    (
        "pointsman_streams_open",
        Gauge,
        "Streams of events that are open on this node.",
    ),
    (
        "pointsman_tls_certificate_expiry_timestamp_seconds",
        Gauge,
        "When the certificate that is served ends, in seconds since 1970.",
    ),
    (
        "pointsman_tls_handshakes_failed_total",
        Counter,
        "TLS handshakes that failed or were not finished in time.",
    ),
    (
        "pointsman_webhook_attempts_total",
        Counter,
        "Attempts to deliver an event to a webhook endpoint, by outcome: taken, failed.",
    ),
    (
        "pointsman_webhooks_received_total",
        Counter,
        "Signed webhooks that endpoints' servers sent here, by outcome: taken, forged.",
    ),
];

/// Describes every family, so that each has its `# HELP`.
pub(super) fn describe() {
    for (name, measure, meaning) in FAMILIES {
        match measure {
            Counter => metrics::describe_counter!(name, meaning),
            Gauge => metrics::describe_gauge!(name, meaning),
            Histogram => metrics::describe_histogram!(name, meaning),
        }
    }
}

/// The names of all families of ours.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _, _)| *name)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn families_are_sorted_and_named_by_the_rules() {
        let all: Vec<&str> = names().collect();
        assert!(all.is_sorted(), "keep the list sorted");
        for (name, measure, meaning) in FAMILIES {
            assert_eq!(measure == Counter, name.ends_with("_total"), "{name}");
            assert!(
                name.starts_with("pointsman_") && meaning.ends_with('.'),
                "{name}"
            );
        }
    }

    #[test]
    fn the_document_names_every_family_and_no_other() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let document = fs::read_to_string(root.join("docs/metrics.md")).unwrap();
        let reported: Vec<&str> = document
            .split('`')
            .filter(|word| word.starts_with("pointsman_"))
            .map(|word| word.split('{').next().unwrap_or(word))
            .collect();
        for name in names() {
            assert!(
                reported.contains(&name),
                "docs/metrics.md does not name {name}"
            );
        }
        let all: Vec<&str> = names().collect();
        for name in reported {
            assert!(
                all.contains(&name),
                "docs/metrics.md names {name}, which there is not"
            );
        }
    }

    #[test]
    fn every_family_that_is_measured_anywhere_is_in_the_list() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders = vec![root];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let source = fs::read_to_string(&path).unwrap();
                    for part in source.split("\"pointsman_").skip(1) {
                        let word = part.split(['"', '{']).next().unwrap();
                        let name = format!("pointsman_{}", word.trim_end_matches("_bucket"));
                        if !word.is_empty()
                            && name
                                .trim_end_matches(|c: char| c == '_' || c.is_ascii_lowercase())
                                .is_empty()
                        {
                            found += 1;
                            assert!(
                                names().any(|known| known == name),
                                "{}: {name}",
                                path.display()
                            );
                        }
                    }
                }
            }
        }
        assert!(
            found >= FAMILIES.len(),
            "the scan finds too little: {found}"
        );
    }
}
