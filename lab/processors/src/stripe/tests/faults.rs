//! Answers that are lost, and keys that make repeating them safe.

use std::time::Duration;

use super::Client;
use crate::Conduct;

const SALE: &str = "amount=1000&currency=usd&confirm=true&payment_method=pm_card_visa";

fn sale(client: &mut Client, key: &str) -> super::Got {
    client.send("POST", "/v1/payment_intents", SALE, Some(key))
}

fn count(client: &mut Client) -> usize {
    client.get("/v1/payment_intents").view["data"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn a_lost_answer_is_had_again_under_its_key() {
    for (fault, charged) in [
        ("lost-after", 1),
        ("cut=10", 1),
        ("html", 1),
        ("lost-before", 0),
        ("error-before", 0),
        ("rate-limit", 0),
    ] {
        let mut client = Client::new();
        client.arm(fault);
        let lost = sale(&mut client, "one");
        assert!(
            lost.status != 200 || lost.answer.conduct != Conduct::Whole,
            "{fault}"
        );
        assert_eq!(count(&mut client), charged, "{fault}");
        let again = sale(&mut client, "one");
        assert_eq!(again.text("/status"), "succeeded", "{fault}");
        let replayed = again
            .answer
            .reply
            .headers
            .contains_key("idempotent-replayed");
        assert_eq!(replayed, charged == 1, "{fault}");
        assert_eq!(count(&mut client), 1, "{fault}");
    }
}

#[test]
fn an_error_after_the_effect_is_repeated_as_it_was() {
    let mut client = Client::new();
    client.arm("error-after");
    assert_eq!(sale(&mut client, "one").status, 500);
    assert_eq!(
        sale(&mut client, "one").status,
        500,
        "the stored answer, the effect notwithstanding"
    );
    assert_eq!(count(&mut client), 1);
}

#[test]
fn a_request_that_runs_is_a_conflict() {
    let mut client = Client::new();
    client.arm("slow=2000");
    let slow = sale(&mut client, "one");
    assert_eq!(slow.answer.conduct, Conduct::After(Duration::from_secs(2)));
    let conflict = sale(&mut client, "one");
    assert_eq!(
        (conflict.status, conflict.text("/error/code")),
        (409, "idempotency_key_in_use")
    );
    client.wait(2);
    assert_eq!(sale(&mut client, "one").text("/id"), slow.text("/id"));
    assert_eq!(count(&mut client), 1);
}

#[test]
fn a_key_with_another_body_is_refused_and_an_old_one_charges_again() {
    let mut client = Client::new();
    let first = sale(&mut client, "one");
    let changed = client.send(
        "POST",
        "/v1/payment_intents",
        &SALE.replace("1000", "1001"),
        Some("one"),
    );
    assert_eq!(
        (changed.status, changed.text("/error/type")),
        (400, "idempotency_error")
    );
    let elsewhere = client.send("POST", "/v1/customers", "", Some("one"));
    assert_eq!(elsewhere.text("/error/type"), "idempotency_error");
    client.wait(24 * 3600 - 1);
    assert_eq!(sale(&mut client, "one").text("/id"), first.text("/id"));
    client.wait(1);
    assert_ne!(sale(&mut client, "one").text("/id"), first.text("/id"));
    assert_eq!(
        count(&mut client),
        2,
        "a key that was forgotten charges twice"
    );
}

#[test]
fn a_decline_is_kept_under_its_key_and_a_wrong_parameter_is_not() {
    let mut client = Client::new();
    let declined = SALE.replace("pm_card_visa", "pm_card_chargeDeclined");
    let first = client.send("POST", "/v1/payment_intents", &declined, Some("one"));
    let again = client.send("POST", "/v1/payment_intents", &declined, Some("one"));
    assert_eq!((first.status, &first.view), (402, &again.view));
    let wrong = client.send(
        "POST",
        "/v1/payment_intents",
        "amount=x&currency=usd",
        Some("two"),
    );
    assert_eq!(wrong.status, 400);
    assert_eq!(sale(&mut client, "two").text("/status"), "succeeded");
}

#[test]
fn what_is_refused_before_it_begins_leaves_nothing() {
    let mut client = Client::new();
    let before = count(&mut client);
    let refused = client.post(
        "/v1/payment_intents",
        "amount=1000&currency=usd&confirm=true&payment_method=pm_nothing",
    );
    assert_eq!(refused.status, 404);
    let refused = client.post(
        "/v1/payment_intents",
        "amount=1000&currency=usd&confirm=true&payment_method_data[card][token]=tok_visa",
    );
    assert_eq!(refused.text("/error/code"), "parameter_missing");
    assert_eq!(count(&mut client), before);
    assert!(client.events().is_empty());
}

#[test]
fn the_same_seed_plays_the_same_story() {
    let story = || {
        let mut client = Client::new();
        client.arm("lost-after@2");
        let ids: Vec<String> = (0..5)
            .map(|n| sale(&mut client, &format!("k{n}")).text("/id").to_owned())
            .collect();
        (ids, client.balance())
    };
    assert_eq!(story(), story());
}

#[test]
fn tests_move_the_clock_and_arm_faults() {
    let mut client = Client::new();
    assert_eq!(
        client
            .post(
                "/_sim/faults",
                "fault=error-before&times=1&path=/v1/refunds"
            )
            .status,
        200
    );
    assert_eq!(client.get("/v1/balance").status, 200);
    assert_eq!(client.post("/v1/refunds", "").status, 500);
    assert_eq!(client.post("/_sim/faults", "fault=nonsense").status, 400);
    let held = client.pay("pm_card_visa", "&capture_method=manual");
    client.post("/_sim/clock", "advance=1000000");
    assert_eq!(
        client
            .get(&format!("/v1/payment_intents/{}", held.text("/id")))
            .text("/status"),
        "canceled"
    );
    let sums = client.get("/_sim/books");
    assert_eq!(sums.view["payment_intents"].as_array().unwrap().len(), 1);
    let paid = client.pay("pm_card_visa", "");
    let charge = paid.text("/latest_charge").to_owned();
    client.post(&format!("/_sim/charges/{charge}/dispute"), "");
    let id = client.get("/v1/disputes").text("/data/0/id").to_owned();
    client.post(&format!("/_sim/disputes/{id}"), "outcome=won");
    assert_eq!(client.get("/v1/disputes").text("/data/0/status"), "won");
    assert_eq!(client.post("/_sim/nothing", "").status, 404);
}
