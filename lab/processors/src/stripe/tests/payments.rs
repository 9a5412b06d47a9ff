//! Payments, refunds and disputes.

use super::Client;

#[test]
fn a_sale_is_taken_at_once_with_its_fee() {
    let mut client = Client::new();
    let paid = client.pay(
        "pm_card_visa",
        "&expand[]=latest_charge.balance_transaction&metadata[ref]=a-1",
    );
    assert_eq!((paid.status, paid.text("/status")), (200, "succeeded"));
    assert_eq!(paid.number("/amount_received"), 1000);
    assert_eq!(paid.number("/latest_charge/balance_transaction/fee"), 59);
    assert_eq!(
        paid.text("/latest_charge/payment_method_details/card/checks/cvc_check"),
        "pass"
    );
    assert!(
        !paid
            .text("/latest_charge/payment_method_details/card/network_transaction_id")
            .is_empty()
    );
    assert_eq!(client.balance(), 941);
    assert_eq!(
        client.events(),
        [
            "payment_intent.created",
            "charge.succeeded",
            "payment_intent.succeeded"
        ]
    );
}

#[test]
fn a_decline_is_402_with_its_words_and_the_intent_goes_on() {
    let mut client = Client::new();
    let declined = client.pay("pm_card_chargeDeclinedInsufficientFunds", "");
    assert_eq!(declined.status, 402);
    assert_eq!(declined.text("/error/type"), "card_error");
    assert_eq!(declined.text("/error/decline_code"), "insufficient_funds");
    assert_eq!(declined.text("/error/advice_code"), "try_again_later");
    let id = declined.text("/error/payment_intent/id").to_owned();
    let read = client.get(&format!("/v1/payment_intents/{id}"));
    assert_eq!(read.text("/status"), "requires_payment_method");
    assert_eq!(
        read.text("/last_payment_error/decline_code"),
        "insufficient_funds"
    );
    let again = client.post(
        &format!("/v1/payment_intents/{id}/confirm"),
        "payment_method=pm_card_visa",
    );
    assert_eq!(again.text("/status"), "succeeded");
    assert_eq!(client.balance(), 941);
}

#[test]
fn a_number_that_is_no_test_card_is_declined() {
    let mut client = Client::new();
    let card = "payment_method_data[type]=card&payment_method_data[card][exp_month]=12&payment_method_data[card][exp_year]=2034";
    let body = |number: &str| {
        format!(
            "amount=1000&currency=usd&confirm=true&{card}&payment_method_data[card][number]={number}"
        )
    };
    assert_eq!(
        client
            .post("/v1/payment_intents", &body("4242424242424242"))
            .text("/status"),
        "succeeded"
    );
    assert_eq!(
        client
            .post("/v1/payment_intents", &body("4111111111111111"))
            .text("/error/decline_code"),
        "test_mode_live_card"
    );
    assert_eq!(
        client
            .post("/v1/payment_intents", &body("4242424242424241"))
            .text("/error/code"),
        "incorrect_number"
    );
    let method = "type=card&card[number]=4242424242424242&card[exp_month]=13&card[exp_year]=2034";
    assert_eq!(
        client
            .post("/v1/payment_methods", method)
            .text("/error/code"),
        "invalid_expiry_month"
    );
    let token = client
        .post(
            "/v1/tokens",
            "card[number]=4242424242424242&card[exp_month]=1&card[exp_year]=34",
        )
        .text("/id")
        .to_owned();
    let used = format!("type=card&card[token]={token}");
    assert_eq!(client.post("/v1/payment_methods", &used).status, 200);
    assert_eq!(
        client
            .post("/v1/payment_methods", &used)
            .text("/error/code"),
        "token_already_used"
    );
}

#[test]
fn captures_stay_within_what_was_authorised() {
    let mut client = Client::new();
    let several =
        "&capture_method=manual&payment_method_options[card][request_multicapture]=if_available";
    let held = client.pay("pm_card_visa", several);
    assert_eq!(
        (held.text("/status"), held.number("/amount_capturable")),
        ("requires_capture", 1000)
    );
    assert_eq!(client.balance(), -1, "nothing was taken");
    let capture = format!("/v1/payment_intents/{}/capture", held.text("/id"));
    assert_eq!(client.post(&capture, "amount_to_capture=1001").status, 400);
    let first = client.post(&capture, "amount_to_capture=400&final_capture=false");
    assert_eq!(
        (first.text("/status"), first.number("/amount_capturable")),
        ("requires_capture", 600)
    );
    assert_eq!(client.post(&capture, "amount_to_capture=601").status, 400);
    let last = client.post(&capture, "amount_to_capture=500");
    assert_eq!(
        (
            last.text("/status"),
            last.number("/amount_received"),
            last.number("/amount_capturable")
        ),
        ("succeeded", 900, 0)
    );
    assert_eq!(
        client.post(&capture, "").text("/error/code"),
        "payment_intent_unexpected_state"
    );

    let single = client.pay("pm_card_visa", "&capture_method=manual");
    let capture = format!("/v1/payment_intents/{}/capture", single.text("/id"));
    assert_eq!(
        client
            .post(&capture, "amount_to_capture=400&final_capture=false")
            .text("/error/param"),
        "final_capture"
    );
}

#[test]
fn an_authorisation_is_cancelled_or_expires() {
    let mut client = Client::new();
    let held = client.pay("pm_card_visa", "&capture_method=manual");
    let cancel = format!("/v1/payment_intents/{}/cancel", held.text("/id"));
    let gone = client.post(&cancel, "cancellation_reason=abandoned");
    assert_eq!(
        (gone.text("/status"), gone.text("/cancellation_reason")),
        ("canceled", "abandoned")
    );
    assert_eq!(
        client.post(&cancel, "").text("/error/code"),
        "payment_intent_unexpected_state"
    );
    let forgotten = client.pay("pm_card_visa", "&capture_method=manual");
    client.wait(8 * 24 * 3600);
    let read = client.get(&format!("/v1/payment_intents/{}", forgotten.text("/id")));
    assert_eq!(
        (read.text("/status"), read.text("/cancellation_reason")),
        ("canceled", "expired")
    );
    let paid = client.pay("pm_card_visa", "");
    assert_eq!(
        client
            .post(
                &format!("/v1/payment_intents/{}/cancel", paid.text("/id")),
                ""
            )
            .status,
        400
    );
}

#[test]
fn refunds_stay_within_what_was_captured() {
    let mut client = Client::new();
    let paid = client.pay("pm_card_visa", "");
    let refund = |amount: i64| format!("payment_intent={}&amount={amount}", paid.text("/id"));
    assert_eq!(
        client.post("/v1/refunds", &refund(400)).text("/status"),
        "succeeded"
    );
    assert_eq!(
        client
            .post("/v1/refunds", &refund(601))
            .text("/error/param"),
        "amount"
    );
    assert_eq!(client.post("/v1/refunds", &refund(0)).status, 400);
    assert_eq!(client.post("/v1/refunds", &refund(600)).status, 200);
    assert_eq!(
        client.post("/v1/refunds", &refund(1)).text("/error/code"),
        "charge_already_refunded"
    );
    assert_eq!(
        client.post("/v1/refunds", "amount=5").text("/error/code"),
        "parameter_missing"
    );
    assert_eq!(client.balance(), -59, "the fee stays paid");
    let held = client.pay("pm_card_visa", "&capture_method=manual");
    let early = client.post(
        "/v1/refunds",
        &format!("payment_intent={}", held.text("/id")),
    );
    assert_eq!(early.text("/error/code"), "charge_not_refundable");
    let list = client.get(&format!("/v1/refunds?payment_intent={}", paid.text("/id")));
    assert_eq!(list.view["data"].as_array().unwrap().len(), 2);
}

#[test]
fn a_refund_can_fail_after_it_succeeded() {
    let mut client = Client::new();
    let paid = client.pay("pm_card_refundFail", "");
    let refund = client.post(
        "/v1/refunds",
        &format!("payment_intent={}", paid.text("/id")),
    );
    assert_eq!(refund.text("/status"), "succeeded");
    client.wait(60);
    let read = client.get(&format!("/v1/refunds/{}", refund.text("/id")));
    assert_eq!(
        (read.text("/status"), read.text("/failure_reason")),
        ("failed", "expired_or_canceled_card")
    );
    assert_eq!(client.balance(), 941, "the money is back");
    assert!(client.events().contains(&"refund.failed".to_owned()));
    let again = client.post(
        "/v1/refunds",
        &format!("payment_intent={}", paid.text("/id")),
    );
    assert_eq!(again.status, 200, "what failed can be tried again");

    let pending = client.pay("pm_card_pendingRefund", "");
    let refund = client.post(
        "/v1/refunds",
        &format!("payment_intent={}", pending.text("/id")),
    );
    assert_eq!(refund.text("/status"), "pending");
    client.wait(60);
    assert_eq!(
        client
            .get(&format!("/v1/refunds/{}", refund.text("/id")))
            .text("/status"),
        "succeeded"
    );
}

#[test]
fn the_shopper_is_asked_and_comes_back() {
    for (result, word, status) in [
        ("complete", "succeeded", "succeeded"),
        ("fail", "failed", "requires_payment_method"),
    ] {
        let mut client = Client::new();
        let asked = client.pay(
            "pm_card_threeDSecure2Required",
            "&return_url=https://shop.example/back?order=1",
        );
        assert_eq!(asked.text("/status"), "requires_action");
        let page = asked
            .text("/next_action/redirect_to_url/url")
            .strip_prefix("http://simulator")
            .unwrap()
            .to_owned();
        assert_eq!(client.get(&page).status, 200);
        assert_eq!(
            client.get(&format!("{page}x")).status,
            404,
            "the secret isn't right"
        );
        let back = client.post(&page, &format!("result={result}"));
        let location = back.answer.reply.headers["location"].clone();
        assert_eq!(back.status, 302);
        assert!(
            location.starts_with("https://shop.example/back?order=1&payment_intent=pi_"),
            "{location}"
        );
        assert!(
            location.ends_with(&format!("redirect_status={word}")),
            "{location}"
        );
        let read = client.get(&format!(
            "/v1/payment_intents/{}?expand[]=latest_charge",
            asked.text("/id")
        ));
        assert_eq!(read.text("/status"), status);
        assert_eq!(
            client.post(&page, "result=complete").status,
            302,
            "a second visit changes nothing"
        );
        let after = client.get(&format!("/v1/payment_intents/{}", asked.text("/id")));
        assert_eq!(after.text("/status"), status);
    }
}

#[test]
fn without_the_shopper_a_demand_for_authentication_is_a_decline() {
    let mut client = Client::new();
    let declined = client.pay("pm_card_authenticationRequired", "&off_session=true");
    assert_eq!(
        (declined.status, declined.text("/error/decline_code")),
        (402, "authentication_required")
    );
    assert_eq!(
        client.events().last().unwrap(),
        "payment_intent.payment_failed"
    );
    let ideal = "amount=1000&currency=eur&confirm=true&payment_method_types[]=ideal&payment_method_data[type]=ideal";
    assert_eq!(
        client
            .post("/v1/payment_intents", ideal)
            .text("/error/param"),
        "return_url"
    );
    let debit = "amount=1000&currency=eur&confirm=true&payment_method_data[type]=sepa_debit&payment_method_data[sepa_debit][iban]=DE1\
        &payment_method_data[billing_details][name]=Ada&payment_method_data[billing_details][email]=ada@example.com\
        &mandate_data[customer_acceptance][type]=offline";
    let debit = client.post("/v1/payment_intents", debit);
    assert_eq!(debit.text("/status"), "processing");
    client.wait(60);
    assert_eq!(
        client
            .get(&format!("/v1/payment_intents/{}", debit.text("/id")))
            .text("/status"),
        "succeeded"
    );
}

#[test]
fn a_dispute_takes_the_money_and_may_bring_it_back() {
    for (words, status, balance) in [
        ("winning_evidence", "won", -559),
        ("losing_evidence", "lost", -1559),
    ] {
        let mut client = Client::new();
        let paid = client.pay("pm_card_createDispute", "");
        client.wait(5);
        let list = client.get(&format!("/v1/disputes?payment_intent={}", paid.text("/id")));
        let id = list.text("/data/0/id").to_owned();
        assert_eq!(list.text("/data/0/status"), "needs_response");
        assert_eq!(client.balance(), 941 - 1000 - 1500);
        let refund = client.post(
            "/v1/refunds",
            &format!("payment_intent={}", paid.text("/id")),
        );
        assert_eq!(refund.text("/error/code"), "charge_disputed");
        let draft = client.post(
            &format!("/v1/disputes/{id}"),
            "evidence[customer_name]=A&submit=false",
        );
        assert_eq!(
            (
                draft.text("/status"),
                draft.number("/evidence_details/submission_count")
            ),
            ("needs_response", 0)
        );
        let sent = client.post(
            &format!("/v1/disputes/{id}"),
            &format!("evidence[uncategorized_text]={words}"),
        );
        assert_eq!(
            (sent.text("/status"), sent.text("/evidence/customer_name")),
            ("under_review", "A")
        );
        assert_eq!(
            client
                .post(&format!("/v1/disputes/{id}"), "evidence[customer_name]=B")
                .status,
            400,
            "once only"
        );
        client.wait(60);
        assert_eq!(
            client.get(&format!("/v1/disputes/{id}")).text("/status"),
            status
        );
        assert_eq!(client.balance(), balance);
        assert_eq!(client.events().last().unwrap(), "charge.dispute.closed");
    }
}

#[test]
fn a_dispute_is_accepted_or_its_deadline_passes() {
    let mut client = Client::new();
    client.pay("pm_card_createDispute", "");
    client.pay("pm_card_createDispute", "");
    client.wait(5);
    let list = client.get("/v1/disputes");
    let (one, other) = (
        list.text("/data/0/id").to_owned(),
        list.text("/data/1/id").to_owned(),
    );
    assert_eq!(
        client
            .post(&format!("/v1/disputes/{one}/close"), "")
            .text("/status"),
        "lost"
    );
    assert_eq!(
        client.post(&format!("/v1/disputes/{one}/close"), "").status,
        400
    );
    let unknown = client.post(&format!("/v1/disputes/{other}"), "evidence[nothing]=1");
    assert_eq!(unknown.text("/error/code"), "parameter_unknown");
    let long = format!("evidence[product_description]={}", "a".repeat(20_001));
    assert_eq!(
        client.post(&format!("/v1/disputes/{other}"), &long).status,
        400
    );
    client.wait(8 * 24 * 3600);
    assert_eq!(
        client.get(&format!("/v1/disputes/{other}")).text("/status"),
        "lost"
    );
}

#[test]
fn an_inquiry_costs_nothing_until_it_escalates() {
    let mut client = Client::new();
    client.pay("pm_card_createDisputeInquiry", "");
    client.wait(5);
    let list = client.get("/v1/disputes");
    let id = list.text("/data/0/id").to_owned();
    assert_eq!(list.text("/data/0/status"), "warning_needs_response");
    assert_eq!(client.balance(), 941);
    client.post(
        &format!("/v1/disputes/{id}"),
        "evidence[uncategorized_text]=escalate_inquiry_evidence",
    );
    client.wait(60);
    assert_eq!(
        client.get(&format!("/v1/disputes/{id}")).text("/status"),
        "needs_response"
    );
    assert_eq!(client.balance(), 941 - 2500);
}

#[test]
fn lists_go_on_from_a_place_and_search_lags() {
    let mut client = Client::new();
    let ids: Vec<String> = (0..3)
        .map(|n| {
            client
                .pay("pm_card_visa", &format!("&metadata[ref]={n}"))
                .text("/id")
                .to_owned()
        })
        .collect();
    let first = client.get("/v1/payment_intents?limit=2");
    assert_eq!(
        (first.text("/data/0/id"), first.text("/data/1/id")),
        (ids[2].as_str(), ids[1].as_str())
    );
    assert_eq!(first.view["has_more"], true);
    let rest = client.get(&format!(
        "/v1/payment_intents?limit=2&starting_after={}",
        ids[1]
    ));
    assert_eq!(
        (rest.text("/data/0/id"), rest.view["has_more"].as_bool()),
        (ids[0].as_str(), Some(false))
    );
    assert_eq!(
        client
            .get("/v1/payment_intents?limit=101")
            .text("/error/param"),
        "limit"
    );
    assert_eq!(
        client.get("/v1/payment_intents?starting_after=pi_x").status,
        404
    );
    let found = |client: &mut Client| {
        let got = client.get("/v1/payment_intents/search?query=metadata%5B%27ref%27%5D:%271%27");
        got.view["data"].as_array().unwrap().len()
    };
    assert_eq!(found(&mut client), 0, "search isn't there yet, the list is");
    client.wait(2);
    assert_eq!(found(&mut client), 1);
    assert_eq!(
        client
            .get("/v1/payment_intents/search?query=nonsense")
            .text("/error/param"),
        "query"
    );
}
