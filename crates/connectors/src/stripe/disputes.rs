//! The facet of disputes. Source: docs/processors/stripe.md, "Disputes".

use std::collections::BTreeMap;

use connector::{
    CallError, Called, Disputes, EvidenceFile, FoundResponse, Link, Reference, Respond,
    SubmitEvidence,
};
use domain::{
    Timestamp,
    attachment::FileType,
    dispute::{
        DisputeReason, DisputeReport, DisputeStage, DisputeStatus, DisputedFunds,
        evidence::{EvidenceKind, EvidenceLimits, EvidenceText},
    },
};
use http_client::Body;
use serde::Deserialize;

use super::{
    Stripe, amounts, answers,
    api::{Api, Form, Refusal},
    descriptor::FILES,
    look_up::{checked, is_missing},
    wire::{Expandable, HasId, Made, Metadata},
};

/// What is taken. Texts: the longest of one field, and a precaution for all. Files: Stripe has a field for each kind of document, and of
/// a file nobody says which it is, so that one is taken.
static LIMITS: EvidenceLimits = EvidenceLimits {
    text_chars: 20_000,
    all_chars: 60_000,
    files: 1,
    file_bytes: 4_500_000,
    all_bytes: 4_500_000,
    types: &[FileType::Pdf, FileType::Jpeg, FileType::Png],
};

/// The members of a dispute's metadata with the reference of our response: of evidence, and of the acceptance.
const EVIDENCE_MARK: &str = "pointsman-evidence";
const ACCEPTANCE_MARK: &str = "pointsman-acceptance";

/// Between the parts of an upload. A file that holds it is refused.
const BOUNDARY: &str = "pointsman-9c6f2d41b7e84a0f-evidence";
const UPLOAD: &str = "multipart/form-data; boundary=pointsman-9c6f2d41b7e84a0f-evidence";

/// `Dispute`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Dispute {
    pub(super) id: String,
    amount: i64,
    currency: String,
    created: i64,
    status: String,
    reason: Option<String>,
    pub(super) payment_intent: Option<Expandable<Made>>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    balance_transactions: Vec<Moved>,
    evidence_details: Option<Details>,
}

/// A movement of a dispute.
#[derive(Debug, Clone, Deserialize)]
struct Moved {
    amount: i64,
}

/// `evidence_details` of a dispute.
#[derive(Debug, Clone, Deserialize)]
struct Details {
    due_by: Option<i64>,
}

impl Dispute {
    /// The intent that is disputed.
    pub(super) fn intent(&self) -> Option<&str> {
        self.payment_intent.as_ref().map(HasId::id)
    }

    /// How it stands, in our words. `None`: in a way, or in a currency, that we know nothing of.
    pub(super) fn report(&self, as_of: Option<Timestamp>) -> Option<DisputeReport> {
        let (stage, status) = standing(&self.status)?;
        Some(DisputeReport {
            source_id: self.id.clone(),
            source_payment: self.intent().map(str::to_owned),
            status,
            stage,
            reason: self.reason.as_deref().map(reason),
            money: amounts::from_wire(self.amount, &self.currency)?,
            disputed_at: answers::seconds(self.created)?,
            respond_by: self.respond_by(),
            processor_status: Some(self.status.as_str().into()),
            processor_reason: self.reason.as_deref().map(Into::into),
            funds: self.funds(),
            as_of,
        })
    }

    /// 0 where no answer is possible.
    fn respond_by(&self) -> Option<Timestamp> {
        let due_by = self.evidence_details.as_ref()?.due_by?;
        (due_by > 0).then(|| answers::seconds(due_by)).flatten()
    }

    fn funds(&self) -> Option<DisputedFunds> {
        let moved = self
            .balance_transactions
            .iter()
            .try_fold(0_i64, |sum, one| sum.checked_add(one.amount))?;
        match (self.balance_transactions.len(), moved) {
            (0, _) => None,
            (_, ..0) => Some(DisputedFunds::Withdrawn),
            _ => Some(DisputedFunds::Reinstated),
        }
    }

    /// Whether it has ended as closing it ends it.
    fn is_accepted(&self) -> bool {
        matches!(self.status.as_str(), "lost" | "warning_closed")
    }
}

/// Stage and status of a word.
fn standing(word: &str) -> Option<(DisputeStage, DisputeStatus)> {
    Some(match word {
        "warning_needs_response" => (DisputeStage::Inquiry, DisputeStatus::NeedsResponse),
        "warning_under_review" => (DisputeStage::Inquiry, DisputeStatus::UnderReview),
        "warning_closed" | "prevented" => (DisputeStage::Inquiry, DisputeStatus::Closed),
        "needs_response" => (DisputeStage::Chargeback, DisputeStatus::NeedsResponse),
        "under_review" => (DisputeStage::Chargeback, DisputeStatus::UnderReview),
        "won" => (DisputeStage::Chargeback, DisputeStatus::Won),
        "lost" => (DisputeStage::Chargeback, DisputeStatus::Lost),
        "appeal_needs_response" => (DisputeStage::PreArbitration, DisputeStatus::NeedsResponse),
        "appeal_under_review" => (DisputeStage::PreArbitration, DisputeStatus::UnderReview),
        _ => return None,
    })
}

/// The category of a reason. Source: `Disputes.d.ts`, member `reason`.
fn reason(word: &str) -> DisputeReason {
    match word {
        "fraudulent" | "unrecognized" => DisputeReason::Fraud,
        "debit_not_authorized" | "bank_cannot_process" | "incorrect_account_details" => {
            DisputeReason::Authorization
        }
        "duplicate" | "insufficient_funds" => DisputeReason::ProcessingErrors,
        "product_not_received"
        | "product_unacceptable"
        | "credit_not_processed"
        | "subscription_canceled"
        | "noncompliant" => DisputeReason::CustomerDisputes,
        _ => DisputeReason::Uncategorised,
    }
}

impl Disputes for Stripe {
    fn limits(&self) -> Option<&EvidenceLimits> {
        Some(&LIMITS)
    }

    fn accepts(&self) -> bool {
        true
    }

    fn read<'a>(&'a self, link: &'a Link<'a>, id: &'a str) -> Called<'a, Option<DisputeReport>> {
        Box::pin(async move {
            match load(Api::of(link), id).await? {
                Some(dispute) => report_of(&dispute).map(Some),
                None => Ok(None),
            }
        })
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
        Box::pin(accept(Api::of(link), call))
    }

    fn find_response<'a>(
        &'a self,
        link: &'a Link<'a>,
        call: &'a Respond<'a>,
    ) -> Called<'a, FoundResponse> {
        Box::pin(async move {
            let Some(dispute) = load(Api::of(link), call.dispute).await? else {
                return Ok(FoundResponse::Absent(None));
            };
            let is = |mark: &str| {
                dispute.metadata.get(mark).map(String::as_str) == Some(call.reference.as_str())
            };
            let report = report_of(&dispute)?;
            // The mark of evidence is written by the request that submits it; that of the acceptance by one before.
            if is(EVIDENCE_MARK) || (is(ACCEPTANCE_MARK) && dispute.is_accepted()) {
                Ok(FoundResponse::Taken(report))
            } else {
                Ok(FoundResponse::Absent(Some(report)))
            }
        })
    }
}

/// A dispute by its id.
async fn load(api: Api<'_>, id: &str) -> Result<Option<Dispute>, CallError> {
    let found = api
        .get::<Dispute>(&path(checked(id)?, ""), &Form::default())
        .await?;
    match found {
        Ok(dispute) if dispute.id == id => Ok(Some(dispute)),
        Ok(_) => Err(CallError::unknown("the answer is about another dispute")),
        Err(refusal) if is_missing(&refusal) => Ok(None),
        Err(refusal) => Err(refusal.rejected()),
    }
}

fn path(id: &str, verb: &str) -> String {
    format!("/v1/disputes/{id}{verb}")
}

fn report_of(dispute: &Dispute) -> Result<DisputeReport, CallError> {
    dispute
        .report(None)
        .ok_or_else(|| CallError::unknown("the dispute stands in an unknown way"))
}

/// Submits evidence: the file first, then all at once, which is final.
async fn submit(api: Api<'_>, call: &SubmitEvidence<'_>) -> Result<DisputeReport, CallError> {
    let (reference, dispute) = (call.respond.reference, checked(call.respond.dispute)?);
    let mut form = Form::default();
    for (field, text) in fields(call.texts) {
        form = form.with(format!("evidence[{field}]"), text);
    }
    if let Some(file) = call.files.first() {
        let id = upload(api, reference, file).await?;
        form = form.with("evidence[uncategorized_file]", id);
    }
    form = form
        .with(format!("metadata[{EVIDENCE_MARK}]"), reference.as_str())
        .with("submit", "true");
    let taken = api
        .post::<Dispute>(&path(dispute, ""), reference.as_str(), &form)
        .await?;
    report_of(&taken.map_err(Refusal::rejected)?)
}

/// Accepts a dispute. Closing takes no metadata, so that a request before it says whose it is.
async fn accept(api: Api<'_>, call: &Respond<'_>) -> Result<DisputeReport, CallError> {
    let reference = call.reference.as_str();
    let dispute = checked(call.dispute)?;
    let mark = Form::default().with(format!("metadata[{ACCEPTANCE_MARK}]"), reference);
    // An internal error is kept under its key for a day: each try has another.
    let key = format!("{reference}-mark-{}", api.now().micros());
    let marked = api.post::<Dispute>(&path(dispute, ""), &key, &mark).await;
    without_effect(marked)?.map_err(Refusal::rejected)?;
    let closed = api
        .post::<Dispute>(&path(dispute, "/close"), reference, &Form::default())
        .await?;
    report_of(&closed.map_err(Refusal::rejected)?)
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

/// Which texts go into which field. What has none of its own stands together, each under its name.
fn fields(texts: &[EvidenceText]) -> BTreeMap<&'static str, String> {
    let mut fields: BTreeMap<&'static str, Vec<&EvidenceText>> = BTreeMap::new();
    for text in texts {
        let field = match text.kind {
            EvidenceKind::Transaction => "product_description",
            EvidenceKind::Authentication | EvidenceKind::Timeline => "access_activity_log",
            EvidenceKind::Customer
            | EvidenceKind::Delivery
            | EvidenceKind::EarlierPayments
            | EvidenceKind::Other => "uncategorized_text",
        };
        fields.entry(field).or_default().push(text);
    }
    let joined = |texts: Vec<&EvidenceText>| match texts.as_slice() {
        [only] => only.text.clone(),
        several => several
            .iter()
            .map(|text| format!("{}\n{}", text.kind.code(), text.text))
            .collect::<Vec<_>>()
            .join("\n\n"),
    };
    fields
        .into_iter()
        .map(|(field, texts)| (field, joined(texts)))
        .collect()
}

/// Uploads a file; its id.
async fn upload(
    api: Api<'_>,
    reference: &Reference,
    file: &EvidenceFile,
) -> Result<String, CallError> {
    let content_type = match file.kind {
        FileType::Pdf => "application/pdf",
        FileType::Jpeg => "image/jpeg",
        FileType::Png => "image/png",
        FileType::Tiff => return Err(CallError::rejected("the type of the file is not taken")),
    };
    let (content, boundary) = (&file.content, BOUNDARY.as_bytes());
    if content.windows(boundary.len()).any(|one| one == boundary) {
        return Err(CallError::rejected("the file can't be sent"));
    }
    let name: String = file
        .name
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_'))
        .collect();
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\ndispute_evidence\r\n\
         --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {content_type}\r\n\r\n"
    );
    let mut content = head.into_bytes();
    content.extend_from_slice(&file.content);
    content.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    let key = format!("{}-file", reference.as_str());
    let send = async |key: &str| {
        let body = Body::File {
            content_type: UPLOAD,
            content: content.clone().into(),
        };
        api.upload::<Made>(FILES, "/v1/files", key, body).await
    };
    let mut made = send(&key).await;
    if matches!(made, Err(CallError::Unknown { .. })) {
        // An internal error is kept under its key for a day. A file that is there twice does no harm.
        made = send(&format!("{key}-{}", api.now().micros())).await;
    }
    let made = without_effect(made)?.map_err(Refusal::rejected)?;
    Ok(made.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_status_is_known() {
        for word in [
            "warning_needs_response",
            "warning_under_review",
            "warning_closed",
            "needs_response",
            "under_review",
            "won",
            "lost",
            "prevented",
            "appeal_needs_response",
            "appeal_under_review",
        ] {
            assert!(standing(word).is_some(), "{word}");
        }
        assert_eq!(standing("a_new_word"), None);
    }

    #[test]
    fn one_text_stands_as_it_is_and_several_under_their_names() {
        let text = |kind, text: &str| EvidenceText {
            kind,
            text: text.to_owned(),
        };
        let one = fields(&[text(EvidenceKind::Other, "winning_evidence")]);
        assert_eq!(one["uncategorized_text"], "winning_evidence");
        let both = fields(&[
            text(EvidenceKind::Delivery, "It came."),
            text(EvidenceKind::Other, "See the file."),
        ]);
        assert_eq!(
            both["uncategorized_text"],
            "DELIVERY\nIt came.\n\nOTHER\nSee the file."
        );
    }
}
