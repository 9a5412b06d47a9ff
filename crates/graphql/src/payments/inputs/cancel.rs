//! `cancelPayment`.

use domain::Fault;
use engine::Cancel;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.payment.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Cancel, Fault> {
    let id = ids::payment(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Refused);
    Ok(Cancel {
        id,
        reason: reader.lines("reason")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    #[test]
    fn a_reason_is_optional_and_bounded() {
        let id = "01929f6e-0000-7000-8000-000000000001";
        let parse = |reason: Value| parse(arguments(json!({"id": id, "reason": reason})));
        assert_eq!(parse(json!("")).unwrap().reason, None);
        assert_eq!(
            parse(json!("by\nphone")).unwrap().reason.as_deref(),
            Some("by\nphone")
        );
        for reason in [json!("x".repeat(501)), json!("a\u{0}")] {
            assert_eq!(refusal(parse(reason).map(|_| ()).unwrap_err()).0, "reason");
        }
    }
}
