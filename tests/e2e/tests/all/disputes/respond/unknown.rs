//! Responses of which nobody knows at first whether the processor has them: never a failure, never taken twice.

use std::thread;

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Setup, Shop, cards, until};

use super::{
    super::{desk, in_status},
    accept, id_of, read, submit, submit_once, taken_of, text, titles,
};

/// A team's payment through a connection of its own, and the dispute of it.
fn disputed_at(shop: &Shop, connection: &str) -> Value {
    shop.connection(connection, json!({}));
    let steps = json!([{"authorise": {"connection": connection}}, {"capture": "now"}]);
    shop.publish(connection, steps);
    let order = Order::card(cards::DISPUTED).amount(1000).flow(connection);
    let payment = shop.order(&order).id();
    in_status(shop, &payment, None, "NEEDS_RESPONSE")
}

fn taken(shop: &Shop, id: &str) -> Value {
    until(PATIENCE, "the response to be taken", || {
        let found = read(shop, id);
        (found["response"]["state"] == "TAKEN").then_some(found)
    })
}

fn says(found: &Value, title: &str) {
    let titles = titles(found);
    assert!(titles.iter().any(|one| one == title), "{title}: {titles:?}");
}

#[test]
fn a_response_without_an_answer_is_found_at_the_processor_and_not_sent_again() {
    let shop = crate::shared::server().other_team();
    let dispute = disputed_at(&shop, "breaks-after");
    let id = id_of(&dispute);
    shop.connection("breaks-after", json!({"fault": "dies_after_charging"}));
    let (key, evidence) = (
        Shop::fresh_key(),
        json!({"texts": [text("OTHER", "A word.")]}),
    );
    let unknown = submit_once(&shop, &id, &evidence, Some(&key));
    assert_eq!(unknown.root()["response"]["state"], "SENDING");
    let while_open = submit(&shop, &id, &evidence);
    // The job may have found it already.
    let codes = [
        "error.payment.operation-in-progress",
        "error.dispute.invalid-status",
    ];
    assert!(
        while_open
            .error_code()
            .is_some_and(|code| codes.contains(&code))
    );
    let found = taken(&shop, &id);
    says(&found, "The response got no answer");
    assert!(!titles(&found).contains(&"The response is sent again".to_owned()));
    assert_eq!(taken_of(&shop, &dispute).len(), 1);
    let settled = submit_once(&shop, &id, &evidence, Some(&key));
    assert!(settled.replayed());
    assert_eq!(settled.root()["response"]["state"], "TAKEN");
}

#[test]
fn a_response_that_was_not_sent_is_sent_when_the_processor_is_back() {
    let shop = crate::shared::server().other_team();
    let dispute = disputed_at(&shop, "away");
    let id = id_of(&dispute);
    shop.connection("away", json!({"fault": "down"}));
    let sent = accept(&shop, &id, None);
    assert_eq!(sent.root()["response"]["state"], "SENDING");
    assert_eq!(sent.root()["status"], "NEEDS_RESPONSE");
    assert!(taken_of(&shop, &dispute).is_empty());
    shop.connection("away", json!({}));
    let found = taken(&shop, &id);
    says(&found, "The response is sent again");
    assert_eq!(found["status"], "LOST");
    assert_eq!(taken_of(&shop, &dispute).len(), 1);
}

#[test]
fn a_process_that_dies_between_the_commits_leaves_nothing_undone_and_nothing_twice() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let dispute = disputed_at(&shop, "slow-one");
    let id = id_of(&dispute);
    // It takes what it is sent at once, and keeps its answer to itself.
    shop.connection("slow-one", json!({"fault": "slow", "delay": "2m"}));
    let (key, evidence) = (
        Shop::fresh_key(),
        json!({"texts": [text("OTHER", "A word.")]}),
    );
    thread::scope(|scope| {
        let (asker, dispute_id) = (shop.clone(), id.clone());
        let (sent_key, sent) = (key.clone(), evidence.clone());
        scope.spawn(move || {
            // The process dies in the middle: there is no answer.
            let given = json!({ "id": dispute_id, "evidence": sent });
            let query = "mutation($id: ID!, $evidence: DisputeEvidenceInput!) { \
                submitDisputeEvidence(id: $id, evidence: $evidence, submit: true) { id } }";
            let request = asker.request(query, given, Some(&sent_key));
            drop(request.try_send(asker.address()));
        });
        until(PATIENCE, "the response at the processor", || {
            (!taken_of(&shop, &dispute).is_empty()).then_some(())
        });
        server.kill();
    });
    server.restart();
    let shop = server.shop();
    let found = taken(&shop, &id);
    assert_ne!(found["status"], "NEEDS_RESPONSE");
    assert_eq!(taken_of(&shop, &dispute).len(), 1);
    let again = submit_once(&shop, &id, &evidence, Some(&key));
    assert!(again.replayed());
    assert_eq!(again.root()["response"]["state"], "TAKEN");
}

#[test]
fn a_response_that_never_arrived_is_given_up_when_the_dispute_went_on() {
    let shop = crate::shared::server().other_team();
    let dispute = disputed_at(&shop, "gone");
    let id = id_of(&dispute);
    shop.connection("gone", json!({"fault": "down"}));
    let evidence = json!({"texts": [text("OTHER", "A word.")]});
    assert_eq!(
        submit(&shop, &id, &evidence).root()["response"]["state"],
        "SENDING"
    );
    let source = dispute["sourceDisputeId"].as_str().unwrap();
    desk(
        &shop,
        &format!("/sandbox/disputes/{source}"),
        &json!({"status": "LOST"}),
    );
    shop.connection("gone", json!({}));
    let ended = until(PATIENCE, "the response to be given up", || {
        let found = read(&shop, &id);
        (found["response"]["state"] == "REFUSED").then_some(found)
    });
    says(&ended, "The response was not taken");
    assert!(taken_of(&shop, &dispute).is_empty());
}
