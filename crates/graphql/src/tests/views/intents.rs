use super::*;

fn part(object: &IntentObject, name: &str, part: &str) -> Value {
    let Out::Object(held) = field(object, name) else {
        panic!("no {name}")
    };
    json_of(&*held, part)
}

#[test]
fn an_intent_shows_its_checkout_and_a_browser_no_personal_data() {
    let whole = intent_object(Sight::Whole);
    assert_eq!(
        (json_of(&whole, "status"), json_of(&whole, "currency")),
        (json!("ACTIVE"), json!("EUR"))
    );
    assert_eq!(part(&whole, "amount", "formattedAmount"), "€50.99");
    assert_eq!(part(&whole, "location", "country"), "IRL");
    assert_eq!(part(&whole, "customer", "email"), "ada@example.com");
    assert_eq!(
        (
            part(&whole, "cart", "id"),
            part(&whole, "cart", "itemCount")
        ),
        (json!(""), json!(0))
    );
    let browser = intent_object(Sight::Browser);
    assert_eq!(
        (
            part(&browser, "customer", "id"),
            part(&browser, "customer", "isGuest")
        ),
        (json!("c-1"), json!(false))
    );
    for personal in ["email", "name"] {
        assert_eq!(
            part(&browser, "customer", personal),
            Value::Null,
            "{personal}"
        );
    }
}

#[test]
fn an_intent_shows_its_payments_and_what_has_happened() {
    let whole = intent_object(Sight::Whole);
    let Out::List(linked) = field(&whole, "linkedPayments") else {
        panic!("no payments")
    };
    let Some(Out::Object(linked)) = linked.first() else {
        panic!("no payment")
    };
    assert_eq!(json_of(&**linked, "title"), "Payment of €50.99");
    let Out::Object(timeline) = field(&whole, "timeline") else {
        panic!("no timeline")
    };
    let Out::Object(started) = field(&*timeline, "intentStarted") else {
        panic!("no step")
    };
    assert_eq!(json_of(&*started, "date"), "2026-01-31T09:30:00.250Z");
    let Out::Object(billing) = field(&*timeline, "billing") else {
        panic!("no step")
    };
    assert_eq!(
        (json_of(&*billing, "status"), json_of(&*billing, "date")),
        (json!("NOT_STARTED"), Value::Null)
    );
    let Out::List(attempts) = field(&*timeline, "paymentAttempts") else {
        panic!("no attempts")
    };
    let Some(Out::Object(attempt)) = attempts.first() else {
        panic!("no attempt")
    };
    assert_eq!(json_of(&**attempt, "status"), "COMPLETE");
}

#[test]
fn an_intent_without_details_shows_none() {
    let mut bare = intent_object(Sight::Whole);
    (
        bare.intent.money,
        bare.intent.location,
        bare.intent.customer,
        bare.intent.cart,
    ) = (None, None, None, None);
    for name in ["amount", "location", "customer", "cart"] {
        assert!(matches!(field(&bare, name), Out::Null), "{name}");
    }
}
