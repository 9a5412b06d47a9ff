//! Cards that Adyen stores: a token under our name for the card's owner (the shopper reference).
//!
//! Facts and their sources: docs/processors/adyen.md, "Stored credentials, wallets, 3D Secure".

use connector::{
    Authorise, CallError, Called, CardData, Cause, FundingSource, Link, OwnToken, RecurringReason,
    Stored, StoredCardData, StoredCredential, Tokenise, Tokenised,
};
use domain::{card_number::SecurityCode, method::Method};
use serde_json::{Value, json};

use super::{
    Adyen,
    address::Service,
    api::{Api, Refusal},
    declines, request,
    wire::{Additional, Kept, Paid},
};

/// The codes of a stored card that isn't stored (any more): the shopper has none, or not this one.
/// Source: `help.adyen.com`, the pages of errors 800 and 803.
const GONE: [&str; 2] = ["800", "803"];

/// How long a scheme's id of a transaction is: Visa's has 15 characters, Mastercard's trace id 13 or 9.
const NETWORK_ID_LENGTHS: std::ops::RangeInclusive<usize> = 9..=36;

impl Stored for Adyen {
    fn tokenise<'a>(&'a self, link: &'a Link<'a>, call: &'a Tokenise<'a>) -> Called<'a, Tokenised> {
        Box::pin(tokenise(Api::of(link), call))
    }
}

/// Stores a card without a payment.
async fn tokenise(api: Api<'_>, call: &Tokenise<'_>) -> Result<Tokenised, CallError> {
    let body = json!({
        "merchantAccount": api.account(),
        "paymentMethod": request::card_method(call.card, Method::Card),
        "recurringProcessingModel": model(Some(RecurringReason::Unscheduled)),
        "shopperReference": call.shopper,
    });
    let key = api.key(call.reference, "storedPaymentMethods")?;
    let kept = api
        .post::<Kept>(Service::Checkout, "storedPaymentMethods", Some(&key), &body)
        .await?;
    match kept {
        Ok(kept) if kept.shopper_reference.as_deref() == Some(call.shopper) => {
            Ok(Tokenised::Token(OwnToken {
                value: kept.id,
                customer: Some(call.shopper.to_owned()),
                reusable: true,
            }))
        }
        Ok(_) => Err(CallError::unknown("the answer is about another shopper")),
        Err(refusal) => match refusal.code.as_deref().and_then(declines::by_validation) {
            Some(decline) => Ok(Tokenised::Declined(decline)),
            None => Err(refusal.rejected()),
        },
    }
}

/// `recurringProcessingModel`. A purchase in parts follows a schedule, as a subscription does.
const fn model(reason: Option<RecurringReason>) -> &'static str {
    match reason {
        None | Some(RecurringReason::CardOnFile) => "CardOnFile",
        Some(RecurringReason::Subscription | RecurringReason::Instalments) => "Subscription",
        Some(RecurringReason::Unscheduled) => "UnscheduledCardOnFile",
    }
}

/// What a request says of the agreement on a stored card: members of the body by their names.
pub(super) fn agreement(call: &Authorise<'_>) -> Vec<(&'static str, Value)> {
    let reason = call.stored.map(|stored| stored.reason);
    if let FundingSource::StoredCard(card) = call.funding_source {
        return vec![
            ("recurringProcessingModel", model(reason).into()),
            ("shopperReference", card.token.customer.as_deref().into()),
        ];
    }
    let Some(stored) = call.stored else {
        let usual = model(Some(RecurringReason::Unscheduled)).into();
        let usual = call
            .merchant_initiated
            .then_some(("recurringProcessingModel", usual));
        return usual.into_iter().collect();
    };
    let mut members = vec![("recurringProcessingModel", model(reason).into())];
    if let (true, Some(shopper)) = (stores(call, stored), call.shopper) {
        members.push(("storePaymentMethod", true.into()));
        members.push(("shopperReference", shopper.into()));
    }
    members
}

/// Whether Adyen is to store the card. (A wallet's number of the device can't be charged without the wallet.)
const fn stores(call: &Authorise<'_>, stored: StoredCredential<'_>) -> bool {
    stored.first && matches!(call.funding_source, FundingSource::Card(_))
}

/// A stored card as the method of a payment.
pub(super) fn method(card: &StoredCardData) -> Value {
    let mut value = json!({"type": "scheme", "storedPaymentMethodId": card.token.value});
    let code = card.cvc.as_ref().map(SecurityCode::expose);
    if let (Some(members), Some(code)) = (value.as_object_mut(), code) {
        members.insert("cvc".to_owned(), code.into());
    }
    value
}

/// A card by its number, with the scheme's transaction of the agreement that the payment goes by.
pub(super) fn numbered(call: &Authorise<'_>, card: &CardData) -> Value {
    let mut value = request::card_method(card, call.method);
    let network_id = call
        .stored
        .filter(|_| call.merchant_initiated)
        .and_then(|stored| stored.network_id)
        .filter(|id| is_network_id(id));
    if let (Some(members), Some(id)) = (value.as_object_mut(), network_id) {
        members.insert("networkPaymentReference".to_owned(), id.into());
    }
    value
}

/// Whether a transaction can be one of Visa's or Mastercard's. The ids of other schemes and processors are left out: Adyen refuses them.
fn is_network_id(id: &str) -> bool {
    NETWORK_ID_LENGTHS.contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The token of a card that was stored with its payment.
pub(super) fn of_facts(more: &Additional) -> Option<OwnToken> {
    Some(OwnToken {
        value: more.text("tokenization.storedPaymentMethodId")?.to_owned(),
        customer: Some(more.text("tokenization.shopperReference")?.to_owned()),
        reusable: true,
    })
}

/// A refused request for a payment with a stored card: it may not be stored any more.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenGoneCardIsKept = super::bugs::refuse_plainly)
)]
pub(super) fn refused(refusal: Refusal) -> CallError {
    match refusal.code.as_deref() {
        Some(code) if GONE.contains(&code) => gone(),
        _ => refusal.rejected(),
    }
}

/// The stored card isn't stored any more: nothing was charged.
pub(super) fn gone() -> CallError {
    CallError::Rejected {
        code: None,
        reason: "Adyen does not know the stored card".into(),
        cause: Cause::StoredCardGone,
    }
}

/// Whether a refusal of a payment means that its stored card isn't stored any more: public integrations know it as a reason as well.
/// Source: `803 PaymentDetail not found` in `github.com/Adyen/adyen-magento`.
pub(super) fn is_gone(paid: &Paid) -> bool {
    let reason = paid.refusal_reason.as_deref().unwrap_or_default();
    let mut codes = GONE.iter().filter_map(|code| reason.strip_prefix(code));
    paid.result_code == "Refused" && codes.any(|words| words.starts_with(' '))
}
