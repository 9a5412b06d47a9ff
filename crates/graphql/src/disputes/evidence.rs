//! `disputeEvidence`.

use domain::{
    Fault,
    dispute::evidence::{EvidenceLimits, EvidenceText},
};
use engine::{EvidenceView, KeptEvidence, UnsuitableAttachment};
use serde_json::{Map, Value};

use super::views::ResponseObject;
use crate::{
    attachments::views::AttachmentObject,
    executor::{Object, Out, object, optional, unknown_field},
};

/// `DisputeEvidence`.
pub(crate) struct EvidenceObject(pub(crate) EvidenceView);

impl Object for EvidenceObject {
    fn type_name(&self) -> &'static str {
        "DisputeEvidence"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let evidence = &self.0;
        Ok(match name {
            "limits" => optional(evidence.limits.as_ref().map(LimitsObject)),
            "attachments" => {
                let files = evidence.attachments.iter().cloned().map(AttachmentObject);
                Out::List(files.map(object).collect())
            }
            "unsuitableAttachments" => {
                let files = evidence.unsuitable.iter();
                Out::List(files.map(|file| object(UnsuitableObject(file))).collect())
            }
            "documentUrl" => evidence.document_url.as_deref().into(),
            "proposed" => Out::List(
                evidence
                    .proposed
                    .iter()
                    .map(|text| object(TextObject(text)))
                    .collect(),
            ),
            "evidence" => optional(evidence.kept.as_ref().map(KeptObject)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `UnsuitableAttachment`.
struct UnsuitableObject<'a>(&'a UnsuitableAttachment);

impl Object for UnsuitableObject<'_> {
    fn type_name(&self) -> &'static str {
        "UnsuitableAttachment"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "attachment" => object(AttachmentObject(self.0.attachment.clone())),
            "reason" => (&self.0.reason).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `KeptEvidence`.
struct KeptObject<'a>(&'a KeptEvidence);

impl Object for KeptObject<'_> {
    fn type_name(&self) -> &'static str {
        "KeptEvidence"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let KeptEvidence { response, evidence } = self.0;
        Ok(match name {
            "response" => object(ResponseObject(response)),
            "texts" => {
                let texts = evidence.texts.iter();
                Out::List(texts.map(|text| object(TextObject(text))).collect())
            }
            "document" => evidence.document.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `EvidenceLimits`.
struct LimitsObject<'a>(&'a EvidenceLimits);

impl Object for LimitsObject<'_> {
    fn type_name(&self) -> &'static str {
        "EvidenceLimits"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let limits = self.0;
        let long = |number: u64| Out::from(i64::try_from(number).unwrap_or(i64::MAX));
        Ok(match name {
            "textCharacters" => long(limits.text_chars as u64),
            "allCharacters" => long(limits.all_chars as u64),
            "files" => long(limits.files as u64),
            "fileBytes" => long(limits.file_bytes),
            "allBytes" => long(limits.all_bytes),
            "contentTypes" => Out::List(limits.types.iter().map(|one| one.code().into()).collect()),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `EvidenceText`.
struct TextObject<'a>(&'a EvidenceText);

impl Object for TextObject<'_> {
    fn type_name(&self) -> &'static str {
        "EvidenceText"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "kind" => self.0.kind.code().into(),
            "text" => (&self.0.text).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
