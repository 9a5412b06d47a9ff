use std::collections::BTreeSet;

use apollo_compiler::{Schema, ast::Type, schema::ExtendedType};

use super::{
    super::samples::{
        connection, customer, delivery, dispute, endpoint, event, evidence, flow, guarded_page,
        issued_token, notification, page_violation, payment_link, processor, sdk_configuration,
        team, trial, upload_address, with,
    },
    *,
};
use crate::{
    attachments::views::UploadObject,
    connections::views::{ConnectionObject, ProcessorObject},
    customers::views::CustomerObject,
    disputes::evidence::EvidenceObject,
    disputes::views::DisputeObject,
    events::views::EventObject,
    executor::object,
    flows::views::{FlowObject, FlowTrialObject},
    notifications::views::NotificationObject,
    page_guard::views::{PageObject, ViolationObject},
    payment_links::views::PaymentLinkObject,
    teams_and_keys::views::{
        ClientTokenObject, IssuedClientToken, SdkConfigurationObject, TeamObject,
    },
    tokens::views::{CardTokenObject, ProcessorTokenObject},
    webhooks::views::{DeliveryObject, EndpointObject},
};

fn links() -> Connection<PaymentLinkObject> {
    Connection {
        facts: facts(),
        rows: vec![("l".to_owned(), PaymentLinkObject(payment_link()))],
    }
}

fn issued_tokens() -> Connection<IssuedClientToken> {
    Connection {
        facts: facts(),
        rows: vec![("t".to_owned(), IssuedClientToken(issued_token()))],
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

fn customers() -> Connection<CustomerObject> {
    Connection {
        facts: facts(),
        rows: vec![("c".to_owned(), CustomerObject(customer()))],
    }
}

/// Every object of the schema was made.
fn nothing_is_left_out(schema: &Schema, seen: &BTreeSet<String>) {
    for (name, definition) in &schema.types {
        let made = definition.is_object()
            && !definition.is_built_in()
            && !matches!(name.as_str(), "Query" | "Mutation" | "Subscription");
        assert_eq!(made, seen.contains(name.as_str()), "{name}");
    }
}

/// What stands apart, so that the list of samples stays short.
fn apart() -> [Box<dyn Object>; 5] {
    let deliveries = Connection {
        facts: facts(),
        rows: vec![("d".to_owned(), DeliveryObject(delivery()))],
    };
    [
        Box::new(ProcessorObject(processor())),
        Box::new(EndpointObject(endpoint())),
        Box::new(deliveries),
        Box::new(PageObject(guarded_page())),
        Box::new(ViolationObject(page_violation())),
    ]
}

#[test]
fn every_field_of_every_output_type_resolves() {
    let schema = crate::schema().schema;
    let mut seen = BTreeSet::new();
    let whole = CardTokenObject {
        method: method(),
        customer: Some(customer()),
        sight: Sight::Whole,
    };
    let token = ClientTokenObject {
        id: "k".to_owned(),
        token: "ct_test_x".to_owned(),
        ttl_seconds: 10_800,
    };
    let processor_token = ProcessorTokenObject {
        token: "tok_1".to_owned(),
    };
    let (team, tokens) = (TeamObject(team()), issued_tokens());
    let intents = Connection {
        facts: facts(),
        rows: vec![("i".to_owned(), intent_object(Sight::Whole))],
    };
    let (flow, trial, connection) = (
        FlowObject(flow()),
        FlowTrialObject(trial()),
        ConnectionObject(connection()),
    );
    for sample in [
        &whole as &dyn Object,
        &customers(),
        &token,
        &team,
        &SdkConfigurationObject(sdk_configuration()),
        &tokens,
        &CustomerObject(customer()),
        &flow,
        &trial,
        &connection,
        &UploadObject(upload_address()),
        &EvidenceObject(evidence()),
        &MethodObject {
            method: method(),
            linked: vec![linked()],
            sight: Sight::Whole,
        },
        &account_object(),
        &processor_token,
        &page(),
        &intents,
        &links(),
        &Connection {
            facts: facts(),
            rows: vec![("d".to_owned(), DisputeObject(dispute()))],
        },
        &Connection {
            facts: facts(),
            rows: vec![("n".to_owned(), NotificationObject(notification()))],
        },
        &Connection {
            facts: facts(),
            rows: vec![("e".to_owned(), EventObject(event()))],
        },
    ] {
        walk(&schema, sample, &mut seen);
    }
    for sample in apart() {
        walk(&schema, &*sample, &mut seen);
    }
    nothing_is_left_out(&schema, &seen);
}

#[test]
fn optional_parts_are_null_and_bank_accounts_have_no_expiry() {
    let schema = crate::schema().schema;
    let bare = with(
        &payment(),
        &json!({
            "customer": null,
            "flow": null,
            "gateway": null,
            "fraud": null,
            "metadata": null,
            "operations": [],
            "captured": 0,
        }),
    );
    let bare = PaymentObject {
        payment: bare,
        timeline: Ok(Vec::new()),
        attachments: Ok(Vec::new()),
        disputes: Ok(None),
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
