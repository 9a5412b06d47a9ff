//! How many connections one address may have.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use domain::{Timestamp, network::Network};
use parking_lot::Mutex;

use crate::config::IpRange;

/// A refusal is logged at most this often: a refused client may try many times a second.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// The open connections of each network.
pub(super) struct Addresses {
    most: u32,
    /// A balancer's address is nobody's: its connections carry everybody's requests.
    uncounted: Vec<IpRange>,
    open: Mutex<BTreeMap<Network, u32>>,
    logged_at: AtomicI64,
}

impl Addresses {
    /// At most `most` connections of one network; addresses in `uncounted` have no bound.
    pub(super) fn new(most: u32, uncounted: Vec<IpRange>) -> Arc<Self> {
        Arc::new(Self {
            most,
            uncounted,
            open: Mutex::default(),
            logged_at: AtomicI64::new(i64::MIN),
        })
    }

    /// Counts a connection until the guard is dropped. `None` when it is one too many.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr, now: Timestamp) -> Option<Entered> {
        let address = address.to_canonical();
        if self.uncounted.iter().any(|range| range.contains(address)) {
            return Some(Entered(None));
        }
        let network = Network::from(address);
        let mut open = self.open.lock();
        let count = open.entry(network).or_insert(0);
        if *count >= self.most {
            drop(open);
            self.refused(address, now);
            return None;
        }
        *count = count.saturating_add(1);
        Some(Entered(Some((Arc::clone(self), network))))
    }

    fn refused(&self, address: IpAddr, now: Timestamp) {
        metrics::counter!("pointsman_http_connections_refused_total").increment(1);
        let last = self.logged_at.load(Ordering::Relaxed);
        if now.since(Timestamp::from_micros(last)) >= LOG_EVERY {
            self.logged_at.store(now.micros(), Ordering::Relaxed);
            tracing::warn!(
                client = %address,
                "more connections of one address than server.max_connections_per_address; further ones are closed. A balancer's \
                 address belongs in server.trusted_proxies"
            );
        }
    }

    fn leave(&self, network: Network) {
        let mut open = self.open.lock();
        if let Some(count) = open.get_mut(&network) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&network);
            }
        }
    }
}

/// A connection that is counted as long as this lives.
pub(super) struct Entered(Option<(Arc<Addresses>, Network)>);

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some((addresses, network)) = self.0.take() {
            addresses.leave(network);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(0);

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_so_many_connections_and_others_are_not_touched() {
        let addresses = Addresses::new(2, Vec::new());
        let first = addresses.enter(address("192.0.2.1"), NOW).unwrap();
        let _second = addresses.enter(address("192.0.2.1"), NOW).unwrap();
        assert!(addresses.enter(address("192.0.2.1"), NOW).is_none());
        assert!(addresses.enter(address("192.0.2.2"), NOW).is_some());
        drop(first);
        assert!(addresses.enter(address("192.0.2.1"), NOW).is_some());
    }

    #[test]
    fn ipv6_is_counted_by_64_bits_and_nothing_is_remembered_of_who_left() {
        let addresses = Addresses::new(1, Vec::new());
        let entered = addresses.enter(address("2001:db8::1"), NOW).unwrap();
        assert!(addresses.enter(address("2001:db8::2"), NOW).is_none());
        assert!(addresses.enter(address("2001:db8:0:1::1"), NOW).is_some());
        drop(entered);
        assert!(addresses.open.lock().is_empty());
    }

    #[test]
    fn a_proxy_that_is_trusted_is_never_counted() {
        let addresses = Addresses::new(1, vec![IpRange::sample("10.0.0.0/8")]);
        let entered: Vec<_> = (0..5)
            .map(|_| addresses.enter(address("10.1.2.3"), NOW))
            .collect();
        assert!(entered.iter().all(Option::is_some));
        assert!(addresses.enter(address("::ffff:10.1.2.3"), NOW).is_some());
    }
}
