//! No statement reaches another team's rows: each names the team as a parameter, or stands below with its reason.

use std::collections::BTreeSet;

use tidy::{
    code, files,
    parts::declared,
    root, shown,
    sql::{Statement, parameters_of_team, statements, tables_of_teams, unbound, without_team},
    text,
};

/// Statements that reach rows of every team: the file, a part of the text that no other statement of the file has, and why.
const OF_EVERY_TEAM: &[(&str, &str, &str)] = &[
    (
        "store/src/audit.rs",
        "select distinct team_id from audit where seq is null and team_id > $1",
        "a job seals the entries of every team: ids of teams and nothing else",
    ),
    (
        "store/src/audit.rs",
        "select distinct team_id from audit where at < $1",
        "a job removes what is old of every team: ids of teams and nothing else",
    ),
    (
        "store/src/audit.rs",
        "select distinct team_id from audit union",
        "the people who run the service read the whole trail: ids of teams and nothing else",
    ),
    (
        "store/src/audit_chain.rs",
        "from audit_chain where sealed_at > $1",
        "the ends of the chains are written to the log, each with its team",
    ),
    (
        "store/src/browser_made.rs",
        "update browser_made set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/connection.rs",
        "from connection where earlier_until <= $1",
        "a job ends credentials of every team whose time is over; each row carries its team",
    ),
    (
        "store/src/dispute.rs",
        "update dispute set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/erasure.rs",
        "update erasure set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/flow_instance.rs",
        "update flow_instance set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/attachment.rs",
        "select {COLUMNS} from attachment where (team_id, attachment_id) > ",
        "a look through the whole installation; each row carries its team",
    ),
    (
        "store/src/attachment.rs",
        "update attachment_object set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/hidden_card.rs",
        "update hidden_card set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/intent.rs",
        "update intent set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/notification.rs",
        "update notification set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/notification.rs",
        "delete from notification where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/payment.rs",
        "update payment set due_at = $2 where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/connection.rs",
        "select distinct processor from connection",
        "the check of a deployment: its processors",
    ),
    (
        "store/src/credential.rs",
        "from credential where hash = $1",
        "a credential says whose it is",
    ),
    (
        "store/src/credential.rs",
        "from credential where key_id = $1",
        "a credential is revoked by its id, by the people who run the service",
    ),
    (
        "store/src/credential.rs",
        "delete from credential where key_id in (",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/method.rs",
        "select token, body, team_id, deleted_at from method",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/number_quota.rs",
        "delete from number_quota where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/once.rs",
        "delete from once where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/token_request.rs",
        "delete from token_request where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/webhook_delivery.rs",
        "delete from webhook_delivery where (team_id, ",
        "a job takes old rows of every team; each row carries its team",
    ),
    (
        "store/src/page_violation.rs",
        "delete from page_violation where (team_id, ",
        "a job takes old rows of every team; each row carries its team",
    ),
    (
        "store/src/webhook_received.rs",
        "delete from webhook_received where (team_id, ",
        "a job takes old rows of every team; each row carries its team",
    ),
    (
        "store/src/webhook_endpoint.rs",
        "from webhook_endpoint e where e.enabled = 1",
        "a job takes endpoints of every team; each row carries its team",
    ),
    (
        "store/src/webhook_endpoint.rs",
        "update webhook_endpoint set lease = $12, ",
        "a job takes endpoints of every team; each row carries its team",
    ),
    (
        "store/src/wallet_token.rs",
        "delete from wallet_token where (team_id, ",
        "a job takes due rows of every team; each row carries its team",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from payment where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select d.next_at from webhook_endpoint e join webhook_delivery d",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from dispute where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from notification where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select received_at from notification where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from intent where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from flow_instance where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from attachment_object where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from hidden_card where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from browser_made where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select due_at from erasure where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select deleted_at from method where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select created_at from once where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select expires_at from credential where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select forget_at from wallet_token where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/overdue.rs",
        "select created_at from token_request where",
        "a gauge: a time and nothing else",
    ),
    (
        "store/src/team.rs",
        "from team order by created_at, team_id",
        "the list of teams, for the people who run the service",
    ),
    (
        "store/src/team_setting.rs",
        "select team_id, body from team_setting order by",
        "the origins that any team allows",
    ),
    (
        "store/src/watch.rs",
        "select due_at from payment where due_at is not null and due_at > $1",
        "a gauge: a time and nothing else",
    ),
    (
        "vault/src/records.rs",
        "from sealed where key_version = $1 and blob_id > $2 union all",
        "rotation seals every team's data keys again",
    ),
    (
        "vault/src/records.rs",
        "from sealed where blob_id > $1 union all",
        "a backup is verified: every record is opened",
    ),
    (
        "vault/src/records.rs",
        "select count(*) from sealed union all",
        "the progress of a rotation",
    ),
    (
        "vault/src/records.rs",
        "select count(*) from sealed where key_version = $1 union all",
        "the progress of a rotation",
    ),
    (
        "vault/src/records.rs",
        "select blob_id, team_id from sealed where",
        "the search for orphans: each row carries its team",
    ),
    (
        "vault/src/records.rs",
        "select blob_id, team_id from secret where",
        "the search for orphans: each row carries its team",
    ),
    (
        "vault/src/versions.rs",
        "select blob_id from sealed where key_version = $1 limit 1",
        "whether a version of the key is in use",
    ),
    (
        "vault/src/versions.rs",
        "select blob_id from secret where key_version = $1 limit 1",
        "whether a version of the key is in use",
    ),
];

/// The statements of the crates that hold teams' rows, each with its file.
fn all() -> Vec<(String, Statement)> {
    let mut found = Vec::new();
    for folder in ["crates/store/src", "crates/vault/src"] {
        for file in files(&root().join(folder), &[".rs"]) {
            let path = shown(&file);
            if !path.contains("/tests") {
                let code = code(&file);
                let of_file = statements(&code).into_iter().chain(declared(&code));
                found.extend(of_file.map(|statement| (path.clone(), statement)));
            }
        }
    }
    assert!(
        found.len() > 180,
        "the scan finds too few statements ({}): mend the scan",
        found.len()
    );
    found
}

/// The tables that have a column for the team.
fn of_teams() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in ["crates/store/migrations", "crates/vault/migrations"] {
        for file in files(&root().join(folder), &[".sql"]) {
            found.extend(tables_of_teams(&text(&file)));
        }
    }
    for known in [
        "payment", "customer", "method", "once", "event", "sealed", "secret",
    ] {
        assert!(
            found.contains(known),
            "{known} is a team's table: mend the scan"
        );
    }
    found
}

fn exception(path: &str, sql: &str) -> Option<usize> {
    OF_EVERY_TEAM
        .iter()
        .position(|(file, part, _)| path.ends_with(file) && sql.contains(part))
}

#[test]
fn every_statement_names_the_team_or_says_why_not() {
    let of_teams = of_teams();
    let (mut findings, mut used) = (Vec::new(), BTreeSet::new());
    for (path, statement) in all() {
        let unbound = unbound(&statement.sql, &of_teams);
        if unbound.is_empty() {
            continue;
        }
        match exception(&path, &statement.sql) {
            Some(n) => {
                used.insert(n);
            }
            None => findings.push(format!(
                "{path}: {unbound:?} of every team: {}",
                statement.sql
            )),
        }
    }
    for (n, (file, part, reason)) in OF_EVERY_TEAM.iter().enumerate() {
        assert!(!reason.is_empty(), "{file}: `{part}` has no reason");
        if !used.contains(&n) {
            findings.push(format!("{file}: no statement needs the exception `{part}`"));
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn what_is_bound_to_the_team_is_the_team() {
    let (mut findings, mut looked_at) = (Vec::new(), 0);
    for (path, statement) in all() {
        let Some(bound) = &statement.bound else {
            continue;
        };
        for n in parameters_of_team(&statement.sql) {
            looked_at += 1;
            let value = n.checked_sub(1).and_then(|n| bound.get(n));
            // The team's own row calls it its id.
            let is_own = path.ends_with("store/src/team.rs");
            if !is_own && !value.is_some_and(|value| value.contains("team")) {
                findings.push(format!("{path}: ${n} is {value:?}: {}", statement.sql));
            }
        }
    }
    assert!(
        looked_at > 100,
        "the scan finds too few parameters ({looked_at})"
    );
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// The rule itself: deleting any condition on a team from any statement is noticed.
#[test]
fn a_statement_that_forgets_the_team_is_found() {
    let of_teams = of_teams();
    let (mut missed, mut tried) = (Vec::new(), 0);
    for (path, statement) in all() {
        if !unbound(&statement.sql, &of_teams).is_empty() {
            continue;
        }
        for forgetful in without_team(&statement.sql) {
            tried += 1;
            if unbound(&forgetful, &of_teams).is_empty() {
                missed.push(format!("{path}: {forgetful}"));
            }
        }
    }
    assert!(tried > 300, "too few statements were tried ({tried})");
    assert!(missed.is_empty(), "\n{}\n", missed.join("\n"));
}
