//! A merchant who speaks to the service: raw requests, GraphQL, and the verbs of a payment's life.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::{Answer, Order, PATIENCE, Payment, until};

/// Everything that a card payment shows.
pub const PAYMENT_FIELDS: &str = "id sourceId orderId connectionId date status type \
    amount { rawAmount currency formattedAmount } refundedAmount capturedAmount \
    refunds { id amount status reason date } currency country eci paymentProcessingOrigin \
    threeDSecureVersion threeDSecureAuthenticationResult flowId flowInstanceId teamId \
    paymentGateway { id name logo } \
    paymentCore { processorStatus paymentMethod outcome { networkStatus reason riskLevel riskScore type \
        declineCode declineType processorDeclineCode processorDeclineType } } \
    paymentDetails { statementDescriptor localCurrency description } \
    paymentTimeline { overview { title time message } flows { id name date flowId flowInstanceId } } \
    paymentConnections { latestCharge } paymentCustomer { id email name } \
    paymentMethodDetails { id number expires fingerprint paymentMethod type brand country name } \
    paymentReceipt { type message date receiptUrl } metadata";

/// A caller with one credential, or none.
#[derive(Clone)]
pub struct Shop {
    address: SocketAddr,
    credential: Option<String>,
}

impl Shop {
    /// A caller of the service at an address, with a credential or none.
    pub fn new(address: SocketAddr, credential: Option<&str>) -> Self {
        Self {
            address,
            credential: credential.map(str::to_owned),
        }
    }

    /// A key that nobody used before.
    pub fn fresh_key() -> String {
        static USED: AtomicU64 = AtomicU64::new(0);
        format!(
            "story-{}-{}",
            std::process::id(),
            USED.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Where the service listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The credential.
    pub fn credential(&self) -> &str {
        self.credential.as_deref().unwrap_or_default()
    }

    /// A `GET` with the credential.
    pub fn get(&self, path: &str) -> Reply {
        self.authorised(Request::new("GET", path))
            .send(self.address)
    }

    /// A GraphQL request that can still be changed: headers and the exact body are the caller's.
    pub fn graphql(&self, body: impl Into<Vec<u8>>) -> Request {
        self.authorised(Request::new("POST", "/api/graphql"))
            .header("Content-Type", "application/json")
            .body(body)
    }

    fn authorised(&self, request: Request) -> Request {
        match &self.credential {
            Some(credential) => request.header("Authorization", format!("Bearer {credential}")),
            None => request,
        }
    }

    /// Sends a document with variables.
    #[track_caller]
    pub fn gql(&self, query: &str, variables: Value) -> Answer {
        self.gql_once(query, variables, None)
    }

    /// Sends a document with variables and, when given, an idempotency key.
    #[track_caller]
    pub fn gql_once(&self, query: &str, variables: Value, key: Option<&str>) -> Answer {
        Answer::of(self.request(query, variables, key).send(self.address))
    }

    /// The request that [`Self::gql_once`] sends.
    pub fn request(&self, query: &str, variables: Value, key: Option<&str>) -> Request {
        let request = self.graphql(json!({"query": query, "variables": variables}).to_string());
        match key {
            Some(key) => request.header("X-Idempotency-Key", key),
            None => request,
        }
    }

    /// The request of an authorisation.
    pub fn authorise_request(&self, order: &Order, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($order: AuthorisedPaymentInput!) {{ authorizePayment(authorisePayment: $order) {{ {PAYMENT_FIELDS} }} }}"
        );
        self.request(&query, json!({"order": order.json()}), key)
    }

    /// Asks for an authorisation; whatever comes.
    #[track_caller]
    pub fn try_authorise(&self, order: &Order, key: Option<&str>) -> Answer {
        Answer::of(self.authorise_request(order, key).send(self.address))
    }

    /// Authorises an order; a payment comes back, paid or not.
    #[track_caller]
    pub fn order(&self, order: &Order) -> Payment {
        Payment(self.try_authorise(order, None).root().clone())
    }

    /// Authorises 10.00 EUR with a raw card by the default flow.
    #[track_caller]
    pub fn authorise(&self, card: &str) -> Payment {
        self.order(&Order::card(card))
    }

    /// Authorises 10.00 EUR with a raw card, to be captured by a call.
    #[track_caller]
    pub fn authorise_later(&self, card: &str) -> Payment {
        self.order(&Order::card(card).later())
    }

    /// The request of a capture; without an amount everything.
    pub fn capture_request(&self, id: &str, amount: Value, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($id: ID!, $amount: Long) {{ capturePayment(id: $id, amount: $amount) {{ {PAYMENT_FIELDS} }} }}"
        );
        self.request(&query, with_amount(id, amount), key)
    }

    /// Asks for a capture; whatever comes.
    #[track_caller]
    pub fn try_capture(&self, id: &str, amount: Value) -> Answer {
        Answer::of(self.capture_request(id, amount, None).send(self.address))
    }

    /// Captures everything.
    #[track_caller]
    pub fn capture(&self, id: &str) -> Payment {
        Payment(self.try_capture(id, Value::Null).root().clone())
    }

    /// The request of a capture after which more may be captured.
    pub fn capture_part_request(&self, id: &str, amount: i64, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($id: ID!, $amount: Long) {{ capturePayment(id: $id, amount: $amount, final: false) {{ {PAYMENT_FIELDS} }} }}"
        );
        self.request(&query, with_amount(id, json!(amount)), key)
    }

    /// Asks for a capture after which more may be captured; whatever comes.
    #[track_caller]
    pub fn try_capture_part(&self, id: &str, amount: i64) -> Answer {
        let request = self.capture_part_request(id, amount, None);
        Answer::of(request.send(self.address))
    }

    /// Captures a part; the payment stays as it is for more.
    #[track_caller]
    pub fn capture_part(&self, id: &str, amount: i64) -> Payment {
        Payment(self.try_capture_part(id, amount).root().clone())
    }

    /// The request of a cancellation.
    pub fn cancel_request(&self, id: &str, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($id: ID!, $reason: String) {{ cancelPayment(id: $id, reason: $reason) {{ {PAYMENT_FIELDS} }} }}"
        );
        self.request(
            &query,
            json!({"id": id, "reason": "the shop changed its mind"}),
            key,
        )
    }

    /// Asks for a cancellation; whatever comes.
    #[track_caller]
    pub fn try_cancel(&self, id: &str) -> Answer {
        Answer::of(self.cancel_request(id, None).send(self.address))
    }

    /// Cancels.
    #[track_caller]
    pub fn cancel(&self, id: &str) -> Payment {
        Payment(self.try_cancel(id).root().clone())
    }

    /// The request of a refund; without an amount what remains.
    pub fn refund_request(&self, id: &str, amount: Value, key: Option<&str>) -> Request {
        let query = format!(
            "mutation($id: ID!, $amount: Long, $reason: String) {{ \
             refundPayment(id: $id, amount: $amount, reason: $reason) {{ {PAYMENT_FIELDS} }} }}"
        );
        let mut variables = with_amount(id, amount);
        variables["reason"] = json!("goods came back");
        self.request(&query, variables, key)
    }

    /// Asks for a refund; whatever comes.
    #[track_caller]
    pub fn try_refund(&self, id: &str, amount: Value) -> Answer {
        Answer::of(self.refund_request(id, amount, None).send(self.address))
    }

    /// Refunds an amount.
    #[track_caller]
    pub fn refund(&self, id: &str, amount: i64) -> Payment {
        Payment(self.try_refund(id, json!(amount)).root().clone())
    }

    /// Asks for a payment; whatever comes.
    #[track_caller]
    pub fn try_payment(&self, id: &str) -> Answer {
        self.gql(
            &format!("query($id: ID!) {{ getPayment(id: $id) {{ {PAYMENT_FIELDS} }} }}"),
            json!({"id": id}),
        )
    }

    /// A payment as it is now.
    #[track_caller]
    pub fn payment(&self, id: &str) -> Payment {
        Payment(self.try_payment(id).root().clone())
    }

    /// Reads the payment until it has this status.
    #[track_caller]
    pub fn wait_for_status(&self, id: &str, status: &str) -> Payment {
        until(PATIENCE, &format!("a payment becomes {status}"), || {
            Some(self.payment(id)).filter(|payment| payment.status() == status)
        })
    }

    /// Every payment of the team, page by page, newest first.
    #[track_caller]
    pub fn every_payment(&self) -> Vec<Payment> {
        let query = format!(
            "query($after: String) {{ listPayments(first: 100, after: $after) {{ \
             pageInfo {{ hasNextPage endCursor }} edges {{ node {{ {PAYMENT_FIELDS} }} }} }} }}"
        );
        let (mut found, mut seen, mut after) = (Vec::new(), BTreeSet::new(), Value::Null);
        loop {
            let answer = self.gql(&query, json!({"after": after}));
            let page = answer.root();
            for edge in page["edges"].as_array().expect("edges") {
                let payment = Payment(edge["node"].clone());
                assert!(seen.insert(payment.id()), "a payment is on two pages");
                found.push(payment);
            }
            if page["pageInfo"]["hasNextPage"] != json!(true) {
                return found;
            }
            after = page["pageInfo"]["endCursor"].clone();
        }
    }
}

fn with_amount(id: &str, amount: Value) -> Value {
    let mut variables = json!({"id": id});
    if !amount.is_null() {
        variables["amount"] = amount;
    }
    variables
}
