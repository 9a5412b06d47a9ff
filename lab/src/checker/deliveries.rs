//! Deliveries: what an endpoint wants reaches it at least once, in the sequence of each stream, as it was signed, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::{Findings, feed, list, number, text};

/// So far may a receiver's clock be from the time that is signed. Unit: microseconds. Source: Standard Webhooks.
const TOLERANCE: i64 = 300_000_000;

/// What was sent before an endpoint was removed has arrived after this time. Unit: microseconds.
const UNDER_WAY: i64 = 300_000_000;

/// A card number has at least so many digits; no id and no time has as many in a row.
const DIGITS: usize = 13;

/// Endpoints and what has reached them.
#[derive(Default)]
pub(crate) struct Deliveries {
    /// What merchants wanted, as they know it: `host`, `neighbour`, `secrets`, `ever` and `current` (filters), `owedFrom`, `inOrder`, `goneAt`.
    pub(crate) subscriptions: Vec<Value>,
    /// What servers have taken, in order: `host`, `at`, `body` and the headers.
    pub(crate) receipts: Vec<Value>,
}

/// Rows of events, of the team and of its neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) own: &'a [Value],
    pub(crate) neighbours: &'a [Value],
}

/// An event that merchants get.
struct Public<'a> {
    kind: &'a str,
    at: i64,
    neighbour: bool,
}

impl Rows<'_> {
    /// The public events by their ids.
    fn public(&self) -> BTreeMap<String, Public<'_>> {
        let all = [(self.own, false), (self.neighbours, true)];
        let mut found = BTreeMap::new();
        for (rows, neighbour) in all {
            for row in rows {
                for (id, kind) in feed::public_in(row) {
                    let at = number(row, "at");
                    found.insert(
                        id,
                        Public {
                            kind,
                            at,
                            neighbour,
                        },
                    );
                }
            }
        }
        found
    }
}

/// The deliveries that are owed and have not come: host and id of the event.
pub(crate) fn lacking(deliveries: &Deliveries, rows: Rows<'_>) -> Vec<(String, String)> {
    let public = rows.public();
    let came: BTreeSet<(&str, &str)> = deliveries
        .receipts
        .iter()
        .map(|receipt| (text(receipt, "host"), text(receipt, "webhook-id")))
        .collect();
    let mut lacking = Vec::new();
    for subscription in &deliveries.subscriptions {
        let Some(from) = subscription.get("owedFrom").and_then(Value::as_i64) else {
            continue;
        };
        let host = text(subscription, "host");
        let filters = list(subscription, "current");
        for (id, event) in &public {
            let is_owed = event.at >= from
                && is_of(subscription, event)
                && filters.iter().all(|filter| wants(filter, event.kind));
            if is_owed && !came.contains(&(host, id.as_str())) {
                lacking.push((host.to_owned(), id.clone()));
            }
        }
    }
    lacking
}

/// Judges what has reached the servers.
pub(super) fn check(deliveries: &Deliveries, rows: Rows<'_>, findings: &mut Findings) {
    for (host, id) in lacking(deliveries, rows) {
        findings.add(
            "every-event-is-delivered",
            &id,
            format!("it never came to {host}"),
        );
    }
    let public = rows.public();
    let mut bodies: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut last: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for receipt in &deliveries.receipts {
        let (host, id) = (text(receipt, "host"), text(receipt, "webhook-id"));
        let body = text(receipt, "body");
        let known = deliveries
            .subscriptions
            .iter()
            .find(|subscription| text(subscription, "host") == host);
        let Some(subscription) = known else {
            findings.add("only-what-is-wanted", id, format!("{host} is no endpoint"));
            continue;
        };
        one(receipt, subscription, public.get(id), findings);
        if *bodies.entry(id).or_insert(body) != body {
            findings.add("copies-are-the-same", id, format!("another body: {body}"));
        }
        if !seen.insert((host, id)) {
            continue;
        }
        let sequence = read(body).map_or(0, |body| number(&body, "sequence"));
        let stream = id.split(':').next().unwrap_or_default();
        let before = last.entry((host, stream)).or_default();
        let in_order = subscription.get("inOrder") == Some(&Value::Bool(true));
        if in_order && sequence <= *before {
            let detail = format!("number {sequence} came to {host} after {before}");
            findings.add("deliveries-in-sequence", id, detail);
        }
        *before = sequence;
    }
    without_gaps(deliveries, findings);
}

/// One message by itself.
fn one(receipt: &Value, subscription: &Value, event: Option<&Public<'_>>, findings: &mut Findings) {
    let (host, id) = (text(receipt, "host"), text(receipt, "webhook-id"));
    let body = text(receipt, "body");
    let read = read(body).unwrap_or_default();
    let filters = list(subscription, "ever");
    let is_right = event.is_some_and(|event| {
        is_of(subscription, event)
            && text(&read, "type") == event.kind
            && text(&read, "id") == id
            && filters.iter().any(|filter| wants(filter, event.kind))
    });
    if !is_right {
        findings.add("only-what-is-wanted", id, format!("{host} got {body}"));
    }
    let gone = subscription.get("goneAt").and_then(Value::as_i64);
    if gone.is_some_and(|gone| number(receipt, "at") > gone.saturating_add(UNDER_WAY)) {
        findings.add(
            "only-what-is-wanted",
            id,
            format!("{host} was removed long before"),
        );
    }
    if longest_number(body) >= DIGITS {
        findings.add(
            "no-card-data-is-delivered",
            id,
            format!("{host} got {body}"),
        );
    }
    let secrets = list(subscription, "secrets");
    let mut known = secrets.iter().filter_map(Value::as_str);
    // The answer that had the secret of a new endpoint may be lost.
    if !secrets.is_empty() && !known.any(|secret| is_signed(receipt, secret)) {
        findings.add("deliveries-are-signed", id, format!("{host} got {receipt}"));
    }
}

/// One who gets everything from the beginning gets each number of each stream.
fn without_gaps(deliveries: &Deliveries, findings: &mut Findings) {
    let all = deliveries.subscriptions.iter().filter(|subscription| {
        subscription.get("owedFrom").and_then(Value::as_i64) == Some(0)
            && list(subscription, "ever") == [Value::Array(Vec::new())]
    });
    for subscription in all {
        let mut numbers: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for receipt in &deliveries.receipts {
            if text(receipt, "host") == text(subscription, "host") {
                let stream = text(receipt, "webhook-id").split(':').next();
                let sequence =
                    read(text(receipt, "body")).map_or(0, |body| number(&body, "sequence"));
                numbers
                    .entry(stream.unwrap_or_default())
                    .or_default()
                    .insert(sequence);
            }
        }
        for (stream, numbers) in numbers {
            let most = i64::try_from(numbers.len()).unwrap_or(0);
            if numbers.first() != Some(&1) || numbers.last() != Some(&most) {
                findings.add("deliveries-without-gaps", stream, format!("{numbers:?}"));
            }
        }
    }
}

fn is_of(subscription: &Value, event: &Public<'_>) -> bool {
    (subscription.get("neighbour") == Some(&Value::Bool(true))) == event.neighbour
}

/// Whether a filter wants a kind. Source: the description of `saveWebhookEndpoint`.
fn wants(filter: &Value, kind: &str) -> bool {
    let entries = filter.as_array().map_or(&[][..], Vec::as_slice);
    let group = kind.split('.').next().unwrap_or_default();
    let mut texts = entries.iter().filter_map(Value::as_str);
    entries.is_empty()
        || texts.any(|entry| entry == kind || entry.strip_suffix(".*") == Some(group))
}

/// Whether a secret proves a message, at the time at which it came. Source: Standard Webhooks 1.0.0.
fn is_signed(receipt: &Value, secret: &str) -> bool {
    let key = secret.strip_prefix("whsec_").unwrap_or_default();
    let Ok(key) = STANDARD.decode(key) else {
        return false;
    };
    let Ok(mut mac) = <Hmac<Sha256> as Mac>::new_from_slice(&key) else {
        return false;
    };
    let time = text(receipt, "webhook-timestamp");
    let (id, body) = (text(receipt, "webhook-id"), text(receipt, "body"));
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    let signed_at = time.parse::<i64>().unwrap_or(0).saturating_mul(1_000_000);
    let off = number(receipt, "at").saturating_sub(signed_at).abs();
    off <= TOLERANCE
        && text(receipt, "webhook-signature")
            .split(' ')
            .any(|signature| signature == wanted)
}

/// The most digits in a row.
fn longest_number(text: &str) -> usize {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.map(str::len).max().unwrap_or(0)
}

fn read(body: &str) -> Option<Value> {
    serde_json::from_str(body).ok()
}
