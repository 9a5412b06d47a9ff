//! Disputes as Stripe and Adyen have them, in the shape of the simulator's books.

use serde_json::{Value, json};

use super::{House, adyen, stripe, wire::books};

impl House {
    /// The disputes of all processors' books.
    pub(crate) fn booked_disputes(&self) -> Vec<Value> {
        let mut all = self.bank.ledger().disputes();
        all.extend(disputes_in(&books(&self.stripe), disputed_at_stripe));
        all.extend(disputes_in(&books(&self.adyen), disputed_at_adyen));
        all
    }
}

fn disputes_in(books: &Value, read: fn(&Value, &Value) -> Option<Value>) -> Vec<Value> {
    let disputes = list(books, "disputes");
    disputes.iter().filter_map(|one| read(one, books)).collect()
}

/// `None`: the payment is none of the service's.
fn disputed_at_stripe(dispute: &Value, books: &Value) -> Option<Value> {
    let intents = list(books, "payment_intents").iter();
    let intent = of(intents, "id", text(dispute, "payment_intent"))?;
    let currency = text(dispute, "currency").to_ascii_uppercase();
    let money = json!({"minor": dispute.get("amount")?, "currency": currency});
    let course = list(dispute, "history").iter().filter_map(|word| {
        let (stage, status) = match word.as_str()? {
            "warning_needs_response" => ("INQUIRY", "NEEDS_RESPONSE"),
            "warning_under_review" => ("INQUIRY", "UNDER_REVIEW"),
            "warning_closed" => ("INQUIRY", "CLOSED"),
            "needs_response" => ("CHARGEBACK", "NEEDS_RESPONSE"),
            "under_review" => ("CHARGEBACK", "UNDER_REVIEW"),
            "won" => ("CHARGEBACK", "WON"),
            "lost" => ("CHARGEBACK", "LOST"),
            _ => return None,
        };
        Some(state(stage, status, &money))
    });
    let course: Vec<Value> = course.collect();
    let marked = |name: &str| dispute.pointer(&format!("/metadata/{name}")).cloned();
    let submissions = dispute.pointer("/evidence_details/submission_count");
    let is_submitted = submissions.and_then(Value::as_i64).unwrap_or(0) > 0;
    // An acceptance is marked before it is made.
    let is_accepted = text(dispute, "status") == "lost" && !is_submitted;
    let evidence = marked("pointsman-evidence").filter(|_| is_submitted);
    let acceptance = marked("pointsman-acceptance").filter(|_| is_accepted);
    let responses = [(evidence, false), (acceptance, true)];
    let responses = responses.into_iter().filter_map(|(reference, accepts)| {
        Some(json!({"reference": reference?, "accepts": accepts}))
    });
    Some(json!({
        "id": dispute.get("id")?,
        "reference": intent.pointer("/metadata/pointsman")?,
        "connection": stripe::CONNECTION,
        "states": course,
        "responses": responses.collect::<Vec<_>>(),
    }))
}

/// `None`: the payment is none of the service's. Adyen keeps no reference of a response, so that theirs are `null`.
fn disputed_at_adyen(dispute: &Value, books: &Value) -> Option<Value> {
    let payments = list(books, "payments").iter();
    let payment = of(payments, "pspReference", text(dispute, "payment"))?;
    let amount = dispute.get("amount")?;
    let money = json!({"minor": amount.get("value")?, "currency": amount.get("currency")?});
    let history = list(dispute, "history");
    let mut course: Vec<Value> = Vec::new();
    for word in history {
        let before = course
            .last()
            .map_or("CHARGEBACK", |last| text(last, "stage"));
        let (stage, status) = match word.as_str()? {
            "REQUEST_FOR_INFORMATION" => ("INQUIRY", "NEEDS_RESPONSE"),
            "NOTIFICATION_OF_CHARGEBACK" | "CHARGEBACK" => ("CHARGEBACK", "NEEDS_RESPONSE"),
            "INFORMATION_SUPPLIED" => (before, "SENT_FOR_REVIEW"),
            "CHARGEBACK_REVERSED" => ("CHARGEBACK", "WON"),
            "DISPUTE_DEFENSE_PERIOD_ENDED" => ("CHARGEBACK", "LOST"),
            "SECOND_CHARGEBACK" | "PREARBITRATION_LOST" => ("PRE_ARBITRATION", "LOST"),
            "PREARBITRATION_WON" | "ISSUER_RESPONSE_TIMEFRAME_EXPIRED" => {
                ("PRE_ARBITRATION", "WON")
            }
            _ => continue,
        };
        let next = state(stage, status, &money);
        course.push(next);
    }
    let defences = history
        .iter()
        .filter(|word| **word == "INFORMATION_SUPPLIED");
    let mut responses: Vec<Value> = defences
        .map(|_| json!({"reference": null, "accepts": false}))
        .collect();
    if dispute.get("accepted") == Some(&Value::Bool(true)) {
        responses.push(json!({"reference": null, "accepts": true}));
    }
    Some(json!({
        "id": dispute.get("pspReference")?,
        "reference": payment.get("reference")?,
        "connection": adyen::CONNECTION,
        "states": course,
        "responses": responses,
    }))
}

/// How a dispute stands. Both simulators' reasons are fraud.
fn state(stage: &str, status: &str, money: &Value) -> Value {
    json!({
        "stage": stage,
        "status": status,
        "reason": "FRAUD",
        "money": money,
    })
}

fn of<'a>(
    mut rows: impl Iterator<Item = &'a Value>,
    name: &str,
    wanted: &str,
) -> Option<&'a Value> {
    rows.find(|row| text(row, name) == wanted)
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    let rows = of.get(name).and_then(Value::as_array);
    rows.map_or(&[], Vec::as_slice)
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}
