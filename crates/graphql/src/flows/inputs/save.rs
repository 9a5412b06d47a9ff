//! `saveFlow`.

use domain::{Fault, Faults, id::FlowId};
use engine::{SaveFlow, WrittenFlow};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, SLUG};

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<SaveFlow, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let id = reader
        .raw("id")
        .map(|id| FlowId::parse(&id).ok_or_else(|| reader.invalid("id", SLUG)))
        .transpose();
    let id = faults.or_default(id);
    let document = match reader.any("document") {
        Some(Value::String(text)) => Ok(WrittenFlow::Text(text)),
        Some(object @ Value::Object(_)) => Ok(WrittenFlow::Value(object)),
        Some(_) => Err(reader.invalid("document", "must be an object, or a text in YAML or JSON")),
        None => Err(reader.missing("document")),
    };
    let document = faults.good(document);
    faults.end(document.map(|document| SaveFlow { id, document }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn a_document_is_an_object_or_a_text() {
        let save = |document: Value| parse(arguments(json!({ "id": "", "document": document })));
        assert!(matches!(
            save(json!("name: x")).unwrap().document,
            WrittenFlow::Text(_)
        ));
        assert!(matches!(
            save(json!({ "name": "x" })).unwrap().document,
            WrittenFlow::Value(_)
        ));
        assert!(save(json!({})).unwrap().id.is_none());
        for bad in [json!([]), json!(1), json!(""), Value::Null] {
            assert_eq!(refusal(save(bad).map(|_| ()).unwrap_err()).0, "document");
        }
    }

    #[test]
    fn what_cant_be_an_id_is_reported() {
        let fault = parse(arguments(json!({ "id": "a b", "document": {} })))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refusal(fault).0, "id");
    }
}
