//! The facet of disputes: defending and accepting them. Source: docs/processors/adyen.md, "Later changes and disputes".
//!
//! Adyen takes documents alone, each under a reason of its own list; how a dispute stands notifications tell. No request of this service
//! takes an idempotency key: documents are supplied and replaced without an effect, and a defence or an acceptance is one for a dispute.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use connector::{
    CallError, Called, Disputes, EvidenceFile, FoundResponse, Link, Respond, SubmitEvidence,
};
use domain::{
    attachment::FileType,
    dispute::{DisputeReport, DisputeStatus, evidence::EvidenceLimits},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    Adyen,
    address::Service,
    api::{Api, Refusal, checked},
};

/// What is taken: one document, and no texts. The size is a precaution: none is published.
static LIMITS: EvidenceLimits = EvidenceLimits {
    text_chars: 0,
    all_chars: 0,
    files: 1,
    file_bytes: 2 * 1024 * 1024,
    all_bytes: 2 * 1024 * 1024,
    types: &[FileType::Pdf, FileType::Jpeg, FileType::Tiff],
};

/// The result that every answer has, also that of a failure.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    dispute_service_result: ServiceResult,
}

#[derive(Debug, Deserialize)]
struct ServiceResult {
    success: bool,
}

/// `DefenseReasonsResponse`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasons {
    dispute_service_result: ServiceResult,
    #[serde(default)]
    defense_reasons: Vec<Reason>,
}

/// `DefenseReason`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reason {
    defense_reason_code: String,
    #[serde(default)]
    defense_document_types: Vec<DocumentType>,
}

/// `DefenseDocumentType`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentType {
    defense_document_type_code: String,
    requirement_level: String,
}

impl Disputes for Adyen {
    fn limits(&self) -> Option<&EvidenceLimits> {
        Some(&LIMITS)
    }

    fn accepts(&self) -> bool {
        true
    }

    /// Adyen can't be asked how a dispute stands.
    fn read<'a>(&'a self, _: &'a Link<'a>, _: &'a str) -> Called<'a, Option<DisputeReport>> {
        Box::pin(std::future::ready(Err(CallError::Unsupported)))
    }

    fn submit<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a SubmitEvidence<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(submit(Api::of(link), call))
    }

    fn accept<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, DisputeReport> {
        Box::pin(async move {
            let api = Api::of(link);
            let body = about(api, call.dispute, json!({}))?;
            let done = ask::<Done>(api, "acceptDispute", &body).await?;
            succeeded(&done.dispute_service_result)?;
            Ok(DisputeReport {
                status: DisputeStatus::Lost,
                ..call.stands.clone()
            })
        })
    }

    /// Adyen does not tell whether it has a response. That proves nothing.
    fn find_response<'a>(
        &'a self,
        _: &'a Link<'a>,
        _: &'a Respond<'a>,
    ) -> Called<'a, FoundResponse> {
        Box::pin(std::future::ready(Ok(FoundResponse::Absent(None))))
    }
}

/// Supplies the document, then defends with it, which is final.
async fn submit(api: Api<'_>, call: &SubmitEvidence<'_>) -> Result<DisputeReport, CallError> {
    let Respond {
        dispute, stands, ..
    } = call.respond;
    let file = call
        .files
        .first()
        .ok_or_else(|| CallError::rejected("Adyen takes a document, and there is none"))?;
    let asked = about(api, dispute, json!({}))?;
    let reasons = ask::<Reasons>(api, "retrieveApplicableDefenseReasons", &asked).await;
    let reasons = without_effect(reasons)?;
    succeeded(&reasons.dispute_service_result)?;
    let (reason, document) = choose(&reasons.defense_reasons).ok_or_else(|| {
        CallError::rejected(
            "no defence of this dispute is made with one document: defend it in Adyen's Customer Area",
        )
    })?;
    let supplied = about(
        api,
        dispute,
        json!({"defenseDocuments": [supply(file, document)?]}),
    )?;
    let done = without_effect(ask::<Done>(api, "supplyDefenseDocument", &supplied).await)?;
    succeeded(&done.dispute_service_result)?;
    let defended = about(api, dispute, json!({"defenseReasonCode": reason}))?;
    let done = ask::<Done>(api, "defendDispute", &defended).await?;
    succeeded(&done.dispute_service_result)?;
    Ok(DisputeReport {
        status: DisputeStatus::SentForReview,
        respond_by: None,
        ..stands.clone()
    })
}

/// A reason and a type of document that is enough for it. The first of Adyen's list counts, after the one that takes anything.
fn choose(reasons: &[Reason]) -> Option<(&str, &str)> {
    let with_one = |reason: &&Reason| enough(reason).is_some();
    let any = |reason: &&Reason| reason.defense_reason_code == "SupplyDefenseMaterial";
    let reason = reasons
        .iter()
        .filter(with_one)
        .find(any)
        .or_else(|| reasons.iter().find(with_one))?;
    Some((reason.defense_reason_code.as_str(), enough(reason)?))
}

/// The type of document that is enough for a reason; `None`: it takes several, or of a kind that is not known.
fn enough(reason: &Reason) -> Option<&str> {
    let of = |level: &str| {
        let types = reason.defense_document_types.iter();
        let found: Vec<&str> = types
            .filter(|document| document.requirement_level == level)
            .map(|document| document.defense_document_type_code.as_str())
            .collect();
        found
    };
    let known = |document: &DocumentType| {
        matches!(
            document.requirement_level.as_str(),
            "Required" | "OneOrMore" | "Optional"
        )
    };
    if !reason.defense_document_types.iter().all(known) {
        return None;
    }
    match (of("Required").as_slice(), of("OneOrMore").as_slice()) {
        ([only], []) => Some(only),
        ([], [first, ..]) => Some(first),
        ([], []) => of("Optional").first().copied(),
        _ => None,
    }
}

/// The document as it is sent.
fn supply(file: &EvidenceFile, document: &str) -> Result<Value, CallError> {
    let content_type = match file.kind {
        FileType::Pdf => "application/pdf",
        FileType::Jpeg => "image/jpeg",
        FileType::Tiff => "image/tiff",
        FileType::Png => return Err(CallError::rejected("the type of the file is not taken")),
    };
    Ok(json!({
        "content": STANDARD.encode(&file.content),
        "contentType": content_type,
        "defenseDocumentTypeCode": document,
    }))
}

/// A request about a dispute.
fn about(api: Api<'_>, dispute: &str, mut more: Value) -> Result<Value, CallError> {
    let dispute = checked(dispute)?;
    if let Some(members) = more.as_object_mut() {
        members.insert("disputePspReference".to_owned(), dispute.into());
        members.insert("merchantAccountCode".to_owned(), api.account().into());
    }
    Ok(more)
}

async fn ask<T: DeserializeOwned>(api: Api<'_>, verb: &str, body: &Value) -> Result<T, CallError> {
    let answer = api.post::<T>(Service::Disputes, verb, None, body).await?;
    answer.map_err(Refusal::rejected)
}

/// A failure that Adyen says in an answer that is none.
fn succeeded(result: &ServiceResult) -> Result<(), CallError> {
    if result.success {
        Ok(())
    } else {
        Err(CallError::rejected("Adyen did not take it"))
    }
}

/// A request that by itself decides nothing has no unknown outcome that matters.
fn without_effect<T>(made: Result<T, CallError>) -> Result<T, CallError> {
    made.map_err(|error| match error {
        CallError::Unknown { reason, known } => CallError::NotSent {
            reason,
            again_after: known.again_after,
        },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(reasons: Value) -> Option<(String, String)> {
        let reasons: Vec<Reason> = serde_json::from_value(reasons).unwrap();
        choose(&reasons).map(|(reason, document)| (reason.to_owned(), document.to_owned()))
    }

    fn reason(code: &str, documents: &[(&str, &str)]) -> Value {
        let documents: Vec<Value> = documents
            .iter()
            .map(|(code, level)| json!({"defenseDocumentTypeCode": code, "requirementLevel": level, "available": false}))
            .collect();
        json!({"defenseReasonCode": code, "satisfied": false, "defenseDocumentTypes": documents})
    }

    #[test]
    fn a_reason_is_chosen_for_which_one_document_is_enough() {
        let two = reason(
            "GoodsWereAsDescribed",
            &[
                ("GoodsWereAsDescribed", "Required"),
                ("TIDorInvoice", "Required"),
            ],
        );
        let one = reason(
            "GoodsNotReturned",
            &[
                ("TIDorInvoice", "Optional"),
                ("GoodsNotReturned", "Required"),
            ],
        );
        let any = reason("SupplyDefenseMaterial", &[("DefenseMaterial", "Required")]);
        let or = reason("Other", &[("A", "OneOrMore"), ("B", "OneOrMore")]);
        let new = reason("New", &[("A", "AlternativeRequired")]);
        let text = |reason: &str, document: &str| Some((reason.to_owned(), document.to_owned()));
        assert_eq!(
            chosen(json!([two, one, any])),
            text("SupplyDefenseMaterial", "DefenseMaterial")
        );
        assert_eq!(
            chosen(json!([two, one])),
            text("GoodsNotReturned", "GoodsNotReturned")
        );
        assert_eq!(chosen(json!([two, or])), text("Other", "A"));
        assert_eq!(chosen(json!([two, new])), None);
        assert_eq!(chosen(json!([])), None);
    }
}
