//! Giving up against the customer who comes back: one of the two wins, and the books know which.

use testkit::{Order, PATIENCE, Setup, at_once, cards, until};

use crate::three_d_secure::BACK;

#[test]
fn of_giving_up_and_coming_back_exactly_one_wins() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut charged = 0;
    for round in 0..50_u64 {
        let detour = if round % 3 == 0 {
            shop.sent_to_method(&Order::method("WALLETC", BACK))
        } else {
            shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK))
        };
        let back = shop.decide(&detour, "complete");
        at_once(3, |who| match who {
            0 => {
                // Any moment of the other two's.
                std::thread::sleep(std::time::Duration::from_millis(round % 7));
                drop(shop.try_abandon(&detour.id));
            }
            1 => drop(shop.visit(&back)),
            _ => drop(shop.try_payment(&detour.id)),
        });
        let settled = until(PATIENCE, "the payment settles", || {
            let payment = shop.payment(&detour.id);
            matches!(payment.status(), "SUCCEEDED" | "DECLINED" | "CANCELLED").then_some(payment)
        });
        let entry = shop.books().of(&settled)[0].clone();
        assert!(
            !(entry.cancelled && entry.captured > entry.refunded),
            "charged and cancelled: {entry:?}"
        );
        assert_eq!(
            entry.is_charge(),
            settled.status() == "SUCCEEDED",
            "{entry:?} {}",
            settled.0
        );
        charged += usize::from(settled.status() == "SUCCEEDED");
    }
    println!("the customer won {charged} of 50 times");
    shop.assert_books_equal_payments();
}

#[test]
fn of_the_life_times_end_and_coming_back_exactly_one_wins() {
    let server = Setup::new()
        .setting("limits.three_d_secure_lifetime", "3s")
        .start();
    let shop = server.shop();
    at_once(16, |number| {
        let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
        let back = shop.decide(&detour, "complete");
        // Moments around the life time's end, of which any may be hit.
        std::thread::sleep(std::time::Duration::from_millis(
            2_850 + 40 * u64::try_from(number).unwrap(),
        ));
        shop.visit(&back);
        until(PATIENCE, "the payment settles", || {
            let payment = shop.payment(&detour.id);
            matches!(payment.status(), "SUCCEEDED" | "DECLINED").then_some(())
        });
    });
    shop.assert_books_equal_payments();
}
