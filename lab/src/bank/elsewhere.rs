//! Another system of the merchant's, which makes payments and refunds at connections of the team by itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use connector::Link;
use connectors::simulator::{Elsewhere, Entry, NewElsewhere};
use domain::{
    id::ConnectionId,
    method::Method,
    money::{Currency, Money},
};
use serde_json::json;

use super::Bank;
use crate::chance::Chance;

/// At most so many payments are made.
const MOST: usize = 16;

/// A connection where payments are made, with the address to which its processor sends notifications.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) connection: String,
    pub(crate) url: String,
}

/// The other system.
pub(crate) struct OtherSystem {
    bank: Arc<Bank>,
    chance: Chance,
    accounts: Vec<Account>,
    made: usize,
}

impl OtherSystem {
    pub(crate) fn new(bank: &Arc<Bank>, chance: Chance, accounts: Vec<Account>) -> Self {
        Self {
            bank: Arc::clone(bank),
            chance,
            accounts,
            made: 0,
        }
    }

    /// Works until the shop has closed.
    pub(crate) async fn work(mut self, closed: Arc<AtomicBool>) {
        while !closed.load(Ordering::SeqCst) {
            let pause = self.chance.millis(500, 15_000);
            self.bank.world.sleep(pause).await;
            if self.chance.one_in(4) {
                self.refunds().await;
            } else if self.made < MOST {
                self.sells().await;
            }
        }
    }

    /// Sells something, now, or days ago, so long was the notification held up.
    async fn sells(&mut self) {
        let index = self.chance.index(self.accounts.len());
        let (Some(account), Some(currency)) =
            (self.accounts.get(index).cloned(), Currency::parse("EUR"))
        else {
            return;
        };
        let Some(connection) = ConnectionId::parse(&account.connection) else {
            return;
        };
        self.made += 1;
        let now = self.bank.world.now();
        // Its processor's clock is a little ahead.
        let made_at = match self.chance.below(3) {
            0 => now.after(self.chance.millis(0, 3_000)),
            _ => now.before(Duration::from_mins(self.chance.below(8_000))),
        };
        let amount = self.chance.between(100, 20_000);
        let new = NewElsewhere {
            known: Elsewhere {
                order: format!("elsewhere-{}", self.made),
                made_at,
                last_four: "4242".to_owned(),
            },
            money: Money::new(amount, currency),
            refunded: if self.chance.one_in(4) {
                self.chance.between(1, amount)
            } else {
                0
            },
            method: Method::Visa,
            key: format!("{:016x}", self.chance.next()),
        };
        let settings = json!({});
        let link = Link {
            notification_url: Some(&account.url),
            ..Link::offline(&connection, &settings, now)
        };
        let Some(entry) = Entry::elsewhere(&link, new, now) else {
            return;
        };
        // The books are in memory, and no other has its key.
        let _ = self.bank.simulator.add_elsewhere(&entry).await;
        self.bank.faults.add("another system: sold");
    }

    /// Gives a part of something back.
    async fn refunds(&mut self) {
        let mut theirs = self.bank.ledger.kept();
        theirs.retain(|entry| entry.elsewhere.is_some());
        let index = self.chance.index(theirs.len());
        let Some(entry) = theirs.get(index) else {
            return;
        };
        let now = self.bank.world.now();
        let amount = self.chance.between(1, (entry.money.minor() / 3).max(1));
        let refunded = self
            .bank
            .simulator
            .change_entry(&entry.reference, |entry| {
                entry.refund_elsewhere(amount, now).then_some(())
            })
            .await;
        if matches!(refunded, Ok(Some(()))) {
            self.bank.faults.add("another system: refunded");
        }
    }
}
