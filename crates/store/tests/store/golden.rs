//! What is stored as JSON stays readable: a sample of each kind, with every field, is kept as a file.
//!
//! Rows outlive releases. When one of these tests fails, a change has altered what is stored: a field that is new belongs into the
//! sample and needs a default for rows from before; one that was renamed or removed makes such rows unreadable.

use std::collections::BTreeSet;

use domain::{
    automation::Instance,
    caller::ClientGrant,
    customer::Customer,
    customer::StoredMethod,
    dispute::Dispute,
    dispute::DisputeEvent,
    dispute::Evidence,
    event::{EndpointEvent, PageEvent},
    intent::Intent,
    intent::IntentEvent,
    number_quota::NumberQuota,
    page_guard::GuardedPage,
    payment::NetworkReference,
    payment::Payment,
    payment::PaymentEvent,
    payment_link::PaymentLink,
    processor_token::TokenRequest,
    team::TeamSettings,
    webhook::Attempts,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::event::Data;

/// How the content of a column is guarded.
enum Content {
    /// JSON of ours, with its sample.
    Sample(&'static str),
    /// JSON as it was given: nothing of it is ours.
    AsGiven,
}
use Content::{AsGiven, Sample};

/// Every column that holds JSON, and every one whose name lets that be thought.
const COLUMNS: &[(&str, &str, Content)] = &[
    ("connection", "settings", AsGiven),
    ("credential", "rights", Sample("grant")),
    ("customer", "body", Sample("customer")),
    ("dispute", "body", Sample("dispute")),
    ("dispute_evidence", "body", Sample("dispute_evidence")),
    ("event", "data", Sample("dispute_event")),
    ("event", "data", Sample("payment_event")),
    ("event", "data", Sample("intent_event")),
    ("event", "data", Sample("endpoint_event")),
    ("event", "data", Sample("page_event")),
    ("flow_instance", "body", Sample("flow_instance")),
    ("flow_version", "document", AsGiven),
    ("guarded_page", "body", Sample("guarded_page")),
    ("intent", "body", Sample("intent")),
    ("method", "body", Sample("method")),
    ("method", "network_reference", Sample("network_reference")),
    ("number_quota", "body", Sample("number_quota")),
    // The samples of answers are next to what writes them: `crates/engine/src/idempotency/golden.rs`.
    ("notification", "body", Sample("notification")),
    ("once", "answer", AsGiven),
    ("payment", "body", Sample("payment")),
    ("payment_link", "body", Sample("payment_link")),
    ("team_setting", "body", Sample("team_setting")),
    ("token_request", "body", Sample("token_request")),
    ("webhook_delivery", "body", Sample("webhook_delivery")),
];

/// Columns of text that hold no JSON, by the end of their names or by their names.
const PLAIN: &[&str] = &[
    "_id",
    "_hash",
    "_key",
    "act",
    "actor",
    "address",
    // JSON of the audit trail, which nothing reads back: it is shown and sealed as text.
    "details",
    "link",
    "list",
    "imports",
    "inbound_token",
    "mac",
    "mark",
    "message",
    "outcome",
    "subject",
    "blocked",
    "bucket",
    "change_id",
    "connection_id",
    "country",
    "currency",
    "directive",
    "email",
    "external_id",
    "fingerprint",
    "flow_id",
    "gateway",
    "hash",
    "hint",
    "id",
    "job",
    "kinds",
    "lease",
    "key_id",
    "kind",
    "live_payment",
    "made_by",
    "method",
    "mode",
    "name",
    "number_marks",
    "order_id",
    "place",
    "processor",
    "reason",
    "sha256",
    "scope",
    "scopes",
    "stage",
    "state",
    "status",
    "stream",
    "taken_by",
    "team_id",
    "token",
    "tracking_id",
    "url",
    "value",
    "wallet",
    "what",
    "word",
    "turn",
];

/// A file, and where the types that it is a sample of are declared: each of their fields must be in it.
struct Golden<'a> {
    name: &'static str,
    text: &'static str,
    types: &'a [(&'static str, &'static str)],
}

const PAYMENT: &str = include_str!("../../../domain/src/payment/mod.rs");
const PARTS: &str = include_str!("../../../domain/src/payment/parts.rs");
const RECURRING: &str = include_str!("../../../domain/src/payment/recurring.rs");
const OPERATION: &str = include_str!("../../../domain/src/payment/operation.rs");
const ANSWER: &str = include_str!("../../../domain/src/answer.rs");
const PERSON: &str = include_str!("../../../domain/src/person.rs");

/// The names of the fields of a struct, as its source has them.
fn fields(source: &str, name: &str) -> Vec<String> {
    let head = format!("pub struct {name} {{");
    let found = source.find(&head);
    assert!(found.is_some(), "no {name}");
    let start = found.unwrap() + head.len();
    let end = start + source[start..].find("\n}").unwrap();
    let mut skipped = false;
    let mut names = Vec::new();
    for line in source[start..end].lines().map(str::trim) {
        skipped |= line.starts_with("#[serde(skip)]");
        let is_field = !line.starts_with("//") && !line.starts_with('#');
        let Some((name, _)) = line.split_once(": ").filter(|_| is_field) else {
            continue;
        };
        if !std::mem::take(&mut skipped) {
            names.push(name.trim_start_matches("pub ").to_owned());
        }
    }
    names
}

/// Every name of a member anywhere in a value.
fn members(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if !value.is_null() {
                    into.insert(name.clone());
                }
                members(value, into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| members(value, into)),
        _ => {}
    }
}

impl Golden<'_> {
    /// The sample is read, and written byte for byte as it stands; it leaves out no field.
    fn holds<T: DeserializeOwned + Serialize>(&self) {
        let read = serde_json::from_str::<T>(self.text);
        assert!(read.is_ok(), "{}: {:?}", self.name, read.err());
        let read = read.unwrap();
        let mut written = serde_json::to_string_pretty(&read).unwrap();
        written.push('\n');
        assert_eq!(written, self.text, "{} is written otherwise", self.name);
        self.is_full();
    }

    fn is_full(&self) {
        let mut there = BTreeSet::new();
        members(&serde_json::from_str(self.text).unwrap(), &mut there);
        for (name, source) in self.types {
            for field in fields(source, name) {
                let (name, file) = (name, self.name);
                assert!(there.contains(&field), "{name}.{field} is not in {file}");
            }
        }
    }
}

macro_rules! golden {
    ($name:literal, $types:expr) => {
        Golden {
            name: $name,
            text: include_str!(concat!("../golden/", $name, ".json")),
            types: $types,
        }
    };
}

#[test]
fn what_is_stored_of_payments_stays_as_it_is() {
    let types = &[
        ("Fields", PAYMENT),
        ("PaidWith", PARTS),
        ("PaidAccount", PARTS),
        ("Payer", PARTS),
        ("FlowRun", PARTS),
        ("Pause", PARTS),
        ("ReceivedWebhook", PARTS),
        ("Gateway", PARTS),
        ("Route", PARTS),
        ("Recurring", RECURRING),
        ("NetworkReference", RECURRING),
        ("Operation", OPERATION),
        ("Owed", OPERATION),
        ("OnceRef", OPERATION),
        (
            "Other",
            include_str!("../../../domain/src/payment/differs.rs"),
        ),
        ("Approval", ANSWER),
        ("Checks", ANSWER),
        ("Costs", ANSWER),
        ("ThreeDs", ANSWER),
        ("Action", ANSWER),
        ("Booked", ANSWER),
        ("Decline", include_str!("../../../domain/src/decline.rs")),
        (
            "Mandate",
            include_str!("../../../domain/src/bank_account.rs"),
        ),
        ("Address", PERSON),
        ("ShippingAddress", PERSON),
        ("Company", PERSON),
    ];
    golden!("payment", types).holds::<Payment>();
}

#[test]
fn what_is_stored_of_checkouts_and_the_vault_stays_as_it_is() {
    let customer = include_str!("../../../domain/src/customer.rs");
    golden!("customer", &[("Customer", customer)]).holds::<Customer>();
    golden!("method", &[("StoredMethod", customer)]).holds::<StoredMethod>();
    golden!("network_reference", &[("NetworkReference", RECURRING)]).holds::<NetworkReference>();
    let intent = include_str!("../../../domain/src/intent/mod.rs");
    let cart = include_str!("../../../domain/src/intent/cart.rs");
    let types = &[
        ("Intent", intent),
        ("Location", intent),
        ("Customer", intent),
        ("Cart", cart),
        ("CartItem", cart),
    ];
    golden!("intent", types).holds::<Intent>();
    let link = include_str!("../../../domain/src/payment_link.rs");
    golden!("payment_link", &[("PaymentLink", link)]).holds::<PaymentLink>();
    let token = include_str!("../../../domain/src/processor_token.rs");
    golden!("token_request", &[("TokenRequest", token)]).holds::<TokenRequest>();
}

#[test]
fn what_is_stored_of_teams_and_flows_stays_as_it_is() {
    let team = include_str!("../../../domain/src/team.rs");
    golden!("team_setting", &[("TeamSettings", team)]).holds::<TeamSettings>();
    let page = include_str!("../../../domain/src/page_guard/mod.rs");
    let types = ["GuardedPage", "PageScript", "Accepted"].map(|name| (name, page));
    golden!("guarded_page", &types).holds::<GuardedPage>();
    let grant = include_str!("../../../domain/src/caller.rs");
    golden!("grant", &[("ClientGrant", grant)]).holds::<ClientGrant>();
    let quota = include_str!("../../../domain/src/number_quota.rs");
    golden!("number_quota", &[("NumberQuota", quota)]).holds::<NumberQuota>();
    let instance = include_str!("../../../domain/src/automation.rs");
    let types = &[("Instance", instance), ("FlowRun", PARTS)];
    golden!("flow_instance", types).holds::<Instance>();
}

#[test]
fn what_is_stored_of_deliveries_stays_as_it_is() {
    let source = include_str!("../../../domain/src/webhook.rs");
    let types = &[("Attempts", source), ("Attempt", source)];
    golden!("webhook_delivery", types).holds::<Attempts>();
}

#[test]
fn what_is_stored_of_disputes_stays_as_it_is() {
    let source = include_str!("../../../domain/src/dispute/mod.rs");
    let response = include_str!("../../../domain/src/dispute/response.rs");
    let types = &[("Dispute", source), ("DisputeResponse", response)];
    golden!("dispute", types).holds::<Dispute>();
    let pack = include_str!("../../../domain/src/dispute/pack.rs");
    golden!("dispute_evidence", &[("Evidence", pack)]).holds::<Evidence>();
    let events_source = include_str!("../../../domain/src/dispute/event.rs");
    let sample = include_str!("../golden/dispute_event.json");
    events::<DisputeEvent>(sample);
    has_every_kind(events_source, sample, 7);
    let source = include_str!("../../src/notification.rs");
    golden!("notification", &[("Content", source)]).holds::<store::notification::Content>();
    let mut there = BTreeSet::new();
    members(&serde_json::from_str(sample).unwrap(), &mut there);
    for field in fields(events_source, "DisputeFacts") {
        assert!(there.contains(&field), "DisputeFacts.{field}");
    }
}

/// Each kind of event that the source declares, of which there are at least so many, is in the sample.
fn has_every_kind(source: &str, sample: &str, least: usize) {
    let kinds: Vec<&str> = source
        .split("rename = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|kind| kind.contains('.'))
        .collect();
    assert!(kinds.len() >= least);
    for kind in kinds {
        let there = format!("\"kind\": \"{kind}\"");
        assert!(sample.contains(&there), "{kind} has no sample");
    }
}

/// The data of an event is read by one type and written by another, so that only its events are written again.
fn events<E: DeserializeOwned + Serialize>(text: &str) {
    let data: Data<E> = serde_json::from_str(text).unwrap();
    let file: Value = serde_json::from_str(text).unwrap();
    assert_eq!(data.v, store::event::VERSION);
    assert_eq!(Value::from(data.status), file["status"]);
    assert_eq!(
        serde_json::to_value(&data.entries).unwrap(),
        file["entries"]
    );
    assert_eq!(serde_json::to_value(&data.events).unwrap(), file["events"]);
}

#[test]
fn every_kind_of_event_stays_as_it_is() {
    let source = include_str!("../../../domain/src/payment/event.rs");
    let payment = include_str!("../golden/payment_event.json");
    events::<PaymentEvent>(payment);
    let intent = include_str!("../golden/intent_event.json");
    events::<IntentEvent>(intent);
    let intent_source = include_str!("../../../domain/src/intent/event.rs");
    let endpoint = include_str!("../golden/endpoint_event.json");
    events::<EndpointEvent>(endpoint);
    let endpoint_source = include_str!("../../../domain/src/event/endpoint.rs");
    has_every_kind(endpoint_source, endpoint, 1);
    let page = include_str!("../golden/page_event.json");
    events::<PageEvent>(page);
    has_every_kind(include_str!("../../../domain/src/event/page.rs"), page, 1);
    for (source, sample, least) in [(source, payment, 30), (intent_source, intent, 6)] {
        has_every_kind(source, sample, least);
    }
    let facts = include_str!("../../../domain/src/payment/event/facts.rs");
    let types = [
        "Created",
        "OperationFacts",
        "Started",
        "ActionRequired",
        "OperationEnded",
        "Declined",
        "Cancelled",
        "OutcomeFound",
        "OtherOperationFound",
        "FellBack",
        "FlowStarted",
        "FlowWaits",
        "OfDispute",
    ];
    let mut there = BTreeSet::new();
    members(&serde_json::from_str(payment).unwrap(), &mut there);
    for name in types {
        // A field of facts is flattened: what it holds is checked by its own type.
        for field in fields(facts, name) {
            let flattened = field == "operation";
            assert!(flattened || there.contains(&field), "{name}.{field}");
        }
    }
}

#[test]
fn fields_and_kinds_of_events_that_a_reader_does_not_know_are_passed_over() {
    let later = r#"{"v": 1, "status": "AUTHORISED", "more": {}, "events": [
        {"kind": "payment.of_a_later_release", "amount": 5},
        {"kind": "payment.step_given_up", "operation": 2, "why": "later"}
    ]}"#;
    let data: Data<PaymentEvent> = serde_json::from_str(later).unwrap();
    let given_up = PaymentEvent::StepGivenUp { operation: 2 };
    assert_eq!(data.events, [PaymentEvent::Other, given_up]);
    assert_eq!(data.entries, []);
}

#[test]
fn every_column_that_holds_json_has_its_sample() {
    let is_listed = |table: &str, column: &str| {
        let listed = COLUMNS
            .iter()
            .filter(|one| (one.0, one.1) == (table, column));
        listed.count() > 0
    };
    let is_plain = |column: &str| {
        let number = column.ends_with("_at");
        number
            || PLAIN
                .iter()
                .any(|plain| *plain == column || column.ends_with(plain))
    };
    // Whatever a migration declares as text is named here as JSON or as none.
    let tables = db::tables(store::MIGRATIONS).unwrap();
    let texts = text_columns();
    assert!(texts.len() > 60, "{}", texts.len());
    let known = |one: &&(String, String)| is_listed(&one.0, &one.1) || is_plain(&one.1);
    let unknown: Vec<_> = texts.iter().filter(|one| !known(one)).collect();
    assert!(
        unknown.is_empty(),
        "is this JSON? name it in COLUMNS or in PLAIN: {unknown:?}"
    );
    for (table, column, content) in COLUMNS {
        let there = tables
            .iter()
            .any(|one| one.name == *table && one.columns.iter().any(|name| name == column));
        assert!(there, "{table}.{column} is gone");
        if let Sample(name) = content {
            let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
            assert!(std::fs::exists(&path).unwrap(), "{path}");
        }
    }
}

/// The columns of text that migrations declare.
fn text_columns() -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for migration in store::MIGRATIONS {
        let mut table = String::new();
        for line in migration.sql.lines().map(str::trim) {
            let mut words = line.split([' ', ',', '(']).filter(|word| !word.is_empty());
            match (words.next(), words.next(), words.next()) {
                (Some("create"), Some("table"), Some(name)) => name.clone_into(&mut table),
                (Some("alter"), Some("table"), Some(name)) => {
                    if let Some((_, column)) = line.split_once(" add column ") {
                        let mut words = column.split([' ', ';']);
                        if let (Some(column), Some("text")) = (words.next(), words.next()) {
                            found.insert((name.to_owned(), column.to_owned()));
                        }
                    }
                }
                (Some(column), Some("text"), _) => {
                    found.insert((table.clone(), column.to_owned()));
                }
                _ => {}
            }
        }
    }
    found
}
