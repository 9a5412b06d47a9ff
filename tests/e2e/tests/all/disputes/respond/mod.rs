//! Responding to disputes: drafts, evidence, acceptance, and what no network may do to them.

mod files;
mod refused;
mod taken;
mod unknown;

use std::sync::OnceLock;

use serde_json::{Value, json};
use testkit::{Answer, ObjectStore, Order, Server, Setup, Shop, Upload};

use super::in_status;

/// What stories read of a dispute that was responded to.
const FIELDS: &str = "id status response { kind state reason attachmentIds } attachments { id fileName } \
    disputeTimeline { events { title message } }";

/// A small document.
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n";
/// A small picture that the simulator takes no evidence of.
const TIFF: &[u8] = b"II*\0\x08\0\0\0\0\0\0\0\0\0\0\0";

/// A server that keeps attachments wherever its databases are.
fn server() -> &'static Server {
    static SERVER: OnceLock<&'static Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let store = Box::leak(Box::new(ObjectStore::start()));
        Setup::new().with_bucket(store).start_shared()
    })
}

fn pdf(name: &str) -> Upload<'_> {
    Upload {
        name,
        kind: "application/pdf",
        content: PDF,
    }
}

/// A payment with this card, and its dispute once it waits for a response.
fn disputed(shop: &Shop, card: &str) -> Value {
    let payment = shop.order(&Order::card(card).amount(1000)).id();
    in_status(shop, &payment, None, "NEEDS_RESPONSE")
}

fn id_of(dispute: &Value) -> String {
    dispute["id"].as_str().unwrap().to_owned()
}

fn text(kind: &str, text: &str) -> Value {
    json!({ "kind": kind, "text": text })
}

const RESPOND: &str = "mutation($id: ID!, $evidence: DisputeEvidenceInput!, $submit: Boolean) { \
    submitDisputeEvidence(id: $id, evidence: $evidence, submit: $submit)";

/// Saves evidence as a draft.
fn draft(shop: &Shop, dispute: &str, evidence: &Value) -> Answer {
    let given = json!({ "id": dispute, "evidence": evidence });
    shop.gql(&format!("{RESPOND} {{ {FIELDS} }} }}"), given)
}

/// Submits evidence.
fn submit(shop: &Shop, dispute: &str, evidence: &Value) -> Answer {
    submit_once(shop, dispute, evidence, None)
}

/// Submits evidence under an idempotency key.
fn submit_once(shop: &Shop, dispute: &str, evidence: &Value, key: Option<&str>) -> Answer {
    let given = json!({ "id": dispute, "evidence": evidence, "submit": true });
    shop.gql_once(&format!("{RESPOND} {{ {FIELDS} }} }}"), given, key)
}

/// Accepts a dispute.
fn accept(shop: &Shop, dispute: &str, key: Option<&str>) -> Answer {
    let query = format!("mutation($id: ID!) {{ acceptDispute(id: $id) {{ {FIELDS} }} }}");
    shop.gql_once(&query, json!({ "id": dispute }), key)
}

/// The dispute as it stands.
fn read(shop: &Shop, dispute: &str) -> Value {
    let query = format!("query($id: ID!) {{ getDispute(id: $id) {{ {FIELDS} }} }}");
    let answer = shop.gql(&query, json!({ "id": dispute }));
    answer.root().clone()
}

fn titles(dispute: &Value) -> Vec<String> {
    let events = dispute["disputeTimeline"]["events"].as_array().unwrap();
    let title = |event: &Value| event["title"].as_str().unwrap().to_owned();
    events.iter().map(title).collect()
}

/// What the simulator has of a dispute: the responses that it took.
fn taken_of(shop: &Shop, dispute: &Value) -> Vec<Value> {
    let source = &dispute["sourceDisputeId"];
    let reply = shop.get("/sandbox/books");
    let books: Value = serde_json::from_slice(&reply.body).unwrap();
    let entries = books["entries"].as_array().unwrap().iter();
    let mut disputes = entries.flat_map(|entry| entry["disputes"].as_array().into_iter().flatten());
    let found = disputes.find(|one| one["id"] == *source).unwrap();
    found["responses"].as_array().unwrap().clone()
}
