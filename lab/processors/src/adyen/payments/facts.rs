//! `additionalData` of a payment.
//!
//! Source of the members: `CheckoutService-v72.json`, `ResponseAdditionalData…`; of the words of `cvcResult` and `avsResult`:
//! docs/processors/adyen.md, "Test values".

use std::collections::BTreeMap;

use super::{Payment, Proof, Status};
use crate::adyen::{
    cards::{Card, brand},
    plans::Reason,
};

/// What the scheme says.
pub(super) struct Network {
    pub(super) code: String,
    pub(super) trace: u64,
}

/// Writes down what is known of a payment.
pub(super) fn note(payment: &mut Payment, network: &Network, token: Option<&str>) {
    let mut facts = BTreeMap::new();
    let mut note = |name: &str, value: &str| {
        facts.insert(name.to_owned(), value.to_owned());
    };
    note("paymentMethod", &payment.instrument.brand);
    note("paymentMethodVariant", &payment.instrument.brand);
    note("merchantReference", &payment.reference);
    note("shopperInteraction", &payment.consent.interaction);
    if let Some(model) = &payment.consent.model {
        note("recurringProcessingModel", model);
    }
    for (name, value) in &payment.metadata {
        note(&format!("metadata.{name}"), value);
    }
    if let Some(card) = &payment.instrument.card {
        note("cardSummary", card.last4());
        note("cardBin", card.number.get(..6).unwrap_or_default());
        note("expiryDate", &format!("{}/{}", card.month, card.year));
        note("cardIssuingCountry", "NL");
        note("cvcResult", cvc_result(card));
        let has_check = ["visa", "mc", "amex"].contains(&payment.instrument.brand.as_str());
        let no_check = "4 AVS not supported for this card type";
        let check = if has_check {
            payment.address_check
        } else {
            no_check
        };
        note("avsResult", check);
        note(
            "refusalReasonRaw",
            payment.plan.raw.as_deref().unwrap_or(raw(&payment.status)),
        );
        note_authentication(payment.proof, &mut note);
    }
    if payment.is_authorised() {
        note("authCode", &network.code);
        if let Some(card) = &payment.instrument.card {
            note("networkTxReference", &network_reference(card, network));
        }
    }
    if let Status::Refused(reason) = &payment.status
        && payment.instrument.brand == "mc"
    {
        note("merchantAdviceCode", advice(reason));
    }
    if let (Some(token), Some(shopper)) = (token, &payment.consent.shopper) {
        note("tokenization.storedPaymentMethodId", token);
        note("tokenization.shopperReference", shopper);
        note("tokenization.store.operationType", "created");
    }
    payment.facts = facts;
}

/// Whether the bank was asked, and who pays for fraud.
fn note_authentication(proof: Proof, note: &mut impl FnMut(&str, &str)) {
    let is_proven = proof != Proof::None;
    note("threeDOffered", &is_proven.to_string());
    note("threeDAuthenticated", &is_proven.to_string());
    note("liabilityShift", &is_proven.to_string());
    if is_proven {
        note("eci", "05");
        note("threeDAuthenticatedResponse", "Y");
        note("threeDSVersion", "2.2.0");
    }
}

/// House `0` is wrong, and so is postal code `00000`.
pub(super) fn address_check(house: Option<&str>, postal_code: Option<&str>) -> &'static str {
    match (house, postal_code) {
        (None, _) | (_, None) => "5 No AVS data provided",
        (Some("0"), Some("00000")) => "2 Neither postal code nor address match",
        (Some("0"), Some(_)) => "6 Postal code matches, address doesn't match",
        (Some(_), Some("00000")) => "1 Address matches, postal code doesn't",
        (Some(_), Some(_)) => "7 Both postal code and address match",
    }
}

/// `000` is wrong, and so is `0000`.
fn cvc_result(card: &Card) -> &'static str {
    match card.cvc.as_deref() {
        None => "6 No CVC/CVV provided",
        Some("000" | "0000") => "2 Doesn't match",
        Some(_) => "1 Matches",
    }
}

const fn raw(status: &Status) -> &'static str {
    match status {
        Status::Authorised | Status::PartlyAuthorised => "AUTHORISED",
        Status::Refused(reason) => reason.text,
        _ => "",
    }
}

/// A Visa Transaction ID has 15 digits; Mastercard's Trace ID is its reference of 9 characters with a date of 4.
fn network_reference(card: &Card, network: &Network) -> String {
    let trace = network.trace % 1_000_000_000_000_000;
    if brand(&card.number) == "mc" {
        format!("MCC{:06}1126", trace % 1_000_000)
    } else {
        format!("{trace:015}")
    }
}

/// Mastercard's advice: other data, later, or not again.
fn advice(reason: &Reason) -> &'static str {
    match reason.code {
        "6" | "8" | "24" => "01",
        "5" | "20" | "22" | "25" | "26" | "31" => "03",
        _ => "02",
    }
}
