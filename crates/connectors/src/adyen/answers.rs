//! Adyen's results in the words of the port. Source: docs/processors/adyen.md, "Results".

use connector::{Action, ActionKind, Answer, Approval, CallError, Known, Reference, ThreeDs};
use domain::{
    decline::{Decline, DeclineCode},
    method::CardFunding,
};

use super::{amounts, checks::checks, declines::Said, stored, wire::Additional, wire::Paid};

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Under which reference.
    pub(super) reference: &'a Reference,
    /// With what captures.
    pub(super) captures: Captures,
    /// Whether the customer can be sent to a page.
    pub(super) is_present: bool,
    /// Whether it is paid with a card.
    pub(super) is_card: bool,
}

/// How an authorisation is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Captures {
    /// With it: a sale.
    AtOnce,
    /// Later, once.
    Once,
    /// Later, as often as its amount lasts.
    Several,
}

impl Captures {
    pub(super) const fn of(capture: bool, takes_several: bool) -> Self {
        match (capture, takes_several) {
            (true, _) => Self::AtOnce,
            (false, true) => Self::Several,
            (false, false) => Self::Once,
        }
    }
}

/// What a result means. What is not in the table is unknown: it may have been authorised.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenErrorIsDecline = super::bugs::decline_errors)
)]
pub(super) fn answer(paid: &Paid, asked: Asked<'_>) -> Result<Answer, CallError> {
    let reference = paid.merchant_reference.as_deref();
    if reference.is_some_and(|reference| reference != asked.reference.as_str()) {
        return Err(unknown(None, "the answer is about another payment"));
    }
    let approval = approval(paid, asked);
    let said = Said::by(paid);
    Ok(match paid.result_code.as_str() {
        "Authorised" => Answer::Approved {
            captured: asked.captures == Captures::AtOnce,
            approval,
        },
        // The amount tells that it is less.
        "PartiallyAuthorised" if approval.booked.is_some() => Answer::Approved {
            captured: asked.captures == Captures::AtOnce,
            approval,
        },
        "Refused" => Answer::Declined {
            decline: said.decline(),
            approval,
        },
        "Error" if !said.is_in_doubt() => Answer::Declined {
            decline: said.decline(),
            approval,
        },
        "Cancelled" => Answer::Declined {
            decline: with_words(DeclineCode::PaymentCancelled, said),
            approval,
        },
        "Pending" | "Received" => Answer::Held { approval },
        // Nothing is authorised while an action is open, and we alone could complete it: a page that nobody can be sent to, and what
        // only Adyen's script in the browser can do, end here.
        "RedirectShopper" if asked.is_card && !asked.is_present => wants_customer(approval),
        "ChallengeShopper" | "IdentifyShopper" => wants_customer(approval),
        "RedirectShopper" => match page(paid) {
            Some(url) => Answer::ActionRequired {
                action: Action::new(kind(paid, asked), url, false),
                // Adyen names the payment when it is completed. An id that comes earlier may be another.
                approval: Approval {
                    processor_id: None,
                    ..approval
                },
            },
            None => {
                return Err(unknown(
                    approval.processor_id,
                    "it asks for more than a page",
                ));
            }
        },
        _ => return Err(unknown(approval.processor_id, "the result can't be used")),
    })
}

fn wants_customer(approval: Approval) -> Answer {
    Answer::Declined {
        decline: Decline::of(DeclineCode::AuthorizationRequired),
        approval,
    }
}

fn with_words(code: DeclineCode, said: Said<'_>) -> Decline {
    Decline {
        code,
        kind: code.default_type(),
        ..said.decline()
    }
}

/// An unknown outcome, with Adyen's id where it is known.
pub(super) fn unknown(processor_id: Option<String>, why: &'static str) -> CallError {
    CallError::Unknown {
        reason: why.into(),
        known: Known {
            processor_id,
            ..Known::default()
        },
    }
}

/// The page that the customer is sent to. A form that the browser would have to post is none: requests ask for GET.
fn page(paid: &Paid) -> Option<String> {
    let action = paid.action.as_ref()?;
    let is_get = action
        .method
        .as_deref()
        .is_none_or(|method| method.eq_ignore_ascii_case("GET"));
    (action.kind == "redirect" && is_get)
        .then(|| action.url.clone())
        .flatten()
}

/// What the page is for. A completion does not know what is paid with.
fn kind(paid: &Paid, asked: Asked<'_>) -> ActionKind {
    let action = paid.action.as_ref();
    let method = action.and_then(|action| action.payment_method_type.as_deref());
    let is_card = method.map_or(asked.is_card, |method| {
        matches!(method, "scheme" | "bcmc" | "networkToken" | "card")
    });
    if is_card {
        ActionKind::ThreeDSecure
    } else {
        ActionKind::Apm
    }
}

/// The facts of a result.
fn approval(paid: &Paid, asked: Asked<'_>) -> Approval {
    let nothing = Additional::default();
    let more = paid.additional_data.as_ref().unwrap_or(&nothing);
    let text = |name| more.text(name).map(Into::into);
    let score = paid
        .fraud_result
        .as_ref()
        .and_then(|fraud| fraud.account_score);
    Approval {
        processor_id: paid.psp_reference.clone(),
        processor_status: Some(paid.result_code.as_str().into()),
        network_status: text("refusalReasonRaw"),
        risk_level: text("fraudRiskLevel").or_else(|| text("fraudResultType")),
        risk_score_hundredths: score.and_then(|score| score.checked_mul(100)),
        funding: more.text("fundingSource").map(funding),
        issuing_bank: text("cardIssuingBank"),
        card_country: text("cardIssuingCountry").or_else(|| text("issuerCountry")),
        scheme_transaction_id: more.text("networkTxReference").map(str::to_owned),
        several_captures: match asked.captures {
            Captures::AtOnce => None,
            Captures::Once => Some(false),
            Captures::Several => Some(true),
        },
        three_ds: three_ds(more),
        checks: checks(more),
        booked: paid
            .amount
            .as_ref()
            .and_then(|amount| amounts::from_wire(amount.value, &amount.currency)),
        stored_card: stored::of_facts(more),
        ..Approval::default()
    }
}

fn funding(word: &str) -> CardFunding {
    match word.to_ascii_uppercase().as_str() {
        // A charge card's bill is paid later, as a credit card's is.
        "CREDIT" | "CHARGE" | "DEFFERED_DEBIT" => CardFunding::Credit,
        "DEBIT" => CardFunding::Debit,
        "PREPAID" | "PREPAID_RELOADABLE" | "PREPAID_NONRELOADABLE" => CardFunding::Prepaid,
        _ => CardFunding::Undefined,
    }
}

/// 3D Secure, where it took place.
fn three_ds(more: &Additional) -> Option<ThreeDs> {
    if more.text("threeDAuthenticated") != Some("true") {
        return None;
    }
    Some(ThreeDs {
        eci: more.text("eci").map(Into::into),
        version: more.text("threeDSVersion").map(Into::into),
        result: match more.text("threeDAuthenticatedResponse") {
            None | Some("Y") => Some("AUTHENTICATED".into()),
            Some("A") => Some("ATTEMPT_ACKNOWLEDGED".into()),
            Some(other) => Some(other.into()),
        },
    })
}

#[cfg(test)]
mod tests {
    use connector::Check;
    use domain::{
        decline::DeclineType,
        id::PaymentId,
        money::{Currency, Money},
    };
    use serde_json::{Value, json};

    use super::*;

    fn reference() -> Reference {
        let id = "01890000-0000-7000-8000-000000000001";
        Reference::new(PaymentId::parse(id).unwrap(), 1)
    }

    fn answered(body: Value, change: impl FnOnce(&mut Asked<'_>)) -> Result<Answer, CallError> {
        let reference = reference();
        let mut asked = Asked {
            reference: &reference,
            captures: Captures::AtOnce,
            is_present: true,
            is_card: true,
        };
        change(&mut asked);
        answer(&serde_json::from_value(body).unwrap(), asked)
    }

    fn result(code: &str, reason: Option<&str>) -> Result<Answer, CallError> {
        let body = json!({"resultCode": code, "refusalReasonCode": reason, "pspReference": "P1"});
        answered(body, |_| {})
    }

    #[test]
    fn every_published_result_is_what_it_says() {
        let redirect = json!({"resultCode": "RedirectShopper", "pspReference": "P1", "action": {"type": "redirect", "method": "GET", "url": "https://a.example/"}});
        assert!(matches!(
            answered(redirect, |_| {}),
            Ok(Answer::ActionRequired { action, approval })
                if action.url == "https://a.example/" && !action.ready && approval.processor_id.is_none()
        ));
        assert!(matches!(
            result("Authorised", Some("0")),
            Ok(Answer::Approved { captured: true, .. })
        ));
        for held in ["Pending", "Received"] {
            assert!(
                matches!(result(held, None), Ok(Answer::Held { .. })),
                "{held}"
            );
        }
        for (code, reason) in [
            ("Refused", Some("2")),
            ("Cancelled", None),
            ("Error", Some("20")),
            ("ChallengeShopper", None),
            ("IdentifyShopper", None),
        ] {
            assert!(
                matches!(result(code, reason), Ok(Answer::Declined { .. })),
                "{code}"
            );
        }
        for (code, reason) in [
            ("Error", Some("4")),
            ("Error", Some("9")),
            ("Error", None),
            ("PartiallyAuthorised", None),
            ("PresentToShopper", None),
            ("Success", None),
            ("AuthenticationFinished", None),
            ("AuthenticationNotRequired", None),
            ("RedirectShopper", None),
            ("ANewResult", None),
        ] {
            let answer = result(code, reason);
            assert!(
                matches!(&answer, Err(CallError::Unknown { known, .. }) if known.processor_id.as_deref() == Some("P1")),
                "{code}: {answer:?}"
            );
        }
    }

    #[test]
    fn a_form_that_must_be_posted_is_no_page() {
        let post = json!({"resultCode": "RedirectShopper", "action": {"type": "redirect", "method": "POST", "url": "https://a.example/", "data": {"MD": "1"}}});
        assert!(matches!(
            answered(post, |_| {}),
            Err(CallError::Unknown { .. })
        ));
    }

    #[test]
    fn nobody_is_sent_to_a_page_who_is_not_there() {
        let redirect = json!({"resultCode": "RedirectShopper", "action": {"type": "redirect", "url": "https://a.example/"}});
        let answer = answered(redirect, |asked| asked.is_present = false);
        assert!(
            matches!(&answer, Ok(Answer::Declined { decline, .. })
                if decline.code == DeclineCode::AuthorizationRequired && decline.kind == DeclineType::Soft),
            "{answer:?}"
        );
    }

    #[test]
    fn less_than_asked_for_is_shown_as_what_it_is() {
        let body = json!({"resultCode": "PartiallyAuthorised", "amount": {"value": 500, "currency": "EUR"}});
        let Ok(Answer::Approved { approval, .. }) = answered(body, |_| {}) else {
            panic!("an approval");
        };
        assert_eq!(
            approval.booked,
            Some(Money::new(500, Currency::parse("EUR").unwrap()))
        );
    }

    #[test]
    fn an_answer_about_another_payment_is_not_taken() {
        let body = json!({"resultCode": "Authorised", "merchantReference": "another"});
        assert!(matches!(
            answered(body, |_| {}),
            Err(CallError::Unknown { .. })
        ));
    }

    #[test]
    fn every_fact_that_adyen_shows_is_kept() {
        let body = json!({
            "resultCode": "Authorised",
            "pspReference": "NC6HT9CRT65ZGN82",
            "merchantReference": reference().as_str(),
            "amount": {"value": 1000, "currency": "EUR"},
            "fraudResult": {"accountScore": 12},
            "additionalData": {
                "fundingSource": "DEBIT",
                "cardIssuingBank": "ADYEN TEST BANK",
                "cardIssuingCountry": "NL",
                "networkTxReference": "MCC000000355",
                "fraudRiskLevel": "low",
                "refusalReasonRaw": "AUTHORISED",
                "threeDAuthenticated": "true",
                "threeDAuthenticatedResponse": "Y",
                "threeDSVersion": "2.2.0",
                "eci": "05",
                "cvcResult": "1 Matches",
                "avsResult": "7 Both postal code and address match",
            },
        });
        let Ok(Answer::Approved {
            captured: false,
            approval,
        }) = answered(body, |asked| {
            asked.captures = Captures::Several;
        })
        else {
            panic!("an approval");
        };
        let expected = Approval {
            processor_id: Some("NC6HT9CRT65ZGN82".to_owned()),
            processor_status: Some("Authorised".into()),
            network_status: Some("AUTHORISED".into()),
            risk_level: Some("low".into()),
            risk_score_hundredths: Some(1200),
            funding: Some(CardFunding::Debit),
            issuing_bank: Some("ADYEN TEST BANK".into()),
            card_country: Some("NL".into()),
            scheme_transaction_id: Some("MCC000000355".to_owned()),
            several_captures: Some(true),
            three_ds: Some(ThreeDs {
                eci: Some("05".into()),
                version: Some("2.2.0".into()),
                result: Some("AUTHENTICATED".into()),
            }),
            checks: connector::Checks {
                security_code: Some(Check::Passed),
                street: Some(Check::Passed),
                postal_code: Some(Check::Passed),
            },
            booked: Some(Money::new(1000, Currency::parse("EUR").unwrap())),
            ..Approval::default()
        };
        assert_eq!(approval, expected);
    }
}
