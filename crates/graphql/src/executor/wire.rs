//! Errors in an answer.

use domain::{Code, Fault};
use serde_json::{Map, Value, json};

use super::document::DocumentFault;

/// The error of a field: `{message, path, extensions}`.
pub(crate) fn error(fault: &Fault, path: &[Value], extensions: Map<String, Value>) -> Value {
    let mut error = Map::new();
    let message = match fault.hint {
        Some(hint) => format!("{} {}", fault.message, hint.text()),
        None => fault.message.clone(),
    };
    error.insert("message".to_owned(), Value::from(message));
    if !path.is_empty() {
        error.insert("path".to_owned(), Value::from(path));
    }
    error.insert("extensions".to_owned(), Value::Object(extensions));
    Value::Object(error)
}

/// The envelope of what failed before execution: errors and no data.
pub(crate) fn refusal(fault: &Fault, extensions: Map<String, Value>) -> Vec<u8> {
    envelope(&[error(fault, &[], extensions)])
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
