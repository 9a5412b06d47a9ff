//! Payment methods, tokens and customers.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    books::{Books, Row},
    cards,
    refusal::Refusal,
    rules::Rule,
};
use crate::{form::Form, luhn::passes_luhn};

/// Methods that send the shopper to a page of their own.
pub(super) const REDIRECTING: &[&str] = &["bancontact", "ideal", "klarna"];

/// How tokens of security codes begin.
const CVC_TOKEN: &str = "cvctok_";

/// The word for a method that was taken from its customer.
const DETACHED: &str = "detached";

/// Why such a method, and one that was used without a customer, can't be used. Source: issue #323 of Automattic/woocommerce-payments.
const USED: &str = "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected \
    account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, \
    you must attach it to a Customer first.";

/// A card as the machine knows it. The number stays in the books: they are of a simulator, which takes test numbers only.
#[derive(Debug, Clone)]
pub(super) struct Card {
    pub(super) number: String,
    pub(super) exp_month: i64,
    pub(super) exp_year: i64,
    pub(super) has_cvc: bool,
}

impl Card {
    pub(super) fn last4(&self) -> &str {
        self.number
            .len()
            .checked_sub(4)
            .and_then(|at| self.number.get(at..))
            .unwrap_or_default()
    }

    fn fingerprint(&self) -> String {
        hex::encode(Sha256::digest(self.number.as_bytes()))
            .chars()
            .take(16)
            .collect()
    }

    pub(super) fn view(&self) -> Value {
        let brand = cards::brand(&self.number);
        json!({
            "brand": brand,
            "checks": {"address_line1_check": null, "address_postal_code_check": null, "cvc_check": self.has_cvc.then_some("pass")},
            "country": "US",
            "display_brand": brand,
            "exp_month": self.exp_month,
            "exp_year": self.exp_year,
            "fingerprint": self.fingerprint(),
            "funding": "credit",
            "last4": self.last4(),
            "networks": {"available": [brand], "preferred": null},
            "three_d_secure_usage": {"supported": true},
            "wallet": null,
        })
    }
}

/// A payment method.
#[derive(Debug, Clone)]
pub(super) struct Method {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) family: String,
    pub(super) card: Option<Card>,
    pub(super) billing: Value,
    pub(super) customer: Option<String>,
    /// Verified for payments without the shopper.
    pub(super) is_set_up: bool,
    /// The intent that used it before it was anybody's, or the word for one that was taken from its customer: it can't be used again.
    pub(super) used_by: Option<String>,
    metadata: BTreeMap<String, String>,
}

impl Row for Method {
    const OBJECT: &'static str = "payment_method";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        let mut view = json!({
            "id": self.id,
            "object": Self::OBJECT,
            "allow_redisplay": "unspecified",
            "billing_details": self.billing,
            "created": self.created,
            "customer": self.customer,
            "livemode": false,
            "metadata": self.metadata,
            "type": self.family,
        });
        if let Value::Object(members) = &mut view {
            let details = self.card.as_ref().map_or(json!({}), Card::view);
            members.insert(self.family.clone(), details);
        }
        view
    }
}

/// A customer.
#[derive(Debug, Clone)]
pub(super) struct Customer {
    id: String,
    created: u64,
    form: Form,
}

impl Row for Customer {
    const OBJECT: &'static str = "customer";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        let text = |name: &str| self.form.text(name);
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "balance": 0,
            "created": self.created,
            "currency": null,
            "description": text("description"),
            "email": text("email"),
            "livemode": false,
            "metadata": self.form.map("metadata"),
            "name": text("name"),
            "phone": text("phone"),
        })
    }
}

pub(super) const NEW_CUSTOMER: &[Rule] = &[
    Rule::text("description"),
    Rule::text("email"),
    Rule::text("metadata[*]"),
    Rule::text("name"),
    Rule::text("phone"),
];

pub(super) const NEW_METHOD: &[Rule] = &[
    Rule::one_of(
        "type",
        &["bancontact", "card", "ideal", "klarna", "sepa_debit"],
    )
    .required(),
    Rule::text("card[number]"),
    Rule::integer("card[exp_month]"),
    Rule::integer("card[exp_year]"),
    Rule::text("card[cvc]"),
    Rule::text("card[token]"),
    Rule::text("sepa_debit[iban]"),
    Rule::text("ideal[bank]"),
    Rule::text("metadata[*]"),
];

pub(super) const NEW_TOKEN: &[Rule] = &[
    Rule::text("card[number]"),
    Rule::integer("card[exp_month]"),
    Rule::integer("card[exp_year]"),
    Rule::text("card[cvc]"),
    Rule::text("card[name]"),
    Rule::text("cvc_update[cvc]"),
];

pub(super) const ATTACH: &[Rule] = &[Rule::text("customer").required()];

/// The method inside an intent's parameters. `card[number]` in there isn't published: see docs/processors/stripe.md, "Calls".
pub(super) const METHOD_DATA: &[Rule] = &[
    Rule::one_of(
        "payment_method_data[type]",
        &["bancontact", "card", "ideal", "klarna", "sepa_debit"],
    ),
    Rule::text("payment_method_data[card][number]"),
    Rule::integer("payment_method_data[card][exp_month]"),
    Rule::integer("payment_method_data[card][exp_year]"),
    Rule::text("payment_method_data[card][cvc]"),
    Rule::text("payment_method_data[card][token]"),
    Rule::text("payment_method_data[sepa_debit][iban]"),
    Rule::text("payment_method_data[ideal][bank]"),
    Rule::text("payment_method_data[metadata][*]"),
];

impl Books {
    pub(super) fn make_customer(&mut self, form: &Form) -> Value {
        let customer = Customer {
            id: self.draw.id("cus_", 14),
            created: self.seconds(),
            form: form.clone(),
        };
        let view = customer.view(self);
        self.customers.add(customer);
        view
    }

    /// Makes a method of the parameters below `at` (empty: at the top); its id.
    pub(super) fn make_method(&mut self, form: &Form, at: &str) -> Result<String, Refusal> {
        let field = |name: &str| {
            if at.is_empty() {
                name.to_owned()
            } else {
                below(at, name)
            }
        };
        let family = form.text(&field("type")).unwrap_or("card").to_owned();
        let card = if family == "card" {
            Some(self.card(form, &field("card"))?)
        } else {
            None
        };
        // Source: docs/processors/stripe.md, "Methods other than cards".
        let needed: &[&str] = match family.as_str() {
            "sepa_debit" => &[
                "sepa_debit[iban]",
                "billing_details[name]",
                "billing_details[email]",
            ],
            "bancontact" => &["billing_details[name]"],
            _ => &[],
        };
        for param in needed.iter().map(|name| field(name)) {
            if form.text(&param).is_none() {
                return Err(Refusal::parameter(
                    &param,
                    "parameter_missing",
                    &format!("Missing required param: {param}."),
                ));
            }
        }
        let billing = field("billing_details");
        let method = Method {
            id: self.id("pm_"),
            created: self.seconds(),
            family,
            card,
            billing: json!({
                "address": form.map(&format!("{billing}[address]")),
                "email": form.text(&format!("{billing}[email]")),
                "name": form.text(&format!("{billing}[name]")),
                "phone": form.text(&format!("{billing}[phone]")),
            }),
            customer: None,
            is_set_up: false,
            used_by: None,
            metadata: form.map(&field("metadata")),
        };
        let id = method.id.clone();
        self.methods.add(method);
        Ok(id)
    }

    /// The method that an intent names: one of the books, or a named test method, which is made.
    pub(super) fn method_of(&mut self, id: &str) -> Result<String, Refusal> {
        let Some(number) = id
            .starts_with("pm_card_")
            .then(|| cards::named(id))
            .flatten()
        else {
            return self
                .methods
                .get(id, "payment_method")
                .map(|method| method.id.clone());
        };
        let text = format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=2034&card[cvc]=123"
        );
        let form = Form::parse(&text).map_err(|error| Refusal::invalid(&error.to_string()))?;
        self.make_method(&form, "")
    }

    pub(super) fn attach(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let customer = form.text("customer").unwrap_or_default();
        self.customers.get(customer, "customer")?;
        let id = self.method_of(id)?;
        self.may_be_used(&id, Some(customer), "")?;
        self.methods.get_mut(&id, "payment_method")?.customer = Some(customer.to_owned());
        self.emit("payment_method.attached", &id);
        Ok(self.methods.get(&id, "payment_method")?.view(self))
    }

    /// Whether an intent with this customer may use a method: one that is nobody's is used by one intent.
    /// Source: docs/processors/stripe.md, "Stored credentials and wallets".
    pub(super) fn may_be_used(
        &self,
        id: &str,
        customer: Option<&str>,
        intent: &str,
    ) -> Result<(), Refusal> {
        let method = self.methods.get(id, "payment_method")?;
        match (&method.customer, &method.used_by) {
            (Some(owner), _) if Some(owner.as_str()) != customer => {
                let message = "The payment method belongs to a customer. Please include the customer in the `customer` parameter on the PaymentIntent.";
                Err(Refusal::invalid(message).param("payment_method"))
            }
            (None, Some(used_by)) if used_by != intent => Err(Refusal::invalid(USED)),
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Attaches a method that was verified for later payments.
    pub(super) fn keep_method(&mut self, id: &str, customer: &str) -> Result<(), Refusal> {
        let method = self.methods.get_mut(id, "payment_method")?;
        let is_new = method.customer.is_none();
        method.customer = Some(customer.to_owned());
        method.is_set_up = true;
        method.used_by = None;
        if is_new {
            self.emit("payment_method.attached", id);
        }
        Ok(())
    }

    pub(super) fn detach(&mut self, id: &str) -> Result<Value, Refusal> {
        let method = self.methods.get_mut(id, "payment_method")?;
        method.customer = None;
        method.used_by = Some(DETACHED.to_owned());
        self.emit("payment_method.detached", id);
        Ok(self.methods.get(id, "payment_method")?.view(self))
    }

    /// A token is a method under another name: it can be used once.
    pub(super) fn make_token(&mut self, form: &Form) -> Result<Value, Refusal> {
        if form.has("cvc_update") {
            return Ok(self.make_cvc_token());
        }
        let card = self.card(form, "card")?;
        let id = self.id("tok_");
        let view = card.view();
        let method = Method {
            id: id.clone(),
            created: self.seconds(),
            family: "card".to_owned(),
            card: Some(card),
            billing: json!({}),
            customer: None,
            is_set_up: false,
            used_by: None,
            metadata: BTreeMap::new(),
        };
        self.methods.add(method);
        Ok(json!({
            "id": id, "object": "token", "card": view, "client_ip": null, "created": self.seconds(), "livemode": false,
            "type": "card", "used": false,
        }))
    }

    /// A token of a security code alone, for one confirmation.
    fn make_cvc_token(&mut self) -> Value {
        let id = self.id(CVC_TOKEN);
        self.cvc_tokens.insert(id.clone());
        json!({
            "id": id, "object": "token", "client_ip": null, "created": self.seconds(), "livemode": false, "type": "cvc_update", "used": false,
        })
    }

    /// Uses a token of a security code up.
    pub(super) fn use_cvc_token(&mut self, token: &str) -> Result<(), Refusal> {
        if self.cvc_tokens.remove(token) {
            return Ok(());
        }
        Err(Refusal::missing(
            "token",
            token,
            "payment_method_options[card][cvc_token]",
        ))
    }

    fn card(&mut self, form: &Form, at: &str) -> Result<Card, Refusal> {
        if let Some(token) = form.text(&format!("{at}[token]")) {
            return self.card_of_token(token);
        }
        let missing = |name: &str| {
            let param = format!("{at}[{name}]");
            Refusal::parameter(
                &param,
                "parameter_missing",
                &format!("Missing required param: {param}."),
            )
        };
        let number = form
            .text(&format!("{at}[number]"))
            .ok_or_else(|| missing("number"))?
            .replace(' ', "");
        if !passes_luhn(&number) {
            return Err(
                Refusal::card("incorrect_number", "Your card number is incorrect.").param("number"),
            );
        }
        let exp_month = form
            .integer(&format!("{at}[exp_month]"))
            .ok_or_else(|| missing("exp_month"))?;
        let exp_year = form
            .integer(&format!("{at}[exp_year]"))
            .ok_or_else(|| missing("exp_year"))?;
        if !(1..=12).contains(&exp_month) {
            return Err(Refusal::card(
                "invalid_expiry_month",
                "Your card's expiration month is invalid.",
            )
            .param("exp_month"));
        }
        let exp_year = if exp_year < 100 {
            exp_year.saturating_add(2000)
        } else {
            exp_year
        };
        // Years of 365.25 days are exact enough to tell a past year.
        let year = i64::try_from(self.seconds() / 31_557_600)
            .unwrap_or(0)
            .saturating_add(1970);
        if exp_year < year || exp_year > year.saturating_add(50) {
            return Err(Refusal::card(
                "invalid_expiry_year",
                "Your card's expiration year is invalid.",
            )
            .param("exp_year"));
        }
        let has_cvc = form.text(&format!("{at}[cvc]")).is_some();
        Ok(Card {
            number,
            exp_month,
            exp_year,
            has_cvc,
        })
    }

    /// The card behind a token, which is used up.
    fn card_of_token(&mut self, token: &str) -> Result<Card, Refusal> {
        if let Some(number) = token
            .starts_with("tok_")
            .then(|| cards::named(token))
            .flatten()
        {
            return Ok(Card {
                number: number.to_owned(),
                exp_month: 12,
                exp_year: 2034,
                has_cvc: true,
            });
        }
        let method = self
            .methods
            .find_mut(token)
            .filter(|method| method.id.starts_with("tok_"));
        let method = method.ok_or_else(|| Refusal::missing("token", token, "token"))?;
        method.card.take().ok_or_else(|| {
            Refusal::invalid("You cannot use a Stripe token more than once.")
                .code("token_already_used")
                .param("token")
        })
    }
}

/// The name of a field below another: `card[number]` below `a` is `a[card][number]`.
fn below(at: &str, name: &str) -> String {
    match name.split_once('[') {
        Some((outer, rest)) => format!("{at}[{outer}][{rest}"),
        None => format!("{at}[{name}]"),
    }
}
