//! What a large flow costs: 200 steps with 50 conditions, half of which hold, up to the authorisation.
//!
//! `cargo run --release -p flow --example measure`
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a command that measures and prints"
)]

use std::{hint::black_box, time::Instant};

use flow::{CardFacts, Document, Effect, Facts, PaymentFacts, Position, Program};
use serde_json::{Value, json};

const CONDITIONS: usize = 50;
const BATCHES: u32 = 200;
const RUNS: u32 = 50;

fn document() -> Value {
    // Each condition has a step in each branch and is followed by none: 50 times 3 steps, then 49 notes and `authorise`.
    let branch = |index: usize| {
        json!({
            "if": format!("payment.currency == \"EUR\" && card.brand in [\"AMEX\", \"VISA\"] && payment.amount % 2 == {} && \
                           (metadata.plan == \"gold\" || payment.amount > {index})", index % 2),
            "then": [{ "note": "then" }],
            "else": [{ "note": "else" }]
        })
    };
    let mut steps: Vec<Value> = (0..CONDITIONS).map(branch).collect();
    steps.extend((0..49).map(|_| json!({ "note": "n" })));
    steps.push(json!({ "authorise": { "connection": "a", "fallback": { "to": ["b"] } } }));
    json!({ "name": "Large", "trigger": "payment", "steps": steps })
}

fn main() {
    let begin = Instant::now();
    let program = Program::compile(&Document::from_value(&document()).unwrap()).unwrap();
    println!("compiled in {} µs", begin.elapsed().as_micros());

    let metadata = json!({ "plan": "silver" });
    let facts = Facts {
        payment: PaymentFacts {
            amount: Some(1_000),
            currency: Some("EUR".into()),
            ..PaymentFacts::default()
        },
        card: CardFacts {
            brand: Some("VISA".into()),
            ..CardFacts::default()
        },
        metadata: Some(&metadata),
        ..Facts::default()
    };
    // The fastest batch is the one that other programs disturbed least.
    let mut batches: Vec<u128> = (0..BATCHES)
        .map(|_| {
            let begin = Instant::now();
            for _ in 0..RUNS {
                let run = program.run(Position::START, black_box(&facts), &mut || 0);
                assert!(matches!(run.stop, Effect::Authorise(_)) && run.trace.len() == 200);
                black_box(run);
            }
            begin.elapsed().as_nanos() / u128::from(RUNS)
        })
        .collect();
    batches.sort_unstable();
    let problems =
        |nanoseconds: u128| format!("{}.{} µs", nanoseconds / 1_000, nanoseconds % 1_000 / 100);
    let (fastest, median) = (
        batches.first().unwrap(),
        batches.get(batches.len() / 2).unwrap(),
    );
    println!(
        "{} per run, {} in the fastest batch",
        problems(*median),
        problems(*fastest)
    );
}
