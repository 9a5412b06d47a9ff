//! What a program does.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use flow::{
    CaptureWhen, CardFacts, Document, Effect, Facts, Fallback, PaymentFacts, Planned, Position,
    Program, RefundAmount, Run,
};

fn program(text: &str) -> Program {
    Program::compile(&Document::parse(text).unwrap()).unwrap()
}

/// A payment's flow with these steps.
fn payment(steps: &str) -> Program {
    program(&format!("name: n\ntrigger: payment\nsteps:\n{steps}"))
}

fn run(program: &Program, from: Position, facts: &Facts<'_>) -> Run {
    program.run(from, facts, &mut || 0)
}

fn euros(amount: i64) -> Facts<'static> {
    let payment = PaymentFacts {
        amount: Some(amount),
        currency: Some("EUR".into()),
        ..PaymentFacts::default()
    };
    Facts {
        payment,
        ..Facts::default()
    }
}

/// `step taken: reason` of each line.
fn trace(run: &Run) -> Vec<String> {
    run.trace
        .iter()
        .map(|line| {
            let verb = if line.taken { "taken" } else { "left" };
            format!(
                "{} {verb}: {}",
                line.step,
                line.reason.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

const ROUTE: &str = r#"
  - if: payment.currency == "EUR"
    then:
      - three_d_secure: request
      - authorise: {connection: a, fallback: {to: [b], after: [outage]}}
    else:
      - id: elsewhere
        authorise: {connection: b}
  - capture: api
"#;

#[test]
fn a_condition_chooses_the_branch_and_the_trace_tells_both() {
    let program = payment(ROUTE);
    let first = run(&program, Position::START, &euros(100));
    assert_eq!(
        trace(&first),
        [
            "steps[0] taken: `payment.currency == \"EUR\"` holds",
            "steps[0].then[0] taken: request",
            "steps[0].then[1] taken: a (named by the flow), then b (fallback 1)",
        ]
    );
    assert_eq!(first.wish, Some(domain::payment::ThreeDsWish::Request));
    let Effect::Authorise(authorisation) = first.stop else {
        panic!("{:?}", first.stop)
    };
    assert_eq!(
        authorisation.fallback,
        Fallback {
            soft_decline: false,
            fault: false,
            outage: true
        }
    );
    assert_eq!(authorisation.capture, Planned::Rule(CaptureWhen::Api));
    let second = run(&program, authorisation.next, &euros(100));
    assert_eq!(
        trace(&second),
        [
            "elsewhere left: the other branch was taken",
            "steps[1] taken: -"
        ]
    );
    let Effect::Capture { when, next } = second.stop else {
        panic!("{:?}", second.stop)
    };
    assert_eq!(when, CaptureWhen::Api);
    assert_eq!(run(&program, next, &euros(100)).stop, Effect::End);

    let other = run(&program, Position::START, &Facts::default());
    assert_eq!(
        trace(&other),
        [
            "steps[0] left: `payment.currency == \"EUR\"` does not hold",
            "steps[0].then[0] left: the condition does not hold",
            "steps[0].then[1] left: the condition does not hold",
            "elsewhere taken: b (named by the flow)",
        ]
    );
    let Effect::Authorise(authorisation) = other.stop else {
        panic!("{:?}", other.stop)
    };
    assert_eq!(authorisation.fallback, Fallback::NEVER);
}

#[test]
fn a_flow_that_ends_without_a_word_about_the_capture_captures_at_once() {
    let program = payment("  - authorise: {connection: a}\n");
    let Effect::Authorise(authorisation) = run(&program, Position::START, &euros(1)).stop else {
        panic!()
    };
    assert_eq!(authorisation.capture, Planned::Rule(CaptureWhen::Now));
    let Effect::Capture { when, next } = run(&program, authorisation.next, &euros(1)).stop else {
        panic!()
    };
    assert_eq!(when, CaptureWhen::Now);
    assert_eq!(run(&program, next, &euros(1)).stop, Effect::End);
}

#[test]
fn a_cancelled_payment_is_not_captured_at_the_end() {
    let program = payment(
        "  - authorise: {connection: a}\n  - if: payment.amount > 100\n    then: [{cancel: {reason: too much}}]\n",
    );
    let Effect::Authorise(authorisation) = run(&program, Position::START, &euros(500)).stop else {
        panic!()
    };
    assert_eq!(authorisation.capture, Planned::Continue);
    let Effect::Cancel { reason, next } = run(&program, authorisation.next, &euros(500)).stop
    else {
        panic!()
    };
    assert_eq!(reason.as_deref(), Some("too much"));
    assert_eq!(run(&program, next, &euros(500)).stop, Effect::End);
    let small = run(&program, authorisation.next, &euros(5)).stop;
    assert!(
        matches!(
            small,
            Effect::Capture {
                when: CaptureWhen::Now,
                ..
            }
        ),
        "{small:?}"
    );
}

#[test]
fn other_flows_end_without_a_capture() {
    let program = program("name: n\ntrigger: {outcome: [authorised]}\nsteps: [{note: seen}]");
    let run = run(&program, Position::START, &euros(1));
    assert_eq!(
        (run.notes.as_slice(), run.stop),
        (["seen".to_owned()].as_slice(), Effect::End)
    );
}

#[test]
fn a_run_stops_at_everything_that_the_world_must_do() {
    let program = program(
        "name: n\ntrigger: {outcome: [succeeded]}\nsteps:
  - delay: 2s
  - approval: {title: ok?, within: 2d}
  - await_webhook: {name: shipped}
  - call_webhook: {url: \"https://example.com\"}
  - refund: {amount: {percent: 50}, reason: half}
  - note: done
",
    );
    let facts = Facts::default();
    let Effect::Delay { span, next } = run(&program, Position::START, &facts).stop else {
        panic!()
    };
    assert_eq!(span, Duration::from_secs(2));
    let Effect::Approval {
        title,
        within,
        next,
    } = run(&program, next, &facts).stop
    else {
        panic!()
    };
    assert_eq!(
        (title.as_str(), within),
        ("ok?", Some(Duration::from_hours(48)))
    );
    let Effect::AwaitWebhook { name, within, next } = run(&program, next, &facts).stop else {
        panic!()
    };
    assert_eq!((name.as_str(), within), ("shipped", None));
    let Effect::CallWebhook { url, next } = run(&program, next, &facts).stop else {
        panic!()
    };
    assert_eq!(url, "https://example.com");
    let Effect::Refund {
        amount,
        reason,
        next,
    } = run(&program, next, &facts).stop
    else {
        panic!()
    };
    assert_eq!(
        (amount, reason.as_deref()),
        (RefundAmount::Percent(50), Some("half"))
    );
    // A position is kept as a number and taken up again later, by another process.
    let kept: Position = serde_json::from_str(&serde_json::to_string(&next).unwrap()).unwrap();
    let last = run(&program, kept, &facts);
    assert_eq!(
        (last.notes.as_slice(), last.stop),
        (["done".to_owned()].as_slice(), Effect::End)
    );
}

#[test]
fn a_decline_is_reported_with_its_words() {
    let program = payment(
        "  - if: fraud.score > 0.8\n    then: [{decline: {code: SUSPECTED_FRAUD, message: score}}]\n  - authorise: {connection: a}\n",
    );
    let score = serde_json::json!({ "score": 0.9 });
    let Effect::Decline { code, message } = run(
        &program,
        Position::START,
        &Facts {
            fraud: Some(&score),
            ..Facts::default()
        },
    )
    .stop
    else {
        panic!()
    };
    assert_eq!(
        (code, message.as_deref()),
        (domain::decline::DeclineCode::SuspectedFraud, Some("score"))
    );
    let without = run(&program, Position::START, &Facts::default());
    assert_eq!(
        trace(&without)[0],
        "steps[0] left: `fraud.score > 0.8` counts as not holding: there is no `fraud.score`"
    );
    assert!(matches!(without.stop, Effect::Authorise(_)));
}

#[test]
fn the_drawn_connection_is_not_its_own_fallback() {
    let program = payment(
        "  - authorise:\n      split: [{connection: a, weight: 70}, {connection: b, weight: 30}]\n      fallback: {to: [b, c, a]}\n",
    );
    let problems = |bits: u64| {
        let Effect::Authorise(authorisation) =
            program.run(Position::START, &euros(1), &mut || bits).stop
        else {
            panic!()
        };
        let names = authorisation.candidates.into_iter();
        names
            .map(|candidate| format!("{}: {}", candidate.connection, candidate.reason))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        problems(0),
        [
            "a: first by weight 70 of 100",
            "b: fallback 1",
            "c: fallback 2"
        ]
    );
    assert_eq!(
        problems(u64::MAX),
        [
            "b: first by weight 30 of 100",
            "c: fallback 1",
            "a: fallback 2"
        ]
    );
}

#[test]
fn every_connection_is_named_once() {
    let program = payment(
        "  - if: card.funding == \"DEBIT\"\n    then: [{authorise: {connection: d, fallback: {to: [a]}}}]
    else: [{authorise: {split: [{connection: c, weight: 1}, {connection: a, weight: 1}]}}]\n",
    );
    let names: Vec<String> = program
        .connections()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["a", "c", "d"]);
}

#[test]
fn a_position_beyond_the_program_ends() {
    let far: Position = serde_json::from_str("1000").unwrap();
    assert_eq!(
        run(&payment(ROUTE), far, &Facts::default()).stop,
        Effect::End
    );
}

#[test]
fn offers_come_with_the_run() {
    let program = payment("  - offer: [CARD, WALLETC]\n  - authorise: {connection: a}\n");
    let card = CardFacts {
        brand: Some("VISA".into()),
        ..CardFacts::default()
    };
    let offers = run(
        &program,
        Position::START,
        &Facts {
            card,
            ..Facts::default()
        },
    )
    .offers;
    assert_eq!(
        offers,
        Some(vec![
            domain::method::Method::Card,
            domain::method::Method::Walletc
        ])
    );
}
