//! The one server of all tests that don't care about each other's payments.

use std::sync::OnceLock;

use testkit::{Server, Setup, Shop};

/// The shared server; it ends with the test process.
pub(crate) fn server() -> &'static Server {
    static SERVER: OnceLock<&'static Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        Setup::new()
            .setting("vault.test_ranges", "999999,676770")
            .start_shared()
    })
}

/// The default team's shop at the shared server.
pub(crate) fn shop() -> Shop {
    server().shop()
}

/// Another team's shop at the shared server.
pub(crate) fn other_shop() -> Shop {
    static OTHER: OnceLock<Shop> = OnceLock::new();
    OTHER.get_or_init(|| server().other_team()).clone()
}
