use apollo_compiler::{ExecutableDocument, validation::Valid};
use serde_json::json;

use super::*;

const CARD: &str = "4242424242424242";

/// The coerced arguments of the first root field of a document.
fn coerce(text: &str, variables: &Value) -> Result<Value, Fault> {
    with_first_field(text, variables, |coercer, field| {
        coercer.arguments(field).map(Value::Object)
    })
}

fn with_first_field<T>(
    text: &str,
    variables: &Value,
    run: impl FnOnce(Coercer<'_>, &Field) -> T,
) -> T {
    let schema = crate::schema();
    let document: Valid<ExecutableDocument> =
        ExecutableDocument::parse_and_validate(&schema.schema, text, "test").unwrap();
    let operation = document.operations.iter().next().unwrap();
    let variables = variables.as_object().unwrap();
    let coercer = Coercer {
        schema: &schema,
        definitions: &operation.variables,
        variables,
    };
    run(coercer, operation.root_fields(&document).next().unwrap())
}

fn refused(text: &str, variables: &Value) -> (String, String) {
    let fault = coerce(text, variables).unwrap_err();
    assert_eq!(fault.code, domain::Code::Validation);
    assert!(!fault.message.contains("4242"), "{}", fault.message);
    (fault.field.unwrap(), fault.reason.unwrap())
}

const AUTHORISE: &str =
    "mutation ($p: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $p) { id } }";
const TOKENISE: &str = "mutation ($d: TokenInput!) { tokeniseCard(data: $d) { id } }";

#[test]
fn variables_are_coerced_by_their_types() {
    let payment = json!({"p": {
        "amount": "2000.0", "currencyCode": "EUR", "orderId": null, "metadata": {"a": [1, null]},
        "paymentMethod": {"type": "CARD", "card": {"number": CARD, "expMonth": 11.0, "expYear": 2033}},
    }});
    assert_eq!(
        coerce(AUTHORISE, &payment).unwrap(),
        json!({"authorisePayment": {
            "orderId": null, "amount": 2000, "currencyCode": "EUR",
            "paymentMethod": {"type": "CARD", "card": {"number": CARD, "expMonth": 11, "expYear": 2033}},
            "metadata": {"a": [1, null]},
        }})
    );
}

#[test]
fn faults_name_the_path_and_a_reason_without_the_value() {
    let card = |card: Value| json!({"p": {"paymentMethod": {"type": "CARD", "card": card}}});
    let at = "authorisePayment.paymentMethod.card";
    assert_eq!(
        refused(AUTHORISE, &card(json!({"expMonth": CARD}))),
        (
            format!("{at}.expMonth"),
            "must be a whole number".to_owned()
        )
    );
    assert_eq!(
        refused(
            AUTHORISE,
            &card(json!({"number": 4_242_424_242_424_242_i64}))
        ),
        (format!("{at}.number"), "must be a text".to_owned())
    );
    let (field, reason) = refused(AUTHORISE, &card(json!({(CARD): 1})));
    assert_eq!(field, at);
    assert!(
        reason.starts_with("has a field that CardDtoInput does not have; it has number, expMonth"),
        "{reason}"
    );
    assert_eq!(
        refused(AUTHORISE, &card(json!(CARD))),
        (at.to_owned(), "must be an object".to_owned())
    );
    assert_eq!(
        refused(AUTHORISE, &json!({"p": {"paymentMethod": {}}})),
        (
            "authorisePayment.paymentMethod.type".to_owned(),
            "is required".to_owned()
        )
    );
    assert_eq!(
        refused(AUTHORISE, &json!({"p": {"paymentMethod": {"type": null}}})),
        (
            "authorisePayment.paymentMethod.type".to_owned(),
            "must not be null".to_owned()
        )
    );
    assert_eq!(
        refused(AUTHORISE, &json!({"p": {"initiator": CARD}})),
        (
            "authorisePayment.initiator".to_owned(),
            "must be one of CUSTOMER, MERCHANT".to_owned()
        )
    );
    assert_eq!(
        refused(AUTHORISE, &json!({})),
        ("authorisePayment".to_owned(), "is required".to_owned())
    );
    assert_eq!(
        refused(AUTHORISE, &json!({"p": null})),
        ("authorisePayment".to_owned(), "must not be null".to_owned())
    );
}

#[test]
fn enums_and_lists_are_coerced_and_paths_count_items() {
    let list = "query ($s: [PaymentStatus], $d: PaymentFilterInput) { listPayments(status: $s, data: $d) { pageInfo { endCursor } } }";
    assert_eq!(
        coerce(list, &json!({"s": "FAILED"})).unwrap(),
        json!({"status": ["FAILED"]})
    );
    assert_eq!(
        coerce(list, &json!({"s": ["FAILED", null]})).unwrap(),
        json!({"status": ["FAILED", null]})
    );
    assert_eq!(
        refused(list, &json!({"s": ["FAILED", "NOPE"]})).0,
        "status.1"
    );
    assert_eq!(
        refused(list, &json!({"d": {"sort": [{"order": "UP"}]}})).0,
        "data.sort.0.order"
    );
    assert_eq!(
        coerce(list, &json!({"d": {"sort": {"order": "ASC"}}})).unwrap(),
        json!({"data": {"sort": [{"order": "ASC"}]}})
    );
}

#[test]
fn an_empty_text_is_kept_for_optional_values_of_any_type_and_refused_for_required_ones() {
    let given = json!({"p": {"amount": "", "initiator": "", "fraud": "", "orderId": ""}});
    assert_eq!(
        coerce(AUTHORISE, &given).unwrap(),
        json!({"authorisePayment": {"orderId": "", "amount": "", "fraud": "", "initiator": ""}})
    );
    let card = json!({"d": {"paymentMethod": {"card": {"number": CARD, "expMonth": "", "expYear": 2033}}}});
    assert_eq!(
        refused(TOKENISE, &card).0,
        "data.paymentMethod.card.expMonth"
    );
}

#[test]
fn literals_mix_with_variables_and_absent_variables_leave_fields_out() {
    let text = "mutation ($n: String, $e: String, $a: Long = 5) {
        updateCustomer(id: 7, customer: { name: $n, email: $e, phone: null, description: \"d\" })
        generateClientToken(amount: $a) { token }
    }";
    assert_eq!(
        coerce(text, &json!({"n": "Ada"})).unwrap(),
        json!({"id": "7", "customer": {"name": "Ada", "phone": null, "description": "d"}})
    );
    let token =
        "mutation ($a: Long = 5) { generateClientToken(amount: $a, currency: \"EUR\") { token } }";
    assert_eq!(
        coerce(token, &json!({})).unwrap(),
        json!({"amount": 5, "currency": "EUR"})
    );
    assert_eq!(
        coerce(token, &json!({"a": null})).unwrap(),
        json!({"amount": null, "currency": "EUR"})
    );
    assert_eq!(refused(token, &json!({"a": "x"})).0, "amount");
    assert_eq!(
        coerce(
            "mutation { generateClientToken(amount: \"2000.0\") { token } }",
            &json!({})
        )
        .unwrap(),
        json!({"amount": 2000})
    );
    assert_eq!(
        refused(
            "mutation { generateClientToken(amount: 92233720368547758070) { token } }",
            &json!({})
        )
        .0,
        "amount"
    );
}

#[test]
fn a_misspelt_field_or_value_in_variables_is_answered_with_the_nearest() {
    let (field, reason) = refused(
        AUTHORISE,
        &json!({"p": {"amonut": 5, "currncyCode": "EUR"}}),
    );
    assert_eq!(field, "authorisePayment");
    assert_eq!(
        reason,
        "has a field `amonut`, which AuthorisedPaymentInput does not have (did you mean `amount`?)"
    );
    let payment = json!({"p": {"amonut": 5, "currncyCode": "EUR", "initiator": "customer"}});
    let fault = coerce(AUTHORISE, &payment).unwrap_err();
    let listed: Vec<&str> = fault.faults.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(listed.len(), 3, "{listed:?}");
    let payment = json!({"p": {"colour": "red", "currencyCode": "EUR", "amount": 5}});
    let (_, reason) = refused(AUTHORISE, &payment);
    let wanted = "has a field `colour`, which AuthorisedPaymentInput does not have; it has ";
    assert!(reason.starts_with(wanted), "{reason}");
    // What may be a value in a wrong place is not repeated.
    let payment = json!({"p": {"4242424242424242": "red", "currencyCode": "EUR", "amount": 5}});
    let (_, reason) = refused(AUTHORISE, &payment);
    let wanted = "has a field besides amount, currencyCode that AuthorisedPaymentInput does not have; it has ";
    assert!(reason.starts_with(wanted), "{reason}");
    assert!(
        listed[1].ends_with("(did you mean `currencyCode`?)"),
        "{listed:?}"
    );
    assert!(
        listed[2].ends_with("(did you mean CUSTOMER?)"),
        "{listed:?}"
    );
}

#[test]
fn defaults_of_arguments_are_put_in() {
    let text = "{ getPayment(id: 1) { date } }";
    let schema = crate::schema();
    let document = ExecutableDocument::parse_and_validate(&schema.schema, text, "test").unwrap();
    let root = document
        .operations
        .iter()
        .next()
        .unwrap()
        .selection_set
        .fields()
        .next()
        .unwrap();
    let empty = Map::new();
    let coercer = Coercer {
        schema: &schema,
        definitions: &[],
        variables: &empty,
    };
    let date = root.selection_set.fields().next().unwrap();
    assert_eq!(
        Value::Object(coercer.arguments(date).unwrap()),
        json!({"tz": "Z"})
    );
}

#[test]
fn what_failed_to_be_coerced_is_still_reported_apart() {
    let uncoerced = |variables: Value| {
        with_first_field(AUTHORISE, &variables, |coercer, field| {
            coercer.uncoerced(field)
        })
    };
    assert_eq!(
        uncoerced(json!({"p": {"amount": "x"}})),
        json!({"authorisePayment": {"amount": "x"}})
    );
    assert_ne!(
        uncoerced(json!({"p": {"amount": "x"}})),
        uncoerced(json!({"p": {"amount": "y"}}))
    );
}
