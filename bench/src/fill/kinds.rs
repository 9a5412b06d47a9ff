//! The kinds of payments: how the service is asked for one of each, and how many there are of it.

use anyhow::Context;
use serde_json::{Value, json};

use super::{
    FillTarget, Table,
    chance::Chance,
    rows::{AMOUNT, Marks, ORDER, Shape, after},
};
use crate::{
    client::Client,
    load::{AUTHORISE, TOKENISE},
};

const CUSTOMER: &str = "mutation ($data: CustomerInput!) { createCustomer(data: $data) }";
const CAPTURE: &str = "mutation ($id: ID!) { capturePayment(id: $id) { id status } }";
const CANCEL: &str = "mutation ($id: ID!) { cancelPayment(id: $id) { id status } }";
const REFUND: &str =
    "mutation ($id: ID!, $amount: Long) { refundPayment(id: $id, amount: $amount) { id status } }";
const START: &str = "mutation ($amount: IntentAmountInput!) { \
     startIntent(trackingId: \"order-template\", paymentFlowId: \"default\", amount: $amount) { id } }";
const COMPLETE: &str = "mutation ($id: ID!, $payment: ID) { completeIntent(id: $id, paymentReference: $payment) { id } }";

/// What is done with a payment after its authorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    Capture,
    Cancel,
    Refund,
    RefundPart,
    CompleteIntent,
}

struct PaymentKind {
    /// How many of a thousand.
    share: u64,
    card: &'static str,
    currency: &'static str,
    flow: &'static str,
    then: Then,
    status: &'static str,
}

const VISA: &str = "4242424242424242";
const MASTERCARD: &str = "5555555555554444";
const AMEX: &str = "378282246310005";
const BY_API: &str = "capture-by-api";
const BY_CURRENCY: &str = "route-by-currency";

#[rustfmt::skip]
const KINDS: &[PaymentKind] = &[
    PaymentKind { share: 350, card: VISA, currency: "EUR", flow: "default", then: Then::Nothing, status: "SUCCEEDED" },
    PaymentKind { share: 150, card: MASTERCARD, currency: "USD", flow: BY_CURRENCY, then: Then::Nothing, status: "SUCCEEDED" },
    PaymentKind { share: 80, card: VISA, currency: "GBP", flow: BY_CURRENCY, then: Then::Nothing, status: "SUCCEEDED" },
    PaymentKind { share: 40, card: AMEX, currency: "EUR", flow: BY_CURRENCY, then: Then::Nothing, status: "SUCCEEDED" },
    PaymentKind { share: 80, card: VISA, currency: "EUR", flow: BY_API, then: Then::Capture, status: "SUCCEEDED" },
    PaymentKind { share: 15, card: MASTERCARD, currency: "JPY", flow: "fallback", then: Then::Nothing, status: "SUCCEEDED" },
    PaymentKind { share: 100, card: VISA, currency: "EUR", flow: "default", then: Then::CompleteIntent, status: "SUCCEEDED" },
    PaymentKind { share: 25, card: MASTERCARD, currency: "EUR", flow: BY_API, then: Then::RefundPart, status: "PARTIAL_REFUNDED" },
    PaymentKind { share: 40, card: VISA, currency: "EUR", flow: "default", then: Then::Refund, status: "REFUNDED" },
    PaymentKind { share: 70, card: "4000000000009995", currency: "EUR", flow: "default", then: Then::Nothing, status: "DECLINED" },
    PaymentKind { share: 20, card: "4000000000000002", currency: "USD", flow: BY_CURRENCY, then: Then::Nothing, status: "DECLINED" },
    PaymentKind { share: 8, card: "4000000000000119", currency: "EUR", flow: "default", then: Then::Nothing, status: "FAILED" },
    PaymentKind { share: 15, card: VISA, currency: "EUR", flow: BY_API, then: Then::Cancel, status: "CANCELLED" },
    PaymentKind { share: 7, card: VISA, currency: "EUR", flow: BY_API, then: Then::Nothing, status: "AUTHORISED" },
];

/// What else a payment has: a customer of the vault, an order. Each with its share of ten.
const WITH: &[(u64, bool, bool)] = &[(6, true, true), (3, false, true), (1, false, false)];

/// A payment that the service has made.
pub(crate) struct Made {
    share: u64,
    payment: String,
    intent: Option<String>,
    customer: String,
    waits: bool,
    order: bool,
    whose: bool,
}

/// The rows of a payment, to be copied.
pub(super) struct Example {
    share: u64,
    waits: bool,
    order: bool,
    whose: bool,
    marks: Marks,
    /// Of the customer, which is not copied with each payment.
    pub(super) customer: Vec<Shape>,
    pub(super) rows: Vec<Shape>,
}

/// Makes a payment of each kind, with and without customer and order.
pub(super) async fn make(client: &mut Client) -> anyhow::Result<Vec<Made>> {
    let person = json!({ "customer": { "name": "Ada Example", "email": "ada@example.com", "phone": "+353 1 555 0100" } });
    let customer = client.graphql(CUSTOMER, json!({ "data": person })).await?;
    let customer = customer
        .get("createCustomer")
        .and_then(Value::as_str)
        .context("no customer")?
        .to_owned();
    let mut made = Vec::new();
    for kind in KINDS {
        let card = json!({ "number": kind.card, "expMonth": 12, "expYear": 2040 });
        let token = client
            .graphql(
                TOKENISE,
                json!({ "data": { "paymentMethod": { "card": card } } }),
            )
            .await?;
        let token = token
            .pointer("/tokenisePaymentMethod/token")
            .context("no token")?
            .clone();
        for (share, has_customer, order) in WITH {
            let mut input = json!({
                "amount": AMOUNT, "currencyCode": kind.currency, "flowId": kind.flow,
                "paymentMethod": { "type": "CARD", "token": token }, "metadata": { "plan": "silver" }
            });
            let mut add = |name: &str, value: Value| {
                input
                    .as_object_mut()
                    .and_then(|input| input.insert(name.into(), value))
            };
            if *has_customer {
                add("customer", json!({ "id": customer }));
            }
            if *order {
                add("orderId", json!(ORDER));
            }
            let intent = if kind.then == Then::CompleteIntent {
                let amount = json!({ "amount": AMOUNT, "currency": kind.currency });
                let started = client.graphql(START, json!({ "amount": amount })).await?;
                let id = started
                    .pointer("/startIntent/id")
                    .and_then(Value::as_str)
                    .context("no intent")?
                    .to_owned();
                add("intentId", json!(id));
                Some(id)
            } else {
                None
            };
            let payment = pay(client, kind, input, intent.as_deref()).await?;
            made.push(Made {
                share: kind.share * share,
                payment,
                intent,
                customer: customer.clone(),
                waits: kind.status == "AUTHORISED",
                order: *order,
                whose: *has_customer,
            });
        }
    }
    Ok(made)
}

/// Makes a payment. Returns its bare id.
async fn pay(
    client: &mut Client,
    kind: &PaymentKind,
    input: Value,
    intent: Option<&str>,
) -> anyhow::Result<String> {
    let mut reported = client.graphql(AUTHORISE, json!({ "input": input })).await?;
    let id = reported
        .pointer("/authorizePayment/id")
        .and_then(Value::as_str)
        .context("no payment")?
        .to_owned();
    let by_id = json!({ "id": id });
    let (part, whole) = (json!({ "id": id, "amount": AMOUNT / 4 }), by_id.clone());
    let completed = json!({ "id": intent, "payment": id });
    let steps: &[(&str, &Value)] = match kind.then {
        Then::Nothing => &[],
        Then::Capture => &[(CAPTURE, &by_id)],
        Then::Cancel => &[(CANCEL, &by_id)],
        Then::Refund => &[(REFUND, &whole)],
        Then::RefundPart => &[(CAPTURE, &by_id), (REFUND, &part)],
        Then::CompleteIntent => &[(COMPLETE, &completed)],
    };
    for (document, variables) in steps {
        let answer = client.graphql(document, (*variables).clone()).await?;
        if kind.then != Then::CompleteIntent {
            reported = answer;
        }
    }
    let field = reported
        .as_object()
        .and_then(|fields| fields.values().next());
    let status = field
        .and_then(|field| field.get("status"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    anyhow::ensure!(
        status == kind.status,
        "a payment by {} under {} became {status}",
        kind.card,
        kind.flow
    );
    Ok(id.rsplit(':').next().unwrap_or(&id).to_owned())
}

/// One of the examples, by chance and their shares. None that waits, unless they may.
pub(super) fn pick<'a>(
    examples: &'a [Example],
    may_wait: bool,
    chance: &mut Chance,
) -> anyhow::Result<&'a Example> {
    let usable = || examples.iter().filter(|example| may_wait || !example.waits);
    let mut place = chance.below(usable().map(|example| example.share).sum());
    let picked = usable().find(|example| {
        let here = place < example.share;
        place = place.saturating_sub(example.share);
        here
    });
    picked.context("no example")
}

impl Example {
    /// Reads the rows of a payment.
    pub(super) async fn read(place: &mut impl FillTarget, made: &Made) -> anyhow::Result<Self> {
        let payment = place
            .find(
                Table::Payment,
                "payment_id",
                &*made.payment..&after(&made.payment),
            )
            .await?;
        let row = payment.first().context("the payment is not there")?;
        let value = |name: &str| {
            row.iter()
                .find(|(column, _)| column == name)
                .map(|(_, cell)| cell)
        };
        let Some(super::Cell::Text(team)) = value("team_id") else {
            anyhow::bail!("no team")
        };
        let Some(super::Cell::Int(micros)) = value("created_at") else {
            anyhow::bail!("no date")
        };
        let marks = Marks {
            team: team.clone(),
            payment: made.payment.clone(),
            intent: made.intent.clone(),
            customer: made.customer.clone(),
            micros: *micros,
        };
        let mut rows = Shape::of(&payment, Table::Payment, &marks);
        let mut wanted = vec![
            (Table::Event, "stream", &made.payment),
            (Table::Entry, "reference", &made.payment),
        ];
        if let Some(intent) = &made.intent {
            wanted.extend([
                (Table::Intent, "intent_id", intent),
                (Table::Event, "stream", intent),
            ]);
        }
        for (table, column, id) in wanted {
            let found = place.find(table, column, id..&*after(id)).await?;
            anyhow::ensure!(!found.is_empty(), "nothing in {}", table.name());
            rows.extend(Shape::of(&found, table, &marks));
        }
        let customer = place
            .find(
                Table::Customer,
                "customer_id",
                &*made.customer..&after(&made.customer),
            )
            .await?;
        let customer = Shape::of(&customer, Table::Customer, &marks);
        let &Made {
            share,
            waits,
            order,
            whose,
            ..
        } = made;
        Ok(Self {
            share,
            waits,
            order,
            whose,
            marks,
            customer,
            rows,
        })
    }

    pub(super) fn marks(&self) -> Marks {
        self.marks.clone()
    }

    pub(super) fn has_order(&self) -> bool {
        self.order
    }

    pub(super) fn has_customer(&self) -> bool {
        self.whose
    }
}
