//! Responses to disputes, and the probe.

use connector::{
    CallError, Cause, Disputes, EvidenceFile, Probe, Reference, Respond, SubmitEvidence,
};
use domain::{
    Timestamp,
    attachment::FileType,
    dispute::{DisputeReport, DisputeStage, DisputeStatus},
};
use serde_json::{Value, json};

use super::{Asked, Stage, euros, now};
use crate::adyen::Adyen;

fn stands() -> DisputeReport {
    DisputeReport {
        source_id: "DZ4DPSHB4WD2WN82".to_owned(),
        source_payment: None,
        status: DisputeStatus::NeedsResponse,
        stage: DisputeStage::Chargeback,
        reason: None,
        money: euros(1000),
        disputed_at: Timestamp::from_micros(0),
        respond_by: None,
        processor_status: None,
        processor_reason: None,
        funds: None,
        as_of: None,
    }
}

type Responded = (Result<DisputeReport, CallError>, Vec<Asked>);

fn submit(answers: &[(u16, Value)]) -> Responded {
    let (reference, stands) = (Reference::other("dispute-1").unwrap(), stands());
    let file = EvidenceFile {
        name: "evidence.pdf".to_owned(),
        kind: FileType::Pdf,
        content: b"%PDF-1.4"[..].into(),
    };
    let call = SubmitEvidence {
        respond: Respond {
            reference: &reference,
            dispute: "DZ4DPSHB4WD2WN82",
            stands: &stands,
        },
        texts: &[],
        files: &[file],
    };
    let stage = Stage::with(answers);
    let answer = now(Adyen.submit(&stage.link(), &call));
    (answer, stage.asked())
}

fn accept(answers: &[(u16, Value)]) -> Responded {
    let (reference, stands) = (Reference::other("dispute-1").unwrap(), stands());
    let call = Respond {
        reference: &reference,
        dispute: "DZ4DPSHB4WD2WN82",
        stands: &stands,
    };
    let stage = Stage::with(answers);
    let answer = now(Adyen.accept(&stage.link(), &call));
    (answer, stage.asked())
}

#[test]
fn a_defence_supplies_its_document_and_then_defends() {
    let ok = || (200, json!({"disputeServiceResult": {"success": true}}));
    let reasons = json!({
        "disputeServiceResult": {"success": true},
        "defenseReasons": [{
            "defenseReasonCode": "SupplyDefenseMaterial",
            "satisfied": false,
            "defenseDocumentTypes": [{"available": false, "defenseDocumentTypeCode": "DefenseMaterial", "requirementLevel": "Optional"}],
        }],
    });
    let (answer, asked) = submit(&[(200, reasons.clone()), ok(), ok()]);
    assert_eq!(answer.unwrap().status, DisputeStatus::SentForReview);
    let root = "ca-test.adyen.com/ca/services/DisputeService/v30";
    let paths: Vec<&str> = asked
        .iter()
        .filter_map(|asked| asked.url.strip_prefix(root))
        .collect();
    assert_eq!(
        paths,
        [
            "/retrieveApplicableDefenseReasons",
            "/supplyDefenseDocument",
            "/defendDispute"
        ]
    );
    assert_eq!(
        asked[1].body(),
        json!({
            "disputePspReference": "DZ4DPSHB4WD2WN82",
            "merchantAccountCode": "ShopECOM",
            "defenseDocuments": [{
                "content": "JVBERi0xLjQ=",
                "contentType": "application/pdf",
                "defenseDocumentTypeCode": "DefenseMaterial",
            }],
        })
    );
    assert_eq!(
        asked[2].body()["defenseReasonCode"],
        "SupplyDefenseMaterial"
    );
    // Only the last request decides anything.
    let (answer, _) = submit(&[(200, reasons.clone())]);
    assert!(
        matches!(answer, Err(CallError::NotSent { .. })),
        "{answer:?}"
    );
    let (answer, _) = submit(&[(200, reasons.clone()), ok()]);
    assert!(
        matches!(answer, Err(CallError::Unknown { .. })),
        "{answer:?}"
    );
    // A failure comes with status 200.
    let failed = (
        200,
        json!({"disputeServiceResult": {"success": false, "errorMessage": "No"}}),
    );
    let (answer, _) = submit(&[(200, reasons), ok(), failed]);
    assert!(
        matches!(answer, Err(CallError::Rejected { .. })),
        "{answer:?}"
    );
}

#[test]
fn an_accepted_dispute_is_lost() {
    let (answer, asked) = accept(&[(200, json!({"disputeServiceResult": {"success": true}}))]);
    assert_eq!(answer.unwrap().status, DisputeStatus::Lost);
    assert_eq!(
        asked[0].body(),
        json!({"disputePspReference": "DZ4DPSHB4WD2WN82", "merchantAccountCode": "ShopECOM"})
    );
    let (answer, _) = accept(&[]);
    assert!(
        matches!(answer, Err(CallError::Unknown { .. })),
        "{answer:?}"
    );
}

#[test]
fn a_probe_lists_the_methods_and_refuses_wrong_keys_as_such() {
    let probe = |answers: &[(u16, Value)]| {
        let stage = Stage::with(answers);
        let facts = now(Adyen.account(&stage.link()));
        (facts, stage.asked())
    };
    let methods =
        json!({"paymentMethods": [{"type": "scheme"}, {"type": "ideal"}, {"name": "New"}]});
    let (facts, asked) = probe(&[(200, methods)]);
    let facts = facts.unwrap();
    assert_eq!(facts.id.as_deref(), Some("ShopECOM"));
    assert_eq!(facts.is_live, Some(false));
    assert_eq!(facts.capabilities, ["ideal".into(), "scheme".into()]);
    assert_eq!(facts.warnings.len(), 1, "{:?}", facts.warnings);
    assert_eq!(asked[0].url, "checkout-test.adyen.com/v72/paymentMethods");
    let (facts, _) = probe(&[(401, json!({}))]);
    assert!(
        matches!(
            facts,
            Err(CallError::Rejected {
                cause: Cause::Credentials,
                ..
            })
        ),
        "{facts:?}"
    );
}
