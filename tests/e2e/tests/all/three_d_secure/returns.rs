//! The return: loaded often, at once, too early, with foreign parameters, at an address that nobody gave out.

use testkit::http::{Reply, Request};
use testkit::{Detour, Onward, Order, Setup, Shop, at_once, cards, path_of};

use super::BACK;
use crate::shared;

fn challenged(shop: &Shop) -> Detour {
    shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK))
}

fn send(shop: &Shop, method: &'static str, path: &str) -> Reply {
    Request::new(method, path).send(shop.address())
}

#[test]
fn loaded_again_it_answers_the_same_and_charges_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = challenged(&shop);
    let back = shop.decide(&detour, "complete");
    let first = Onward::of(&shop.visit(&back));
    for _ in 0..3 {
        assert_eq!(Onward::of(&shop.visit(&back)), first);
        assert_eq!(Onward::of(&send(&shop, "POST", &path_of(&back))), first);
    }
    let payment = shop.payment(&detour.id);
    payment.assert_status("SUCCEEDED");
    assert_eq!(
        payment
            .titles()
            .iter()
            .filter(|title| *title == "The customer has finished")
            .count(),
        1
    );
    assert_eq!(shop.books().of(&payment).len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn in_many_tabs_at_once_it_charges_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    for round in 0..5 {
        let detour = challenged(&shop);
        let back = shop.decide(&detour, "complete");
        let replies = at_once(8, |tab| {
            if (tab + round) % 3 == 0 {
                None
            } else {
                Some(shop.visit(&back))
            }
        });
        let read = shop.payment(&detour.id);
        read.assert_status("SUCCEEDED");
        for reply in replies.iter().flatten() {
            Onward::of(reply).assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
        }
        assert_eq!(
            read.titles()
                .iter()
                .filter(|title| *title == "The customer has finished")
                .count(),
            1
        );
    }
    shop.assert_books_equal_payments();
}

#[test]
fn posted_first_it_completes_too() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    let back = shop.decide(&detour, "complete");
    let reply = Request::new("POST", path_of(&back))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("MD=1&PaRes=x")
        .send(shop.address());
    Onward::of(&reply).assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    shop.payment(&detour.id).assert_status("SUCCEEDED");
}

#[test]
fn other_methods_are_refused() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    let back = path_of(&shop.decide(&detour, "complete"));
    for method in ["PUT", "DELETE", "PATCH"] {
        assert_eq!(send(&shop, method, &back).status, 405, "{method}");
    }
    shop.visit(&back);
    shop.payment(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn what_stands_in_the_query_decides_nothing() {
    let shop = shared::shop();
    let other = challenged(&shop);
    let detour = challenged(&shop);
    let back = shop.decide(&detour, "fail");
    let query = format!(
        "id={}&3ds_status=COMPLETED&outcome=complete&status=SUCCEEDED",
        other.id
    );
    let onward = Onward::of(&shop.visit(&format!("{back}?{query}")));
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "THREE_D_SECURE"),
    ]);
    shop.payment(&detour.id).assert_status("DECLINED");
    shop.payment(&other.id).assert_status("NEEDS_3D_SECURE");
}

#[test]
fn addresses_that_nobody_gave_out_are_not_found() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    let back = path_of(&shop.decide(&detour, "complete"));
    let token = back.trim_start_matches("/3ds/").to_owned();
    assert!(token.len() >= 22, "128 bits at least");
    let mut changed = token.clone();
    let last = if changed.pop() == Some('A') { 'Q' } else { 'A' };
    changed.push(last);
    let turned: String = token.chars().rev().collect();
    for wrong in [
        "x",
        "0192a000-0000-7000-8000-000000000000",
        &changed,
        &turned,
        &token[..token.len() - 4],
        "%00%ff",
        "..%2f",
    ] {
        for place in ["3ds", "return"] {
            let reply = shop.visit(&format!("/{place}/{wrong}"));
            assert_eq!(reply.status, 404, "/{place}/{wrong}: {}", reply.text());
            assert!(
                reply
                    .header("content-type")
                    .is_some_and(|kind| kind.starts_with("text/html")),
                "/{place}/{wrong}"
            );
        }
    }
    assert_eq!(shop.visit("/token-return/%ff").status, 404);
    for wrong in [token.as_str(), "%ff"] {
        assert_eq!(shop.visit(&format!("/sandbox/pages/{wrong}")).status, 404);
        assert_eq!(
            shop.post_outcome(&format!("/sandbox/pages/{wrong}"), "complete")
                .status,
            404
        );
    }
    shop.payment(&detour.id).assert_status("SUCCEEDED");
}

#[test]
fn loading_the_processors_page_decides_nothing() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    for _ in 0..2 {
        let page = shop.visit(&detour.url);
        assert_eq!(page.status, 200);
        assert!(
            !page.text().contains("/3ds/"),
            "the way back is no secret: {}",
            page.text()
        );
    }
    shop.payment(&detour.id).assert_status("NEEDS_3D_SECURE");
    assert_eq!(shop.post_outcome(&detour.url, "perhaps").status, 400);
    assert_eq!(shop.post_outcome(&detour.url, "").status, 400);
    shop.payment(&detour.id).assert_status("NEEDS_3D_SECURE");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn the_first_decision_at_the_processors_page_counts() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    shop.decide(&detour, "fail");
    let back = shop.decide(&detour, "complete");
    Onward::of(&shop.visit(&back)).assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "THREE_D_SECURE"),
    ]);
    shop.payment(&detour.id).assert_status("DECLINED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn a_return_after_a_refund_still_says_that_it_was_paid() {
    let shop = shared::shop();
    let detour = challenged(&shop);
    let back = shop.decide(&detour, "complete");
    shop.visit(&back);
    shop.refund(&detour.id, 1000).assert_status("REFUNDED");
    Onward::of(&shop.visit(&back))
        .assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    shop.assert_books_agree_on(&detour.id);
}
