//! Many payments at once over connections that misbehave.

use testkit::{Setup, Shop, at_once};

use super::{NEVER_RESTED, assert_charged_once, order, set_up};

/// Callers at once, and the payments of each: every flow with every card, four times.
const CALLERS: usize = 10;
const EACH: usize = 10;

#[test]
fn at_once_none_is_charged_at_two_connections() {
    let server = Setup::new()
        .setting("routing.rest_after", NEVER_RESTED)
        .start();
    let shop = server.shop();
    set_up(&shop);
    let reported = at_once(CALLERS, |caller| {
        let pay = |n| {
            let key = Shop::fresh_key();
            let (order, request) = (order(caller * EACH + n), || Some(key.as_str()));
            let first = shop.try_authorise(&order, request()).root().clone();
            let again = shop.try_authorise(&order, request());
            // What was unknown may have been found out meanwhile.
            let same = if first["status"] == "NO_ANSWER_FROM_PSP" {
                again.root()["id"] == first["id"]
            } else {
                again.replayed() && *again.root() == first
            };
            assert!(same, "the key leads to the same result");
            first["status"].as_str().unwrap().to_owned()
        };
        (0..EACH).map(pay).collect::<Vec<_>>()
    });
    let all: Vec<String> = reported.into_iter().flatten().collect();
    for status in ["SUCCEEDED", "DECLINED", "NO_ANSWER_FROM_PSP"] {
        assert!(
            all.iter().any(|one| one == status),
            "none was {status}: {all:?}"
        );
    }
    assert_charged_once(&shop);
    assert_eq!(shop.every_payment().len(), CALLERS * EACH);
}
