//! It does not matter which node is asked.

use serde_json::{Value, json};
use testkit::{Answer, KeyKind, Order, at_once, cards, until};

use super::{WITHIN, two};

const BACK: &str = "https://shop.example/back";

fn succeeded(answers: &[Answer]) -> usize {
    answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .count()
}

#[test]
fn one_key_at_two_nodes_at_once_is_one_payment_and_one_answer() {
    let (one, two) = two();
    let shops = [one.shop(), two.shop()];
    for round in 0..5 {
        let key = format!("round-{round}");
        let answers = at_once(20, |n| {
            shops[n % 2].try_authorise(&Order::card(cards::VISA), Some(&key))
        });
        for answer in &answers {
            assert_eq!(answer.root()["status"], "SUCCEEDED");
            assert_eq!(answer.reply.body, answers[0].reply.body);
        }
        assert_eq!(
            answers.iter().filter(|answer| !answer.replayed()).count(),
            1
        );
        let id = answers[0].root()["id"].as_str().unwrap();
        let refund = |n: usize| {
            shops[n % 2]
                .refund_request(id, json!(100), Some("part"))
                .send(shops[n % 2].address())
        };
        let reported = at_once(6, refund);
        assert!(
            reported.iter().all(|reply| reply.body == reported[0].body),
            "one refund, answered six times"
        );
        assert_eq!(shops[0].payment(id).number("/refundedAmount"), 100);
    }
    assert_eq!(shops[0].books().entries.len(), 5);
    assert_eq!(shops[1].every_payment().len(), 5);
    shops[0].assert_books_equal_payments();
}

#[test]
fn captures_cancellations_and_refunds_race_over_two_nodes() {
    let (one, two) = two();
    let shops = [one.shop(), two.shop()];
    for round in 0..10 {
        let id = shops[round % 2].authorise_later(cards::VISA).id();
        let answers = at_once(4, |n| match n {
            0 | 1 => shops[n].try_capture(&id, Value::Null),
            _ => shops[n % 2].try_cancel(&id),
        });
        assert_eq!(succeeded(&answers), 1);
    }
    let id = shops[0].authorise(cards::VISA).id();
    let answers = at_once(60, |n| shops[n % 2].try_refund(&id, json!(25)));
    assert_eq!(succeeded(&answers), 40, "40 times 25 is all of it");
    let payment = shops[1].payment(&id);
    payment.assert_status("REFUNDED");
    assert_eq!(shops[0].books().charge(&payment).refunded, 1000);
    shops[1].assert_books_equal_payments();
}

#[test]
fn a_customer_may_come_back_to_another_node() {
    let (one, two) = two();
    let (here, there) = (one.shop(), two.shop());
    let detour = here.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    assert_eq!(there.payment(&detour.id).id(), detour.id);
    let onward = there.decide_and_return(&detour, "complete");
    assert_eq!(onward.parameter("3ds_status"), Some("COMPLETED"));
    for shop in [&here, &there] {
        shop.payment(&detour.id).assert_status("SUCCEEDED");
    }
    // Two returns at once at two nodes charge once.
    let detour = there.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let back = here.decide(&detour, "complete");
    at_once(4, |n| [&here, &there][n % 2].visit(&back));
    let payment = here.wait_for_status(&detour.id, "SUCCEEDED");
    assert_eq!(there.books().charge(&payment).captured, 1000);
    here.assert_books_equal_payments();
}

#[test]
fn a_security_code_that_one_node_took_is_used_at_another() {
    let (one, two) = two();
    let token = one.shop().tokenise(cards::VISA);
    let attach = "mutation($token: String!) { attachSecurityCode(token: $token, cvc: \"737\") }";
    let answer = one.shop().gql(attach, json!({"token": token}));
    assert!(answer.errors().is_empty(), "{}", answer.json());
    let kept = || {
        one.setup().postgres().sql(&format!(
            "select holder from {}_vault.security_code",
            schema(&one)
        ))
    };
    assert_eq!(kept().len(), 1);
    two.shop()
        .order(&Order::token(&token))
        .assert_status("SUCCEEDED");
    assert_eq!(
        kept(),
        [""; 0],
        "its authorisation has ended, so that it is erased"
    );
}

fn schema(server: &testkit::Server) -> String {
    testkit::schema_of(&server.root())
}

#[test]
fn a_revoked_key_stops_at_the_other_node_within_a_second() {
    let (one, two) = two();
    let key = one.create_key(KeyKind::Secret);
    let listed = one.run(&["key", "list"]);
    let id = listed
        .lines()
        .rfind(|line| line.contains(" valid"))
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    let shop = two.shop_with(&key);
    assert!(
        shop.gql("{ listFlows { id } }", json!({}))
            .errors()
            .is_empty()
    );
    one.run(&["key", "revoke", &id]);
    until(WITHIN, "the key has ended at the other node", || {
        let answer = shop.gql("{ listFlows { id } }", json!({}));
        (answer.error_code() == Some("api.key.unauthorized")).then_some(())
    });
}

#[test]
fn what_is_configured_at_one_node_holds_at_the_other_within_a_second() {
    let (one, two) = two();
    let (here, there) = (one.shop(), two.shop());
    let pay = || there.try_authorise(&Order::card(cards::VISA), None);
    assert_eq!(pay().root()["status"], "SUCCEEDED");
    // Another default flow: captured by a call.
    here.gql(
        "mutation { setDefaultFlow(id: \"capture-by-api\") }",
        json!({}),
    )
    .root();
    until(WITHIN, "the other default", || {
        (pay().root()["status"] == "AUTHORISED").then_some(())
    });
    // A new version of that flow: captured at once.
    let document = json!({
        "name": "By hand", "trigger": "payment",
        "steps": [{"authorise": {"connection": "simulator-a"}}, {"capture": "now"}],
    });
    let save = "mutation($document: JSON!) { saveFlow(id: \"capture-by-api\", document: $document) { latestVersion } }";
    let saved = here.gql(save, json!({"document": document}));
    let version = saved.root()["latestVersion"].as_i64().unwrap();
    here.gql(
        &format!("mutation {{ publishFlow(id: \"capture-by-api\", version: {version}) {{ id }} }}"),
        json!({}),
    )
    .root();
    until(WITHIN, "the new version", || {
        (pay().root()["status"] == "SUCCEEDED").then_some(())
    });
    // Its connection is switched off.
    here.gql(
        "mutation { disableConnection(id: \"simulator-a\") }",
        json!({}),
    )
    .root();
    until(WITHIN, "the connection is off", || {
        (pay().error_code() == Some("error.connection.not-found")).then_some(())
    });
    here.assert_books_equal_payments();
}
