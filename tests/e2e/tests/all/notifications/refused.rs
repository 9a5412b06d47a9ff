//! What is not genuine has no effect and is not stored.

use serde_json::json;
use testkit::{Order, Shop, cards};

use super::{Post, chargeback, path, secret, signature, stored};
use crate::shared;

/// What differs from a genuine notification, with a word for it.
fn forgeries(good: &Post, other_path: &str, key: &[u8]) -> Vec<(&'static str, Post)> {
    let at = |seconds: i64| Post {
        seconds,
        signature: signature(key, &good.id, seconds, &good.body),
        ..good.clone()
    };
    let saying = |body: String| Post {
        signature: signature(key, &good.id, good.seconds, &body),
        body,
        ..good.clone()
    };
    let signed = |text: String| Post {
        signature: text,
        ..good.clone()
    };
    let mut altered = good.clone();
    altered.body = good.body.replace("1000", "1001");
    let mut other_id = good.clone();
    "msg_g".clone_into(&mut other_id.id);
    let mut other_time = good.clone();
    other_time.seconds += 1;
    let mut misdirected = good.clone();
    other_path.clone_into(&mut misdirected.path);
    vec![
        ("altered", altered),
        ("another id", other_id),
        ("another time", other_time),
        ("no signature", signed(String::new())),
        (
            "not one of ours",
            signed(good.signature.replace("v1,", "v1a,")),
        ),
        ("another connection", misdirected),
        ("old", at(good.seconds - 400)),
        ("of the future", at(good.seconds + 400)),
        (
            "of live mode",
            saying(good.body.replace("\"test\"", "\"live\"")),
        ),
    ]
}

#[test]
fn forged_altered_and_misdirected_notifications_have_no_effect() {
    let shop = shared::shop();
    shop.connection("forged", json!({}));
    shop.connection("forged-too", json!({}));
    let (path, other) = (path(&shop, "forged"), path(&shop, "forged-too"));
    let payment = shop.order(&Order::card(cards::VISA).amount(1000)).id();
    let reference = format!("{}-1", payment.trim_start_matches("payments:"));
    let good = Post::signed(&path, "msg_f", &chargeback(&reference, "dp_f"));
    for (what, post) in forgeries(&good, &other, &secret(&path)) {
        assert_eq!(post.send(&shop).status, 401, "{what}");
    }
    assert!(stored(&shop, "forged").is_empty() && stored(&shop, "forged-too").is_empty());
    shop.payment(&payment).assert_status("SUCCEEDED");
    // One signature of several is enough, as during a rotation.
    let rotated = Post {
        signature: format!("v1,AAAA {}", good.signature),
        ..good
    };
    assert_eq!(rotated.send(&shop).status, 200);
}

#[test]
fn an_address_that_was_not_given_out_and_a_large_body_are_refused() {
    let shop = shared::shop();
    shop.connection("large", json!({}));
    let path = path(&shop, "large");
    for wrong in [
        "/notifications/x",
        &path[..path.len() - 1],
        &format!("{path}A"),
    ] {
        let post = Post::signed(wrong, "msg", &json!({}));
        assert_eq!(post.send(&shop).status, 404, "{wrong}");
    }
    let large = json!({"id": "m", "type": "x", "mode": "test", "reference": null, "more": "x".repeat(1024 * 1024)});
    assert_eq!(Post::signed(&path, "msg_l", &large).send(&shop).status, 413);
    let fits = json!({"id": "m", "type": "x", "mode": "test", "reference": null, "more": "x".repeat(1000 * 1024)});
    assert_eq!(Post::signed(&path, "msg_l", &fits).send(&shop).status, 200);
    let get: u16 = shop.get(&path).status;
    assert_eq!(get, 405);
    assert!(stored(&shop, "large").len() == 1);
}

#[test]
fn another_teams_address_leads_to_that_team_alone() {
    let (shop, other): (Shop, Shop) = (shared::shop(), shared::other_shop());
    other.connection("their-news", json!({}));
    let path = path(&other, "their-news");
    let payment = shop.order(&Order::card(cards::VISA).amount(1000)).id();
    let reference = format!("{}-1", payment.trim_start_matches("payments:"));
    let post = Post::signed(&path, "msg_t", &chargeback(&reference, "dp_t"));
    assert_eq!(post.send(&shop).status, 200);
    shop.payment(&payment).assert_status("SUCCEEDED");
    let found = shop.gql(
        "query($id: ID) { listNotifications(connectionId: $id) { edges { cursor } } }",
        json!({"id": "their-news"}),
    );
    found.assert_error("error.connection.not-found");
}
