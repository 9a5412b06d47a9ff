//! What conditions may say, and what they mean.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
mod oracle;

use flow::{Document, Facts, Position, Program};
use serde_json::{Value, json};

fn document(condition: &str) -> Document {
    Document::from_value(&json!({
        "name": "n", "trigger": { "outcome": ["failed"] },
        "steps": [{ "if": condition, "then": [{ "note": "yes" }] }]
    }))
    .unwrap()
}

/// The problems reported about a wrong condition.
fn problems(condition: &str) -> String {
    let problems = Program::compile(&document(condition))
        .err()
        .unwrap_or_default();
    assert!(
        problems
            .iter()
            .all(|problem| problem.place == "steps[0].if")
    );
    problems
        .iter()
        .map(|problem| problem.message.clone())
        .collect::<Vec<_>>()
        .join(" / ")
}

/// Whether a condition holds, or why that can't be said.
fn holds(condition: &str, facts: &Value) -> Result<bool, String> {
    let program = Program::compile(&document(condition))
        .unwrap_or_else(|problems| panic!("{condition}: {problems:?}"));
    let run = program.run(
        Position::START,
        &Facts::from_value(facts).unwrap(),
        &mut || 0,
    );
    let first = run.trace.first().unwrap();
    let reason = first.reason.clone().unwrap();
    match reason.split_once(" counts as not holding: ") {
        Some((_, why)) => Err(why.to_owned()),
        None => Ok(first.taken),
    }
}

fn facts() -> Value {
    json!({
        "payment": { "amount": 1500, "currency": "EUR", "captured": 1000, "refunded": 0, "description": "tea" },
        "card": { "brand": "VISA", "exp_year": 2030 },
        "attempt": { "number": 2 },
        "metadata": { "plan": "gold", "score": 0.5, "items": [1, 2], "vip": true, "nothing": null, "a-b": { "c": "d" } }
    })
}

#[test]
fn conditions_ask_about_the_facts() {
    for (condition, expected) in [
        (
            "payment.currency == \"EUR\" && card.brand == \"VISA\"",
            true,
        ),
        ("payment.currency == 'USD' || card.brand != 'AMEX'", true),
        ("card.wallet == null", true),
        ("card.funding == \"DEBIT\"", false),
        ("card.funding != \"DEBIT\"", true),
        ("payment.amount - payment.refunded >= 1500", true),
        (
            "payment.amount / 1000 * 1000 + payment.amount % 1000 == payment.amount",
            true,
        ),
        ("-payment.amount < 0", true),
        ("payment.currency in [\"EUR\", \"GBP\"]", true),
        ("!(payment.currency in [\"USD\"])", true),
        (
            "\"plan\" in metadata && 2 in metadata.items && !(3 in metadata.items)",
            true,
        ),
        ("metadata.plan == \"gold\"", true),
        (
            "metadata[\"a-b\"].c == \"d\" && metadata[\"a-b\"][\"c\"] == \"d\"",
            true,
        ),
        ("metadata.items[1] == 2", true),
        ("metadata.items == [1, 2]", true),
        ("metadata.score > 0.4 && metadata.score < 1", true),
        ("metadata.vip", true),
        (
            "has(metadata.plan) && !has(metadata.other) && !has(metadata.other.deeper)",
            true,
        ),
        (
            "has(card.brand) && !has(card.wallet) && !has(webhook.body)",
            true,
        ),
        ("metadata.nothing == null", true),
        (
            "size(metadata.items) == 2 && size(payment.currency) == 3 && metadata.items.size() == 2",
            true,
        ),
        (
            "payment.description.startsWith(\"t\") && payment.description.endsWith(\"a\")",
            true,
        ),
        ("payment.description.contains(\"offee\")", false),
        (
            "payment.amount > 1000 ? card.brand == \"AMEX\" : true",
            false,
        ),
        ("attempt.number >= 2 && attempt.number < 10", true),
        // A side that decides wins over one that fails.
        ("metadata.missing == 1 || true", true),
        ("metadata.missing == 1 && false", false),
        ("fraud == null", true),
        ("true", true),
    ] {
        assert_eq!(holds(condition, &facts()), Ok(expected), "{condition}");
    }
}

#[test]
fn a_condition_that_fails_tells_why() {
    for (condition, why) in [
        ("metadata.missing == 1", "there is no `metadata.missing`"),
        ("metadata.items[9] == 1", "there is no `metadata.items[9]`"),
        ("fraud.score > 1", "there is no `fraud.score`"),
        ("card.exp_month < 5", "`card.exp_month` is not known"),
        (
            "customer.email.endsWith(\".com\")",
            "`customer.email` is not known",
        ),
        (
            "metadata.plan > 1",
            "`<`, `<=`, `>` and `>=` compare two numbers or two texts",
        ),
        ("metadata.plan", "the result is neither true nor false"),
        (
            "metadata.plan && true",
            "`&&`, `||`, `!` and `?` need true or false",
        ),
        (
            "payment.amount / payment.refunded == 1",
            "a number is too large, or divided by zero",
        ),
        (
            "9223372036854775807 + attempt.number > 0",
            "a number is too large, or divided by zero",
        ),
        (
            "1 in metadata.plan",
            "`in` needs a list or an object on its right",
        ),
        (
            "size(metadata.vip) == 1",
            "`size` needs a text, a list or an object",
        ),
    ] {
        assert_eq!(
            holds(condition, &facts()),
            Err(why.to_owned()),
            "{condition}"
        );
    }
}

#[test]
fn constants_that_a_fact_can_never_be_are_refused() {
    for (condition, message) in [
        (
            "payment.currency == \"EURO\"",
            "`payment.currency` can never be \"EURO\": there is no such currency; write a code of ISO 4217 such as `EUR`",
        ),
        (
            "\"eur\" != intent.currency",
            "`intent.currency` can never be \"eur\": there is no such currency (did you mean `EUR`?)",
        ),
        (
            "payment.currency in [\"EUR\", \"GPB\"]",
            "`payment.currency` can never be \"GPB\": there is no such currency",
        ),
        (
            "payment.method == \"card\"",
            "`payment.method` can never be \"card\": there is no such payment method (did you mean `CARD`?)",
        ),
        (
            "payment.method in [\"GOOGLE_PAY\"]",
            "`payment.method` can never be \"GOOGLE_PAY\": write `WALLETA_PAY`, which means the same",
        ),
        (
            "payment.status == \"AUTHORIZED\"",
            "`payment.status` can never be \"AUTHORIZED\": there is no such status (did you mean `AUTHORISED`?); there are `ACTIVE`",
        ),
        (
            "payment.amount > 100.00",
            "`payment.amount` counts minor units in whole numbers: 100.00 EUR is 10000",
        ),
        (
            "99.5 == dispute.amount",
            "`dispute.amount` counts minor units in whole numbers",
        ),
        (
            "payment.currency == \"EURO\" && payment.amount > 1.5",
            "`payment.currency` can never be \"EURO\": there is no such currency; write a code of ISO 4217 such as `EUR`; \
             `payment.amount` counts minor units",
        ),
    ] {
        let problems = problems(condition);
        assert!(problems.starts_with(message), "{condition}: {problems}");
    }
}

/// Wrong conditions, and how what is said of each begins.
const WRONG: &[(&str, &str)] = &[
    (
        "paymnt.amount > 1",
        "there is no variable `paymnt` (did you mean `payment`?)",
    ),
    (
        "payment.currency == EUR",
        "there is no variable `EUR`; there are `payment`, `card`, `customer`, `intent`, `attempt`, `dispute`, `webhook`, `metadata` and `fraud`. A text needs quotation marks: \"EUR\"",
    ),
    (
        "payment.currncy == \"EUR\"",
        "there is no `payment.currncy` (did you mean `currency`?)",
    ),
    (
        "card == null",
        "`card` is no value by itself; name one of `brand`, `bin`",
    ),
    (
        "payment.amount == \"100\"",
        "these can never be equal: `payment.amount` is a whole number, and \"100\" is a text",
    ),
    (
        "payment.amount > \"100\"",
        "only two numbers or two texts can be put in order: `payment.amount` is a whole number, and \"100\" is a text",
    ),
    (
        "payment.currency in [1, 2]",
        "these can never be equal: `payment.currency` is a text, and in the list 1 is a whole number",
    ),
    (
        "payment.currency in \"EUR\"",
        "`in` needs a list on its right",
    ),
    (
        "payment.amount",
        "the condition is a whole number; it must be true or false, as in `payment.amount > 1000`",
    ),
    (
        "payment.amount && true",
        "`&&` needs true or false, but `payment.amount` is a whole number",
    ),
    (
        "!payment.currency",
        "`!` needs true or false, but `payment.currency` is a text",
    ),
    (
        "payment.currency + \"x\" == \"EURx\"",
        "only whole numbers are calculated with, but `payment.currency` is a text",
    ),
    ("1.5 * 2.0 > 1.0", "only whole numbers are calculated with"),
    (
        "metadata.items.exists(x, x == 1)",
        "`all`, `exists`, `exists_one`, `map` and `filter` are not available",
    ),
    (
        "metadata.items.map(x, x) == []",
        "`all`, `exists`, `exists_one`, `map` and `filter` are not available",
    ),
    (
        "customer.email.matches(\".*\")",
        "`matches` is not available: use `startsWith`, `endsWith` or `contains`",
    ),
    (
        "payment.currency.startWith(\"E\")",
        "there is no function `startWith` (did you mean `startsWith`?)",
    ),
    (
        "startsWith(payment.currency, \"E\")",
        "`startsWith` is written as in `customer.email.endsWith(\"@example.com\")`",
    ),
    (
        "now() > 1",
        "there is no function `now`; there are `has`, `size`, `startsWith`, `endsWith` and `contains`",
    ),
    (
        "size(payment.amount) == 1",
        "`size` needs a text or a list, but `payment.amount` is a whole number",
    ),
    (
        "payment.amount.size() == 1",
        "`size` needs a text or a list, but `payment.amount` is a whole number",
    ),
    (
        "payment.currency.x == 1",
        "only `metadata`, `fraud` and `webhook.body` have something inside",
    ),
    (
        "metadata[payment.currency] == 1",
        "what is in brackets must be a written text or number, as in `metadata[\"plan\"]`",
    ),
    ("metadata.items[-1] == 1", "an index begins at 0"),
    (
        "{\"a\": 1} == metadata",
        "objects can't be written in a condition",
    ),
    ("payment.amount > 1u", "write whole numbers without a `u`"),
    ("b\"x\" == metadata.x", "bytes can't be used; write a text"),
    (
        "payment.currency = \"EUR\"",
        "this can't be read as a condition near character 18: write `==` to compare",
    ),
    (
        "payment.amount > 1 and card.brand == \"VISA\"",
        "this can't be read as a condition near character 20: `and` is written `&&`",
    ),
    (
        "payment.amount > 1 @",
        "this can't be read as a condition near character 20: `@` is not expected there",
    ),
    (
        "payment.amount >> 1",
        "this can't be read as a condition near character 17: `>` is not expected there",
    ),
    (
        "has(metadata)",
        "this can't be read as a condition near character 5: `has` is written as in `has(metadata.plan)`",
    ),
    (
        "payment.amount >",
        "this can't be read as a condition near character 17: it ends too early; is a bracket or a value missing?",
    ),
    (
        "(payment.amount > 1",
        "this can't be read as a condition near character 20: it ends too early; is a bracket or a value missing?",
    ),
];

#[test]
fn wrong_conditions_are_refused_with_what_would_be_right() {
    for (condition, message) in WRONG {
        let problems = problems(condition);
        assert!(problems.starts_with(message), "{condition}: {problems}");
    }
}

#[test]
fn deep_conditions_are_refused_before_they_cost_anything() {
    let deep = [
        format!("{}true{}", "(".repeat(400), ")".repeat(400)),
        format!("{}true", "true ? true : ".repeat(60)),
        format!("{}[]{} == metadata", "[".repeat(400), "]".repeat(400)),
        format!("metadata{} == 1", ".a".repeat(450)),
        format!("metadata{} == 1", "[0]".repeat(300)),
        format!("1{} == 1", "+1".repeat(450)),
    ];
    // A small stack, as a thread of the runtime might have left.
    let judge = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(move || {
            for condition in deep {
                assert!(!problems(&condition).is_empty(), "{condition}");
            }
            // Signs in a row are folded and nest nothing.
            for condition in [
                format!("{}true", "!".repeat(900)),
                format!("{}1 < 2", "-".repeat(900)),
            ] {
                assert_eq!(problems(&condition), "", "{condition}");
            }
        });
    judge.unwrap().join().unwrap();
}

#[test]
fn long_conditions_that_are_flat_are_taken() {
    let terms = |term: &str, sign: &str| {
        let count = 1_000 / (term.len() + sign.len());
        vec![term; count].join(sign)
    };
    for condition in [
        terms("payment.amount==1", "||"),
        terms("payment.amount!=1", "&&"),
        terms("!metadata.vip", "||"),
        format!("customer.id in [{}]", terms("\"0e0e-4b4b-8f8f-((((\"", ",")),
        format!("customer.name == \"{}\"", "(?[{".repeat(100)),
        format!("customer.name == '{}'", "\\'(".repeat(100)),
    ] {
        if condition.chars().count() <= 1_000 {
            assert_eq!(problems(&condition), "", "{condition}");
        }
    }
}
