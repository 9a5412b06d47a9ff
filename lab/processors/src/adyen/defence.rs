//! The dispute service: reasons, documents, defence and acceptance. Failures are answered with 200 too.
//!
//! Source: `DisputeService-v30.json`, with the reasons of its examples.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    books::Books,
    disputes::{Dispute, Document, JUDGED_AFTER, Stage},
    later::Change,
    rules::Body,
};

/// Reasons for a defence: the documents that each needs, and those that it may have.
const REASONS: &[(&str, &[&str], &[&str])] = &[
    ("GoodsNotReturned", &["GoodsNotReturned"], &["TIDorInvoice"]),
    (
        "GoodsRepairedOrReplaced",
        &["GoodsRepairedOrReplaced"],
        &["TIDorInvoice"],
    ),
    (
        "GoodsWereAsDescribed",
        &["GoodsWereAsDescribed", "TIDorInvoice"],
        &[],
    ),
    (
        "SupplyDefenseMaterial",
        &["DefenseMaterial"],
        &["TIDorInvoice"],
    ),
];
/// The largest document. No figure is published; this is the smallest that is reported. Unit: bytes.
const LARGEST: usize = 2 * 1024 * 1024;

/// What the service answers where it refuses.
type Refused = &'static str;

impl Books {
    /// One of the five calls of the service.
    pub(super) fn defence(&mut self, call: &str, body: &Body) -> Value {
        let outcome = match call {
            "retrieveApplicableDefenseReasons" => self.reasons(body),
            "supplyDefenseDocument" => self.supply(body),
            "deleteDisputeDefenseDocument" => self.delete_document(body),
            "defendDispute" => self.defend(body),
            _ => self.accept(body),
        };
        match outcome {
            Ok(None) => json!({"disputeServiceResult": {"success": true}}),
            Ok(Some(reasons)) => {
                json!({"defenseReasons": reasons, "disputeServiceResult": {"success": true}})
            }
            Err(message) => {
                json!({"disputeServiceResult": {"success": false, "errorMessage": message}})
            }
        }
    }

    /// The dispute of a request, while it can be defended.
    fn defendable(&mut self, body: &Body) -> Result<&mut Dispute, Refused> {
        let (now, account) = (
            self.now,
            body.text("merchantAccountCode").unwrap_or_default(),
        );
        let dispute = self
            .disputes
            .get_mut(body.text("disputePspReference").unwrap_or_default())
            .filter(|dispute| dispute.account == account)
            .ok_or("Dispute not found")?;
        match dispute.stage {
            Stage::Inquiry | Stage::Notified | Stage::ChargedBack
                if now < dispute.defended_until =>
            {
                Ok(dispute)
            }
            Stage::Inquiry | Stage::Notified | Stage::ChargedBack => {
                Err("The defense period has ended")
            }
            Stage::Defended | Stage::Reversed | Stage::Won | Stage::Lost => {
                Err("Dispute is not defendable")
            }
        }
    }

    fn reasons(&mut self, body: &Body) -> Result<Option<Value>, Refused> {
        let dispute = self.defendable(body)?;
        let document = |code: &str, level: &str| {
            json!({
                "available": dispute.documents.contains_key(code),
                "defenseDocumentTypeCode": code,
                "requirementLevel": level,
            })
        };
        let reasons = REASONS.iter().map(|(reason, required, optional)| {
            let required_ones = required.iter().map(|code| document(code, "Required"));
            let optional_ones = optional.iter().map(|code| document(code, "Optional"));
            json!({
                "defenseDocumentTypes": optional_ones.chain(required_ones).collect::<Vec<_>>(),
                "defenseReasonCode": reason,
                "satisfied": is_satisfied(dispute, required),
            })
        });
        Ok(Some(reasons.collect()))
    }

    fn supply(&mut self, body: &Body) -> Result<Option<Value>, Refused> {
        let dispute = self.defendable(body)?;
        let given = body.at("defenseDocuments").and_then(Value::as_array);
        let given = given
            .filter(|given| !given.is_empty())
            .ok_or("No defense document")?;
        let mut documents = Vec::new();
        for one in given {
            let text = |field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default();
            let code = text("defenseDocumentTypeCode");
            let is_known = REASONS.iter().any(|(_, required, optional)| {
                required.contains(&code) || optional.contains(&code)
            });
            if !is_known {
                return Err("Unknown defense document type");
            }
            let content = STANDARD
                .decode(text("content"))
                .map_err(|_| "The content is not base64")?;
            if content.len() > LARGEST {
                return Err("The document is larger than 2 MB");
            }
            if !is_of_class(&content, text("contentType")) {
                return Err("The document is no PDF, JPEG or TIFF");
            }
            let class = text("contentType").to_owned();
            documents.push((
                code.to_owned(),
                Document {
                    class,
                    text: content,
                },
            ));
        }
        dispute.documents.extend(documents);
        Ok(None)
    }

    fn delete_document(&mut self, body: &Body) -> Result<Option<Value>, Refused> {
        let dispute = self.defendable(body)?;
        let code = body.text("defenseDocumentType").unwrap_or_default();
        dispute
            .documents
            .remove(code)
            .ok_or("Defense document not found")?;
        Ok(None)
    }

    /// Sends the documents to the issuer. Their words decide; without such words, `/_sim/disputes/{psp}` does.
    fn defend(&mut self, body: &Body) -> Result<Option<Value>, Refused> {
        let reason = body.text("defenseReasonCode").unwrap_or_default();
        let dispute = self.defendable(body)?;
        let (_, required, _) = REASONS
            .iter()
            .find(|(known, _, _)| *known == reason)
            .ok_or("Defense reason not applicable")?;
        if !is_satisfied(dispute, required) {
            return Err("Required defense documents are missing");
        }
        let says = |words: &str| {
            let mut documents = dispute.documents.values();
            documents.any(|document| {
                document
                    .text
                    .windows(words.len())
                    .any(|part| part == words.as_bytes())
            })
        };
        let (wins, loses) = (says("winning_evidence"), says("losing_evidence"));
        dispute.stage = Stage::Defended;
        let (psp, is_inquiry) = (dispute.psp.clone(), dispute.is_inquiry);
        self.notify_stage(&psp, "INFORMATION_SUPPLIED", "Pending");
        if wins || loses {
            self.judge(&psp, is_inquiry, wins);
        }
        Ok(None)
    }

    /// The issuer judges a defence: first for the merchant in either case, and then for good.
    pub(super) fn judge(&mut self, psp: &str, is_inquiry: bool, wins: bool) {
        if is_inquiry {
            let change = if wins {
                Change::Win(psp.to_owned())
            } else {
                Change::Escalate(psp.to_owned())
            };
            self.do_later(JUDGED_AFTER, change);
            return;
        }
        self.do_later(JUDGED_AFTER, Change::Reverse(psp.to_owned()));
        let last = if wins {
            Change::Win(psp.to_owned())
        } else {
            Change::ChargeAgain(psp.to_owned())
        };
        self.do_later(JUDGED_AFTER.saturating_mul(2), last);
    }

    fn accept(&mut self, body: &Body) -> Result<Option<Value>, Refused> {
        let dispute = self.defendable(body)?;
        if dispute.is_inquiry {
            return Err("A request for information can't be accepted");
        }
        dispute.accepted = true;
        let psp = dispute.psp.clone();
        self.do_later(std::time::Duration::ZERO, Change::Forfeit(psp));
        Ok(None)
    }
}

fn is_satisfied(dispute: &Dispute, required: &[&str]) -> bool {
    required
        .iter()
        .all(|code| dispute.documents.contains_key(*code))
}

/// Whether a file is what its type says.
fn is_of_class(content: &[u8], class: &str) -> bool {
    match class {
        "application/pdf" => content.starts_with(b"%PDF"),
        "image/jpeg" | "image/jpg" => content.starts_with(&[0xff, 0xd8, 0xff]),
        "image/tiff" => content.starts_with(b"II*\0") || content.starts_with(b"MM\0*"),
        _ => false,
    }
}
