//! Where a payment goes, and what its flow does with it.

mod breaker;
mod conditions;
mod fallback;
mod seeds;
mod split;
mod steps;
mod steps_again;
mod unknown;
mod versions;

use std::sync::OnceLock;

use testkit::{Payment, Server, Setup, Shop};

/// A server for stories that name connections and flows of their own.
pub(crate) fn server() -> &'static Server {
    static SERVER: OnceLock<&'static Server> = OnceLock::new();
    SERVER.get_or_init(|| Setup::new().start_shared())
}

fn shop() -> Shop {
    server().shop()
}

/// The connections at which the processor was asked, in order.
fn asked(shop: &Shop, payment: &Payment) -> Vec<String> {
    let mut entries = shop.books().of(payment);
    entries.sort_by_key(|entry| number(&entry.reference));
    entries.into_iter().map(|entry| entry.connection).collect()
}

fn number(reference: &str) -> u32 {
    reference
        .rsplit_once('-')
        .and_then(|(_, n)| n.parse().ok())
        .expect("a reference ends in a number")
}
