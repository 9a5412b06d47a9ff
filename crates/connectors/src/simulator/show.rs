//! The books as JSON, for tests and for curious people.

use domain::Timestamp;
use serde_json::{Value, json};

use super::{
    books::{Books, BooksError},
    disputes::SimulatedDispute,
    entry::Entry,
    later::{BookingKind, Later, Now},
};

/// How many entries are read at a time.
const PAGE: u32 = 500;

/// The books as of `at`: the entry of one authorisation's reference, or all entries.
pub async fn read_books(
    books: &dyn Books,
    reference: Option<&str>,
    at: Timestamp,
) -> Result<Value, BooksError> {
    let entries: Vec<Entry> = match reference {
        Some(reference) => books.load(reference).await?.into_iter().collect(),
        None => all(books).await?,
    };
    Ok(books_json(&entries, at))
}

/// Entries as of `at`. Amounts are in minor units of the entry's currency. Tokens are no money and are left out.
pub fn books_json(entries: &[Entry], at: Timestamp) -> Value {
    json!({ "entries": entries.iter().filter(|entry| entry.token.is_none()).map(|entry| entry_json(entry, at)).collect::<Vec<_>>() })
}

async fn all(books: &dyn Books) -> Result<Vec<Entry>, BooksError> {
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let after = entries.last().map(|entry| entry.reference.as_str());
        let page = books.all(after, PAGE).await?;
        if page.is_empty() {
            return Ok(entries);
        }
        entries.extend(page);
    }
}

fn entry_json(entry: &Entry, at: Timestamp) -> Value {
    let mut shown = json!({
        "reference": entry.reference,
        "connection": entry.connection,
        "currency": entry.money.currency(),
        "authorised": entry.authorised(at),
        "captured": entry.captured(at),
        "refunded": entry.refunded(at),
        "cancelled": entry.cancelled(at),
        "declined": entry.declined(at),
        "captures": of_kind(entry, BookingKind::Capture, at),
        "refunds": of_kind(entry, BookingKind::Refund, at),
    });
    if let (Some(brand), Some(shown)) = (&entry.brand, shown.as_object_mut()) {
        shown.insert("brand".to_owned(), brand.as_str().into());
    }
    let released = entry.released(at);
    if let (true, Some(shown)) = (released > 0, shown.as_object_mut()) {
        shown.insert("released".to_owned(), released.into());
    }
    if let (Some(known), Some(shown)) = (&entry.elsewhere, shown.as_object_mut()) {
        shown.insert("elsewhere".to_owned(), known.order.as_str().into());
    }
    if let (Some(challenge), Some(shown)) = (&entry.challenge, shown.as_object_mut()) {
        shown.insert("challenge".to_owned(), challenge.state.word().into());
    }
    if let (Some(agreement), Some(shown)) = (&entry.agreement, shown.as_object_mut()) {
        // The token itself is no matter of the books' readers.
        let said = json!({ "reason": agreement.reason, "first": agreement.first, "networkId": agreement.network_id,
            "byOwnToken": agreement.by_own_token });
        shown.insert("agreement".to_owned(), said);
    }
    if let (Some(browser), Some(shown)) = (&entry.browser, shown.as_object_mut()) {
        shown.insert("browser".to_owned(), json!(browser));
    }
    let disputes = entry.disputes.iter();
    let disputes: Vec<Value> = disputes
        .filter_map(|dispute| dispute_json(dispute, at))
        .collect();
    if let (false, Some(shown)) = (disputes.is_empty(), shown.as_object_mut()) {
        shown.insert("disputes".to_owned(), disputes.into());
    }
    shown
}

/// `None` before the dispute is opened.
fn dispute_json(dispute: &SimulatedDispute, at: Timestamp) -> Option<Value> {
    let state = dispute.at(at)?;
    let responses = dispute.responses.iter().map(|one| {
        let files = one.files.iter();
        json!({
            "reference": one.reference,
            "accepts": one.accepts,
            "texts": one.texts,
            "files": files.map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect::<Vec<_>>(),
        })
    });
    Some(json!({
        "id": dispute.id,
        "status": state.status,
        "stage": state.stage,
        "responses": responses.collect::<Vec<_>>(),
    }))
}

fn of_kind(entry: &Entry, kind: BookingKind, at: Timestamp) -> Vec<Value> {
    entry
        .later
        .iter()
        .filter(|later| later.kind == kind)
        .map(|later| later_json(later, at))
        .collect()
}

fn later_json(later: &Later, at: Timestamp) -> Value {
    let status = match later.state.at(at) {
        Now::Done => "done",
        Now::Pending => "pending",
        Now::Failed | Now::Undone => "failed",
        Now::Refused(_) => "refused",
    };
    let mut shown =
        json!({ "reference": later.reference, "amount": later.amount, "status": status });
    if let Some(shown) = shown.as_object_mut() {
        if later.keeps_open {
            shown.insert("final".to_owned(), false.into());
        }
        if let Some(capture) = &later.capture {
            shown.insert("capture".to_owned(), capture.as_str().into());
        }
    }
    shown
}
