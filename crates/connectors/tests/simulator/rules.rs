//! What the simulated processor enforces beyond the scenarios of every connector.

use std::{sync::Arc, time::Duration};

use connector::{Answer, CallError, Connector, LaterAnswer, Refund};
use connectors::simulator::{BookingKind, Books, BooksError, Entry, MemoryBooks, Simulator};
use domain::money::{Currency, Money};
use futures_util::future::{BoxFuture, join_all};
use world::World;

use crate::shop::{Call, Charge, FollowUp, Seen, Shop, connection, earlier, eur};

const FINE: &str = "4242424242424242";

fn is_rejected<T: std::fmt::Debug>(call: &Call<T>) -> bool {
    matches!(call, Ok(Err(CallError::Rejected { .. })))
}

#[test]
fn a_reference_belongs_to_one_request() {
    let shop = Shop::open();
    let reference = shop.sold(FINE);
    let usd = Money::new(1000, Currency::parse("USD").unwrap());
    for other in [
        shop.authorise(&reference, FINE, Charge::sale(1001)),
        shop.authorise(&reference, FINE, Charge::hold(1000)),
        shop.authorise(&reference, "4000000000000002", Charge::sale(1000)),
        shop.authorise(&reference, "4000056655665556", Charge::sale(1000)),
        shop.authorise_with(
            &reference,
            FINE,
            &shop.connection,
            Charge {
                money: usd,
                capture: true,
            },
        ),
        shop.authorise_with(
            &reference,
            FINE,
            &connection("simulator-b"),
            Charge::sale(1000),
        ),
    ] {
        assert!(is_rejected(&other), "{other:?}");
    }
    let same = shop.authorise(&reference, FINE, Charge::sale(1000));
    assert!(
        matches!(same, Ok(Ok(Answer::Approved { captured: true, .. }))),
        "{same:?}"
    );
    assert_eq!(shop.read().len(), 1);
    assert_eq!(shop.sums(&reference), [1000, 1000, 0]);
}

#[test]
fn a_later_reference_belongs_to_one_request_too() {
    let shop = Shop::open();
    let authorised = shop.authorised(FINE);
    let capture = shop.reference();
    assert!(matches!(
        shop.later(BookingKind::Capture, &authorised, &capture, 1000),
        Ok(Ok(LaterAnswer::Done { .. }))
    ));
    for other in [
        shop.later(BookingKind::Capture, &authorised, &capture, 999),
        shop.later(BookingKind::Refund, &authorised, &capture, 1000),
        shop.later(BookingKind::Refund, &authorised, &authorised, 1000),
    ] {
        assert!(is_rejected(&other), "{other:?}");
    }
    assert_eq!(shop.sums(&authorised), [1000, 1000, 0]);
}

#[test]
fn what_was_refused_stays_refused_under_its_reference() {
    let shop = Shop::open();
    let authorised = shop.authorised(FINE);
    let early = shop.reference();
    let first = shop.later(BookingKind::Refund, &authorised, &early, 1000);
    assert!(
        matches!(first, Ok(Ok(LaterAnswer::Refused { .. }))),
        "{first:?}"
    );
    assert!(matches!(
        shop.later(BookingKind::Capture, &authorised, &shop.reference(), 1000),
        Ok(Ok(LaterAnswer::Done { .. }))
    ));
    assert_eq!(
        shop.later(BookingKind::Refund, &authorised, &early, 1000),
        first
    );
    assert_eq!(shop.sums(&authorised), [1000, 1000, 0]);
}

#[test]
fn nothing_is_done_about_an_authorisation_of_somebody_else() {
    let shop = Shop::open();
    let authorised = shop.authorised(FINE);
    let other = connection("simulator-b");
    for kind in [
        BookingKind::Capture,
        BookingKind::Cancel,
        BookingKind::Refund,
    ] {
        let reference = shop.reference();
        let follow_up = FollowUp {
            authorisation: &authorised,
            reference: &reference,
        };
        let call = shop.later_with(kind, follow_up, &other, eur(1000));
        assert!(is_rejected(&call), "{call:?}");
        let unknown = shop.later(kind, &shop.reference(), &shop.reference(), 1000);
        assert!(is_rejected(&unknown), "{unknown:?}");
    }
    assert_eq!(
        shop.look_up_at(&other, &authorised, &authorised),
        Seen::NotFound
    );
    assert_eq!(shop.sums(&authorised), [1000, 0, 0]);
}

#[test]
fn amounts_are_above_zero_and_in_the_currency_of_the_authorisation() {
    let shop = Shop::open();
    let authorised = shop.authorised(FINE);
    for minor in [0, -1, i64::MIN] {
        assert!(is_rejected(&shop.authorise(
            &shop.reference(),
            FINE,
            Charge::sale(minor)
        )));
        assert!(is_rejected(&shop.later(
            BookingKind::Capture,
            &authorised,
            &shop.reference(),
            minor
        )));
    }
    let usd = Money::new(1000, Currency::parse("USD").unwrap());
    let reference = shop.reference();
    let call = shop.later_with(
        BookingKind::Capture,
        FollowUp {
            authorisation: &authorised,
            reference: &reference,
        },
        &shop.connection,
        usd,
    );
    assert!(is_rejected(&call), "{call:?}");
    assert_eq!(
        (shop.read().len(), shop.sums(&authorised)),
        (1, [1000, 0, 0])
    );
}

#[test]
fn the_largest_amount_does_not_overflow() {
    let shop = Shop::open();
    let reference = shop.reference();
    assert!(matches!(
        shop.authorise(&reference, FINE, Charge::sale(i64::MAX)),
        Ok(Ok(Answer::Approved { .. }))
    ));
    for (minor, done) in [(i64::MAX, true), (i64::MAX, false), (1, false)] {
        let refund = shop
            .later(BookingKind::Refund, &reference, &shop.reference(), minor)
            .unwrap()
            .unwrap();
        assert_eq!(
            matches!(refund, LaterAnswer::Done { .. }),
            done,
            "{refund:?}"
        );
    }
}

/// Books that take their time, so that callers meet in between.
struct Slow(Arc<MemoryBooks>, World);

impl Slow {
    async fn pause(&self) {
        self.1
            .sleep(Duration::from_millis(self.1.random() % 4))
            .await;
    }
}

impl Books for Slow {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        Box::pin(async move {
            self.pause().await;
            self.0.load(reference).await
        })
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            self.pause().await;
            self.0.insert(entry).await
        })
    }

    fn update<'a>(
        &'a self,
        entry: &'a Entry,
        expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            self.pause().await;
            self.0.update(entry, expected).await
        })
    }

    fn all<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        self.0.all(after, limit)
    }

    fn catch_up<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        self.0.catch_up(reference)
    }
}

#[test]
fn a_hundred_refunds_on_two_nodes_at_once_never_give_back_more_than_was_captured() {
    let shop = Shop::open();
    let sold = shop.sold(FINE);
    let books: Arc<dyn Books> = Arc::new(Slow(Arc::clone(&shop.books), shop.world.clone()));
    let nodes = [0, 1].map(|_| Simulator::new(shop.world.clone(), Arc::clone(&books)));
    let references: Vec<_> = (0..100).map(|_| shop.reference()).collect();
    let calls: Vec<_> = references
        .iter()
        .map(|reference| Refund {
            reference,
            authorisation: earlier(&sold),
            capture: None,
            money: eur(30),
            reason: None,
        })
        .collect();
    let link = shop.link();
    let all = join_all(
        calls
            .iter()
            .enumerate()
            .map(|(index, call)| nodes[index % 2].refund(&link, call)),
    );
    let answers = shop.play(all);
    let done = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LaterAnswer::Done { .. })))
        .count();
    let refused = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LaterAnswer::Refused { .. })))
        .count();
    assert_eq!((done, refused), (33, 67));
    assert_eq!(shop.sums(&sold), [1000, 1000, 990]);
}

#[test]
fn the_same_refund_sent_from_two_nodes_at_once_is_one() {
    let shop = Shop::open();
    let (sold, refund) = (shop.sold(FINE), shop.reference());
    let books: Arc<dyn Books> = Arc::new(Slow(Arc::clone(&shop.books), shop.world.clone()));
    let nodes = [0; 8].map(|_| Simulator::new(shop.world.clone(), Arc::clone(&books)));
    let call = Refund {
        reference: &refund,
        authorisation: earlier(&sold),
        capture: None,
        money: eur(400),
        reason: None,
    };
    let link = shop.link();
    let answers = shop.play(join_all(nodes.iter().map(|node| node.refund(&link, &call))));
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer, Ok(LaterAnswer::Done { .. }))),
        "{answers:?}"
    );
    assert_eq!(shop.sums(&sold), [1000, 1000, 400]);
}

#[test]
fn an_entry_does_not_grow_without_end() {
    let shop = Shop::open();
    let authorised = shop.authorised(FINE);
    for _ in 0..2000 {
        let refused = shop.later(BookingKind::Capture, &authorised, &shop.reference(), 1001);
        assert!(
            matches!(refused, Ok(Ok(LaterAnswer::Refused { .. }))),
            "{refused:?}"
        );
    }
    assert!(is_rejected(&shop.later(
        BookingKind::Capture,
        &authorised,
        &shop.reference(),
        1000
    )));
}

#[test]
fn the_descriptor_tells_of_every_card_method() {
    let shop = Shop::open();
    let methods = shop.simulator.descriptor().methods;
    for brand in domain::brand::Brand::ALL {
        assert!(methods.contains(&brand.method()), "{brand}");
    }
}
