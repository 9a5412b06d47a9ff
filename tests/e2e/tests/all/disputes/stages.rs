//! Every stage and end, and what they make of the payment.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, cards, until};

use super::{ask_desk, disputes_of, events_of, in_status, move_on, open, paid};
use crate::shared;

#[test]
fn a_chargeback_is_reported_contested_won_and_reopened() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::DISPUTED).id();
    let opened = in_status(&shop, &payment, None, "NEEDS_RESPONSE");
    let source = opened["sourceDisputeId"].as_str().unwrap();
    assert_eq!(opened["reason"], "FRAUD");
    assert_eq!(opened["lifecycleStage"], "CHARGEBACK");
    assert_eq!(opened["paymentId"], json!(payment));
    assert_eq!(opened["connectionId"], "simulator-a");
    assert_eq!(opened["amount"]["rawAmount"], 1000);
    assert_eq!(opened["processorReason"], "fraudulent");
    assert!(opened["responseDate"].as_str() > opened["disputeDate"].as_str());
    shop.wait_for_status(&payment, "DISPUTED");
    shop.try_refund(&payment, json!(100))
        .assert_error("error.refund.invalid-status");
    for status in ["SENT_FOR_REVIEW", "UNDER_REVIEW"] {
        move_on(&shop, source, json!({ "status": status }));
        in_status(&shop, &payment, Some(source), status);
        shop.payment(&payment).assert_status("DISPUTED");
    }
    move_on(&shop, source, json!({"status": "WON"}));
    shop.wait_for_status(&payment, "SUCCEEDED");
    let again = json!({"status": "NEEDS_RESPONSE", "lifecycleStage": "PRE_ARBITRATION"});
    move_on(&shop, source, again);
    shop.wait_for_status(&payment, "DISPUTED");
    move_on(&shop, source, json!({"status": "LOST"}));
    let lost = in_status(&shop, &payment, Some(source), "LOST");
    shop.payment(&payment).assert_status("DISPUTED");
    let titles: Vec<&str> = lost["disputeTimeline"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles.first(), Some(&"The dispute was opened"));
    for title in [
        "The dispute was won",
        "The dispute was reopened",
        "The dispute was lost",
    ] {
        assert!(titles.contains(&title), "{titles:?}");
    }
    let kinds = until(PATIENCE, "the events", || {
        let kinds = events_of(&shop, lost["id"].as_str().unwrap());
        kinds.contains(&"dispute.lost".to_owned()).then_some(kinds)
    });
    assert_eq!(kinds.first().map(String::as_str), Some("dispute.opened"));
    for kind in ["dispute.opened", "dispute.won", "dispute.lost"] {
        assert_eq!(
            kinds.iter().filter(|one| *one == kind).count(),
            1,
            "{kinds:?}"
        );
    }
    shop.payment(&payment)
        .assert_says("Disputed")
        .assert_says("A dispute ended");
}

#[test]
fn an_alert_leaves_the_payment_and_its_refunds_alone_until_it_is_a_chargeback() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::ALERTED).id();
    let alert = in_status(&shop, &payment, None, "NOTIFICATION");
    assert_eq!(alert["lifecycleStage"], "INQUIRY");
    shop.payment(&payment).assert_status("SUCCEEDED");
    shop.refund(&payment, 100);
    let source = alert["sourceDisputeId"].as_str().unwrap();
    let inquiry = json!({"status": "NEEDS_RESPONSE"});
    move_on(&shop, source, inquiry);
    in_status(&shop, &payment, Some(source), "NEEDS_RESPONSE");
    shop.payment(&payment).assert_status("PARTIAL_REFUNDED");
    let chargeback = json!({"status": "NEEDS_RESPONSE", "lifecycleStage": "CHARGEBACK"});
    move_on(&shop, source, chargeback);
    shop.wait_for_status(&payment, "DISPUTED");
    move_on(&shop, source, json!({"status": "CLOSED"}));
    shop.wait_for_status(&payment, "PARTIAL_REFUNDED");
}

#[test]
fn of_several_disputes_of_parts_and_in_another_currency_the_last_frees_the_payment() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::VISA).id();
    let first = open(
        &shop,
        &payment,
        json!({"amount": 300, "reason": "CUSTOMER_DISPUTES"}),
    );
    let dollars = json!({"amount": 200, "currencyCode": "USD", "reason": "PROCESSING_ERRORS"});
    let second = open(&shop, &payment, dollars);
    let part = in_status(&shop, &payment, Some(&first), "NEEDS_RESPONSE");
    assert_eq!(part["amount"]["rawAmount"], 300);
    let other = in_status(&shop, &payment, Some(&second), "NEEDS_RESPONSE");
    assert_eq!(other["amount"]["formattedAmount"], "$2.00");
    assert_eq!(other["reason"], "PROCESSING_ERRORS");
    shop.payment(&payment).assert_status("DISPUTED");
    move_on(&shop, &first, json!({"status": "WON"}));
    in_status(&shop, &payment, Some(&first), "WON");
    shop.payment(&payment).assert_status("DISPUTED");
    move_on(&shop, &second, json!({"status": "CLOSED"}));
    shop.wait_for_status(&payment, "SUCCEEDED");
    assert_eq!(disputes_of(&shop, &payment).len(), 2);
}

#[test]
fn a_debit_that_is_returned_is_a_chargeback_that_is_lost_at_once() {
    let shop = shared::shop();
    let account = json!({"paymentMethod": {"bankAccount": {
        "number": "DE35370400440532013002", "accountHolderName": "Ada Byron"}}});
    let token = shop.try_tokenise(account, None);
    let token = token.root()["token"].as_str().unwrap().to_owned();
    let order = Order::token(&token).with("paymentMethod/type", json!("SEPA_DIRECT_DEBIT"));
    let payment = shop.order(&order).id();
    shop.wait_for_status(&payment, "DISPUTED");
    let returned = in_status(&shop, &payment, None, "LOST");
    assert_eq!(returned["lifecycleStage"], "CHARGEBACK");
    let paid = shop.payment(&payment);
    assert!(paid.number("/capturedAmount") > 0);
    let kinds = until(PATIENCE, "the events", || {
        let kinds = events_of(&shop, returned["id"].as_str().unwrap());
        (kinds.len() >= 2).then_some(kinds)
    });
    assert_eq!(kinds[..2], ["dispute.opened", "dispute.lost"]);
}

#[test]
fn a_deadline_warns_near_and_past_and_only_the_processor_decides() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::VISA).id();
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let near = open(&shop, &payment, json!({"responseDate": soon.to_string()}));
    let dispute = in_status(&shop, &payment, Some(&near), "NEEDS_RESPONSE");
    let warned = |dispute: &Value| events_of(&shop, dispute["id"].as_str().unwrap());
    until(PATIENCE, "the warning", || {
        warned(&dispute)
            .contains(&"dispute.response_due".to_owned())
            .then_some(())
    });
    let past = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(1);
    let late = open(&shop, &payment, json!({"responseDate": past.to_string()}));
    let dispute = in_status(&shop, &payment, Some(&late), "NEEDS_RESPONSE");
    until(PATIENCE, "the warning", || {
        warned(&dispute)
            .contains(&"dispute.response_due".to_owned())
            .then_some(())
    });
    in_status(&shop, &payment, Some(&late), "NEEDS_RESPONSE");
}

#[test]
fn the_desk_is_the_teams_own() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let payment = paid(&shop, cards::VISA).id();
    let source = open(&shop, &payment, json!({}));
    let wish = json!({ "paymentId": payment });
    assert_eq!(ask_desk(&other, "/sandbox/disputes", &wish).status, 404);
    let path = format!("/sandbox/disputes/{source}");
    let won = json!({"status": "WON"});
    assert_eq!(ask_desk(&other, &path, &won).status, 404);
    assert_eq!(ask_desk(&shop.client(json!({})), &path, &won).status, 403);
    assert_eq!(ask_desk(&shop, "/sandbox/disputes", &json!({})).status, 400);
    assert_eq!(
        ask_desk(&shop, "/sandbox/disputes", &json!({"x": 1})).status,
        400
    );
    in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
}

#[test]
fn the_desk_names_what_it_cannot_take() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::VISA).id();
    for (name, value, rule) in [
        (
            "lifecyclestage",
            json!("CHARGEBACK"),
            "is no member of this body, which may have paymentId, status, lifecycleStage",
        ),
        (
            "status",
            json!("LOSING"),
            "must be one of NOTIFICATION, NEEDS_RESPONSE",
        ),
        (
            "lifecycleStage",
            json!(7),
            "must be one of INQUIRY, CHARGEBACK",
        ),
        ("reason", json!("Fraud"), "must be one of"),
        (
            "amount",
            json!(10.5),
            "must be a whole number of minor units",
        ),
        ("amount", json!(-1), "must be greater than zero"),
        ("currencyCode", json!(978), "must be a text"),
        ("currencyCode", json!("euro"), "must be a currency"),
        ("responseDate", json!("tomorrow"), "must be a time"),
        ("paymentId", json!("x"), "must be a payment's id"),
    ] {
        let mut wish = json!({ "paymentId": payment });
        wish[name] = value;
        let reply = ask_desk(&shop, "/sandbox/disputes", &wish);
        assert_eq!(reply.status, 400, "{wish}");
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(extensions["code"], "error.validation");
        assert_eq!(extensions["field"], name, "{answer}");
        let reason = extensions["reason"].as_str().unwrap();
        assert!(reason.starts_with(rule), "{answer}");
    }
    let reply = ask_desk(&shop, "/sandbox/disputes", &json!("x"));
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("must be a JSON object"));
}

#[test]
fn a_dispute_says_where_its_money_is_and_which_notification_moved_it() {
    let shop = shared::server().other_team();
    let payment = paid(&shop, cards::VISA).id();
    let source = open(&shop, &payment, json!({"amount": 300}));
    let opened = in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
    let id = opened["id"].as_str().unwrap();
    let funds = || {
        let query = "query($id: ID!) { getDispute(id: $id) { funds } }";
        shop.gql(query, json!({ "id": id })).root()["funds"].clone()
    };
    assert_eq!(funds(), json!("WITHDRAWN"));
    move_on(&shop, &source, json!({"status": "WON"}));
    let won = in_status(&shop, &payment, Some(&source), "WON");
    assert_eq!(funds(), json!("REINSTATED"));
    let query = "{ listNotifications(first: 100) { edges { node { id type } } } }";
    let page = shop.gql(query, json!({}));
    let notified: Vec<String> = page.root()["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["node"]["id"].as_str().unwrap().to_owned())
        .collect();
    let lines = won["disputeTimeline"]["events"].as_array().unwrap();
    for title in ["The dispute was opened", "The dispute was won"] {
        let line = lines.iter().find(|line| line["title"] == title).unwrap();
        let message = line["message"].as_str().unwrap();
        let (_, id) = message
            .split_once("The processor reported it by notification ")
            .unwrap_or_else(|| panic!("{message}"));
        let id = id.trim_end_matches('.').to_owned();
        assert!(notified.contains(&id), "{message} {notified:?}");
    }
    let query =
        "{ listEvents(first: 100, kinds: [\"dispute.*\"]) { edges { node { kind data } } } }";
    let reported = until(PATIENCE, "the events", || {
        let page = shop.gql(query, json!({}));
        let edges = page.root()["edges"].as_array().unwrap().clone();
        let funds: Vec<(String, Value)> = edges
            .iter()
            .map(|edge| &edge["node"])
            .map(|node| {
                let kind = node["kind"].as_str().unwrap().to_owned();
                (kind, node["data"]["funds"].clone())
            })
            .collect();
        funds
            .iter()
            .any(|(kind, _)| kind == "dispute.won")
            .then_some(funds)
    });
    assert_eq!(
        reported[0],
        ("dispute.opened".to_owned(), json!("WITHDRAWN"))
    );
    let reinstated = ("dispute.won".to_owned(), json!("REINSTATED"));
    assert!(reported.contains(&reinstated), "{reported:?}");
}
