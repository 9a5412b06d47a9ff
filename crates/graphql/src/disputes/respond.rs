//! `submitDisputeEvidence` and `acceptDispute`.

use domain::{
    Fault, Faults,
    dispute::{
        EvidenceChange,
        evidence::{EvidenceKind, EvidenceText},
    },
    id::AttachmentId,
};
use engine::{AcceptDispute, SubmitEvidence, faults};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, ids};

/// Errors: `error.dispute.not-found`, `error.validation`, `error.attachment.not-found`.
pub(super) fn parse_evidence(arguments: Map<String, Value>) -> Result<SubmitEvidence, Fault> {
    let id = ids::dispute(ids::argument(&arguments, "id"))?;
    let mut reader = Reader::new(arguments, Blank::Refused);
    let mut faults = Faults::default();
    let submit = faults.or_default(reader.flag("submit"));
    let mut given = reader.needed_object("evidence")?;
    let document = faults.or_default(given.flag_if_given("document"));
    let attachments = match given.texts("attachments") {
        Some(texts) => Some(attachments(&texts)?),
        None => None,
    };
    let texts = given
        .has_list("texts")
        .then(|| given.objects("texts").into_iter().map(text).collect());
    faults.end(SubmitEvidence {
        id,
        change: EvidenceChange {
            texts,
            attachments,
            document,
        },
        submit,
    })
}

/// Its bounds are the processor's, which are judged where they are known.
fn text(mut given: Reader) -> EvidenceText {
    let kind = given.choice("kind", EvidenceKind::parse);
    EvidenceText {
        // Coercion has checked it, and a test that the schema knows no other.
        kind: kind.ok().flatten().unwrap_or(EvidenceKind::Other),
        text: given.raw("text").unwrap_or_default(),
    }
}

fn attachments(texts: &[String]) -> Result<Vec<AttachmentId>, Fault> {
    let read = texts.iter().enumerate().map(|(place, text)| {
        AttachmentId::parse(text).ok_or_else(|| {
            let mut fault = faults::attachment_not_found();
            fault.field = Some(format!("evidence.attachments.{place}"));
            fault
        })
    });
    read.collect()
}

/// Errors: `error.dispute.not-found`.
pub(super) fn parse_acceptance(arguments: &Map<String, Value>) -> Result<AcceptDispute, Fault> {
    let id = ids::dispute(ids::argument(arguments, "id"))?;
    Ok(AcceptDispute { id })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shared::sample::arguments;

    const ID: &str = "01929f6e-0000-7000-8000-000000000001";

    fn parse(evidence: &Value) -> Result<SubmitEvidence, Fault> {
        parse_evidence(arguments(json!({"id": ID, "evidence": evidence})))
    }

    #[test]
    fn what_is_not_given_is_not_changed() {
        let nothing = parse(&json!({})).unwrap();
        assert_eq!(nothing.change, EvidenceChange::default());
        assert!(!nothing.submit);
        let given = parse(
            &json!({"texts": [{"kind": "DELIVERY", "text": "a"}], "attachments": [ID], "document": false}),
        );
        let change = given.unwrap().change;
        assert_eq!(change.texts.unwrap()[0].kind, EvidenceKind::Delivery);
        assert_eq!(change.attachments.unwrap().len(), 1);
        assert_eq!(change.document, Some(false));
        let cleared = parse(&json!({"texts": [], "attachments": []})).unwrap();
        assert_eq!(cleared.change.texts, Some(Vec::new()));
        assert_eq!(cleared.change.attachments, Some(Vec::new()));
    }

    #[test]
    fn a_text_that_is_no_id_names_no_file() {
        let refused = parse(&json!({"attachments": [ID, "x"]})).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("evidence.attachments.1"));
    }

    #[test]
    fn every_kind_of_the_schema_is_known() {
        let schema = crate::schema().schema;
        let known = schema.get_enum("EvidenceKind").unwrap();
        let names: Vec<_> = known.values.keys().map(ToString::to_string).collect();
        let kinds: Vec<_> = EvidenceKind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(names, kinds);
    }
}
