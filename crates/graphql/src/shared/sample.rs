//! Arguments for the tests of inputs.

use domain::Fault;
use serde_json::{Map, Value, json};

/// Arguments out of a JSON object.
pub(crate) fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => panic!("arguments are an object"),
    }
}

/// A good card with some fields replaced.
pub(crate) fn card(changes: Value) -> Value {
    let mut fields =
        json!({"number": "4242424242424242", "expMonth": 11, "expYear": 2033, "cvc": "123"});
    for (name, value) in arguments(changes) {
        fields[name] = value;
    }
    fields
}

/// The field and reason of a fault of the input, after checking that it repeats nothing.
pub(crate) fn refusal(fault: Fault) -> (String, String) {
    assert_eq!(fault.code, domain::Code::Validation, "{fault:?}");
    assert!(!fault.message.contains("4242"), "{}", fault.message);
    (fault.field.unwrap(), fault.reason.unwrap())
}
