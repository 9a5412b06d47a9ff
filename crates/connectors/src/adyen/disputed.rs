//! What events say of disputes. Source: docs/processors/adyen.md, "Later changes and disputes".
//!
//! That a dispute stands so, and how much is disputed, is signed. Its reason, its date and the time to respond are not: they are shown,
//! and decide nothing. Of two deliveries with the same signed members the first counts.

use connector::{Notice, NoticeContent, Subject, Unreadable};
use domain::{
    Timestamp,
    dispute::{DisputeReason, DisputeReport, DisputeStage, DisputeStatus, DisputedFunds},
};

use super::{amounts, item::Item};

/// How a dispute stands by an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    stage: DisputeStage,
    status: DisputeStatus,
    funds: Option<DisputedFunds>,
}

/// How a dispute stands by an event; `None`: the event is none of a dispute, or says nothing new of where it stands. Nothing orders
/// Adyen's events, so that what can follow a decision is of a later stage.
pub(super) fn standing(event: &str) -> Option<Standing> {
    use DisputeStage::{Arbitration, Chargeback, Inquiry, PreArbitration};
    use DisputeStatus::{Lost, NeedsResponse, Notification, SentForReview, UnderReview, Won};
    let (stage, status, funds) = match event {
        "NOTIFICATION_OF_FRAUD" => (Inquiry, Notification, None),
        "REQUEST_FOR_INFORMATION" => (Inquiry, NeedsResponse, None),
        "NOTIFICATION_OF_CHARGEBACK" => (Chargeback, NeedsResponse, None),
        "CHARGEBACK" => (Chargeback, NeedsResponse, Some(DisputedFunds::Withdrawn)),
        "CHARGEBACK_REVERSED" => (Chargeback, Won, Some(DisputedFunds::Reinstated)),
        "DISPUTE_DEFENSE_PERIOD_ENDED" => (Chargeback, Lost, None),
        "SECOND_CHARGEBACK" => (PreArbitration, Lost, Some(DisputedFunds::Withdrawn)),
        "PREARBITRATION_OPEN" => (PreArbitration, NeedsResponse, None),
        "PREARBITRATION_DECLINED" => (PreArbitration, SentForReview, None),
        "PREARBITRATION_WON"
        | "PREARBITRATION_ISSUER_WITHDRAWN"
        | "ISSUER_RESPONSE_TIMEFRAME_EXPIRED" => (PreArbitration, Won, None),
        "PREARBITRATION_LOST" | "PREARBITRATION_ACCEPTED" => (PreArbitration, Lost, None),
        "SCHEME_ARBITRATION" => (Arbitration, UnderReview, None),
        "SCHEME_ARBITRATION_WON" => (Arbitration, Won, None),
        "SCHEME_ARBITRATION_LOST" => (Arbitration, Lost, None),
        _ => return None,
    };
    Some(Standing {
        stage,
        status,
        funds,
    })
}

/// The notice of an event that says that the merchant's defence is with Adyen. Which stage it was for is not signed.
pub(super) fn responded(notice: Notice, item: &Item) -> Notice {
    let content = if item.is_success() {
        NoticeContent::Responded(item.psp_reference.clone())
    } else {
        NoticeContent::Other
    };
    Notice {
        subject: Subject {
            reference: notice.subject.reference,
            processor_id: item.original().map(str::to_owned),
            sent_by: None,
        },
        content,
        ..notice
    }
}

/// The notice of an event.
pub(super) fn notice(
    notice: Notice,
    item: &Item,
    standing: Standing,
) -> Result<Notice, Unreadable> {
    if !item.is_success() {
        return Ok(notice);
    }
    let amount = item
        .amount
        .as_ref()
        .ok_or(Unreadable("the dispute has no amount"))?;
    let money = amounts::from_wire(amount.value, &amount.currency);
    let money = money.ok_or(Unreadable("the dispute's amount is in an unknown currency"))?;
    let disputed_at = item.event_date.as_deref().and_then(Timestamp::parse);
    let disputed_at = disputed_at.ok_or(Unreadable("the dispute has no date"))?;
    let ends_at = item
        .hint("defensePeriodEndsAt")
        .and_then(Timestamp::parse)
        .filter(|at| at.is_printable());
    let code = ["chargebackReasonCode", "rfiReasonCode", "nofReasonCode"]
        .into_iter()
        .find_map(|name| item.hint(name));
    let words = item.reason.as_deref().filter(|words| !words.is_empty());
    let processor_reason = match (code, words) {
        (Some(code), Some(words)) => Some(format!("{code} ({words})")),
        (code, words) => code.or(words).map(str::to_owned),
    };
    let report = DisputeReport {
        source_id: item.psp_reference.clone(),
        source_payment: item.original().map(str::to_owned),
        status: standing.status,
        stage: standing.stage,
        reason: code.map(|code| reason(code.trim())),
        money,
        disputed_at,
        respond_by: ends_at.filter(|_| standing.status == DisputeStatus::NeedsResponse),
        processor_status: Some(item.event_code.as_str().into()),
        processor_reason: processor_reason.map(Into::into),
        funds: standing.funds,
        as_of: None,
    };
    Ok(Notice {
        subject: Subject {
            reference: notice.subject.reference,
            processor_id: item.original().map(str::to_owned),
            sent_by: None,
        },
        content: NoticeContent::Dispute(report),
        ..notice
    })
}

/// The category of a scheme's reason. Source: the schemes' own codes (Visa 10 to 13, Mastercard four digits).
fn reason(code: &str) -> DisputeReason {
    match code {
        "4837" | "4849" | "4863" | "4870" | "4871" => DisputeReason::Fraud,
        "4807" | "4808" | "4812" => DisputeReason::Authorization,
        "4831" | "4834" | "4842" | "4846" => DisputeReason::ProcessingErrors,
        "4841" | "4853" | "4854" | "4855" | "4859" | "4860" => DisputeReason::CustomerDisputes,
        _ => match code.split_once('.').map(|(chapter, _)| chapter) {
            Some("10") => DisputeReason::Fraud,
            Some("11") => DisputeReason::Authorization,
            Some("12") => DisputeReason::ProcessingErrors,
            Some("13") => DisputeReason::CustomerDisputes,
            _ => DisputeReason::Uncategorised,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn item(event: &str, change: impl FnOnce(&mut Value)) -> Item {
        let mut item = json!({
            "pspReference": "DZ4DPSHB4WD2WN82",
            "originalReference": "9913140798220028",
            "merchantAccountCode": "ShopECOM",
            "merchantReference": "01890000-0000-7000-8000-000000000001-1",
            "amount": {"value": 1000, "currency": "EUR"},
            "eventCode": event,
            "success": "true",
            "eventDate": "2026-01-01T01:00:00+01:00",
            "reason": "Services not provided",
            "additionalData": {
                "chargebackReasonCode": " 4853",
                "defensePeriodEndsAt": "2026-01-31T03:03:07+02:00",
            },
        });
        change(&mut item);
        serde_json::from_value(item).unwrap()
    }

    fn read(item: &Item) -> Result<NoticeContent, Unreadable> {
        let empty = Notice {
            id: item.id(),
            word: item.event_code.clone(),
            subject: Subject::default(),
            content: NoticeContent::Other,
        };
        let standing = standing(&item.event_code).unwrap();
        notice(empty, item, standing).map(|notice| notice.content)
    }

    fn report(event: &str) -> DisputeReport {
        match read(&item(event, |_| {})) {
            Ok(NoticeContent::Dispute(report)) => report,
            other => panic!("{event}: {other:?}"),
        }
    }

    #[test]
    fn a_chargeback_has_all_that_adyen_says() {
        let report = report("CHARGEBACK");
        assert_eq!(report.source_id, "DZ4DPSHB4WD2WN82");
        assert_eq!(report.source_payment.as_deref(), Some("9913140798220028"));
        assert_eq!(report.stage, DisputeStage::Chargeback);
        assert_eq!(report.status, DisputeStatus::NeedsResponse);
        assert_eq!(report.reason, Some(DisputeReason::CustomerDisputes));
        assert_eq!(report.funds, Some(DisputedFunds::Withdrawn));
        assert_eq!(report.money.minor(), 1000);
        let said = report.processor_reason.as_deref();
        assert_eq!(said, Some("4853 (Services not provided)"));
        assert_eq!(
            report.disputed_at,
            Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
        );
        assert_eq!(report.respond_by, Timestamp::parse("2026-01-31T01:03:07Z"));
        assert_eq!(report.check(), Ok(()));
    }

    #[test]
    fn every_published_event_of_a_dispute_is_known() {
        for event in [
            "NOTIFICATION_OF_FRAUD",
            "REQUEST_FOR_INFORMATION",
            "NOTIFICATION_OF_CHARGEBACK",
            "CHARGEBACK",
            "CHARGEBACK_REVERSED",
            "SECOND_CHARGEBACK",
            "PREARBITRATION_OPEN",
            "PREARBITRATION_WON",
            "PREARBITRATION_LOST",
            "PREARBITRATION_ACCEPTED",
            "PREARBITRATION_DECLINED",
            "PREARBITRATION_ISSUER_WITHDRAWN",
            "SCHEME_ARBITRATION",
            "SCHEME_ARBITRATION_WON",
            "SCHEME_ARBITRATION_LOST",
            "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
            "DISPUTE_DEFENSE_PERIOD_ENDED",
        ] {
            assert_eq!(report(event).check(), Ok(()), "{event}");
        }
        for other in ["INFORMATION_SUPPLIED", "ISSUER_COMMENTS", "CAPTURE"] {
            assert_eq!(standing(other), None, "{other}");
        }
    }

    #[test]
    fn a_dispute_that_was_won_can_be_lost_and_no_older_news_turns_it_back() {
        use domain::dispute::{Standing as Known, Step};
        let of = |event: &str| {
            let report = report(event);
            Known {
                stage: report.stage,
                status: report.status,
            }
        };
        let (won, lost) = (of("CHARGEBACK_REVERSED"), of("SECOND_CHARGEBACK"));
        assert_eq!(of("CHARGEBACK").step_to(won, false), Step::Forward);
        assert_eq!(won.step_to(lost, false), Step::NewStage);
        assert_eq!(lost.step_to(won, false), Step::Stale);
        assert_eq!(lost.step_to(of("CHARGEBACK"), false), Step::Stale);
        assert_eq!(
            lost.step_to(of("SCHEME_ARBITRATION_WON"), false),
            Step::NewStage
        );
    }

    #[test]
    fn what_can_not_be_kept_is_not_read() {
        let without = |name: &'static str| item("CHARGEBACK", |item| item[name] = Value::Null);
        assert!(read(&without("amount")).is_err());
        assert!(read(&without("eventDate")).is_err());
        let failed = item("CHARGEBACK", |item| item["success"] = json!("false"));
        assert_eq!(read(&failed), Ok(NoticeContent::Other));
    }
}
