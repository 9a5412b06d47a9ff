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
    assert_eq!(reused.extension("id"), &first.root()["id"]);
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
