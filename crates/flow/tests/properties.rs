//! What holds for every flow.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::{collections::BTreeMap, time::Duration};

use flow::{Document, Effect, Facts, Position, Program, Run};
use proptest::prelude::*;
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,12}[a-z]",
        "[^\\p{Cc}]{1,20}",
        Just("true".to_owned()),
        Just("1.5".to_owned()),
        Just("- a: b # c".to_owned()),
        Just("a\nb\tc".to_owned()),
        Just("\u{2028}a\u{feff}".to_owned()),
    ]
    .prop_filter("a text of no spaces alone", |text| !text.trim().is_empty())
}

fn span() -> impl Strategy<Value = String> {
    (
        1_u32..300,
        prop_oneof![Just("s"), Just("m"), Just("h"), Just("d")],
    )
        .prop_map(|(count, unit)| format!("{count}{unit}"))
}

fn connection() -> impl Strategy<Value = String> {
    "[a-d]"
}

fn condition() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("payment.amount > 1000".to_owned()),
        Just("card.brand == \"VISA\"".to_owned()),
        Just("metadata.plan == 'gold'".to_owned()),
        Just("payment.currency in [\"EUR\"]\n || fraud.score > 0.5".to_owned()),
    ]
}

fn authorise() -> impl Strategy<Value = Value> {
    let split = prop::collection::btree_map(connection(), 1_u32..1000, 1..4).prop_map(|shares| {
        shares
            .into_iter()
            .map(|(connection, weight)| json!({ "connection": connection, "weight": weight }))
            .collect::<Value>()
    });
    let to = prop::sample::subsequence(vec!["b", "c", "d", "e"], 1..4);
    let first = prop_oneof![
        Just(json!({ "connection": "a" })),
        split.prop_map(|split| json!({ "split": split }))
    ];
    let after = prop::sample::subsequence(vec!["soft_decline", "fault", "outage"], 1..=3);
    (first, prop::option::of((to, prop::option::of(after)))).prop_map(
        |(mut authorise, fallback)| {
            if let Some((to, after)) = fallback {
                authorise["fallback"] = json!({ "to": to });
                if let Some(after) = after {
                    authorise["fallback"]["after"] = json!(after);
                }
            }
            json!({ "authorise": authorise })
        },
    )
}

/// Any step, whether or not it makes sense where it stands.
fn step() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(|text| json!({ "note": text })),
        authorise(),
        prop_oneof![Just("request"), Just("avoid"), Just("as_issuer")]
            .prop_map(|wish| json!({ "three_d_secure": wish })),
        prop_oneof![Just("now"), Just("api")].prop_map(|when| json!({ "capture": when })),
        span().prop_map(|span| json!({ "capture": { "after": span } })),
        Just(json!({ "capture": { "webhook": "shipped" } })),
        (1_i64..).prop_map(|amount| json!({ "refund": { "amount": amount } })),
        (1..=100, text())
            .prop_map(|(part, reason)| json!({ "refund": { "amount": { "percent": part }, "reason": reason } })),
        Just(json!({ "cancel": {} })),
        text().prop_map(|message| json!({ "decline": { "code": "CUSTOM_RULE", "message": message } })),
        span().prop_map(|span| json!({ "delay": span })),
        (text(), span()).prop_map(|(title, span)| json!({ "approval": { "title": title, "within": span } })),
        Just(json!({ "await_webhook": { "name": "null" } })),
        Just(json!({ "call_webhook": { "url": "https://example.com/#a" } })),
        Just(json!({ "offer": ["CARD", "WALLETC"] })),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        let steps = prop::collection::vec(inner, 1..4);
        (condition(), steps.clone(), prop::option::of(steps)).prop_map(
            |(condition, then, otherwise)| {
                let mut step = json!({ "if": condition, "then": then });
                if let Some(otherwise) = otherwise {
                    step["else"] = json!(otherwise);
                }
                step
            },
        )
    })
}

fn document() -> impl Strategy<Value = Value> {
    let trigger = prop_oneof![
        Just(json!("payment")),
        Just(json!("intent_inactive")),
        Just(json!({ "outcome": ["failed", "declined"] })),
        Just(json!({ "dispute": ["won"] })),
        Just(json!({ "webhook": { "name": "on" } })),
    ];
    (text(), trigger, prop::collection::vec(step(), 1..6)).prop_map(
        |(name, trigger, steps)| json!({ "name": name, "trigger": trigger, "steps": steps }),
    )
}

/// A payment's flow that makes sense, of steps before and after branches that authorise or decline.
fn sensible() -> impl Strategy<Value = Value> {
    let quiet = || {
        prop_oneof![
            text().prop_map(|text| json!({ "note": text })),
            Just(json!({ "three_d_secure": "request" })),
            span().prop_map(|span| json!({ "delay": span })),
            (condition(), text()).prop_map(
                |(condition, text)| json!({ "if": condition, "then": [{ "note": text }], "else": [{ "note": "e" }] })
            ),
        ]
    };
    let decide =
        prop_oneof![3 => authorise(), 1 => Just(json!({ "decline": { "code": "FRAUD" } }))];
    let tree = decide.prop_recursive(4, 16, 2, move |inner| {
        (condition(), quiet(), inner.clone(), inner).prop_map(
            |(condition, quiet, left, right)| json!({ "if": condition, "then": [quiet, left], "else": [right] }),
        )
    });
    let end = prop_oneof![
        Just(vec![]),
        Just(vec![json!({ "capture": "api" })]),
        Just(vec![json!({ "delay": "2s" }), json!({ "capture": "now" })])
    ];
    // After a tree that declines on every path nothing may follow: one branch that authorises is always there.
    (tree, authorise(), end).prop_map(|(tree, authorise, end)| {
        let mut steps =
            vec![json!({ "if": "payment.amount > 0", "then": [tree], "else": [authorise] })];
        steps.extend(end);
        json!({ "name": "n", "trigger": "payment", "steps": steps })
    })
}

fn facts() -> impl Strategy<Value = Value> {
    let amount = prop::option::of(0_i64..2_000);
    let brand = prop::option::of(prop_oneof![Just("VISA"), Just("AMEX")]);
    let metadata = prop_oneof![
        Just(Value::Null),
        Just(json!({ "plan": "gold" })),
        Just(json!({ "plan": 7 }))
    ];
    (amount, brand, metadata).prop_map(|(amount, brand, metadata)| {
        json!({ "payment": { "amount": amount, "currency": "USD" }, "card": { "brand": brand }, "metadata": metadata })
    })
}

/// The ids or places of all steps, in the order of the document.
fn places(steps: &Value, place: &str, found: &mut Vec<String>) {
    for (index, step) in steps.as_array().unwrap().iter().enumerate() {
        let place = format!("{place}[{index}]");
        found.push(place.clone());
        for branch in ["then", "else"] {
            if let Some(steps) = step.get(branch) {
                places(steps, &format!("{place}.{branch}"), found);
            }
        }
    }
}

/// Where a run goes on; `None` where it ends.
fn next(run: &Run) -> Option<Position> {
    match &run.stop {
        Effect::Authorise(authorisation) => Some(authorisation.next),
        Effect::Capture { next, .. }
        | Effect::Refund { next, .. }
        | Effect::Cancel { next, .. }
        | Effect::Delay { next, .. }
        | Effect::Approval { next, .. }
        | Effect::AwaitWebhook { next, .. }
        | Effect::CallWebhook { next, .. } => Some(*next),
        Effect::Decline { .. } | Effect::End => None,
    }
}

proptest! {
    #[test]
    fn a_document_comes_back_from_json_and_yaml_as_it_was(value in document()) {
        let document = Document::from_value(&value).unwrap();
        let written = document.to_value();
        prop_assert_eq!(&Document::from_value(&written).unwrap(), &document);
        prop_assert_eq!(&Document::parse(&written.to_string()).unwrap(), &document);
        let yaml = document.to_yaml();
        prop_assert_eq!(&Document::parse(&yaml).unwrap_or_else(|problems| panic!("{yaml}\n{problems:?}")), &document);
    }

    #[test]
    fn judging_a_document_never_panics_and_its_problems_have_places(value in document()) {
        let document = Document::from_value(&value).unwrap();
        if let Err(problems) = Program::compile(&document) {
            let yaml = Document::parse(&document.to_yaml()).unwrap();
            let with_lines = Program::compile(&yaml).err().unwrap();
            prop_assert_eq!(problems.len(), with_lines.len());
            for problem in with_lines {
                prop_assert!(problem.place.starts_with("steps"));
                prop_assert!(problem.line.is_some() || problem.place == "steps", "{}", problem);
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}|[-a-z:\\[\\]{}\"'#&*!|> \n]{0,200}") {
        if let Ok(document) = Document::parse(&text) {
            let _ = Program::compile(&document);
        }
    }

    #[test]
    fn every_step_of_a_finished_flow_is_explained(value in sensible(), facts in facts(), seed in any::<u64>()) {
        let document = Document::from_value(&value).unwrap();
        let program = Program::compile(&document).unwrap_or_else(|problems| panic!("{value}\n{problems:?}"));
        let facts = Facts::from_value(&facts).unwrap();
        let (mut problems, mut authorised, mut captures, mut from) = (Vec::new(), 0, 0, Position::START);
        for _ in 0..1_000 {
            let run = program.run(from, &facts, &mut || seed);
            prop_assert_eq!(&run, &program.run(from, &facts, &mut || seed));
            problems.extend(run.trace.iter().map(|line| line.step.clone()));
            for line in &run.trace {
                prop_assert!(line.taken || line.reason.is_some());
            }
            match &run.stop {
                Effect::Authorise(authorisation) => {
                    authorised += 1;
                    let names: Vec<&str> = authorisation.candidates.iter().map(|one| one.connection.as_str()).collect();
                    let mut once = names.clone();
                    once.sort_unstable();
                    once.dedup();
                    prop_assert!(!names.is_empty() && once.len() == names.len(), "{:?}", names);
                    prop_assert!(authorisation.candidates.iter().all(|one| !one.reason.is_empty()));
                }
                Effect::Capture { .. } => captures += 1,
                _ => {}
            }
            let Some(next) = next(&run) else {
                let mut all = Vec::new();
                places(&value["steps"], "steps", &mut all);
                let declined = matches!(run.stop, Effect::Decline { .. });
                // A decline ends the flow: what stands after it is neither taken nor left.
                prop_assert!(if declined { all.starts_with(&problems) } else { all == problems }, "{:?}\n{:?}", all, problems);
                prop_assert_eq!((authorised, captures), if declined { (0, 0) } else { (1, 1) });
                return Ok(());
            };
            from = next;
        }
        prop_assert!(false, "the flow does not end");
    }
}

/// `SplitMix64`: any source of even bits would do.
fn seeded(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[test]
fn weights_hold() {
    let weights: BTreeMap<&str, u32> =
        [("a", 700_000), ("b", 250_000), ("c", 49_000), ("d", 1_000)].into();
    let split: Value = weights
        .iter()
        .map(|(connection, weight)| json!({ "connection": connection, "weight": weight }))
        .collect();
    let document = Document::from_value(&json!({
        "name": "n", "trigger": "payment", "steps": [{ "authorise": { "split": split } }]
    }))
    .unwrap();
    let program = Program::compile(&document).unwrap();
    let mut draw = seeded(7);
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for _ in 0..100_000 {
        let Effect::Authorise(authorisation) = program
            .run(Position::START, &Facts::default(), &mut draw)
            .stop
        else {
            panic!()
        };
        *counts
            .entry(authorisation.candidates[0].connection.to_string())
            .or_default() += 1;
    }
    for (connection, weight) in weights {
        // Five standard deviations of a binomial count are at most 5 * sqrt(100,000 / 4) = 791, of the rarest 50.
        let expected = i64::from(weight) / 10;
        let allowed = if expected < 1_000 { 50 } else { 791 };
        let count = counts[connection];
        assert!(
            (count - expected).abs() <= allowed,
            "{connection}: {count} instead of {expected}"
        );
    }
}

#[test]
fn times_survive_their_shortest_spelling() {
    for seconds in [1_u64, 59, 60, 61, 3_600, 5_400, 86_400, 90_000, 604_800] {
        let document = Document::from_value(&json!({
            "name": "n", "trigger": "intent_inactive", "steps": [{ "delay": format!("{seconds}s") }]
        }))
        .unwrap();
        let read = Document::parse(&document.to_yaml()).unwrap();
        assert_eq!(
            read.steps[0].action,
            flow::Action::Delay(Duration::from_secs(seconds))
        );
    }
}
