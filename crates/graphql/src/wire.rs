//! The one place where faults take their form on the wire.

use domain::{Code, Fault};
use serde_json::{Map, Value, json};

use crate::document::DocumentFault;

/// The error of a field: `{message, path, extensions: {code, noTrace, …}}`.
pub(crate) fn error(fault: &Fault, path: &[Value]) -> Value {
    let mut error = Map::new();
    let message = match fault.hint {
        Some(hint) => format!("{} {}", fault.message, hint.text()),
        None => fault.message.clone(),
    };
    error.insert("message".to_owned(), Value::from(message));
    if !path.is_empty() {
        error.insert("path".to_owned(), Value::from(path));
    }
    error.insert("extensions".to_owned(), extensions(fault));
    Value::Object(error)
}

fn extensions(fault: &Fault) -> Value {
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
    Value::Object(extensions)
}

/// The envelope of what failed before execution: errors and no data.
///
/// The HTTP layer uses it too, for what fails before there is a document (credential, size, rate, …).
pub fn refusal(fault: &Fault) -> Vec<u8> {
    envelope(&[error(fault, &[])])
}

/// The envelope of a document that is wrong.
pub(crate) fn document_refusal(faults: &[DocumentFault]) -> Vec<u8> {
    envelope(&faults.iter().map(document_error).collect::<Vec<_>>())
}

fn document_error(fault: &DocumentFault) -> Value {
    let extensions = json!({"code": fault.code.text(), "noTrace": true});
    match fault.place {
        Some((line, column)) => {
            json!({"message": fault.message, "locations": [{"line": line, "column": column}], "extensions": extensions})
        }
        None => json!({"message": fault.message, "extensions": extensions}),
    }
}

fn envelope(errors: &[Value]) -> Vec<u8> {
    json!({"errors": errors}).to_string().into_bytes()
}

/// The code that stands for several faults of one document.
pub(crate) fn leading_code(faults: &[DocumentFault]) -> Code {
    faults
        .first()
        .map_or(Code::GraphqlValidation, |fault| fault.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_shows_its_code_and_what_it_has_and_nothing_else() {
        let fault = Fault::new(Code::RefundAmount, "Too much.")
            .about("payments:1")
            .in_status("SUCCEEDED")
            .at_most(70);
        assert_eq!(
            error(&fault, &[json!("refundPayment")]),
            json!({
                "message": "Too much.",
                "path": ["refundPayment"],
                "extensions": {
                    "code": "error.refund.amount-exceeds-captured", "noTrace": true,
                    "id": "payments:1", "status": "SUCCEEDED", "maxAmount": 70,
                },
            })
        );
        let plain = error(&Fault::unknown(), &[]);
        assert_eq!(
            plain["extensions"],
            json!({"code": "error.unknown", "noTrace": false})
        );
        assert!(plain.get("path").is_none());
    }

    #[test]
    fn a_refusal_has_errors_and_no_data() {
        let body: Value = serde_json::from_slice(&refusal(&Fault::unavailable())).unwrap();
        assert_eq!(body["errors"][0]["extensions"]["code"], "error.unavailable");
        assert!(body.get("data").is_none());
    }
}
