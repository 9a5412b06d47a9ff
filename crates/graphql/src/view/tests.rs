use std::collections::BTreeSet;

use apollo_compiler::{Schema, ast::Type, schema::ExtendedType};
use domain::{
    answer::Answer,
    bank_account::{AccountKind, Mandate},
    customer::Instrument,
    decline::{Decline, DeclineCode},
    filter::{self, FieldName, Sort},
    payment::{Kind, Line},
};
use serde_json::json;

use super::{
    samples::{
        approval, at, connection, customer, flow, intent, issued_token, method, operation, payment,
        team, text, trial,
    },
    *,
};
use crate::{
    execute::{Object, object},
    schema::ApiSchema,
};

/// Types of the schema that nothing makes yet.
const NOT_MADE: [&str; 1] = ["Attachment"];

fn payment_object() -> PaymentObject {
    PaymentObject {
        payment: Box::new(payment()),
        timeline: Ok(vec![Line::new(at(), "Authorised").saying("Well.")]),
        sight: Sight::Whole,
    }
}

fn intent_object(sight: Sight) -> IntentObject {
    IntentObject {
        intent: intent(),
        payments: vec![payment()],
        sight,
    }
}

fn issued_tokens() -> ClientTokensPageObject {
    ClientTokensPageObject {
        facts: PageFacts {
            has_next: false,
            has_previous: false,
            total: None,
            settled_until: None,
            after: None,
        },
        rows: vec![("t".to_owned(), issued_token())],
    }
}

fn linked() -> engine::LinkedGateway {
    engine::LinkedGateway {
        connection: domain::id::ConnectionId::parse("simulator-a").unwrap(),
        name: "Simulator A".to_owned(),
        token: "tok_1".to_owned(),
        created_at: at(),
        updated_at: at(),
        reusable: true,
    }
}

fn page() -> PaymentsPageObject {
    let condition = filter::parse(FieldName::Status, Some(&json!("SUCCEEDED")), None)
        .unwrap()
        .unwrap();
    PaymentsPageObject {
        facts: PageFacts {
            has_next: true,
            has_previous: false,
            total: Some(7),
            settled_until: None,
            after: None,
        },
        filter: FilterFacts {
            id: None,
            team: None,
            customer: None,
            user: None,
            name: text("mine"),
            conditions: vec![condition],
            sort: Sort::default(),
        },
        rows: vec![("c1".to_owned(), payment_object())],
    }
}

fn field<'a>(object: &'a dyn Object, name: &str) -> Out<'a> {
    object.field(name, &Map::new()).unwrap()
}

fn json_of(object: &dyn Object, name: &str) -> Value {
    match field(object, name) {
        Out::Null => Value::Null,
        Out::Text(text) => Value::from(text.as_ref()),
        Out::Scalar(value) => value,
        Out::Object(_) | Out::List(_) => panic!("{name} is no scalar"),
    }
}

/// Asks an object for every field of its type, and whatever comes back for every field of its own.
fn walk(schema: &Schema, object: &dyn Object, seen: &mut BTreeSet<String>) {
    let type_name = object.type_name();
    seen.insert(type_name.to_owned());
    let definition = schema.get_object(type_name).unwrap();
    for (name, definition) in &definition.fields {
        let place = format!("{type_name}.{name}");
        let value = object
            .field(name, &Map::new())
            .unwrap_or_else(|fault| panic!("{place}: {fault:?}"));
        check(schema, &definition.ty, &value, &place, seen);
    }
}

fn check(schema: &Schema, ty: &Type, value: &Out<'_>, place: &str, seen: &mut BTreeSet<String>) {
    let name = ty.inner_named_type().as_str();
    match value {
        Out::Null => assert!(!ty.is_non_null(), "{place} is null"),
        Out::List(items) => {
            assert!(ty.is_list(), "{place} is no list");
            for item in items {
                check(schema, ty.item_type(), item, place, seen);
            }
        }
        Out::Object(object) => {
            assert_eq!(object.type_name(), name, "{place}");
            walk(schema, &**object, seen);
        }
        Out::Text(text) => match schema.types.get(name) {
            Some(ExtendedType::Enum(values)) => {
                assert!(values.values.contains_key(text.as_ref()), "{place}: {text}");
            }
            _ => assert!(
                matches!(name, "ID" | "String" | "DateTime" | "Date"),
                "{place} is a text"
            ),
        },
        Out::Scalar(value) => match name {
            "JSON" => {}
            "Long" | "Int" => assert!(value.is_i64(), "{place}"),
            "Float" => assert!(value.is_f64(), "{place}"),
            "Boolean" => assert!(value.is_boolean(), "{place}"),
            "String" => assert!(value.is_string() || value.is_array(), "{place}"),
            _ => panic!("{place} is a scalar"),
        },
    }
}

fn account_object() -> MethodObject {
    let mut account = method();
    account.instrument = Instrument::BankAccount {
        bank_name: text("Bank"),
        kind: AccountKind::Bacs {
            sort_code: "108800".to_owned(),
        },
        mandate: Some(Mandate {
            accepted_at: Timestamp::from_micros(0),
            text_version: "v1".to_owned(),
            ip_address: "192.0.2.1".parse().ok(),
        }),
    };
    MethodObject {
        method: account,
        linked: Vec::new(),
        sight: Sight::Whole,
    }
}

#[test]
fn every_field_of_every_output_type_resolves() {
    let schema = ApiSchema::load().unwrap().schema;
    let mut seen = BTreeSet::new();
    let whole = CardTokenObject {
        method: method(),
        customer: Some(customer()),
        sight: Sight::Whole,
    };
    let customers = CustomersPageObject {
        facts: PageFacts {
            has_next: false,
            has_previous: false,
            total: None,
            settled_until: None,
            after: None,
        },
        rows: vec![("c".to_owned(), customer())],
    };
    let token = ClientTokenObject {
        id: "k".to_owned(),
        token: "ct_test_x".to_owned(),
        ttl_seconds: 10_800,
    };
    let (team, tokens) = (TeamObject(team()), issued_tokens());
    let own = OwnCustomer(customer());
    let intents = IntentsPageObject {
        facts: PageFacts {
            has_next: false,
            has_previous: false,
            total: None,
            settled_until: None,
            after: None,
        },
        rows: vec![("i".to_owned(), intent_object(Sight::Whole))],
    };
    let (flow, trial, connection) = (
        FlowObject(flow()),
        FlowTrialObject(trial()),
        ConnectionObject(connection()),
    );
    for sample in [
        &whole as &dyn Object,
        &customers,
        &token,
        &team,
        &tokens,
        &own,
        &flow,
        &trial,
        &connection,
        &MethodObject {
            method: method(),
            linked: vec![linked()],
            sight: Sight::Whole,
        },
        &account_object(),
        &ProcessorTokenObject {
            token: "tok_1".to_owned(),
        },
        &page(),
        &intents,
    ] {
        walk(&schema, sample, &mut seen);
    }
    for (name, definition) in &schema.types {
        let made = definition.is_object()
            && !definition.is_built_in()
            && !matches!(name.as_str(), "Query" | "Mutation");
        assert_eq!(
            made && !NOT_MADE.contains(&name.as_str()),
            seen.contains(name.as_str()),
            "{name}"
        );
    }
}

#[test]
fn optional_parts_are_null_and_bank_accounts_have_no_expiry() {
    let schema = ApiSchema::load().unwrap().schema;
    let mut bare = payment();
    (
        bare.customer,
        bare.flow,
        bare.gateway,
        bare.fraud,
        bare.metadata,
    ) = (None, None, None, None, None);
    bare.operations.clear();
    bare.captured = 0;
    let bare = PaymentObject {
        payment: Box::new(bare),
        timeline: Ok(Vec::new()),
        sight: Sight::Whole,
    };
    walk(&schema, &bare, &mut BTreeSet::new());
    for name in [
        "sourceId",
        "refundedAmount",
        "capturedAmount",
        "flowId",
        "connectionId",
        "metadata",
    ] {
        assert_eq!(json_of(&bare, name), Value::Null, "{name}");
    }
    for name in [
        "paymentCustomer",
        "paymentGateway",
        "paymentReceipt",
        "fraud",
    ] {
        assert!(matches!(field(&bare, name), Out::Null), "{name}");
    }
    let account = account_object();
    walk(&schema, &account, &mut BTreeSet::new());
    assert_eq!(
        (json_of(&account, "expMonth"), json_of(&account, "bankName")),
        (Value::Null, json!("Bank"))
    );
}

#[test]
fn an_unknown_field_is_a_defect() {
    assert_eq!(
        payment_object()
            .field("nope", &Map::new())
            .map(|_| ())
            .unwrap_err()
            .code,
        domain::Code::Unknown
    );
}

#[test]
fn a_payment_shows_what_happened_to_it() {
    let object = payment_object();
    assert_eq!(
        json_of(&object, "id"),
        "payments:01929f6e-0000-7000-8000-000000000001"
    );
    assert_eq!(json_of(&object, "refundedAmount"), 99);
    assert_eq!(json_of(&object, "capturedAmount"), 5099);
    assert_eq!(json_of(&object, "date"), "2026-01-31T09:30:00.250Z");
    let Out::Object(amount) = field(&object, "amount") else {
        panic!("no amount")
    };
    assert_eq!(json_of(&*amount, "formattedAmount"), "€50.99");
    let Out::Object(details) = field(&object, "paymentMethodDetails") else {
        panic!("no details")
    };
    assert_eq!(
        (json_of(&*details, "expires"), json_of(&*details, "type")),
        (json!("11/2033"), json!("CREDIT"))
    );
}

#[test]
fn dates_take_zones_and_refuse_unknown_ones() {
    let object = payment_object();
    let date = |zone: &str| {
        let Value::Object(arguments) = json!({"tz": zone}) else {
            unreachable!()
        };
        match object.field("date", &arguments) {
            Ok(Out::Text(text)) => Ok(text.into_owned()),
            Ok(_) => panic!("no text"),
            Err(fault) => Err(fault.field.unwrap()),
        }
    };
    assert_eq!(date("Z").unwrap(), "2026-01-31T09:30:00.250Z");
    assert_eq!(date("+02:00").unwrap(), "2026-01-31T11:30:00.250+02:00");
    assert_eq!(
        date("America/New_York").unwrap(),
        "2026-01-31T04:30:00.250-05:00"
    );
    assert_eq!(date("Mars/Olympus"), Err("tz".to_owned()));
}

#[test]
fn a_decline_fills_the_outcome() {
    let mut declined = payment();
    let decline = Decline {
        processor_code: text("51"),
        ..Decline::of(DeclineCode::InsufficientFunds)
    };
    declined.operations = vec![operation(
        1,
        Kind::Authorise { capture: true },
        5099,
        Some(Answer::Declined {
            decline,
            approval: approval(),
        }),
    )];
    let object = PaymentObject {
        payment: Box::new(declined),
        timeline: Ok(Vec::new()),
        sight: Sight::Whole,
    };
    let Out::Object(core) = field(&object, "paymentCore") else {
        panic!("no core")
    };
    let Out::Object(outcome) = field(&*core, "outcome") else {
        panic!("no outcome")
    };
    for (name, value) in [
        ("declineCode", json!("INSUFFICIENT_FUNDS")),
        ("declineType", json!("SOFT")),
        ("processorDeclineCode", json!("51")),
        ("reason", json!("Insufficient funds")),
        ("type", json!("DECLINED")),
        ("riskScore", json!(12.5)),
    ] {
        assert_eq!(json_of(&*outcome, name), value, "{name}");
    }
}

#[test]
fn a_decline_by_the_flow_fills_the_outcome_too() {
    let mut declined = payment();
    declined.operations = Vec::new();
    declined.decline_by_rule(Decline::of(DeclineCode::CustomRule), declined.created_at);
    let object = PaymentObject {
        payment: Box::new(declined),
        timeline: Ok(Vec::new()),
        sight: Sight::Whole,
    };
    let Out::Object(core) = field(&object, "paymentCore") else {
        panic!("no core")
    };
    let Out::Object(outcome) = field(&*core, "outcome") else {
        panic!("no outcome")
    };
    for (name, value) in [
        ("declineCode", json!("CUSTOM_RULE")),
        ("reason", json!("Custom rule")),
        ("type", json!("DECLINED")),
    ] {
        assert_eq!(json_of(&*outcome, name), value, "{name}");
    }
}

#[test]
fn a_browser_gets_no_stored_personal_data_back() {
    let schema = ApiSchema::load().unwrap().schema;
    let token = CardTokenObject {
        method: method(),
        customer: Some(customer()),
        sight: Sight::Browser,
    };
    let paid = PaymentObject {
        sight: Sight::Browser,
        ..payment_object()
    };
    let (Out::Object(holder), Out::Object(payer)) =
        (field(&token, "customer"), field(&paid, "paymentCustomer"))
    else {
        panic!("no customer")
    };
    for (shown, type_name) in [(holder, "VaultCustomerApi"), (payer, "PaymentCustomer")] {
        for name in schema.get_object(type_name).unwrap().fields.keys() {
            let empty = matches!(field(&*shown, name), Out::Null);
            assert_eq!(empty, name != "id", "{type_name}.{name}");
        }
    }
    let (Out::Object(card), Out::Object(details)) =
        (field(&token, "card"), field(&paid, "paymentMethodDetails"))
    else {
        panic!("no card")
    };
    assert!(
        matches!(field(&*card, "name"), Out::Null)
            && matches!(field(&*card, "billingAddress"), Out::Null)
    );
    assert_eq!(json_of(&*card, "number"), "************4242");
    assert_eq!(json_of(&*details, "name"), Value::Null);
}

#[test]
fn the_echoed_filter_shows_values_and_the_verbs_that_each_field_allows() {
    let page = page();
    let Out::Object(data) = field(&page, "data") else {
        panic!("no data")
    };
    let Out::Object(filter) = field(&*data, "filter") else {
        panic!("no filter")
    };
    let Out::Object(status) = field(&*filter, "status") else {
        panic!("no status")
    };
    assert_eq!(
        (
            json_of(&*status, "value"),
            json_of(&*status, "selectedVerb")
        ),
        (json!("SUCCEEDED"), json!("EQUALS"))
    );
    let Out::Object(unfiltered) = field(&*filter, "date") else {
        panic!("no date")
    };
    assert_eq!(
        (
            json_of(&*unfiltered, "value"),
            json_of(&*unfiltered, "selectedVerb")
        ),
        (Value::Null, json!("ALL"))
    );
    assert!(
        json_of(&*unfiltered, "verbs")
            .as_array()
            .unwrap()
            .contains(&json!("BETWEEN_INCLUSIVE"))
    );
}

#[test]
fn an_object_by_reference_is_that_object() {
    let token = ClientTokenObject {
        id: "k".to_owned(),
        token: "t".to_owned(),
        ttl_seconds: 1,
    };
    let Out::Object(boxed) = object(&token) else {
        panic!("no object")
    };
    assert_eq!(boxed.type_name(), "ClientToken");
}

#[test]
fn an_intent_shows_its_checkout_and_a_browser_no_personal_data() {
    let whole = intent_object(Sight::Whole);
    assert_eq!(
        (json_of(&whole, "status"), json_of(&whole, "currency")),
        (json!("ACTIVE"), json!("EUR"))
    );
    let part = |object: &IntentObject, name: &str, part: &str| {
        let Out::Object(held) = field(object, name) else {
            panic!("no {name}")
        };
        json_of(&*held, part)
    };
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
