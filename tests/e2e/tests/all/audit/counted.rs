//! What is counted instead of recorded one by one, and what must not be in the trail.

use std::thread;

use serde_json::{Value, json};
use testkit::{
    KeyKind, Order, PATIENCE, Setup, Shop, cards, needles_of_code, needles_of_number, until,
};

use super::{details, list, of_act};

fn sum(entries: &[Value]) -> u64 {
    entries
        .iter()
        .map(|entry| details(entry)["count"].as_u64().unwrap())
        .sum()
}

#[test]
fn wrong_keys_are_counted_by_address_and_why_and_slow_nobody_down() {
    let mut server = Setup::new().start();
    for n in 0..4_000 {
        // A new one each time, so that none is known from before.
        let wrong = server.shop_with(&format!("sk_test_wrong0000000{n}"));
        wrong.gql("{ __typename }", json!({})).assert_refused(401);
    }
    server
        .shop_with("nonsense")
        .gql("{ __typename }", json!({}))
        .assert_refused(401);
    server
        .stranger()
        .gql("{ __typename }", json!({}))
        .assert_refused(401);
    // What was counted last is written at the end.
    server.stop();
    server.restart();
    let found = of_act(&server, "authentication.failed");
    assert_eq!(sum(&found), 4_002, "{found:?}");
    assert!(found.len() < 40, "{} entries", found.len());
    for entry in &found {
        assert_eq!(details(entry)["from"], "127.0.0.1");
        assert_eq!(entry["what"]["outcome"], "refused");
    }
    let whys: Vec<&Value> = found
        .iter()
        .map(|entry| &entry["what"]["details"])
        .collect();
    for why in ["unknown", "malformed", "missing"] {
        assert!(
            whys.iter().any(|details| details.to_string().contains(why)),
            "{why}"
        );
    }
}

#[test]
fn reads_are_counted_for_each_credential_and_payments_need_no_entry() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::VISA).id();
    shop.try_refund(&id, json!(100)).data();
    let second = server.shop_with(&server.create_key(KeyKind::Secret));
    for _ in 0..7 {
        shop.payment(&id);
    }
    for _ in 0..3 {
        second.payment(&id);
    }
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    browser
        .try_refund(&id, json!(100))
        .assert_error("api.key.forbidden");
    let reads: Vec<Value> = of_act(&server, "data.accessed")
        .into_iter()
        .filter(|entry| entry["what"]["subject_id"] == "getPayment")
        .collect();
    assert_eq!(sum(&reads), 10, "{reads:?}");
    let mut keys: Vec<&Value> = reads
        .iter()
        .map(|entry| &entry["what"]["actor_id"])
        .collect();
    keys.sort_by_key(ToString::to_string);
    keys.dedup();
    assert_eq!(keys.len(), 2);
    let refused = of_act(&server, "access.refused");
    assert_eq!((refused.len(), sum(&refused)), (1, 1), "{refused:?}");
    assert_eq!(refused[0]["what"]["actor"], "public");
    let all = list(&server, &[]);
    assert!(
        all.iter().all(|entry| !entry["what"]["act"]
            .as_str()
            .unwrap()
            .starts_with("payment.")),
        "payments have events"
    );
}

#[test]
fn counts_are_written_at_the_end_though_work_under_way_took_all_of_its_time() {
    let mut server = Setup::new()
        .setting("server.shutdown_timeout", "1s")
        .start();
    let shop = server.shop();
    let id = shop.authorise(cards::VISA).id();
    for _ in 0..3 {
        shop.payment(&id);
    }
    let request = shop.authorise_request(&Order::card(cards::UNKNOWN_CHARGED), Some("held"));
    let address = shop.address();
    let under_way = thread::spawn(move || drop(request.try_send(address)));
    until(PATIENCE, "the charge is in the books", || {
        (shop.books().charges() == 2).then_some(())
    });
    server.stop();
    under_way.join().unwrap();
    server.restart();
    let reads: Vec<Value> = of_act(&server, "data.accessed")
        .into_iter()
        .filter(|entry| entry["what"]["subject_id"] == "getPayment")
        .collect();
    assert_eq!(sum(&reads), 3, "{reads:?}");
}

#[test]
fn no_card_data_no_secret_and_nobody_s_name_is_in_the_trail() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut card = Shop::card(cards::VISA);
    card["cvc"] = json!("0917");
    let customer = shop
        .try_create_customer(
            json!({"customer": {"name": "Ada Lovelace", "email": "ada@shop.example"}, "card": card}),
            None,
        )
        .root()
        .as_str()
        .unwrap()
        .to_owned();
    shop.order(&Order::card(cards::MASTERCARD));
    let query = "mutation($credentials: JSON) { saveConnection(id: \"mine\", processor: \"simulator\", name: \"Ada's account\", \
                 settings: {}, credentials: $credentials, skipProbe: true) { id } }";
    shop.gql(query, json!({"credentials": {"apiKey": "swordfish"}}))
        .root();
    let key = server.create_key(KeyKind::Secret);
    let token = shop.gql("mutation { generateClientToken { token } }", json!({}));
    let token = token.root()["token"].as_str().unwrap().to_owned();
    server
        .shop_with(&format!("{key}x"))
        .gql("{ __typename }", json!({}))
        .assert_refused(401);
    shop.try_delete_customer(&customer).data();
    let to = server.root().join("trail.jsonl");
    server.run(&["audit", "export", "--to", to.to_str().unwrap()]);
    let trail = std::fs::read(&to).unwrap();
    assert!(trail.len() > 2_000);
    let numbers = [cards::VISA, cards::MASTERCARD];
    let needles = numbers
        .into_iter()
        .flat_map(needles_of_number)
        .chain(needles_of_code("0917"))
        .filter(|needle| !needle.name.is_empty());
    for needle in needles {
        assert!(!needle.is_in(&trail), "{}", needle.name);
    }
    let text = String::from_utf8(trail).unwrap();
    for secret in [key.as_str(), token.as_str(), "swordfish", "Ada", "ada@"] {
        assert!(!text.contains(secret), "{secret}");
    }
}
