//! Answers that are lost, and keys that make repeating them safe.

use std::time::Duration;

use serde_json::json;

use super::{Client, Got, altered, card};
use crate::Conduct;

const DAY: u64 = 24 * 3600;

fn sale(client: &mut Client, key: &str) -> Got {
    client.send("/v72/payments", &card("J. Smith"), Some(key))
}

fn count(client: &mut Client) -> usize {
    client.books()["payments"].as_array().unwrap().len()
}

#[test]
fn a_lost_answer_is_had_again_under_its_key() {
    for (fault, paid) in [
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
        assert_eq!(count(&mut client), paid, "{fault}");
        let again = sale(&mut client, "one");
        assert_eq!(again.text("/resultCode"), "Authorised", "{fault}");
        assert_eq!(again.answer.reply.headers["idempotency-key"], "one");
        assert_eq!(count(&mut client), 1, "{fault}");
        assert_eq!(client.events().len(), 1, "{fault}");
    }
}

#[test]
fn an_error_after_the_effect_is_repeated_and_the_truth_is_notified() {
    let mut client = Client::new();
    client.arm("error-after");
    assert_eq!(sale(&mut client, "one").status, 500);
    assert_eq!(sale(&mut client, "one").status, 500);
    assert_eq!(client.events(), ["AUTHORISATION true"]);
}

#[test]
fn a_request_that_runs_is_in_progress() {
    let mut client = Client::new();
    client.arm("slow=2000");
    let slow = sale(&mut client, "one");
    assert_eq!(slow.answer.conduct, Conduct::After(Duration::from_secs(2)));
    let running = sale(&mut client, "one");
    assert_eq!((running.status, running.text("/errorCode")), (422, "704"));
    client.wait(2);
    assert_eq!(sale(&mut client, "one").psp(), slow.psp());
    assert_eq!(count(&mut client), 1);
}

#[test]
fn a_key_with_another_body_is_refused_and_an_old_one_charges_again() {
    let mut client = Client::new();
    let first = sale(&mut client, "one");
    let other = altered(&card("J. Smith"), &[("/amount/value", json!(1001))]);
    assert_eq!(
        client.send("/v72/payments", &other, Some("one")).status,
        422
    );
    client.wait(7 * DAY - 1);
    assert_eq!(sale(&mut client, "one").psp(), first.psp());
    client.wait(1);
    assert_ne!(sale(&mut client, "one").psp(), first.psp());
    assert_eq!(
        count(&mut client),
        2,
        "a key that was forgotten charges twice"
    );
    assert_eq!(sale(&mut client, &"k".repeat(64)).status, 200);
    assert_eq!(sale(&mut client, &"k".repeat(65)).status, 422);
}

#[test]
fn a_refusal_is_kept_under_its_key_and_a_wrong_field_is_not() {
    let mut client = Client::new();
    let first = client.send("/v72/payments", &card("DECLINED"), Some("one"));
    let again = client.send("/v72/payments", &card("DECLINED"), Some("one"));
    assert_eq!((first.status, &first.view), (200, &again.view));
    let wrong = altered(&card("J. Smith"), &[("/nonsense", json!(1))]);
    assert_eq!(
        client.send("/v72/payments", &wrong, Some("two")).status,
        400
    );
    assert_eq!(sale(&mut client, "two").status, 200);
}

#[test]
fn a_changes_key_counts_as_a_payments_does() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    let path = format!("/v72/payments/{psp}/captures");
    let body = json!({"merchantAccount": "ShopECOM", "amount": {"currency": "EUR", "value": 400}});
    let first = client.send(&path, &body, Some("one"));
    let again = client.send(&path, &body, Some("one"));
    assert_eq!(first.psp(), again.psp());
    assert_eq!(client.books()["modifications"].as_array().unwrap().len(), 1);
}

#[test]
fn the_simulators_own_addresses_change_clock_faults_and_account() {
    let mut client = Client::new();
    let psp = client.pay("J. Smith").psp();
    client.modify(&psp, "captures", Some(1000));
    assert_eq!(client.form("/_sim/clock", "advance=1").status, 200);
    assert_eq!(client.balance(), 1000);
    let armed = client.form(
        "/_sim/faults",
        "fault=lost-after&times=1&path=/v72/payments",
    );
    assert_eq!(armed.status, 200);
    assert_eq!(client.pay("J. Smith").answer.conduct, Conduct::Lost);
    assert_eq!(client.form("/_sim/faults", "fault=nonsense").status, 422);
    assert_eq!(client.form("/_sim/clock", "advance=x").status, 422);
    assert_eq!(client.form("/_sim/clock", "advance=1&more=1").status, 400);
    let set = client.form(
        "/_sim/account",
        "capture=immediate&several_captures=true&merchant_account=Other",
    );
    assert_eq!(set.view["several_captures"], json!(true));
    let other = altered(&card("J. Smith"), &[("/merchantAccount", json!("Other"))]);
    assert_eq!(client.post("/v72/payments", &other).status, 200);
    assert_eq!(client.balance(), 2000);
}
