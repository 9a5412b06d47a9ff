//! The one place where faults take their form on the wire.

use domain::Fault;
use serde_json::{Map, Value, json};

use crate::executor;

/// The body of an answer to what failed before there was a document (credential, size, rate, …): errors and no data.
pub fn refusal(fault: &Fault) -> Vec<u8> {
    executor::refusal(fault, extensions(fault))
}

/// What `extensions` of an error says: `{code, noTrace, …}`.
pub(super) fn extensions(fault: &Fault) -> Map<String, Value> {
    let mut extensions = Map::new();
    extensions.insert("code".to_owned(), Value::from(fault.code.text()));
    extensions.insert("noTrace".to_owned(), Value::from(fault.no_trace()));
    let texts = [
        ("field", &fault.field),
        ("reason", &fault.reason),
        ("id", &fault.id),
        ("status", &fault.status),
        ("url", &fault.url),
        ("first", &fault.first),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            extensions.insert(name.to_owned(), Value::from(value.as_str()));
        }
    }
    if !fault.faults.is_empty() {
        let listed = fault.faults.iter();
        let listed = listed.map(|fault| json!({"field": fault.field, "reason": fault.reason}));
        extensions.insert("faults".to_owned(), listed.collect());
    }
    if let Some(amount) = fault.max_amount {
        extensions.insert("maxAmount".to_owned(), Value::from(amount));
    }
    if let Some(seconds) = fault.retry_after {
        extensions.insert("retryAfter".to_owned(), Value::from(seconds.get()));
    }
    extensions
}

#[cfg(test)]
mod tests {
    use domain::Code;

    use super::*;

    #[test]
    fn a_fault_shows_its_code_and_what_it_has_and_nothing_else() {
        let fault = Fault::new(Code::RefundAmount, "Too much.")
            .about("payments:1")
            .in_status("SUCCEEDED")
            .at_most(70);
        assert_eq!(
            Value::Object(extensions(&fault)),
            json!({
                "code": "error.refund.amount-exceeds-captured", "noTrace": true,
                "id": "payments:1", "status": "SUCCEEDED", "maxAmount": 70,
            })
        );
        assert_eq!(
            Value::Object(extensions(&Fault::unknown())),
            json!({"code": "error.unknown", "noTrace": false})
        );
    }

    #[test]
    fn a_refusal_has_errors_and_no_data() {
        let body: Value = serde_json::from_slice(&refusal(&Fault::unavailable())).unwrap();
        assert_eq!(body["errors"][0]["extensions"]["code"], "error.unavailable");
        assert!(body["errors"][0].get("path").is_none());
        assert!(body.get("data").is_none());
    }
}
