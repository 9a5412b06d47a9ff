//! The addresses, each with the parameters that it takes.

use serde_json::{Value, json};

use super::{
    Stripe,
    charges::UPDATE_CHARGE,
    disputes, endpoints, files,
    intents::{self, CANCEL, CAPTURE, CONFIRM, CREATE},
    lists::{check_expand, expand, list, search},
    methods::{ATTACH, METHOD_DATA, NEW_CUSTOMER, NEW_METHOD, NEW_TOKEN},
    refunds::NEW_REFUND,
    refusal::Refusal,
    rules::{BILLING, COMMON, LIST, Rule, check},
    setups::{CANCEL_SETUP, CONFIRM_SETUP, NEW_SETUP},
};
use crate::form::Form;

const OF_CUSTOMER: &[Rule] = &[Rule::text("customer")];
const OF_PAYMENT: &[Rule] = &[Rule::text("charge"), Rule::text("payment_intent")];
const OF_EVENTS: &[Rule] = &[Rule::text("type"), Rule::text("types[#]")];
const OF_MOVEMENTS: &[Rule] = &[
    Rule::text("currency"),
    Rule::text("source"),
    Rule::text("type"),
];
const SEARCH: &[Rule] = &[Rule::text("query").required(), Rule::integer("limit")];

impl Stripe {
    /// Carries a request out.
    pub(super) fn route(
        &mut self,
        method: &str,
        path: &str,
        form: &Form,
    ) -> Result<Value, Refusal> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let Some(("v1", parts)) = parts.split_first().map(|(first, rest)| (*first, rest)) else {
            return Err(Refusal::no_address(method, path));
        };
        check_expand(form)?;
        let outcome = match method {
            "GET" => self.read(parts, form),
            "POST" => self.change(parts, form),
            "DELETE" => self.delete(parts),
            _ => None,
        };
        let mut view = outcome.ok_or_else(|| Refusal::no_address(method, path))??;
        expand(&self.books, &mut view, form);
        Ok(view)
    }

    fn read(&self, parts: &[&str], form: &Form) -> Option<Result<Value, Refusal>> {
        let books = &self.books;
        let rules: &[Rule] = match parts {
            ["payment_intents", "search"] => SEARCH,
            ["payment_intents" | "customers" | "setup_intents"] => OF_CUSTOMER,
            ["refunds" | "disputes" | "charges"] => OF_PAYMENT,
            ["events"] => OF_EVENTS,
            ["balance_transactions"] => OF_MOVEMENTS,
            _ => &[],
        };
        let lists: &[Rule] = if parts.len() == 1 { LIST } else { &[] };
        if let Err(refusal) = check(form, &[COMMON, lists, rules]) {
            return Some(Err(refusal));
        }
        let same = |name: &str, value: &str| form.text(name).is_none_or(|wanted| wanted == value);
        let address = format!("/v1/{}", parts.join("/"));
        Some(match parts {
            ["account"] => Ok(account()),
            ["balance"] => Ok(books.balance()),
            ["payment_intents", "search"] => search(books, form, self.faults.search_lag()),
            ["payment_intents"] => list(books, &books.intents, form, &address, |row| {
                same("customer", row.customer.as_deref().unwrap_or_default())
            }),
            ["charges"] => list(books, &books.charges, form, &address, |row| {
                same("payment_intent", &row.intent)
            }),
            ["refunds"] => list(books, &books.refunds, form, &address, |row| {
                same("payment_intent", &row.intent) && same("charge", &row.charge)
            }),
            ["disputes"] => list(books, &books.disputes, form, &address, |row| {
                same("payment_intent", &row.intent) && same("charge", &row.charge)
            }),
            ["events"] => {
                let types = form.list("types");
                list(books, &books.events, form, &address, |row| {
                    same("type", row.name) && (types.is_empty() || types.contains(&row.name))
                })
            }
            ["balance_transactions"] => list(books, &books.movements, form, &address, |row| {
                same("currency", &row.currency)
                    && same("source", &row.source)
                    && same("type", row.class)
            }),
            ["webhook_endpoints"] => list(books, &books.endpoints, form, &address, |_| true),
            ["customers"] => list(books, &books.customers, form, &address, |_| true),
            ["setup_intents"] => list(books, &books.setups, form, &address, |row| {
                same("customer", row.customer.as_deref().unwrap_or_default())
            }),
            [collection, id] => self.read_one(collection, id)?,
            _ => return None,
        })
    }

    fn read_one(&self, collection: &str, id: &str) -> Option<Result<Value, Refusal>> {
        let known = [
            "payment_intents",
            "setup_intents",
            "charges",
            "refunds",
            "disputes",
            "events",
            "files",
            "balance_transactions",
            "webhook_endpoints",
            "customers",
            "payment_methods",
        ];
        let collection = known.into_iter().find(|known| *known == collection)?;
        let object = collection.trim_end_matches('s');
        let found = self
            .books
            .show(id)
            .filter(|view| view.get("object").and_then(Value::as_str) == Some(object));
        Some(found.ok_or_else(|| Refusal::missing(object, id, "id")))
    }

    fn change(&mut self, parts: &[&str], form: &Form) -> Option<Result<Value, Refusal>> {
        let rules: &[&[Rule]] = match parts {
            ["payment_intents"] => &[CREATE, intents::SHARED, METHOD_DATA, BILLING],
            ["payment_intents", _, "confirm"] => &[CONFIRM, intents::SHARED, METHOD_DATA, BILLING],
            ["payment_intents", _, "capture"] => &[CAPTURE],
            ["payment_intents", _, "cancel"] => &[CANCEL],
            ["payment_intents", _] => &[intents::UPDATE],
            ["setup_intents"] => &[NEW_SETUP, CONFIRM_SETUP],
            ["setup_intents", _, "confirm"] => &[CONFIRM_SETUP],
            ["setup_intents", _, "cancel"] => &[CANCEL_SETUP],
            ["refunds"] => &[NEW_REFUND],
            ["files"] => &[files::NEW_FILE],
            ["payment_methods"] => &[NEW_METHOD, BILLING],
            ["payment_methods", _, "attach"] => &[ATTACH],
            ["payment_methods", _, "detach"] | ["disputes", _, "close"] => &[],
            ["tokens"] => &[NEW_TOKEN],
            ["customers"] => &[NEW_CUSTOMER],
            ["charges", _] => &[UPDATE_CHARGE],
            ["disputes", _] => &[disputes::UPDATE],
            ["webhook_endpoints"] => &[endpoints::NEW_ENDPOINT],
            ["webhook_endpoints", _] => &[endpoints::UPDATE_ENDPOINT],
            _ => return None,
        };
        let rules = [&[COMMON], rules].concat();
        if let Err(refusal) = check(form, &rules) {
            return Some(Err(refusal));
        }
        let books = &mut self.books;
        Some(match parts {
            ["payment_intents"] => books.create_intent(form),
            ["payment_intents", id, "confirm"] => books.confirm(id, form),
            ["payment_intents", id, "capture"] => books.capture(id, form),
            ["payment_intents", id, "cancel"] => books.cancel(id, form),
            ["payment_intents", id] => books.update_intent(id, form),
            ["setup_intents"] => books.create_setup(form),
            ["setup_intents", id, "confirm"] => books.confirm_setup(id, form),
            ["setup_intents", id, "cancel"] => books.cancel_setup(id),
            ["refunds"] => books.create_refund(form),
            ["charges", id] => books.update_charge(id, form),
            ["files"] => Ok(books.upload(form)),
            ["payment_methods"] => books.make_method(form, "").and_then(|id| {
                books
                    .show(&id)
                    .ok_or_else(|| Refusal::missing("payment_method", &id, "id"))
            }),
            ["payment_methods", id, "attach"] => books.attach(id, form),
            ["payment_methods", id, "detach"] => books.detach(id),
            ["tokens"] => books.make_token(form),
            ["customers"] => Ok(books.make_customer(form)),
            ["disputes", id, "close"] => books.close_dispute(id),
            ["disputes", id] => books.update_dispute(id, form),
            ["webhook_endpoints"] => books.create_endpoint(form),
            ["webhook_endpoints", id] => books.update_endpoint(id, form),
            _ => return None,
        })
    }

    fn delete(&mut self, parts: &[&str]) -> Option<Result<Value, Refusal>> {
        match parts {
            ["webhook_endpoints", id] => Some(self.books.delete_endpoint(id)),
            _ => None,
        }
    }
}

/// What the account can do: the object of `GET /v1/account`.
fn account() -> Value {
    json!({
        "id": "acct_simulator",
        "object": "account",
        "business_type": "company",
        "capabilities": {
            "bancontact_payments": "active", "card_payments": "active", "ideal_payments": "active", "klarna_payments": "active",
            "sepa_debit_payments": "active", "transfers": "active",
        },
        "charges_enabled": true,
        "country": "US",
        "default_currency": "usd",
        "details_submitted": true,
        "email": null,
        "payouts_enabled": true,
        "type": "standard",
    })
}
