//! What conditions can ask about.

use std::borrow::Cow;

use serde_json::Value;

use crate::problem::{Problem, did_you_mean, listed};

/// A text among the facts, borrowed where it can be.
pub type Text<'a> = Cow<'a, str>;
/// A whole number among the facts.
pub type Int<'a> = i64;

/// The type of a fact, as conditions are checked by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactType {
    /// Text.
    Text,
    /// A whole number.
    Int,
}

/// The value of a fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fact<'f> {
    /// Absent.
    Null,
    /// Text.
    Text(&'f str),
    /// A whole number.
    Int(i64),
}

/// One fact of a group.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// Its name, such as `currency`.
    pub(crate) name: &'static str,
    /// Its type.
    pub(crate) kind: FactType,
    /// Reads it.
    pub(crate) get: for<'f> fn(&'f Facts<'_>) -> Fact<'f>,
}

/// A group of facts, such as `payment`.
pub(crate) struct Group {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its facts.
    pub(crate) fields: &'static [Field],
}

/// A type that a fact can have in Rust.
trait Typed<'a>: Sized {
    const KIND: FactType;
    /// What is expected, for a message.
    const EXPECTED: &'static str;
    fn fact(&self) -> Fact<'_>;
    fn read(value: &'a Value) -> Option<Self>;
}

impl<'a> Typed<'a> for Cow<'a, str> {
    const KIND: FactType = FactType::Text;
    const EXPECTED: &'static str = "must be a text or null";

    fn fact(&self) -> Fact<'_> {
        Fact::Text(self)
    }

    fn read(value: &'a Value) -> Option<Self> {
        value.as_str().map(Cow::Borrowed)
    }
}

impl Typed<'_> for i64 {
    const KIND: FactType = FactType::Int;
    const EXPECTED: &'static str = "must be a whole number or null";

    fn fact(&self) -> Fact<'_> {
        Fact::Int(*self)
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

/// Declares the groups: their structs, the table that conditions are checked against, and how they are read from JSON.
macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident: $type:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ident,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Default, PartialEq)]
            pub struct $type<'a> {
                $($(#[$field_doc])* pub $field: Option<$kind<'a>>,)+
            }
        )+

        /// What conditions can ask about. What is absent is null to them, so that `card.brand == "VISA"` is false for a
        /// payment without a card.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Facts<'a> {
            $($(#[$doc])* pub $group: $type<'a>,)+
            /// The merchant's own data, any JSON.
            pub metadata: Option<&'a Value>,
            /// Data of the merchant's fraud provider.
            pub fraud: Option<&'a Value>,
            /// The body of the webhook that started the flow or let it go on.
            pub webhook_body: Option<&'a Value>,
        }

        /// Every group with its typed facts.
        pub(crate) const GROUPS: &[Group] = &[$(
            Group {
                name: stringify!($group),
                fields: &[$(Field {
                    name: stringify!($field),
                    kind: <$kind<'static> as Typed>::KIND,
                    get: |facts| facts.$group.$field.as_ref().map_or(Fact::Null, Typed::fact),
                },)+],
            },
        )+];

        impl<'a> Facts<'a> {
            fn read_group(&mut self, name: &str, object: &'a serde_json::Map<String, Value>, problems: &mut Vec<Problem>) {
                match name {
                    $(stringify!($group) => {
                        $(self.$group.$field = read_field(object, name, stringify!($field), problems);)+
                    })+
                    _ => {}
                }
            }
        }
    };
}

groups! {
    /// The payment.
    payment: PaymentFacts {
        /// Its id.
        id: Text,
        /// What was asked for, in minor units.
        amount: Int,
        /// ISO 4217, such as `EUR`.
        currency: Text,
        /// Its status, such as `AUTHORISED`.
        status: Text,
        /// The kind of payment method, such as `CARD`.
        method: Text,
        /// The country of the billing address, else of the intent: ISO 3166, two letters.
        country: Text,
        /// The merchant's order.
        order_id: Text,
        /// The merchant's description.
        description: Text,
        /// `CUSTOMER` or `MERCHANT`.
        initiator: Text,
        /// Why a stored card is charged: `CARD_ON_FILE`, `SUBSCRIPTION`, `UNSCHEDULED` or `INSTALMENTS`.
        recurring: Text,
        /// `AUTOMATION`, `HEADLESS` or `IMPORT`.
        origin: Text,
        /// What was captured, in minor units.
        captured: Int,
        /// What was refunded, in minor units.
        refunded: Int,
    }
    /// The card, also the one inside a wallet.
    card: CardFacts {
        /// The scheme, such as `VISA`.
        brand: Text,
        /// The first digits, six or eight.
        bin: Text,
        /// The last four digits.
        last4: Text,
        /// Where it was issued: ISO 3166, two letters.
        country: Text,
        /// `CREDIT`, `DEBIT`, `PREPAID` or `UNDEFINED`.
        funding: Text,
        /// The month in which it expires, 1 to 12.
        exp_month: Int,
        /// The year in which it expires, such as 2030.
        exp_year: Int,
        /// The wallet that it came in, such as `WALLETA_PAY`.
        wallet: Text,
    }
    /// The customer.
    customer: CustomerFacts {
        /// Their id in the vault.
        id: Text,
        /// Their e-mail address.
        email: Text,
        /// Their name.
        name: Text,
        /// The country of their address: ISO 3166, two letters.
        country: Text,
    }
    /// The intent.
    intent: IntentFacts {
        /// Its id.
        id: Text,
        /// The merchant's id of the visit.
        tracking_id: Text,
        /// Its amount, in minor units.
        amount: Int,
        /// ISO 4217.
        currency: Text,
        /// Where the customer is: ISO 3166, two letters.
        country: Text,
        /// Its status, such as `ACTIVE`.
        status: Text,
    }
    /// The last attempt to authorise the payment.
    attempt: AttemptFacts {
        /// The number of attempts so far.
        number: Int,
        /// The connection that was asked last.
        connection: Text,
        /// What it came to: `authorised`, `declined`, `failed` or `unknown`.
        outcome: Text,
        /// Why it was declined, such as `INSUFFICIENT_FUNDS`.
        decline_code: Text,
        /// `SOFT` or `HARD`.
        decline_type: Text,
    }
    /// The dispute.
    dispute: DisputeFacts {
        /// Why the customer disputes.
        reason: Text,
        /// Its stage, such as `CHARGEBACK`.
        stage: Text,
        /// The disputed amount, in minor units.
        amount: Int,
        /// Its status, such as `NEEDS_RESPONSE`.
        status: Text,
    }
    /// The webhook that started the flow or let it go on. Its body is [`Facts::webhook_body`].
    webhook: WebhookFacts {
        /// The name under which it arrived.
        name: Text,
    }
}

/// The name of a webhook's body within its group.
pub(crate) const BODY: &str = "body";

/// The variables that hold whatever JSON there is.
pub(crate) const DYNAMIC: [&str; 2] = ["metadata", "fraud"];

/// The variables that there are.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|group| group.name).chain(DYNAMIC)
}

/// Every fact that a condition can name, such as `payment.currency`, with the variables that hold any JSON.
pub fn facts() -> impl Iterator<Item = String> {
    let named = GROUPS.iter().flat_map(|group| {
        group
            .fields
            .iter()
            .map(|field| format!("{}.{}", group.name, field.name))
    });
    named
        .chain(DYNAMIC.map(str::to_owned))
        .chain([format!("webhook.{BODY}")])
}

impl<'a> Facts<'a> {
    /// Reads facts that somebody made up to try a flow: `{"payment": {"currency": "EUR"}, "metadata": {…}}`.
    /// What is not given is null.
    pub fn from_value(value: &'a Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut facts = Self::default();
        let Some(object) = value.as_object() else {
            return Err(vec![problem(
                String::new(),
                "facts must be an object such as {\"payment\": {\"currency\": \"EUR\"}}",
            )]);
        };
        for (name, value) in object {
            match name.as_str() {
                _ if value.is_null() => {}
                "metadata" => facts.metadata = Some(value),
                "fraud" => facts.fraud = Some(value),
                _ => facts.read(name, value, &mut problems),
            }
        }
        if problems.is_empty() {
            Ok(facts)
        } else {
            Err(problems)
        }
    }

    fn read(&mut self, name: &str, value: &'a Value, problems: &mut Vec<Problem>) {
        let Some(group) = GROUPS.iter().find(|group| group.name == name) else {
            let message = format!(
                "there is no such fact{}; there are {}",
                did_you_mean(name, variables()),
                listed(variables())
            );
            problems.push(problem(shortened(name), message));
            return;
        };
        let Some(object) = value.as_object() else {
            problems.push(problem(name.to_owned(), "must be an object or null"));
            return;
        };
        self.read_group(name, object, problems);
        for (field, value) in object {
            if name == "webhook" && field == BODY {
                self.webhook_body = Some(value);
            } else if !group.fields.iter().any(|known| known.name == field) {
                let words = || group.fields.iter().map(|field| field.name);
                let message = format!(
                    "there is no such fact{}; there are {}",
                    did_you_mean(field, words()),
                    listed(words())
                );
                problems.push(problem(format!("{name}.{}", shortened(field)), message));
            }
        }
    }
}

fn read_field<'a, T: Typed<'a>>(
    object: &'a serde_json::Map<String, Value>,
    group: &str,
    field: &str,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    let value = object.get(field).filter(|value| !value.is_null())?;
    let read = T::read(value);
    if read.is_none() {
        problems.push(problem(format!("{group}.{field}"), T::EXPECTED));
    }
    read
}

fn problem(place: String, message: impl Into<String>) -> Problem {
    Problem {
        place,
        line: None,
        message: message.into(),
    }
}

/// A name from outside, short enough to be repeated.
pub(crate) fn shortened(name: &str) -> String {
    if name.chars().nth(40).is_some() {
        format!("{}…", name.chars().take(40).collect::<String>())
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(value: &Value) -> Vec<String> {
        Facts::from_value(value)
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn facts_are_read_by_their_names() {
        let value = json!({
            "payment": { "amount": 1200, "currency": "EUR", "country": null }, "card": null,
            "metadata": { "vip": true }, "webhook": { "name": "shipped", "body": [1] }
        });
        let facts = Facts::from_value(&value).unwrap();
        assert_eq!(facts.payment.amount, Some(1200));
        assert_eq!(facts.payment.currency.as_deref(), Some("EUR"));
        assert_eq!(
            (facts.payment.country, facts.card),
            (None, CardFacts::default())
        );
        assert_eq!(facts.metadata, Some(&json!({ "vip": true })));
        assert_eq!(
            (facts.webhook.name.as_deref(), facts.webhook_body),
            (Some("shipped"), Some(&json!([1])))
        );
    }

    #[test]
    fn wrong_facts_are_refused_with_their_place() {
        assert_eq!(
            texts(&json!({ "payment": { "amount": "12" } })),
            ["payment.amount: must be a whole number or null"]
        );
        assert_eq!(
            texts(&json!({ "card": "VISA" })),
            ["card: must be an object or null"]
        );
        assert_eq!(
            texts(&json!({ "dispute": { "stag": "x" } })),
            [
                "dispute.stag: there is no such fact (did you mean `stage`?); there are `reason`, `stage`, `amount` and `status`"
            ]
        );
        assert!(
            texts(&json!({ "paymnet": {} }))
                .first()
                .unwrap()
                .contains("did you mean `payment`?")
        );
        assert_eq!(texts(&json!(1)).len(), 1);
    }
}
