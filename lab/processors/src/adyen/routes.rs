//! The addresses.

use serde_json::Value;

use super::{
    Adyen,
    methods::payment_methods,
    modifications::Sort,
    refusal::Refusal,
    rules::{Body, Shape},
    shapes,
};
use crate::{Request, form::Form};

/// An answer with its status.
pub(super) type Routed = Result<(u16, Value), Refusal>;

/// A request to the Management API about webhooks.
struct Managed<'a> {
    method: &'a str,
    account: &'a str,
    /// What is behind `webhooks`.
    rest: &'a [&'a str],
}

impl Adyen {
    /// Carries a request out.
    pub(super) fn route(&mut self, request: &Request) -> Routed {
        let path = request.path.trim_matches('/');
        let parts: Vec<&str> = path.split('/').collect();
        let known = match (request.method.as_str(), parts.as_slice()) {
            ("POST", ["v72", rest @ ..]) => self.checkout(rest, request),
            (method, ["v72", "storedPaymentMethods", rest @ ..]) => {
                self.tokens(method, rest, request)
            }
            (method, ["v3", "merchants", account, "webhooks", rest @ ..]) => self.management(
                &Managed {
                    method,
                    account,
                    rest,
                },
                request,
            ),
            ("POST", ["ca", "services", "DisputeService", "v30", call]) => {
                self.dispute(call, request)
            }
            _ => None,
        };
        known.unwrap_or_else(|| Err(Refusal::no_address(&request.method, &request.path)))
    }

    fn checkout(&mut self, parts: &[&str], request: &Request) -> Option<Routed> {
        let shape = match parts {
            ["payments"] => shapes::PAY,
            ["payments", "details"] => shapes::DETAILS,
            ["payments", _, "captures"] => shapes::CAPTURE,
            ["payments", _, "cancels"] => shapes::CANCEL,
            ["payments", _, "refunds"] => shapes::REFUND,
            ["payments", _, "reversals"] => shapes::REVERSE,
            ["cancels"] => shapes::CANCEL_BY_REFERENCE,
            ["paymentMethods"] => shapes::METHODS,
            ["storedPaymentMethods"] => shapes::STORE,
            _ => return None,
        };
        let body = match self.body(request, &shape) {
            Ok(body) => body,
            Err(refusal) => return Some(Err(refusal)),
        };
        let books = &mut self.books;
        let (status, outcome) = match parts {
            ["payments"] => (200, books.pay(&body)),
            ["payments", "details"] => (200, books.complete(&body)),
            ["payments", psp, "captures"] => (201, books.modify(Sort::Capture, psp, &body)),
            ["payments", psp, "cancels"] => (201, books.modify(Sort::Cancel, psp, &body)),
            ["payments", psp, "refunds"] => (201, books.modify(Sort::Refund, psp, &body)),
            ["payments", psp, "reversals"] => (201, books.modify(Sort::Reverse, psp, &body)),
            ["cancels"] => (201, Ok(books.cancel_by_reference(&body))),
            ["storedPaymentMethods"] => (201, books.store(&body)),
            _ => (200, Ok(payment_methods())),
        };
        Some(outcome.map(|view| (status, view)))
    }

    /// Lists and forgets tokens: what they ask for is in the query.
    fn tokens(&mut self, method: &str, parts: &[&str], request: &Request) -> Option<Routed> {
        let query = match Form::parse(&request.query) {
            Ok(query) => query,
            Err(error) => return Some(Err(Refusal::unreadable(&error.to_string()))),
        };
        let account = query.text("merchantAccount").unwrap_or_default();
        if !self.books.account.is_known(account) {
            return Some(Err(Refusal::account()));
        }
        match (method, parts) {
            ("GET", []) => Some(Ok((200, self.books.list_stored(&query)))),
            ("DELETE", [id]) => Some(self.books.forget_stored(id, &query).map(|view| (204, view))),
            _ => None,
        }
    }

    /// The account's webhooks.
    fn management(&mut self, managed: &Managed<'_>, request: &Request) -> Option<Routed> {
        if !self.books.account.is_known(managed.account) {
            return Some(Err(Refusal::account()));
        }
        let books = &mut self.books;
        Some(match (managed.method, managed.rest) {
            ("GET", []) => Ok((200, books.list_endpoints(managed.account))),
            ("POST", []) => self
                .body(request, &shapes::WEBHOOK)
                .and_then(|body| self.books.set_up_endpoint(managed.account, &body))
                .map(|view| (200, view)),
            ("POST", [id, "generateHmac"]) => books
                .generate_key(managed.account, id)
                .map(|view| (200, view)),
            ("DELETE", [id]) => books
                .delete_endpoint(managed.account, id)
                .map(|view| (204, view)),
            _ => return None,
        })
    }

    fn dispute(&mut self, call: &str, request: &Request) -> Option<Routed> {
        let shape = match call {
            "retrieveApplicableDefenseReasons" => shapes::DEFENCE_REASONS,
            "supplyDefenseDocument" => shapes::SUPPLY,
            "deleteDisputeDefenseDocument" => shapes::DELETE_DOCUMENT,
            "defendDispute" => shapes::DEFEND,
            "acceptDispute" => shapes::ACCEPT,
            _ => return None,
        };
        let body = self.body(request, &shape);
        Some(body.map(|body| (200, self.books.defence(call, &body))))
    }

    /// The document of a request, checked against its shape, of an account that the key may use.
    fn body(&self, request: &Request, shape: &Shape) -> Result<Body, Refusal> {
        let class = request
            .headers
            .get("content-type")
            .map(String::as_str)
            .unwrap_or_default();
        if !class.starts_with("application/json") {
            let message = format!("Unable to parse message: the content type is '{class}'");
            return Err(Refusal::unreadable(&message));
        }
        let body = Body::read(&request.body)?;
        shape.check(&body)?;
        let account = body
            .text("merchantAccount")
            .or(body.text("merchantAccountCode"));
        if account.is_some_and(|account| !self.books.account.is_known(account)) {
            return Err(Refusal::account());
        }
        Ok(body)
    }
}
