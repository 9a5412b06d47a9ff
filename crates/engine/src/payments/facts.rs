//! What a flow's conditions know of a payment.

use domain::{
    answer::Answer,
    dispute::Dispute,
    intent::Intent,
    method::CardFunding,
    payment::{Initiator, Operation, OperationState, Origin, Payment, ReceivedWebhook},
};
use flow::{
    AttemptFacts, CardFacts, CustomerFacts, DisputeFacts, Facts, PaymentFacts, WebhookFacts,
};
use uuid::Uuid;

pub(crate) use crate::intents::intent_facts as of_intent;

/// The facts of a payment as it is now, for one of its runs, with those of its intent and of the dispute that
/// started the run.
pub(crate) fn facts<'a>(
    payment: &'a Payment,
    run: Option<Uuid>,
    intent: Option<&'a Intent>,
    dispute: Option<&'a Dispute>,
) -> Facts<'a> {
    let received = payment
        .run(run)
        .and_then(|run| run.pause.as_ref())
        .and_then(|pause| pause.received.as_ref());
    Facts {
        payment: of_payment(payment, intent),
        intent: intent.map(of_intent).unwrap_or_default(),
        card: of_card(payment),
        customer: of_customer(payment),
        attempt: payment
            .attempt()
            .map(|attempt| of_attempt(payment, attempt))
            .unwrap_or_default(),
        webhook: WebhookFacts {
            name: received.map(|ReceivedWebhook { name, .. }| name.as_str().into()),
        },
        webhook_body: received.map(|ReceivedWebhook { body, .. }| body),
        dispute: dispute.map(of_dispute).unwrap_or_default(),
        metadata: payment.metadata(),
        fraud: payment.fraud(),
    }
}

fn of_dispute(dispute: &Dispute) -> DisputeFacts<'_> {
    DisputeFacts {
        reason: Some(dispute.reason().code().into()),
        stage: Some(dispute.stage().code().into()),
        amount: Some(dispute.money().minor()),
        status: Some(dispute.status().code().into()),
    }
}

fn of_payment<'a>(payment: &'a Payment, intent: Option<&'a Intent>) -> PaymentFacts<'a> {
    let origin = match payment.origin() {
        Origin::Automation => "AUTOMATION",
        Origin::Headless => "HEADLESS",
        Origin::Import => "IMPORT",
    };
    let initiator = match payment.initiator() {
        Initiator::Customer => "CUSTOMER",
        Initiator::Merchant => "MERCHANT",
    };
    PaymentFacts {
        id: Some(payment.id().to_string().into()),
        amount: Some(payment.money().minor()),
        currency: Some(payment.money().currency().code().into()),
        status: Some(payment.status().text().into()),
        method: Some(kind_of_method(payment).into()),
        country: country(payment)
            .map(Into::into)
            .or_else(|| of_intent(intent?).country),
        order_id: payment.order_id().map(Into::into),
        description: payment.description().map(Into::into),
        initiator: Some(initiator.into()),
        recurring: payment
            .recurring()
            .map(|recurring| recurring.reason.code().into()),
        origin: Some(origin.into()),
        captured: Some(payment.captured()),
        refunded: Some(payment.refunded()),
    }
}

/// `CARD` for a card of any brand, else the method.
fn kind_of_method(payment: &Payment) -> &'static str {
    let method = payment.method().method.canonical();
    if payment.method().blob.is_some() && payment.method().wallet.is_none() {
        "CARD"
    } else {
        method.code()
    }
}

fn country(payment: &Payment) -> Option<&str> {
    let billing = payment.method().address.as_ref();
    let payer = payment.customer().and_then(|payer| payer.billing.as_ref());
    billing
        .and_then(|address| address.country.as_deref())
        .or_else(|| payer?.country.as_deref())
}

fn of_card(payment: &Payment) -> CardFacts<'_> {
    let method = payment.method();
    if method.blob.is_none() {
        return CardFacts::default();
    }
    let approval = payment.approval();
    let funding = approval
        .and_then(|approval| approval.funding)
        .unwrap_or(method.funding);
    let last4 = method
        .masked
        .as_deref()
        .map(|masked| masked.trim_start_matches('*'));
    CardFacts {
        brand: method.brand.as_deref().map(Into::into),
        bin: method.bin.as_deref().map(Into::into),
        last4: last4.map(Into::into),
        country: approval
            .and_then(|approval| approval.card_country.as_deref())
            .or(method.card_country.as_deref())
            .map(Into::into),
        funding: Some(funding)
            .filter(|funding| *funding != CardFunding::Undefined)
            .map(|funding| funding.code().into()),
        exp_month: method.expiry.map(|expiry| i64::from(expiry.month())),
        exp_year: method.expiry.map(|expiry| i64::from(expiry.year())),
        wallet: method
            .wallet
            .map(|_| method.method.canonical().code().into()),
    }
}

fn of_customer(payment: &Payment) -> CustomerFacts<'_> {
    let Some(payer) = payment.customer() else {
        return CustomerFacts::default();
    };
    CustomerFacts {
        id: payer.id.map(|id| id.to_string().into()),
        email: payer.email.as_deref().map(Into::into),
        name: payer.name.as_deref().map(Into::into),
        country: payer
            .billing
            .as_ref()
            .and_then(|address| address.country.as_deref())
            .map(Into::into),
    }
}

fn of_attempt<'a>(payment: &'a Payment, attempt: &'a Operation) -> AttemptFacts<'a> {
    let attempts = payment
        .operations()
        .iter()
        .filter(|operation| operation.kind.is_attempt())
        .count();
    let outcome = match &attempt.state {
        OperationState::Done { .. } => Some("authorised"),
        OperationState::Refused { .. } => Some("declined"),
        OperationState::Failed { .. } => Some("failed"),
        OperationState::Unknown { .. } => Some("unknown"),
        OperationState::Sent | OperationState::Waiting { .. } | OperationState::Pending { .. } => {
            None
        }
    };
    let decline = match &attempt.answer {
        Some(Answer::Declined { decline, .. }) => Some(decline),
        _ => None,
    };
    AttemptFacts {
        number: i64::try_from(attempts).ok(),
        connection: Some(attempt.connection.as_str().into()),
        outcome: outcome.map(Into::into),
        decline_code: decline.map(|decline| decline.code.code().into()),
        decline_type: decline.map(|decline| decline.kind.code().into()),
    }
}
