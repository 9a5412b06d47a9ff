//! The scenarios of every connector.

use connector::scenarios::{self, Fixtures};

use crate::shop::{Shop, card};

#[test]
fn the_simulator_passes_the_scenarios_of_every_connector() {
    // A slow refund is one that the scenarios must follow to its end.
    for approved in ["4242424242424242", "4000000000007726"] {
        let shop = Shop::open();
        let (approved, declined) = (card(approved), card("4000000000000002"));
        let fixtures = Fixtures {
            connection: &shop.connection,
            currency: crate::shop::eur(1).currency(),
            approved: &approved,
            declined: &declined,
        };
        let failures = shop.play(scenarios::play(&shop.simulator, &shop.world, &fixtures));
        assert_eq!(failures, []);
    }
}
