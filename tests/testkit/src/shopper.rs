//! The shopper's side: the processor's page, the decision there, and the way back to the shop.

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::{Answer, Order, Payment, Shop};

/// A payment whose customer was sent to a page.
#[derive(Clone, Debug)]
pub struct Detour {
    /// The payment's id, with prefix.
    pub id: String,
    /// The page's address, as the error gave it.
    pub url: String,
}

impl Detour {
    /// Reads the error that sends the customer away, and checks its form.
    #[track_caller]
    pub fn of(answer: &Answer, code: &str) -> Self {
        answer.assert_error(code);
        let text = |name: &str| {
            answer
                .extension(name)
                .as_str()
                .unwrap_or_else(|| panic!("no {name}: {}", answer.json()))
        };
        let (id, url) = (text("id"), text("url"));
        assert!(id.starts_with("payments:"), "{id}");
        assert!(
            url.starts_with("http://") || url.starts_with("https://"),
            "{url}"
        );
        assert!(
            answer.message().contains(url),
            "the message holds the address: {}",
            answer.message()
        );
        Self {
            id: id.to_owned(),
            url: url.to_owned(),
        }
    }
}

/// Where a return sends the customer on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Onward {
    /// The whole address.
    pub url: String,
    /// What stands before the query.
    pub base: String,
    /// The query's parameters, decoded, in order.
    pub parameters: Vec<(String, String)>,
}

impl Onward {
    /// The address in a reply that sends on; fails the test for any other.
    #[track_caller]
    pub fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status, 303, "{}", reply.text());
        let url = reply.header("location").expect("a location").to_owned();
        let (base, query) = url
            .split_once('?')
            .map_or((url.as_str(), ""), |(base, query)| (base, query));
        let query = query.split('#').next().unwrap_or_default();
        let parameters = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (name.to_owned(), value.replace("%3A", ":"))
            });
        Self {
            base: base.to_owned(),
            parameters: parameters.collect(),
            url: url.clone(),
        }
    }

    /// The value of a parameter that is there once.
    #[track_caller]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut found = self.parameters.iter().filter(|(given, _)| given == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(
            found.next().is_none(),
            "{name} is there twice: {}",
            self.url
        );
        first
    }

    /// These parameters and no others, in this order.
    #[track_caller]
    pub fn assert_parameters(&self, expected: &[(&str, &str)]) {
        let given: Vec<_> = self
            .parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(given, expected, "{}", self.url);
    }
}

/// The path of an address: a server that was started again listens elsewhere, with the same pages.
pub fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/')
        .map_or_else(|| "/".to_owned(), |at| rest[at..].to_owned())
}

impl Order {
    /// 10.00 EUR by an alternative method, with the way back.
    pub fn method(method: &str, back: &str) -> Self {
        Self::card("")
            .with("paymentMethod", json!({"type": method}))
            .with("apmRedirectUrl", json!(back))
    }

    /// Asks for 3D Secure, with the way back.
    #[must_use]
    pub fn three_ds(self, back: &str) -> Self {
        self.with("perform3DSecure", json!({"redirectUrl": back}))
    }
}

impl Shop {
    /// Authorises an order that needs 3D Secure.
    #[track_caller]
    pub fn challenged(&self, order: &Order) -> Detour {
        Detour::of(
            &self.try_authorise(order, None),
            "error.authorize.requires3DSecure",
        )
    }

    /// Authorises an order that needs the customer's approval at an alternative method's page.
    #[track_caller]
    pub fn sent_to_method(&self, order: &Order) -> Detour {
        Detour::of(
            &self.try_authorise(order, None),
            "error.authorize.requiresApmAuthorization",
        )
    }

    /// Loads a page as a shopper does, without a credential.
    #[track_caller]
    pub fn visit(&self, url: &str) -> Reply {
        Request::new("GET", path_of(url)).send(self.address())
    }

    /// Posts the decision at the processor's page; the reply.
    #[track_caller]
    pub fn post_outcome(&self, url: &str, outcome: &str) -> Reply {
        Request::new("POST", path_of(url))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(format!("outcome={outcome}"))
            .send(self.address())
    }

    /// Decides at the processor's page (`complete`, `fail`); the address of the return, not yet loaded.
    #[track_caller]
    pub fn decide(&self, detour: &Detour, outcome: &str) -> String {
        Onward::of(&self.post_outcome(&detour.url, outcome)).url
    }

    /// Decides and comes back; where the merchant's customer is sent on.
    #[track_caller]
    pub fn decide_and_return(&self, detour: &Detour, outcome: &str) -> Onward {
        let back = self.decide(detour, outcome);
        Onward::of(&self.visit(&back))
    }

    /// Asks to give a payment up; whatever comes.
    #[track_caller]
    pub fn try_abandon(&self, id: &str) -> Answer {
        let query = format!(
            "mutation($id: ID!) {{ abandonPayment(id: $id) {{ {} }} }}",
            crate::PAYMENT_FIELDS
        );
        self.gql(&query, json!({"id": id}))
    }

    /// Gives a payment up.
    #[track_caller]
    pub fn abandon(&self, id: &str) -> Payment {
        Payment(self.try_abandon(id).root().clone())
    }
}

impl Payment {
    /// The titles of the timeline's lines, oldest first.
    pub fn titles(&self) -> Vec<String> {
        let lines = self.0["paymentTimeline"]["overview"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        lines
            .iter()
            .filter_map(|line| line["title"].as_str().map(str::to_owned))
            .collect()
    }

    /// The decline's code; null when it was not declined.
    pub fn decline_code(&self) -> &Value {
        &self.0["paymentCore"]["outcome"]["declineCode"]
    }
}
