//! Accounts with many other payments.

use std::time::Duration;

use connector::{Answer, CallError};

use crate::shop::Shop;

impl Shop {
    /// Others make intents at the account, so many at once.
    fn crowd(&self, count: usize) {
        for _ in 0..count {
            self.ask("/v1/payment_intents", "amount=1000&currency=eur");
        }
    }

    fn wait(&self, seconds: u64) {
        self.play(self.world.sleep(Duration::from_secs(seconds)));
    }
}

#[test]
pub(crate) fn a_lost_intent_is_found_however_many_others_there_are() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.crowd(2_500);
    shop.sale(&reference, "4242424242424242").unwrap().unwrap();
    shop.crowd(2_500);
    shop.wait(5);
    let found = shop.found(&reference, None);
    assert!(
        matches!(found, Some(Answer::Approved { captured: true, .. })),
        "{found:?}"
    );
}

#[test]
pub(crate) fn what_search_does_not_have_yet_is_found_in_the_list() {
    let shop = Shop::open();
    shop.arm("search-lag=7200", "/v1/payment_intents/search");
    let (reference, other) = (shop.reference(), shop.reference());
    for _ in 0..6 {
        shop.crowd(800);
        shop.wait(15);
    }
    shop.sale(&reference, "4242424242424242").unwrap().unwrap();
    let found = shop.found(&reference, None);
    assert!(matches!(found, Some(Answer::Approved { .. })), "{found:?}");
    assert_eq!(shop.found(&other, None), None);
}

#[test]
fn absence_is_not_claimed_where_the_list_can_not_be_read_whole() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.crowd(4_100);
    let found = shop.looked_up(&reference, None);
    assert!(matches!(found, Err(CallError::Unknown { .. })), "{found:?}");
}
