//! Evidence: what may be sent in response to a dispute, and what is known here that speaks for the merchant.
//!
//! What is proposed is a pack of texts for the merchant to judge. Nothing is sent by being proposed.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    attachment::FileType,
    id::{DisputeId, TeamId},
    payment::{Payment, TimelineEntry},
    person::{Address, ShippingAddress},
    text_enum::text_enum,
};

/// Earlier payments that are named at most.
pub const EARLIER_MAX: usize = 10;
/// Lines of the timeline that are given at most: the first ones tell of the authorisation.
const LINES_MAX: usize = 40;
/// The member of a payment's metadata in which a merchant says what became of the delivery.
const DELIVERY: &str = "delivery";

text_enum!(
    /// What a piece of evidence is about.
    EvidenceKind {
        /// What was paid, when and how.
        Transaction = "TRANSACTION",
        /// How the customer was authenticated.
        Authentication = "AUTHENTICATION",
        /// Who the customer is, and where bill and goods went.
        Customer = "CUSTOMER",
        /// What the merchant says of the delivery.
        Delivery = "DELIVERY",
        /// Payments that the same customer made before and did not dispute.
        EarlierPayments = "EARLIER_PAYMENTS",
        /// What happened, step by step.
        Timeline = "TIMELINE",
        /// What the merchant says besides.
        Other = "OTHER",
    }
);

/// What a processor takes as a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceLimits {
    /// Of one text. Unit: characters.
    pub text_chars: usize,
    /// Of all texts together. Unit: characters.
    pub all_chars: usize,
    /// Files in all.
    pub files: usize,
    /// Of one file. Unit: bytes.
    pub file_bytes: u64,
    /// Of all files together. Unit: bytes.
    pub all_bytes: u64,
    /// What a file may be.
    pub types: &'static [FileType],
}

/// One text of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceText {
    /// What it is about.
    pub kind: EvidenceKind,
    /// The text, of any number of lines.
    pub text: String,
}

/// The permission to see the document of evidence as it would be made now, as it stands in the address that is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewGrant {
    /// Whose it is.
    pub team: TeamId,
    /// The dispute.
    pub dispute: DisputeId,
    /// It is of no use later.
    pub until: Timestamp,
}

/// What is known of a dispute's payment.
#[derive(Debug, Clone, Copy)]
pub struct KnownFacts<'a> {
    /// The payment.
    pub payment: &'a Payment,
    /// Its timeline.
    pub timeline: &'a [TimelineEntry],
    /// Payments of the same customer, in any order; those that say nothing are passed over.
    pub others: &'a [Payment],
}

/// The pack that is proposed, cut to what the processor takes. What nothing is known of has no text.
pub fn propose(known: KnownFacts<'_>, limits: Option<&EvidenceLimits>) -> Vec<EvidenceText> {
    let texts = [
        (EvidenceKind::Transaction, Some(transaction(known.payment))),
        (EvidenceKind::Authentication, authentication(known.payment)),
        (EvidenceKind::Customer, customer(known.payment)),
        (EvidenceKind::Delivery, delivery(known.payment)),
        (EvidenceKind::EarlierPayments, earlier(known)),
        (EvidenceKind::Timeline, timeline(known.timeline)),
    ];
    let mut left = limits.map_or(usize::MAX, |limits| limits.all_chars);
    let most = limits.map_or(usize::MAX, |limits| limits.text_chars);
    let mut pack = Vec::new();
    for (kind, text) in texts {
        let Some(text) = text.map(|text| cut(text, most.min(left))) else {
            continue;
        };
        if !text.is_empty() {
            left -= text.chars().count();
            pack.push(EvidenceText { kind, text });
        }
    }
    pack
}

/// The whole lines of a text that fit.
fn cut(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let mut kept = String::new();
    let mut left = most;
    for line in text.split_inclusive('\n') {
        let length = line.chars().count();
        if length > left {
            break;
        }
        left -= length;
        kept.push_str(line);
    }
    kept.trim_end().to_owned()
}

/// Adds a line, where there is something to say. Writing into a text can't fail.
fn line(text: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        let _ = writeln!(text, "{name}: {value}");
    }
}

fn transaction(payment: &Payment) -> String {
    let mut text = String::new();
    line(&mut text, "Payment", Some(&payment.id().to_string()));
    line(&mut text, "Order", payment.order_id());
    let date = payment.created_at().rfc3339_seconds();
    line(&mut text, "Date", Some(&date));
    line(&mut text, "Amount", Some(&payment.money().formatted()));
    line(&mut text, "What was bought", payment.description());
    let shown = payment.statement_descriptor();
    line(&mut text, "Shown on the customer's statement", shown);
    let method = payment.method();
    line(&mut text, "Paid with", method.masked.as_deref());
    line(&mut text, "Brand", method.brand.as_deref());
    line(&mut text, "Name on the card", method.holder.as_deref());
    let approval = payment.approval();
    let processor = approval.and_then(|approval| approval.processor_id.as_deref());
    line(&mut text, "Reference at the processor", processor);
    if payment.refunded() > 0 {
        let refunded = crate::money::Money::new(payment.refunded(), payment.money().currency());
        line(&mut text, "Refunded since", Some(&refunded.formatted()));
    }
    text.trim_end().to_owned()
}

fn authentication(payment: &Payment) -> Option<String> {
    let found = payment.approval()?.three_ds.as_ref()?;
    let mut text = String::from("The customer was authenticated by 3D Secure.\n");
    line(&mut text, "Result", found.result.as_deref());
    line(&mut text, "Version", found.version.as_deref());
    line(&mut text, "ECI", found.eci.as_deref());
    Some(text.trim_end().to_owned())
}

fn customer(payment: &Payment) -> Option<String> {
    let payer = payment.customer()?;
    let mut text = String::new();
    line(&mut text, "Name", payer.name.as_deref());
    line(&mut text, "E-mail", payer.email.as_deref());
    line(&mut text, "Telephone", payer.phone.as_deref());
    let billing = payer.billing.as_ref().map(on_one_line);
    line(&mut text, "Billing address", billing.as_deref());
    let shipping = payer.shipping.as_ref();
    let to = shipping.map(receiver);
    line(&mut text, "Sent to", to.as_deref());
    let text = text.trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

fn receiver(shipping: &ShippingAddress) -> String {
    let address = shipping.address.as_ref().map(on_one_line);
    let parts = [shipping.name.clone(), address];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

fn on_one_line(address: &Address) -> String {
    let Address {
        line1,
        line2,
        city,
        postal_code,
        state,
        country,
    } = address;
    let parts = [line1, line2, postal_code, city, state, country];
    let parts: Vec<&str> = parts
        .into_iter()
        .filter_map(|part| part.as_deref())
        .collect();
    parts.join(", ")
}

/// What stands in `metadata.delivery`: a text, or an object whose members are texts and numbers.
fn delivery(payment: &Payment) -> Option<String> {
    let said = payment.metadata()?.get(DELIVERY)?;
    if let Some(text) = said.as_str() {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let mut text = String::new();
    for (name, value) in said.as_object()? {
        let value = match value {
            serde_json::Value::String(value) => value.clone(),
            serde_json::Value::Number(value) => value.to_string(),
            _ => continue,
        };
        line(&mut text, name, Some(&value));
    }
    let text = text.trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Payments before this one that were paid, given back in no part, and disputed by nobody.
fn earlier(known: KnownFacts<'_>) -> Option<String> {
    let payment = known.payment;
    let speaks = |other: &&Payment| {
        other.id() != payment.id()
            && other.created_at() < payment.created_at()
            && other.captured() > 0
            && other.refunded() == 0
            && other.contested_by().is_empty()
    };
    let mut others: Vec<&Payment> = known.others.iter().filter(speaks).collect();
    others.sort_by_key(|other| std::cmp::Reverse(other.created_at()));
    let mut text = String::from("The same customer paid before, and disputed none of it:\n");
    for other in others.iter().take(EARLIER_MAX) {
        let card = &payment.method().fingerprint;
        let same = if card.is_some() && *card == other.method().fingerprint {
            ", with the same card"
        } else {
            ""
        };
        let order = other
            .order_id()
            .map_or(String::new(), |order| format!(", order {order}"));
        let date = other.created_at().rfc3339_seconds();
        let amount = other.money().formatted();
        let _ = writeln!(text, "{date}: {amount}{order}{same}");
    }
    (!others.is_empty()).then(|| text.trim_end().to_owned())
}

fn timeline(lines: &[TimelineEntry]) -> Option<String> {
    let mut text = String::new();
    for entry in lines.iter().take(LINES_MAX) {
        let date = entry.at.rfc3339_seconds();
        let _ = match &entry.message {
            Some(message) => writeln!(text, "{date}: {}. {message}", entry.title),
            None => writeln!(text, "{date}: {}", entry.title),
        };
    }
    (!lines.is_empty()).then(|| text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_its_lines() {
        let text = "first\nsecond\nthird";
        assert_eq!(cut(text.to_owned(), 100), text);
        assert_eq!(cut(text.to_owned(), 17), "first\nsecond");
        assert_eq!(cut("ééé\nü".to_owned(), 4), "ééé");
        assert_eq!(cut(text.to_owned(), 3), "");
    }
}
