//! Cards that are kept: setup intents, payments for future use, and what may be used again.

use super::{Client, Got};

const CARD: &str = "type=card&card[exp_month]=12&card[exp_year]=2034&card[number]=";
/// Asks for the shopper, unless it was set up and the shopper isn't there.
const UNLESS_SET_UP: &str = "4000002500003155";

impl Client {
    fn method(&mut self, number: &str) -> String {
        let made = self.post("/v1/payment_methods", &format!("{CARD}{number}"));
        made.text("/id").to_owned()
    }

    fn customer(&mut self) -> String {
        self.post("/v1/customers", "").text("/id").to_owned()
    }

    /// A setup of the method for the customer.
    fn set_up(&mut self, method: &str, customer: &str) -> Got {
        let made = self.post("/v1/setup_intents", &format!("customer={customer}"));
        assert_eq!(made.text("/status"), "requires_payment_method");
        let id = made.text("/id").to_owned();
        let form = format!("payment_method={method}&return_url=https://shop.example/back");
        self.post(&format!("/v1/setup_intents/{id}/confirm"), &form)
    }

    /// A payment without the shopper.
    fn charge(&mut self, method: &str, customer: Option<&str>) -> Got {
        let customer = customer.map(|customer| format!("&customer={customer}"));
        let form = format!(
            "amount=1000&currency=eur&confirm=true&off_session=true&payment_method={method}{}",
            customer.unwrap_or_default()
        );
        self.post("/v1/payment_intents", &form)
    }
}

#[test]
fn a_card_that_is_set_up_is_attached_and_charged_without_the_shopper() {
    let mut client = Client::new();
    let customer = client.customer();
    let method = client.method(UNLESS_SET_UP);
    let alone = client.charge(&method, None);
    assert_eq!(alone.text("/error/code"), "authentication_required");
    let method = client.method(UNLESS_SET_UP);
    let asked = client.set_up(&method, &customer);
    assert_eq!(asked.text("/status"), "requires_action");
    let page = asked.text("/next_action/redirect_to_url/url").to_owned();
    let path = page.strip_prefix("http://simulator").unwrap().to_owned();
    let back = client.post(&path, "result=complete");
    assert_eq!(back.status, 302);
    let id = asked.text("/id").to_owned();
    let done = client.get(&format!("/v1/setup_intents/{id}"));
    assert_eq!(done.text("/status"), "succeeded");
    let kept = client.get(&format!("/v1/payment_methods/{method}"));
    assert_eq!(kept.text("/customer"), customer);
    for _ in 0..2 {
        let paid = client.charge(&method, Some(&customer));
        assert_eq!(paid.text("/status"), "succeeded", "{}", paid.view);
    }
    let nobodys = client.charge(&method, None);
    assert_eq!(nobodys.text("/error/param"), "payment_method");
}

#[test]
fn a_challenge_that_is_failed_and_a_declined_card_attach_nothing() {
    let mut client = Client::new();
    let customer = client.customer();
    let method = client.method(UNLESS_SET_UP);
    let asked = client.set_up(&method, &customer);
    let page = asked.text("/next_action/redirect_to_url/url").to_owned();
    let path = page.strip_prefix("http://simulator").unwrap().to_owned();
    client.post(&path, "result=fail");
    let id = asked.text("/id").to_owned();
    let failed = client.get(&format!("/v1/setup_intents/{id}"));
    assert_eq!(failed.text("/status"), "requires_payment_method");
    assert_eq!(
        failed.text("/last_setup_error/code"),
        "setup_intent_authentication_failure"
    );
    let declined = client.method("4000000000009995");
    let refused = client.set_up(&declined, &customer);
    assert_eq!(refused.status, 402);
    assert_eq!(refused.text("/error/decline_code"), "insufficient_funds");
    for method in [method, declined] {
        let kept = client.get(&format!("/v1/payment_methods/{method}"));
        assert!(kept.view["customer"].is_null());
    }
}

#[test]
fn a_method_that_is_nobodys_pays_once_and_one_that_was_detached_never() {
    let mut client = Client::new();
    let method = client.method("4242424242424242");
    assert_eq!(client.charge(&method, None).text("/status"), "succeeded");
    let again = client.charge(&method, None);
    assert_eq!(again.status, 400);
    assert!(
        again
            .text("/error/message")
            .starts_with("The provided PaymentMethod was previously used")
    );
    let customer = client.customer();
    let method = client.method("4242424242424242");
    assert_eq!(
        client.set_up(&method, &customer).text("/status"),
        "succeeded"
    );
    client.post(&format!("/v1/payment_methods/{method}/detach"), "");
    for customer in [None, Some(customer.as_str())] {
        assert_eq!(client.charge(&method, customer).status, 400);
    }
}

#[test]
fn a_payment_for_future_use_attaches_its_card_when_it_is_approved() {
    let mut client = Client::new();
    for (number, is_kept) in [("4242424242424242", true), ("4000000000000002", false)] {
        let customer = client.customer();
        let method = client.method(number);
        let form = format!(
            "amount=1000&currency=eur&confirm=true&setup_future_usage=off_session&customer={customer}&payment_method={method}"
        );
        client.post("/v1/payment_intents", &form);
        let kept = client.get(&format!("/v1/payment_methods/{method}"));
        assert_eq!(kept.text("/customer") == customer, is_kept, "{number}");
    }
}

#[test]
fn a_token_of_a_security_code_confirms_once() {
    let mut client = Client::new();
    let token = client.post("/v1/tokens", "cvc_update[cvc]=123");
    assert_eq!(token.text("/type"), "cvc_update");
    let token = token.text("/id").to_owned();
    for is_first in [true, false] {
        let method = client.method("4242424242424242");
        let form = format!(
            "amount=1000&currency=eur&confirm=true&payment_method={method}&payment_method_options[card][cvc_token]={token}"
        );
        let got = client.post("/v1/payment_intents", &form);
        assert_eq!(got.status == 200, is_first, "{}", got.view);
    }
}
