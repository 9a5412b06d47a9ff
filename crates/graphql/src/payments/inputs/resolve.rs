//! `resolvePayment`.

use domain::{Fault, Faults, payment::Resolution};
use engine::Resolve;
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.validation`, `error.payment.not-found`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Resolve, Fault> {
    let id = ids::payment(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Refused);
    let mut faults = Faults::default();
    let outcome = reader.choice("outcome", outcome);
    let outcome = faults.good(reader.needed("outcome", outcome));
    let evidence = reader.lines("evidence");
    let evidence = faults.or_default(reader.needed("evidence", evidence));
    faults.end(outcome.map(|outcome| Resolve {
        id,
        outcome,
        evidence,
    }))
}

fn outcome(text: &str) -> Option<Resolution> {
    match text {
        "AUTHORISED" => Some(Resolution::Authorised),
        "CAPTURED" => Some(Resolution::Captured),
        "NOT_CHARGED" => Some(Resolution::NotCharged),
        "REFUNDED" => Some(Resolution::Refunded),
        "NOT_REFUNDED" => Some(Resolution::NotRefunded),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn resolve(outcome: &str, evidence: &str) -> Result<Resolve, Fault> {
        let id = "01929f6e-0000-7000-8000-000000000001";
        parse(arguments(
            json!({"id": id, "outcome": outcome, "evidence": evidence}),
        ))
    }

    #[test]
    fn every_outcome_of_the_schema_is_read() {
        let schema = crate::schema().schema;
        for value in schema.get_enum("ResolvedOutcome").unwrap().values.keys() {
            assert!(resolve(value, "statement line 7").is_ok(), "{value}");
        }
    }

    #[test]
    fn evidence_is_needed() {
        assert_eq!(
            refusal(resolve("CAPTURED", "").map(|_| ()).unwrap_err()),
            ("evidence".to_owned(), "is required".to_owned())
        );
    }
}
