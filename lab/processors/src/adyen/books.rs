//! All that the machine remembers.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    Account,
    amount::Amount,
    disputes::Dispute,
    endpoints::Endpoint,
    later::Later,
    modifications::Modification,
    notices::{Notice, SCHEDULE},
    payments::Payment,
    refusal::Refusal,
    stored::Stored,
};
use crate::{delivery::Outbox, draw::Draw};

/// Money that moved.
#[derive(Debug, Clone)]
pub(super) struct Movement {
    /// The payment.
    pub(super) payment: String,
    /// The event that says so.
    pub(super) event: &'static str,
    /// Negative when it left the merchant.
    pub(super) amount: Amount,
}

/// All that the machine remembers.
#[derive(Debug, Clone)]
pub(super) struct Books {
    /// The time of the call. Since 1970.
    pub(super) now: Duration,
    pub(super) draw: Draw,
    /// Where pages for shoppers are reached.
    pub(super) public: String,
    pub(super) account: Account,
    /// By their `pspReference`.
    pub(super) payments: BTreeMap<String, Payment>,
    pub(super) modifications: BTreeMap<String, Modification>,
    pub(super) disputes: BTreeMap<String, Dispute>,
    /// Tokens, by their ids.
    pub(super) stored: BTreeMap<String, Stored>,
    pub(super) movements: Vec<Movement>,
    /// What was notified, the oldest first.
    pub(super) notices: Vec<Notice>,
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) later: Vec<Later>,
    pub(super) outbox: Outbox,
    /// How many rows were made.
    made: u64,
}

impl Books {
    pub(super) fn new(seed: u64, public: &str) -> Self {
        Self {
            now: Duration::ZERO,
            draw: Draw::new(seed),
            public: public.trim_end_matches('/').to_owned(),
            account: Account::default(),
            payments: BTreeMap::new(),
            modifications: BTreeMap::new(),
            disputes: BTreeMap::new(),
            stored: BTreeMap::new(),
            movements: Vec::new(),
            notices: Vec::new(),
            endpoints: Vec::new(),
            later: Vec::new(),
            outbox: Outbox::new(&SCHEDULE),
            made: 0,
        }
    }

    /// A `pspReference`: 16 capital letters and digits.
    pub(super) fn psp(&mut self) -> String {
        self.draw.id("", 16).to_ascii_uppercase()
    }

    /// The next number of a row: the order in which rows were made.
    pub(super) fn number(&mut self) -> u64 {
        self.made = self.made.saturating_add(1);
        self.made
    }

    /// The payment that a request names, which the merchant account must have made.
    pub(super) fn payment(&self, psp: &str, account: &str) -> Result<&Payment, Refusal> {
        self.payments
            .get(psp)
            .filter(|payment| payment.account == account && payment.is_shown())
            .ok_or_else(Refusal::no_payment)
    }

    /// Notes that money moved.
    pub(super) fn moved(&mut self, payment: &str, event: &'static str, amount: Amount) {
        self.movements.push(Movement {
            payment: payment.to_owned(),
            event,
            amount,
        });
    }

    /// All payments, modifications, disputes and movements, and what the merchant has of each currency.
    pub(super) fn sums(&self) -> Value {
        let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
        for movement in &self.movements {
            let sum = balance.entry(&movement.amount.currency).or_default();
            *sum = sum.saturating_add(movement.amount.value);
        }
        let movements: Vec<Value> = self
            .movements
            .iter()
            .map(|movement| json!({"payment": movement.payment, "event": movement.event, "amount": movement.amount.view()}))
            .collect();
        let notices: Vec<&Value> = self.notices.iter().map(|notice| &notice.item).collect();
        json!({
            "payments": in_order(self.payments.values().map(|payment| (payment.number, payment.shown()))),
            "modifications": in_order(self.modifications.values().map(|row| (row.number, row.shown()))),
            "disputes": in_order(self.disputes.values().map(|dispute| (dispute.number, dispute.shown()))),
            "storedPaymentMethods": self.stored.values().map(Stored::view).collect::<Vec<_>>(),
            "movements": movements,
            "notifications": notices,
            "balance": balance,
        })
    }
}

fn in_order(rows: impl Iterator<Item = (u64, Value)>) -> Vec<Value> {
    let mut rows: Vec<(u64, Value)> = rows.collect();
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}
