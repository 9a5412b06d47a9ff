//! What a document may hold, and the problems reported about one that holds something else.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod yaml;

use flow::{Action, Document, RefundAmount};
use serde_json::{Value, json};

const LARGE: &str = r#"
# Comments are for people.
name: Route by currency
trigger: payment
steps:
  - offer: [CARD, WALLETC]
  - id: european-visa
    if: payment.currency == "EUR" && card.brand == "VISA"
    then:
      - three_d_secure: request
      - authorise: {connection: simulator-a}
    else:
      - authorise:
          split:
            - {connection: simulator-a, weight: 70}
            - {connection: simulator-b, weight: 30}
          fallback: {to: [simulator-b], after: [soft_decline, outage]}
  - capture: {after: 2s}
  - refund: {amount: {percent: 50}, reason: half of it}
  - delay: 7d
  - approval: {title: "Give the rest back?", within: 2d}
  - await_webhook: {name: returned}
  - call_webhook: {url: "https://example.com/hook?a=b"}
  - note: "text with {payment.currency} stays as it is: plain"
"#;

/// The problems reported about a text, a line for each problem.
fn problems(text: &str) -> Vec<String> {
    Document::parse(text)
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// The problems reported about one step in a document that is good but for it.
fn problem_of_step(step: &str) -> String {
    problems(&format!("name: n\ntrigger: payment\nsteps:\n  - {step}\n")).join(" / ")
}

#[test]
fn every_trigger_is_read() {
    for (trigger, value) in [
        ("payment", json!("payment")),
        ("intent_inactive", json!("intent_inactive")),
        (
            "{outcome: [declined, failed]}",
            json!({ "outcome": ["declined", "failed"] }),
        ),
        (
            "{dispute: [created, needs_response]}",
            json!({ "dispute": ["created", "needs_response"] }),
        ),
        (
            "{webhook: {name: shipped}}",
            json!({ "webhook": { "name": "shipped" } }),
        ),
    ] {
        let document = Document::parse(&format!(
            "name: n\ntrigger: {trigger}\nsteps: [{{note: a}}]"
        ))
        .unwrap();
        assert_eq!(document.to_value()["trigger"], value);
    }
}

#[test]
fn a_wrong_trigger_is_reported_with_what_would_be_right() {
    for (trigger, message) in [
        (
            "paymnet",
            "no such trigger (did you mean `payment`?); there are `payment`, `outcome`, `dispute`, `intent_inactive` and `webhook`",
        ),
        (
            "outcome",
            "say which outcomes: {outcome: [declined, failed]}",
        ),
        ("dispute", "say which moments: {dispute: [created, lost]}"),
        (
            "webhook",
            "a webhook needs its name: {webhook: {name: shipped}}",
        ),
        (
            "7",
            "a trigger is one of `payment`, `outcome`, `dispute`, `intent_inactive` and `webhook`",
        ),
    ] {
        let text = format!("name: n\ntrigger: {trigger}\nsteps: [{{note: a}}]");
        assert_eq!(problems(&text), [format!("trigger (line 2): {message}")]);
    }
    let inner = |trigger: &str| {
        problems(&format!(
            "name: n\ntrigger: {trigger}\nsteps: [{{note: a}}]"
        ))
    };
    assert_eq!(
        inner("{payment: now}"),
        ["trigger.payment (line 2): `payment` stands alone: `trigger: payment`"]
    );
    assert_eq!(
        inner("{outcome: []}"),
        ["trigger.outcome (line 2): must not be empty"]
    );
    assert_eq!(
        inner("{outcome: [failed, failed]}"),
        ["trigger.outcome[1] (line 2): stands here twice; keep one"]
    );
    let wrong = inner("{dispute: [opened]}");
    assert!(
        wrong[0].starts_with("trigger.dispute[0] (line 2): must be one of `created`, `updated`"),
        "{wrong:?}"
    );
}

#[test]
fn one_mistake_hides_no_other() {
    let text = r#"
name: n
trigger: payment
steps:
  - if: payment.amount > "100.00"
    three_d_secure: force
  - id: twice
    if: payment.currncy == "EUR"
    thn:
      - note: a
    else:
      - if: payment.amount
        then: [{captrue: now}]
  - id: twice
    note: [b]
"#;
    let problems = problems(text);
    let places: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem.split(':').next())
        .collect();
    assert_eq!(
        places,
        [
            "steps[0].if (line 5)",
            "steps[0].three_d_secure (line 6)",
            "steps[0].three_d_secure (line 6)",
            "steps[1].if (line 8)",
            "steps[1].thn (line 9)",
            "steps[1].else[0].if (line 12)",
            "steps[1].else[0].then[0].captrue (line 13)",
            "steps[2].id (line 14)",
            "steps[2].note (line 15)",
        ],
        "{problems:#?}"
    );
}

#[test]
fn an_else_if_is_answered_with_how_it_is_written() {
    for name in ["elif", "elsif", "else if"] {
        let step = format!("{{if: \"true\", then: [{{note: a}}], {name}: \"false\"}}");
        assert_eq!(
            problem_of_step(&step),
            format!("steps[0].{name} (line 4): there is no such step; write `else: [{{if: …}}]`")
        );
    }
}

#[test]
fn problems_name_the_place_and_the_line() {
    let text = "name: n\ntrigger: payment\nsteps:\n  - if: payment.amount > 1\n    then:\n      - capture: noww\n      - captrue: now\n";
    assert_eq!(
        problems(text),
        [
            "steps[0].then[0].capture (line 6): no such time of capture (did you mean `now`?); there are `now`, `after`, `api` and `webhook`",
            "steps[0].then[1].captrue (line 7): there is no such step (did you mean `capture`?); there are `offer`, `if`, \
             `three_d_secure`, `authorise`, `capture`, `refund`, `cancel`, `decline`, `delay`, `approval`, `await_webhook`, \
             `call_webhook` and `note`",
        ]
    );
    assert_eq!(
        problems("name: n\ntrigger: payment"),
        ["line 1: `steps` is missing"]
    );
    assert_eq!(
        problems("name: n\ntrigger: payment\nsteps: [{note: a}]\nversion: 3"),
        ["version (line 4): this name is not known here; there are `name`, `trigger` and `steps`"]
    );
}

/// Steps, and what is said of each.
const STEPS: &[(&str, &str)] = &[
    (
        "{}",
        "steps[0] (line 4): a step needs one of `offer`, `if`, `three_d_secure`, `authorise`, `capture`, `refund`, `cancel`, `decline`, `delay`, `approval`, `await_webhook`, `call_webhook` and `note`",
    ),
    (
        "capture",
        "steps[0] (line 4): a step is an object such as {capture: now}",
    ),
    (
        "{capture: now, note: a}",
        "steps[0].note (line 4): a step does one thing: make `capture` and `note` two steps",
    ),
    (
        "{capture: now, then: [{note: a}]}",
        "steps[0].then (line 4): belongs to a step with `if`",
    ),
    ("{if: \"true\"}", "steps[0] (line 4): `then` is missing"),
    (
        "{if: \"true\", then: []}",
        "steps[0].then (line 4): must not be empty",
    ),
    (
        "{if: true, then: [{note: a}]}",
        "steps[0].if (line 4): must be a text: put it in quotation marks",
    ),
    (
        "{id: \"a b\", note: a}",
        "steps[0].id (line 4): must be 1 to 64 letters, digits, hyphens, underscores, dots or colons",
    ),
    (
        "{authorise: {connection: a, split: [{connection: a, weight: 1}]}}",
        "steps[0].authorise.split (line 4): give `connection` or `split`, not both",
    ),
    (
        "{authorise: {}}",
        "steps[0].authorise (line 4): say where: `connection`, or `split` for several by weight",
    ),
    (
        "{authorise: {split: [{connection: a, weight: 0}]}}",
        "steps[0].authorise.split[0].weight (line 4): must be a whole number from 1 to 1000000",
    ),
    (
        "{authorise: {split: [{connection: a, weight: 1}, {connection: a, weight: 2}]}}",
        "steps[0].authorise.split[1] (line 4): this connection has its weight already",
    ),
    (
        "{authorise: {connection: a, fallback: {to: [a]}}}",
        "steps[0].authorise.fallback.to[0] (line 4): this is the connection that is asked first; name another",
    ),
    (
        "{authorise: {connection: a, fallback: {to: [b, b]}}}",
        "steps[0].authorise.fallback.to[1] (line 4): stands here twice; keep one",
    ),
    (
        "{authorise: {connection: a, fallback: {to: [b], after: [timeout]}}}",
        "steps[0].authorise.fallback.after[0] (line 4): must be one of `soft_decline`, `fault` and `outage`",
    ),
    (
        "{authorise: {connection: a, fallback: {to: [b], after: []}}}",
        "steps[0].authorise.fallback.after (line 4): must not be empty",
    ),
    (
        "{authorize: {connection: a}}",
        "steps[0].authorize (line 4): there is no such step (did you mean `authorise`?); there are `offer`, `if`, `three_d_secure`, `authorise`, `capture`, `refund`, `cancel`, `decline`, `delay`, `approval`, `await_webhook`, `call_webhook` and `note`",
    ),
    (
        "{capture: after}",
        "steps[0].capture (line 4): say after how long: {after: 2d}",
    ),
    (
        "{capture: {after: 2}}",
        "steps[0].capture.after (line 4): must be a time of 1s to 365d such as 30s, 15m, 36h or 7d",
    ),
    (
        "{capture: {now: 1}}",
        "steps[0].capture.now (line 4): `now` stands alone: `capture: now`",
    ),
    (
        "{refund: {}}",
        "steps[0].refund (line 4): `amount` is missing",
    ),
    (
        "{refund: {amount: 0}}",
        "steps[0].refund.amount (line 4): must be a whole number of at least 1",
    ),
    (
        "{refund: {amount: 1.5}}",
        "steps[0].refund.amount (line 4): must be `all`, a whole number of minor units such as 500, or {percent: 50}",
    ),
    (
        "{refund: {amount: {percent: 101}}}",
        "steps[0].refund.amount.percent (line 4): must be a whole number from 1 to 100",
    ),
    (
        "{cancel: now}",
        "steps[0].cancel (line 4): must be an object such as {reason: \"not shipped\"}, or {}",
    ),
    (
        "{decline: {code: CUSTOM_RULES}}",
        "steps[0].decline.code (line 4): must be one of",
    ),
    (
        "{delay: 400d}",
        "steps[0].delay (line 4): must be a time of 1s to 365d such as 30s, 15m, 36h or 7d",
    ),
    (
        "{approval: {title: \" \"}}",
        "steps[0].approval.title (line 4): must not be empty",
    ),
    (
        "{await_webhook: {name: a/b}}",
        "steps[0].await_webhook.name (line 4): must be 1 to 64 letters, digits, hyphens, underscores, dots or colons",
    ),
    (
        "{call_webhook: {url: \"ftp://example.com\"}}",
        "steps[0].call_webhook.url (line 4): must begin with https:// or http://",
    ),
    (
        "{call_webhook: {url: \"https://me:secret@example.com\"}}",
        "steps[0].call_webhook.url (line 4): must not hold a user name or password",
    ),
    (
        "{call_webhook: {url: \"https:///path\"}}",
        "steps[0].call_webhook.url (line 4): must be an address such as https://example.com/hook",
    ),
    (
        "{note: 7}",
        "steps[0].note (line 4): must be a text: put it in quotation marks",
    ),
    (
        "{note: \"card 4242424242424242\"}",
        "steps[0].note (line 4): must not hold a card number: send it as a card, or as a vault token",
    ),
    (
        "{offer: [VISAA]}",
        "steps[0].offer[0] (line 4): must be one of",
    ),
    (
        "{three_d_secure: required}",
        "steps[0].three_d_secure (line 4): must be one of `request`, `avoid` and `as_issuer`",
    ),
];

#[test]
fn each_step_is_held_to_its_shape() {
    for (step, message) in STEPS {
        let problems = problem_of_step(step);
        assert!(
            problems == *message || (message.ends_with("one of") && problems.starts_with(message)),
            "{step}: {problems}"
        );
    }
}

#[test]
fn a_document_has_bounds() {
    let steps = |count: usize| {
        format!(
            "name: n\ntrigger: payment\nsteps:\n{}",
            "  - note: a\n".repeat(count)
        )
    };
    assert_eq!(Document::parse(&steps(500)).unwrap().steps.len(), 500);
    assert_eq!(
        problems(&steps(501)),
        ["steps[500] (line 504): a flow has at most 500 steps"]
    );
    assert_eq!(
        problems(&" ".repeat(64 * 1024 + 1)),
        ["the document is larger than 64 KiB; split it into several flows"]
    );
    let large = json!({ "name": "x".repeat(70_000) });
    assert!(
        Document::from_value(&large).unwrap_err()[0]
            .message
            .contains("64 KiB")
    );

    let nested = |levels: usize| {
        let inner = (0..levels).fold(
            json!([{ "note": "a" }]),
            |steps, _| json!([{ "if": "true", "then": steps }]),
        );
        Document::from_value(&json!({ "name": "n", "trigger": "payment", "steps": inner }))
    };
    assert!(nested(9).is_ok());
    let problem = nested(10).unwrap_err().remove(0);
    assert_eq!(
        problem.message,
        "steps may be nested 10 levels deep; join conditions with `&&`"
    );
    assert!(nested(60).is_err());

    let condition = |length: usize| {
        problem_of_step(&format!(
            "{{if: \"{}\", then: [{{note: a}}]}}",
            "a".repeat(length)
        ))
    };
    assert_eq!(
        condition(1_001),
        "steps[0].if (line 4): must have at most 1000 characters"
    );
}

#[test]
fn many_problems_are_reported_at_once_but_not_without_end() {
    let text = format!(
        "name: n\ntrigger: payment\nsteps:\n{}",
        "  - note: 1\n".repeat(100)
    );
    assert_eq!(problems(&text).len(), 20);
}

#[test]
fn refunds_name_an_amount_or_a_part() {
    for (amount, expected) in [
        ("500", RefundAmount::Minor(500)),
        ("all", RefundAmount::All),
        ("{percent: 50}", RefundAmount::Percent(50)),
    ] {
        let text = format!("name: n\ntrigger: payment\nsteps: [{{refund: {{amount: {amount}}}}}]");
        let document = Document::parse(&text).unwrap();
        assert_eq!(
            document.steps[0].action,
            Action::Refund {
                amount: expected,
                reason: None
            }
        );
        assert_ne!(
            document.to_value()["steps"][0]["refund"]["amount"],
            Value::Null
        );
    }
}
