//! The simulator as a sender of notifications: to this node itself, over HTTP on loopback.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use connectors::simulator::Simulator;
use http_client::{Client, Private};
use world::World;

/// How often the simulator looks for what is to be sent.
const POLL: Duration = Duration::from_millis(200);
/// The same after books that can't be used.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// Of so many entries it sends at a time.
const AT_ONCE: u32 = 50;

/// Sends what the simulator has to say, without end. `local`: the base of the address of this node on this machine.
pub async fn send_notifications(simulator: Arc<Simulator>, local: String, world: World) {
    let client = match Client::new(world.clone(), Private::Allowed, None) {
        Ok(client) => client,
        Err(error) => {
            tracing::warn!(%error, "the simulator sends no notifications");
            return std::future::pending().await;
        }
    };
    loop {
        let pause = match simulator.send_due(&client, &local, AT_ONCE).await {
            Ok(0) => POLL,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::debug!(%error, "the simulator's books can't be read");
                AFTER_FAILURE
            }
        };
        if !pause.is_zero() {
            world.sleep(pause).await;
        }
    }
}

/// The base of a listener's address on its own machine.
pub fn local_base(scheme: &str, address: SocketAddr) -> String {
    let port = address.port();
    match address {
        _ if !address.ip().is_unspecified() => format!("{scheme}://{address}"),
        SocketAddr::V4(_) => format!("{scheme}://127.0.0.1:{port}"),
        SocketAddr::V6(_) => format!("{scheme}://[::1]:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_all_addresses_is_reached_on_loopback() {
        for (address, base) in [
            ("127.0.0.1:80", "http://127.0.0.1:80"),
            ("0.0.0.0:81", "http://127.0.0.1:81"),
            ("[::]:82", "http://[::1]:82"),
            ("192.0.2.1:83", "http://192.0.2.1:83"),
        ] {
            let address: SocketAddr = address.parse().unwrap();
            assert_eq!(local_base("http", address), base);
        }
    }
}
