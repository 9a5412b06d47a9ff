//! What is proposed as evidence.

use serde_json::{Value, json};
use testkit::{ObjectStore, Order, Setup, cards};

use super::in_status;

const QUERY: &str = "query($id: ID!) { disputeEvidence(id: $id) { \
    limits { textCharacters allCharacters files fileBytes allBytes contentTypes } \
    attachments { fileName } proposed { kind text } } }";

fn text_of<'a>(evidence: &'a Value, kind: &str) -> Option<&'a str> {
    let proposed = evidence["proposed"].as_array().unwrap();
    let text = proposed.iter().find(|text| text["kind"] == kind)?;
    text["text"].as_str()
}

fn most_of(limits: &Value, name: &str) -> usize {
    usize::try_from(limits[name].as_u64().unwrap()).unwrap()
}

#[test]
fn a_pack_is_proposed_of_what_is_known_within_the_processor_s_limits() {
    let server = Setup::new().with_bucket(&ObjectStore::start()).start();
    let shop = server.shop();
    let customer = shop.create_customer("Ada Lovelace");
    let good = shop.tokenise_for(&customer, cards::VISA);
    let before = shop.order(
        &Order::token(&good)
            .with("customer", json!({"id": customer}))
            .with("orderId", json!("order-1")),
    );
    before.assert_status("SUCCEEDED");
    let bad = shop.tokenise_for(&customer, cards::DISPUTED);
    let delivery = json!({"delivery": {"carrier": "Royal Mail", "tracking": "RM123", "boxes": 2}});
    let paid = shop.order(
        &Order::token(&bad)
            .with("customer", json!({"id": customer}))
            .with("orderId", json!("order-2"))
            .with("metadata", delivery),
    );
    shop.attach(&paid.id(), b"%PDF-1.7\n%%EOF");
    let dispute = in_status(&shop, &paid.id(), None, "NEEDS_RESPONSE");
    let answer = shop.gql(QUERY, json!({"id": dispute["id"]}));
    let evidence = answer.root();
    let limits = &evidence["limits"];
    assert_eq!(limits["files"], 5, "{limits}");
    assert_eq!(evidence["attachments"][0]["fileName"], "receipt.pdf");
    let transaction = text_of(evidence, "TRANSACTION").unwrap();
    assert!(transaction.contains("order-2") && transaction.contains(&paid.id()));
    let customers = text_of(evidence, "CUSTOMER").unwrap();
    assert!(customers.contains("Ada Lovelace"), "{customers}");
    let delivered = text_of(evidence, "DELIVERY").unwrap();
    assert_eq!(delivered, "carrier: Royal Mail\ntracking: RM123\nboxes: 2");
    let earlier = text_of(evidence, "EARLIER_PAYMENTS").unwrap();
    assert!(
        earlier.contains("order-1") && !earlier.contains("order-2"),
        "{earlier}"
    );
    assert!(text_of(evidence, "TIMELINE").is_some());
    assert!(text_of(evidence, "AUTHENTICATION").is_none());
    let most = most_of(limits, "textCharacters");
    let mut all = 0;
    for text in evidence["proposed"].as_array().unwrap() {
        let length = text["text"].as_str().unwrap().chars().count();
        assert!(length > 0 && length <= most);
        all += length;
    }
    assert!(all <= most_of(limits, "allCharacters"));
    // No number of a card is in it.
    assert!(!evidence.to_string().contains(cards::DISPUTED));
}
