//! The books as they are shown, and what they never hold.

use connector::Answer;
use connectors::simulator::{BookingKind, Books, Entry, read_books};
use serde_json::json;

use crate::shop::{Charge, Seen, Shop};

#[test]
fn an_entry_is_shown_with_its_captures_and_refunds() {
    let shop = Shop::open();
    let authorised = shop.authorised("4242424242424242");
    let (above, capture, refund) = (shop.reference(), shop.reference(), shop.reference());
    shop.later(BookingKind::Capture, &authorised, &above, 1001)
        .unwrap()
        .unwrap();
    shop.later(BookingKind::Capture, &authorised, &capture, 900)
        .unwrap()
        .unwrap();
    shop.later(BookingKind::Refund, &authorised, &refund, 250)
        .unwrap()
        .unwrap();
    assert_eq!(
        shop.entry(&authorised),
        json!({
            "reference": authorised,
            "connection": "simulator-a",
            "currency": "EUR",
            "authorised": 1000,
            "captured": 900,
            "refunded": 250,
            "cancelled": false,
            "declined": false,
            "captures": [
                {"reference": above, "amount": 1001, "status": "refused"},
                {"reference": capture, "amount": 900, "status": "done"},
            ],
            "refunds": [{"reference": refund, "amount": 250, "status": "done"}],
        })
    );
}

#[test]
fn the_whole_books_are_read_across_pages() {
    let shop = Shop::open();
    let mut references: Vec<String> = (0..1001)
        .map(|_| shop.sold("4242424242424242").as_str().to_owned())
        .collect();
    references.sort();
    let read: Vec<String> = shop
        .read()
        .iter()
        .map(|entry| entry["reference"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(read, references);
    let nothing = shop
        .play(read_books(
            shop.books.as_ref(),
            Some("nothing"),
            shop.world.now(),
        ))
        .unwrap();
    assert_eq!(nothing, json!({"entries": []}));
}

#[test]
fn an_entry_can_be_stored_and_never_holds_the_number() {
    let shop = Shop::open();
    for number in [
        "4242424242424242",
        "4000000000000929",
        "4000000000007726",
        "4000000000009995",
    ] {
        let reference = shop.reference();
        shop.authorise(&reference, number, Charge::sale(1000))
            .unwrap()
            .unwrap();
        shop.later(BookingKind::Refund, &reference, &shop.reference(), 400)
            .unwrap()
            .unwrap();
        let entry = shop
            .play(shop.books.load(reference.as_str()))
            .unwrap()
            .unwrap();
        let text = serde_json::to_string(&entry).unwrap();
        for shown in [
            &text,
            &format!("{entry:?}"),
            &shop.entry(&reference).to_string(),
        ] {
            assert!(!shown.contains(number), "{shown}");
            assert!(!shown.contains(&number[8..]), "{shown}");
        }
        let mut read: Entry = serde_json::from_str(&text).unwrap();
        read.version = entry.version;
        assert_eq!(read, entry);
    }
}

#[test]
fn an_entry_of_an_older_release_is_read_as_it_was() {
    let shop = Shop::open();
    let stored = |behaviour: &str| {
        json!({
            "reference": shop.reference(),
            "connection": "simulator-a",
            "money": {"minor": 1000, "currency": "EUR"},
            "sale": true,
            "behaviour": behaviour,
            "funding": "CREDIT",
            "created_at": shop.world.now(),
        })
    };
    for (behaviour, authorised, declined) in
        [("Approve", 1000, false), ("DemandAuthentication", 0, true)]
    {
        let entry: Entry = serde_json::from_value(stored(behaviour)).unwrap();
        assert!(shop.play(shop.books.insert(&entry)).unwrap());
        assert_eq!(
            shop.sums(&entry.reference),
            [authorised, authorised, 0],
            "{behaviour}"
        );
        assert_eq!(shop.entry(&entry.reference)["declined"], json!(declined));
        let found = shop.look_up(&entry.reference, &entry.reference);
        assert_eq!(
            matches!(found, Seen::Authorisation(Answer::Approved { .. })),
            !declined,
            "{found:?}"
        );
    }
}
