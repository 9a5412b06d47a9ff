//! Stripe's objects in the words of the port.

use connector::{
    Action, ActionKind, Answer, Approval, Booked, Booking, Check, Checks, Costs, LaterAnswer,
    Reference, ThreeDs,
};
use domain::{
    Timestamp,
    decline::{Decline, DeclineCode},
    method::CardFunding,
    money::Money,
};

use super::{
    amounts,
    declines::Said,
    marks, stored,
    wire::{BalanceTransaction, CardDetails, Charge, Expandable, Intent, Metadata, Refund},
};

/// The member of metadata that holds our reference: of an intent that of the authorisation, of a refund its own.
pub(super) const OUR_REFERENCE: &str = "pointsman";

/// The member of metadata with the mark of the connection that asked: several may use one account.
pub(super) const CONNECTION: &str = "pointsman-connection";

/// Where an intent stands, as far as it matters.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Standing {
    /// Nothing was asked of an issuer, or of another method.
    Unconfirmed,
    /// It stands so.
    Stands(Box<Answer>),
    /// In a way that we know nothing of.
    Unclear,
}

/// Where an intent stands. Source: docs/processors/stripe.md, "States".
pub(super) fn standing(intent: &Intent) -> Standing {
    let approval = approval(intent);
    let answer = match intent.status.as_str() {
        "succeeded" => Answer::Approved {
            // Also what somebody else captured whole: to give it back is a refund then.
            captured: captures_at_once(intent) || marks::is_captured_by_others(intent),
            approval,
        },
        "requires_capture" => Answer::Approved {
            captured: false,
            approval,
        },
        "processing" => Answer::Held { approval },
        "requires_action" => match page(intent) {
            Some(url) => asks(intent, url, false),
            // For Stripe's own script alone, which nobody runs here: the customer can't do what is asked. Intents of cards don't
            // go on by themselves; what another method pays all the same comes too late.
            None => Answer::Declined {
                decline: Decline::of(DeclineCode::AuthorizationRequired),
                approval,
            },
        },
        // The customer has done it, and nothing is charged before it is confirmed again: confirmation is manual.
        "requires_confirmation" => asks(intent, String::new(), true),
        "requires_payment_method" => match &intent.last_payment_error {
            Some(error) => Answer::Declined {
                decline: Said::by_error(error)
                    .with(charge_of(intent).and_then(|charge| charge.outcome.as_ref()))
                    .decline(),
                approval,
            },
            None => return Standing::Unconfirmed,
        },
        "canceled" if was_authorised(intent) => Answer::Approved {
            captured: false,
            approval,
        },
        "canceled" => Answer::Declined {
            decline: Decline::of(DeclineCode::PaymentCancelled),
            approval,
        },
        _ => return Standing::Unclear,
    };
    Standing::Stands(Box::new(answer))
}

/// Whether it was asked for as a sale.
pub(super) fn captures_at_once(intent: &Intent) -> bool {
    intent.capture_method != "manual"
}

/// Whether an issuer has approved it.
fn was_authorised(intent: &Intent) -> bool {
    charge_of(intent).is_some_and(|charge| charge.status == "succeeded")
}

pub(super) fn charge_of(intent: &Intent) -> Option<&Charge> {
    intent.latest_charge.as_ref().and_then(Expandable::whole)
}

/// Whether it asks the customer for something that has no page: only Stripe's own script, which nobody runs here, could.
pub(super) fn asks_in_vain(intent: &Intent) -> bool {
    intent.status == "requires_action" && page(intent).is_none()
}

fn page(intent: &Intent) -> Option<String> {
    let action = intent.next_action.as_ref()?;
    action.redirect_to_url.as_ref()?.url.clone()
}

fn asks(intent: &Intent, url: String, ready: bool) -> Answer {
    let is_card = intent
        .payment_method_types
        .iter()
        .any(|kind| kind == "card");
    let kind = if is_card {
        ActionKind::ThreeDSecure
    } else {
        ActionKind::Apm
    };
    Answer::ActionRequired {
        action: Action::new(kind, url, ready),
        approval: approval(intent),
    }
}

/// The facts of an intent, with those of its charge where that was read too.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripeChargeNamedForIntent = super::bugs::name_the_charge)
)]
pub(super) fn approval(intent: &Intent) -> Approval {
    let mut approval = charge_of(intent).map(facts_of).unwrap_or_default();
    approval.processor_id = Some(intent.id.clone());
    approval.processor_status = Some(intent.status.as_str().into());
    approval.booked = amounts::from_wire(intent.amount, &intent.currency);
    approval.stored_card = stored::of_intent(intent);
    approval
}

/// What a charge says. Its own id is not among it: later calls name the intent.
pub(super) fn facts_of(charge: &Charge) -> Approval {
    let outcome = charge.outcome.as_ref();
    let card = charge
        .payment_method_details
        .as_ref()
        .and_then(|details| details.card.as_ref());
    let text = |value: Option<&String>| value.map(|value| value.as_str().into());
    Approval {
        processor_status: Some(charge.status.as_str().into()),
        network_status: text(outcome.and_then(|outcome| outcome.network_status.as_ref())),
        risk_level: text(outcome.and_then(|outcome| outcome.risk_level.as_ref())),
        risk_score_hundredths: outcome
            .and_then(|outcome| outcome.risk_score.as_ref())
            .and_then(hundredths),
        funding: card.and_then(funding),
        issuing_bank: text(card.and_then(|card| card.issuer.as_ref())),
        card_country: text(card.and_then(|card| card.country.as_ref())),
        receipt_url: charge.receipt_url.clone(),
        scheme_transaction_id: card.and_then(|card| card.network_transaction_id.clone()),
        three_ds: card.and_then(three_ds),
        several_captures: card
            .and_then(|card| card.multicapture.as_ref())
            .map(|multicapture| multicapture.status == "available"),
        checks: card.map(checks).unwrap_or_default(),
        statement_descriptor: text(charge.calculated_statement_descriptor.as_ref()),
        costs: charge
            .balance_transaction
            .as_ref()
            .and_then(Expandable::whole)
            .and_then(costs),
        valid_until: card
            .and_then(|card| card.capture_before)
            .filter(|_| !charge.captured)
            .and_then(seconds),
        ..Approval::default()
    }
}

/// Seconds since the beginning of 1970.
pub(super) fn seconds(seconds: i64) -> Option<Timestamp> {
    seconds.checked_mul(1_000_000).map(Timestamp::from_micros)
}

/// A number of at most two decimals that count, in hundredths.
fn hundredths(number: &serde_json::Number) -> Option<i64> {
    let text = number.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let whole: i64 = whole.parse().ok()?;
    let decimals: i64 = format!("{decimals}00").get(..2)?.parse().ok()?;
    whole.checked_mul(100)?.checked_add(decimals)
}

fn funding(card: &CardDetails) -> Option<CardFunding> {
    Some(match card.funding.as_deref()? {
        "credit" => CardFunding::Credit,
        "debit" => CardFunding::Debit,
        "prepaid" => CardFunding::Prepaid,
        _ => CardFunding::Undefined,
    })
}

fn three_ds(card: &CardDetails) -> Option<ThreeDs> {
    let said = card.three_d_secure.as_ref()?;
    Some(ThreeDs {
        eci: said
            .electronic_commerce_indicator
            .as_deref()
            .map(Into::into),
        version: said.version.as_deref().map(Into::into),
        result: said
            .result
            .as_ref()
            .map(|result| result.to_ascii_uppercase().into()),
    })
}

fn checks(card: &CardDetails) -> Checks {
    let Some(said) = &card.checks else {
        return Checks::default();
    };
    Checks {
        security_code: check(said.security_code.as_deref()),
        street: check(said.street.as_deref()),
        postal_code: check(said.postal_code.as_deref()),
    }
}

fn check(word: Option<&str>) -> Option<Check> {
    Some(match word? {
        "pass" => Check::Passed,
        "fail" => Check::Failed,
        _ => Check::Unchecked,
    })
}

fn costs(moved: &BalanceTransaction) -> Option<Costs> {
    let money = |amount| amounts::from_wire(amount, &moved.currency);
    Some(Costs {
        gross: money(moved.amount)?,
        fee: money(moved.fee)?,
        net: money(moved.net)?,
        exchange_rate: moved
            .exchange_rate
            .as_ref()
            .map(|rate| rate.to_string().into()),
    })
}

/// Our reference for what this metadata is of.
pub(super) fn reference_in(metadata: &Metadata) -> Option<Reference> {
    let text = metadata.get(OUR_REFERENCE)?;
    Reference::parse(text).map(|(payment, n)| Reference::new(payment, n))
}

/// A capture, by its mark.
pub(super) fn captured(money: Option<Money>) -> LaterAnswer {
    LaterAnswer::Done {
        processor_id: None,
        booked: money.map(|money| Booked {
            what: Booking::Capture,
            money,
        }),
    }
}

/// A cancellation that has taken effect, no matter who wanted it.
pub(super) fn cancelled(intent: &Intent) -> LaterAnswer {
    LaterAnswer::Done {
        processor_id: None,
        booked: amounts::from_wire(intent.amount, &intent.currency).map(|money| Booked {
            what: Booking::Cancellation,
            money,
        }),
    }
}

/// How a refund stands; `None`: in a way that we know nothing of. Source: docs/processors/stripe.md, "States".
#[cfg_attr(
    feature = "planted",
    planted::alternatives(StripePendingRefundIsDone = super::bugs::take_pending_for_done)
)]
pub(super) fn refunded(refund: &Refund) -> Option<LaterAnswer> {
    let booked = amounts::from_wire(refund.amount, &refund.currency).map(|money| Booked {
        what: Booking::Refund,
        money,
    });
    let processor_id = Some(refund.id.clone());
    let reason = || {
        let word = refund.failure_reason.as_deref().unwrap_or("unknown");
        format!("the refund failed: {word}").into()
    };
    Some(match refund.status.as_deref()? {
        "succeeded" => LaterAnswer::Done {
            processor_id,
            booked,
        },
        // It may wait for the customer to say where the money goes: that is Stripe's matter.
        "pending" | "requires_action" => LaterAnswer::Pending {
            processor_id,
            booked,
        },
        // It had left the account, or was said to be done: the money has come back.
        "failed" => LaterAnswer::Reversed {
            reason: reason(),
            booked,
        },
        // Also after it was said to be done: the money has not left.
        "canceled" => LaterAnswer::Reversed {
            reason: "the refund was cancelled at Stripe".into(),
            booked,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use connector::Fact;
    use serde_json::json;

    use super::*;

    /// A charge with all that Stripe can say of one.
    fn charge() -> Charge {
        serde_json::from_value(json!({
            "id": "ch_1", "status": "succeeded", "amount": 1000, "amount_captured": 1000, "captured": true,
            "currency": "usd", "created": 1,
            "receipt_url": "https://pay.stripe.com/receipts/1",
            "calculated_statement_descriptor": "BOOKS",
            "outcome": {"network_status": "approved_by_network", "risk_level": "normal", "risk_score": 12, "type": "authorized"},
            "payment_method_details": {"card": {
                "funding": "debit", "country": "NL", "issuer": "Test bank",
                "three_d_secure": {"electronic_commerce_indicator": "05", "result": "authenticated", "version": "2.2.0"},
            }},
            "balance_transaction": {
                "id": "txn_1", "amount": 920, "fee": 30, "net": 890, "currency": "eur", "exchange_rate": 0.92,
            },
        }))
        .unwrap()
    }

    #[test]
    fn every_fact_that_stripe_says_is_kept() {
        let approval = Approval {
            processor_id: Some("pi_1".to_owned()),
            ..facts_of(&charge())
        };
        let missing: Vec<&Fact> = Fact::ALL
            .iter()
            .filter(|fact| !fact.is_in(&approval))
            .collect();
        assert!(missing.is_empty(), "{missing:?}: {approval:?}");
        assert_eq!(approval.issuing_bank, Some("Test bank".into()));
        assert_eq!(
            approval.receipt_url.as_deref(),
            Some("https://pay.stripe.com/receipts/1")
        );
        let rate = approval.costs.and_then(|costs| costs.exchange_rate);
        assert_eq!(rate, Some("0.92".into()));
    }
}
