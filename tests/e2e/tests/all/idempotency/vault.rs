//! Keys on tokenising and creating customers.

use serde_json::json;
use testkit::{Shop, at_once, cards};

use crate::shared;

#[test]
fn one_key_makes_one_token() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let key = Shop::fresh_key();
    let data =
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": customer}});
    let first = shop.try_tokenise(data.clone(), Some(&key));
    let again = shop.try_tokenise(data, Some(&key));
    assert!(!first.replayed() && again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    assert_eq!(shop.methods(&customer).len(), 1);
    let other = json!({"paymentMethod": {"card": Shop::card(cards::MASTERCARD)}, "customer": {"id": customer}});
    let reused = shop.try_tokenise(other, Some(&key));
    reused.assert_error("error.idempotency.key-reused");
    assert_eq!(reused.extension("id"), &first.root()["token"]);
    assert_eq!(shop.methods(&customer).len(), 1);
}

#[test]
fn a_refused_card_is_refused_again_with_the_same_error() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let mut card = Shop::card(cards::VISA);
    card["number"] = json!("4242424242424241");
    let bad = json!({"paymentMethod": {"card": card}});
    let first = shop.try_tokenise(bad.clone(), Some(&key));
    first.assert_invalid("number");
    let again = shop.try_tokenise(bad, Some(&key));
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let corrected = shop.try_tokenise(
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}}),
        Some(&key),
    );
    corrected.assert_error("error.idempotency.key-reused");
    assert_eq!(corrected.extension("first"), first.extension("code"));
}

#[test]
fn several_mistakes_are_reported_at_once_and_again_byte_for_byte() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let mut card = Shop::card(cards::VISA);
    card["number"] = json!("4242424242424241");
    card["expMonth"] = json!(13);
    let address = json!({"country": "Eire"});
    let customer = json!({"email": "x".repeat(400), "billingAddress": address});
    let bad = json!({"paymentMethod": {"card": card}, "customer": customer});
    let first = shop.try_tokenise(bad.clone(), Some(&key));
    first.assert_invalid("number");
    let listed = first.extension("faults").as_array().unwrap();
    let fields: Vec<&str> = listed
        .iter()
        .filter_map(|one| one["field"].as_str())
        .collect();
    assert_eq!(
        fields,
        [
            "data.paymentMethod.card.number",
            "data.paymentMethod.card.expMonth",
            "data.customer.name",
            "data.customer.email",
            "data.customer.billingAddress.country",
        ]
    );
    assert_eq!(first.extension("field"), &listed[0]["field"]);
    assert_eq!(first.extension("reason"), &listed[0]["reason"]);
    assert!(!first.reply.text().contains("4242"), "no number is shown");
    let again = shop.try_tokenise(bad, Some(&key));
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let mut typed = Shop::card(cards::VISA);
    typed["expMonth"] = json!("May");
    typed["expYear"] = json!([]);
    let typed = shop.try_tokenise(json!({"paymentMethod": {"card": typed}}), None);
    let listed = typed.extension("faults").as_array().unwrap();
    assert_eq!(
        listed.len(),
        2,
        "types are reported together too: {}",
        typed.json()
    );
}

#[test]
fn twenty_at_once_with_one_key_make_one_token() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let key = Shop::fresh_key();
    let data =
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "customer": {"id": customer}});
    let answers = at_once(20, |_| shop.try_tokenise(data.clone(), Some(&key)));
    for answer in &answers {
        assert_eq!(answer.reply.body, answers[0].reply.body);
    }
    assert_eq!(
        answers.iter().filter(|answer| !answer.replayed()).count(),
        1
    );
    assert_eq!(shop.methods(&customer).len(), 1);
}

#[test]
fn one_key_makes_one_customer() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let data = json!({"customer": {"name": "Ada"}, "card": Shop::card(cards::VISA)});
    let answers = at_once(10, |_| shop.try_create_customer(data.clone(), Some(&key)));
    for answer in &answers {
        assert_eq!(answer.root(), answers[0].root());
    }
    assert_eq!(shop.methods(answers[0].root().as_str().unwrap()).len(), 1);
}
