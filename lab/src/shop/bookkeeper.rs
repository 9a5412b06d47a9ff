//! Imports: the connections where another system sells too, and somebody at the merchant's who looks after what it sold.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};

use super::{Shop, Wish, visits::Visitor, words};
use crate::{bank::Account, chance::Chance, checker};

/// Connections where another system sells, their processors, and what becomes of that.
const SHARED: [(&str, &str, &str); 3] = [
    ("prompt-b", "prompt", "OFF"),
    (checker::QUIET, "prompt", "QUIET"),
    (checker::ANNOUNCED, "tardy", "ANNOUNCED"),
];

/// Chooses what becomes of what others sell, while nothing goes wrong. The accounts where they do.
pub(crate) async fn share_accounts(shop: &Shop) -> Vec<Account> {
    let mut accounts = Vec::new();
    for (id, processor, imports) in SHARED {
        let asked = json!({
            "id": id, "processor": processor, "name": id, "settings": {}, "imports": imports,
        });
        let wish = Wish::new("saveConnection", words::SAVE_CONNECTION, asked);
        let got = shop.ask(0, &wish, None).await;
        let path = "/data/saveConnection/notificationUrl";
        let url = got.as_ref().and_then(|got| got.body.pointer(path));
        accounts.extend(url.and_then(Value::as_str).map(|url| Account {
            connection: id.to_owned(),
            url: url.to_owned(),
        }));
    }
    accounts
}

/// Reads, refunds and, by mistake, captures and cancels what another system sold, until the shop has closed.
pub(crate) async fn keep_books(shop: Shop, chance: Chance, closed: Arc<AtomicBool>) {
    let mut visitor = Visitor { shop, chance };
    while !closed.load(Ordering::SeqCst) {
        visitor.pause(2_000, 20_000).await;
        let sold = visitor.shop.house.bank.ledger().sold_elsewhere();
        let index = visitor.chance.index(sold.len());
        let Some((order, amount)) = sold.get(index).cloned() else {
            continue;
        };
        if let Some(id) = visitor.find(&order).await {
            Box::pin(visitor.look_after(&id, amount)).await;
        }
    }
}
