//! Balance transactions: what moved Stripe's account of us.

use serde_json::{Value, json};

use super::books::{Books, Row};

/// One movement.
#[derive(Debug, Clone)]
pub(super) struct Movement {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) class: &'static str,
    pub(super) amount: i64,
    pub(super) fee: i64,
    pub(super) currency: String,
    /// The charge, refund or dispute that moved it.
    pub(super) source: String,
}

impl Movement {
    pub(super) const fn net(&self) -> i64 {
        self.amount.saturating_sub(self.fee)
    }

    fn category(&self) -> &'static str {
        match self.class {
            "adjustment" if self.amount < 0 => "dispute",
            "adjustment" => "dispute_reversal",
            other => other,
        }
    }
}

impl Row for Movement {
    const OBJECT: &'static str = "balance_transaction";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        let details = if self.fee == 0 {
            json!([])
        } else {
            json!([{"amount": self.fee, "application": null, "currency": self.currency, "description": "Stripe processing fees", "type": "stripe_fee"}])
        };
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "amount": self.amount,
            "available_on": self.created,
            "balance_type": "payments",
            "created": self.created,
            "currency": self.currency,
            "description": null,
            "exchange_rate": null,
            "fee": self.fee,
            "fee_details": details,
            "net": self.net(),
            "reporting_category": self.category(),
            "source": self.source,
            "status": "available",
            "type": self.class,
        })
    }
}

/// What is to be moved.
pub(super) struct NewMovement<'a> {
    pub(super) class: &'static str,
    pub(super) amount: i64,
    pub(super) fee: i64,
    pub(super) currency: &'a str,
    pub(super) source: &'a str,
}

impl Books {
    /// Books a movement; its id.
    pub(super) fn move_money(&mut self, new: &NewMovement<'_>) -> String {
        let movement = Movement {
            id: self.id("txn_"),
            created: self.seconds(),
            class: new.class,
            amount: new.amount,
            fee: new.fee,
            currency: new.currency.to_owned(),
            source: new.source.to_owned(),
        };
        let id = movement.id.clone();
        self.movements.add(movement);
        id
    }

    /// The sums of all movements, by currency: the object of `GET /v1/balance`.
    pub(super) fn balance(&self) -> Value {
        let mut sums = std::collections::BTreeMap::<&str, i64>::new();
        for movement in self.movements.iter() {
            let sum = sums.entry(&movement.currency).or_default();
            *sum = sum.saturating_add(movement.net());
        }
        let available: Vec<Value> = sums
            .into_iter()
            .map(|(currency, amount)| json!({"amount": amount, "currency": currency, "source_types": {"card": amount}}))
            .collect();
        json!({"object": "balance", "available": available, "livemode": false, "pending": []})
    }
}
