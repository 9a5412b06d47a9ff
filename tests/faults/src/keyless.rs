//! Shoppers whose requests have no idempotency key.
//!
//! Such a client asks again only when nobody listened, or when the answer is `error.unavailable` without an id, which says that
//! nothing was done. So it never has two payments for one order, whatever happens between the two commits.

use std::{collections::BTreeMap, sync::atomic::Ordering, thread, time::Duration};

use serde_json::json;
use testkit::{Answer, Order, Payment, Shop};

use crate::{Chance, reader::was_closed, shopper::Street};

/// Longer than a request takes, so that each ends with an answer, unless its node dies.
const PATIENCE: Duration = Duration::from_secs(40);

/// The orders of a shopper, each with the payment that it was given as data.
#[derive(Default)]
pub(crate) struct Orders(BTreeMap<String, Option<String>>);

impl Street<'_> {
    /// Pays one order after the other until the street closes.
    pub(crate) fn keyless(&self, mut chance: Chance) -> Orders {
        let mut orders = Orders::default();
        while !self.closed.load(Ordering::Relaxed) {
            let order = Shop::fresh_key();
            let given = self.pay_without_key(&order, &mut chance);
            orders.0.insert(order, given);
        }
        orders
    }

    fn pay_without_key(&self, order: &str, chance: &mut Chance) -> Option<String> {
        let input = Order::token(self.token).with("orderId", json!(order));
        let request = self.shop.authorise_request(&input, None);
        while !self.closed.load(Ordering::Relaxed) {
            let node = chance.index(self.fleet.len());
            match request.try_send_within(self.fleet.address(node), PATIENCE) {
                Ok(reply) => {
                    let answer = Answer::of(reply);
                    if answer.error_code() != Some("error.unavailable") || names(&answer) {
                        self.answered.fetch_add(1, Ordering::Relaxed);
                        return given(&answer);
                    }
                }
                Err(error) if was_closed(&error) => {}
                // Nobody knows what became of it, and nobody asks again.
                Err(_) => return None,
            }
            thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

/// The payment that an answer gives as data.
fn given(answer: &Answer) -> Option<String> {
    let id = answer.json().pointer("/data/authorizePayment/id")?;
    id.as_str().map(str::to_owned)
}

/// Whether an error names a payment, which may be there or not: it says not to ask again.
fn names(answer: &Answer) -> bool {
    answer.extension("id").is_string()
}

/// Holds the answers that a shopper got against all payments. Panics when an order has two, or an acknowledged
/// one is not there.
pub(crate) fn check(payments: &[Payment], orders: &Orders) -> usize {
    let mut of_order: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for payment in payments {
        if let Some(order) = payment.0["orderId"].as_str() {
            of_order.entry(order).or_default().push(payment.id());
        }
    }
    for (order, given) in &orders.0 {
        let made = of_order.get(order.as_str()).map_or(&[][..], Vec::as_slice);
        assert!(made.len() <= 1, "{order} was paid twice: {made:?}");
        if let Some(given) = given {
            assert!(
                made.contains(given),
                "{order}: {given} was acknowledged, and there is {made:?}"
            );
        }
    }
    orders.0.len()
}
