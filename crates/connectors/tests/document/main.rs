//! The tables of docs/connectors.md say what the connectors say of themselves.

use std::{fmt::Write as _, fs, sync::Arc, time::Duration};

use connector::{Connector, CredentialPurpose, Fact};
use connectors::{
    adyen::Adyen,
    simulator::{MemoryBooks, Simulator},
    stripe::Stripe,
};
use world::World;

const BEGIN: &str = "<!-- made of the connectors' descriptors; a test holds it against them -->\n";
const END: &str = "<!-- end -->\n";

fn connectors() -> Vec<Box<dyn Connector>> {
    let (world, _) = World::simulated(1);
    let books = Arc::new(MemoryBooks::default());
    vec![
        Box::new(Simulator::new(world, books)),
        Box::new(Stripe),
        Box::new(Adyen),
    ]
}

/// A length of time in its largest whole unit.
fn length(span: Duration) -> String {
    let seconds = span.as_secs();
    for (unit, word) in [(86_400, "d"), (3_600, "h"), (60, "min")] {
        if seconds >= unit && seconds.is_multiple_of(unit) {
            return format!("{} {word}", seconds / unit);
        }
    }
    format!("{seconds} s")
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

/// A row of the table: what it says of one connector.
type Row = (&'static str, fn(&dyn Connector) -> String);

const ROWS: &[Row] = &[
    ("methods", |one| {
        let methods: Vec<&str> = one
            .descriptor()
            .methods
            .iter()
            .map(|method| method.code())
            .collect();
        methods.join(", ")
    }),
    ("authorise and capture in one", |one| {
        yes(one.descriptor().capabilities.sale).to_owned()
    }),
    ("capture in part", |one| {
        yes(one.descriptor().capabilities.partial_capture).to_owned()
    }),
    ("several captures", |one| {
        let always = one.descriptor().capabilities.several_captures;
        if always {
            "yes"
        } else {
            "where the answer to the authorisation says so"
        }
        .to_owned()
    }),
    ("refund in part", |one| {
        yes(one.descriptor().capabilities.partial_refund).to_owned()
    }),
    (
        "an authorisation lives, where the answer names no end",
        |one| length(one.descriptor().authorisation_lifetime),
    ),
    ("a call ends after", |one| {
        length(one.descriptor().call_timeout)
    }),
    ("\"not found\" proves that nothing happened after", |one| {
        let after = one.descriptor().not_found_final_after;
        after.map_or("never".to_owned(), length)
    }),
    ("tokens of its own for later payments", |one| {
        yes(one.stored().is_some()).to_owned()
    }),
    ("notifications", |one| {
        yes(one.notices().is_some()).to_owned()
    }),
    ("card fields of its own", |one| {
        yes(one.hosted_fields().is_some()).to_owned()
    }),
    ("disputes: read, evidence, accept", |one| {
        let facet = one.disputes();
        let evidence = facet.is_some_and(|facet| facet.limits().is_some());
        let accepts = facet.is_some_and(connector::Disputes::accepts);
        format!(
            "{}, {}, {}",
            yes(facet.is_some()),
            yes(evidence),
            yes(accepts)
        )
    }),
    ("says what the account can do", |one| {
        yes(one.probe().is_some()).to_owned()
    }),
];

fn tables() -> String {
    let connectors = connectors();
    let mut text = String::from("\n| |");
    for one in &connectors {
        let facts = one.descriptor();
        let _ = write!(text, " {} (`{}`) |", facts.name, facts.processor);
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(connectors.len()));
    text.push('\n');
    for (name, cell) in ROWS {
        let _ = write!(text, "| {name} |");
        for one in &connectors {
            let _ = write!(text, " {} |", cell(one.as_ref()));
        }
        text.push('\n');
    }
    for fact in Fact::ALL {
        let _ = write!(text, "| fills `{}` |", fact.field());
        for one in &connectors {
            let fills = one.descriptor().facts.contains(fact);
            let _ = write!(text, " {} |", yes(fills));
        }
        text.push('\n');
    }
    text.push_str("\n| processor | field of `credentials` | needed | form | what it is |\n|---|---|---|---|---|\n");
    for one in &connectors {
        let facts = one.descriptor();
        for field in facts.credentials {
            let purpose = match field.purpose {
                CredentialPurpose::Calls => "",
                CredentialPurpose::Notifications => " (proves notifications)",
            };
            let _ = writeln!(
                text,
                "| `{}` | `{}`{purpose} | {} | `{}` | {} |",
                facts.processor,
                field.name,
                yes(field.is_required),
                field.form,
                field.about
            );
        }
    }
    text.push('\n');
    text
}

#[test]
fn the_document_says_what_the_connectors_say_of_themselves() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/connectors.md");
    let document = fs::read_to_string(path).unwrap();
    let (_, rest) = document.split_once(BEGIN).unwrap();
    let (written, _) = rest.split_once(END).unwrap();
    let expected = tables();
    assert_eq!(
        written, expected,
        "docs/connectors.md must have:\n{expected}"
    );
}

/// A request for a payment ends within 25 seconds. Before a call that takes as long as its connector allows, the service must still have
/// time to begin it, and after it to keep its answer.
#[test]
fn a_call_leaves_time_in_a_request_for_what_is_before_and_after_it() {
    for one in connectors() {
        let facts = one.descriptor();
        let most = Duration::from_secs(20);
        assert!(facts.call_timeout <= most, "{}", facts.processor);
    }
}
