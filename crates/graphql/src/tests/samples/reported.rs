//! Samples of what is reported and sent: disputes, notifications, endpoints and deliveries.

use std::time::Duration;

use domain::{
    attachment::FileType,
    dispute::{
        Dispute, DisputeReason, DisputeReport, DisputeStage, DisputeStatus, Evidence, NewDispute,
        NewResponse, ResponseKind, ResponseNews,
    },
    id::{AttachmentId, ConnectionId, DeliveryId, DisputeId, EndpointId, TeamId},
    notification::NotificationStatus,
    payment::Begin,
    webhook::{Attempt, Attempts, DeliveryState},
};
use engine::{DeliveryView, DisputeView, EndpointView, NotificationView, UploadAddress};
use uuid::Uuid;

use super::{at, attachment, event, payment, text, uuid};

/// A chargeback of the payment.
pub(crate) fn dispute() -> DisputeView {
    let new = NewDispute {
        id: DisputeId::new(Uuid::from_u128(9)),
        team: payment().team(),
        payment: payment().id(),
        connection: ConnectionId::parse("bank-a").unwrap(),
    };
    let report = DisputeReport {
        source_id: "dp_1".to_owned(),
        source_payment: text("ch_1"),
        status: DisputeStatus::NeedsResponse,
        stage: DisputeStage::Chargeback,
        reason: Some(DisputeReason::Fraud),
        money: payment().money(),
        disputed_at: at(),
        respond_by: Some(at()),
        processor_status: Some("needs_response".into()),
        processor_reason: Some("10.4".into()),
        funds: None,
        as_of: None,
    };
    let (mut dispute, occurred) = Dispute::open(new, report, at());
    let response = NewResponse {
        kind: ResponseKind::Acceptance,
        attachments: vec![uuid(AttachmentId::parse)],
        document: None,
    };
    let begin = Begin {
        at: at(),
        send_within: Duration::from_secs(1),
        answer_within: Duration::from_secs(1),
        once: None,
        return_key: None,
    };
    let (n, _) = dispute.begin_response(response, begin).unwrap();
    let refused = ResponseNews::Refused("the processor did not accept the request".to_owned());
    dispute.settle_response(n, refused, at());
    DisputeView {
        dispute,
        timeline: Some(occurred.into_iter().map(|one| one.entry).collect()),
        attachments: vec![attachment()],
    }
}

pub(crate) fn notification() -> NotificationView {
    NotificationView {
        id: Uuid::from_u128(10),
        connection: ConnectionId::parse("bank-a").unwrap(),
        received_at: at(),
        word: "dispute.updated".to_owned(),
        status: NotificationStatus::Applied,
        message: text("well"),
        payment: Some(payment().id()),
    }
}

pub(crate) fn endpoint() -> EndpointView {
    EndpointView {
        id: uuid(EndpointId::parse),
        url: "https://shop.example/hooks".to_owned(),
        kinds: vec!["payment.*".to_owned()],
        is_enabled: true,
        created_at: at(),
        failing_since: Some(at()),
        secret: text("whsec_x"),
        incoming_url: "https://pay.example/hooks/t/".to_owned(),
        incoming_secret: text("whsec_y"),
    }
}

pub(crate) fn guarded_page() -> engine::GuardedPageView {
    use domain::page_guard::{PageScript, Snippets};
    engine::GuardedPageView {
        id: uuid(domain::id::PageId::parse),
        name: "Checkout".to_owned(),
        url: "https://shop.example/checkout".to_owned(),
        report_url: "https://pay.example/page-reports/t".to_owned(),
        scripts: vec![PageScript {
            address: text("https://cdn.example/a.js"),
            hash: text("sha384-x"),
            purpose: "counts visits".to_owned(),
            authorised_by: "Ada".to_owned(),
            authorised_at: at(),
        }],
        snippets: Snippets {
            policy: "script-src 'none'".to_owned(),
            reporting: "pointsman=\"https://pay.example/page-reports/t\"".to_owned(),
            tags: vec!["<script></script>".to_owned()],
        },
        created_at: at(),
        accepted_at: Some(at()),
    }
}

pub(crate) fn page_violation() -> engine::PageViolationView {
    engine::PageViolationView {
        violation: domain::page_guard::Violation {
            directive: "script-src".to_owned(),
            blocked: "inline".to_owned(),
            is_enforced: true,
        },
        reports: 3,
        first_at: at(),
        last_at: at(),
        is_authorised: false,
    }
}

pub(crate) fn delivery() -> DeliveryView {
    DeliveryView {
        id: uuid(DeliveryId::parse),
        team: uuid(TeamId::parse),
        endpoint: uuid(EndpointId::parse),
        event_id: event().id,
        kind: "payment.captured".to_owned(),
        stream: event().stream,
        sequence: 3,
        state: DeliveryState::Pending,
        tries: 1,
        next_at: Some(at()),
        created_at: at(),
        log: Attempts {
            attempts: vec![Attempt {
                at: at(),
                duration_ms: 12,
                status: Some(500),
                answer: text("oops"),
                error: text("it refused the connection"),
            }],
        },
    }
}

pub(crate) fn evidence() -> engine::EvidenceView {
    use domain::dispute::evidence::{EvidenceKind, EvidenceLimits, EvidenceText};
    engine::EvidenceView {
        limits: Some(EvidenceLimits {
            text_chars: 10,
            all_chars: 20,
            files: 1,
            file_bytes: 1,
            all_bytes: 1,
            types: &[FileType::Pdf],
        }),
        attachments: vec![attachment()],
        unsuitable: vec![engine::UnsuitableAttachment {
            attachment: attachment(),
            reason: "The file is too large.".to_owned(),
        }],
        document_url: text("https://pay.example/attachments/x.y"),
        kept: Some(engine::KeptEvidence {
            response: dispute().dispute.responses()[0].clone(),
            evidence: Evidence {
                texts: vec![EvidenceText {
                    kind: EvidenceKind::Other,
                    text: "All is well.".to_owned(),
                }],
                ..Evidence::default()
            },
        }),
        proposed: vec![EvidenceText {
            kind: EvidenceKind::Transaction,
            text: "Paid.".to_owned(),
        }],
    }
}

pub(crate) fn upload_address() -> UploadAddress {
    UploadAddress {
        id: uuid(AttachmentId::parse),
        url: "https://pay.example/attachments/upload/x".to_owned(),
        expires_at: at(),
        kind: FileType::Pdf,
        most: 1_024,
    }
}
