//! Books that fail or are slow: what a caller may conclude.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use connector::{Authorise, CallError, Connector, FundingSource, LookUp, Refund, ThreeDsCall};
use connectors::simulator::{Books, BooksError, Entry, MemoryBooks, Simulator};
use domain::payment::ThreeDsWish;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use crate::shop::{Shop, card, earlier, eur};

/// Books whose writes fail, or come only when somebody waits for them.
struct Unruly {
    kept: MemoryBooks,
    writes: Writes,
    waiting: Mutex<Option<Entry>>,
    broken: AtomicBool,
}

enum Writes {
    Fail(BooksError),
    Linger,
}

fn unruly(shop: &Shop, writes: Writes) -> (Simulator, Arc<Unruly>) {
    let books = Unruly {
        kept: MemoryBooks::default(),
        writes,
        waiting: Mutex::default(),
        broken: AtomicBool::new(false),
    };
    let books = Arc::new(books);
    (
        Simulator::new(shop.world.clone(), Arc::clone(&books) as Arc<_>),
        books,
    )
}

impl Books for Unruly {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        Box::pin(async move {
            if self.broken.load(Ordering::Relaxed) {
                return Err(BooksError::Untouched("broken".to_owned()));
            }
            self.kept.load(reference).await
        })
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            match &self.writes {
                Writes::Fail(error) => Err(error.clone()),
                Writes::Linger => {
                    *self.waiting.lock() = Some(entry.clone());
                    std::future::pending().await
                }
            }
        })
    }

    fn update<'a>(
        &'a self,
        _entry: &'a Entry,
        _expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        // Somebody else is always faster.
        Box::pin(async { Ok(false) })
    }

    fn all<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        self.kept.all(after, limit)
    }

    fn catch_up<'a>(&'a self, _reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        Box::pin(async {
            let waiting = self.waiting.lock().take();
            if let Some(entry) = waiting {
                self.kept.insert(&entry).await?;
            }
            Ok(())
        })
    }
}

macro_rules! authorise {
    ($shop:expr, $simulator:expr, $reference:expr) => {{
        let card = card("4242424242424242");
        let call = Authorise {
            reference: $reference,
            money: eur(1000),
            capture: true,
            method: card.number.brand().method(),
            funding_source: FundingSource::Card(&card),
            three_ds: ThreeDsCall {
                wish: ThreeDsWish::AsIssuer,
                return_url: None,
                browser: None,
            },
            merchant_initiated: false,
            stored: None,
            shopper: None,
            payer: None,
            statement_descriptor: None,
            fraud: None,
        };
        $shop.in_time($simulator.authorise(&$shop.link(), &call))
    }};
}

#[test]
fn only_a_write_that_surely_failed_counts_as_not_sent() {
    let shop = Shop::open();
    let (simulator, _) = unruly(
        &shop,
        Writes::Fail(BooksError::Untouched("busy".to_owned())),
    );
    let answer = authorise!(shop, simulator, &shop.reference());
    assert!(
        matches!(answer, Ok(Err(CallError::NotSent { .. }))),
        "{answer:?}"
    );
    let (simulator, _) = unruly(&shop, Writes::Fail(BooksError::Unknown));
    let answer = authorise!(shop, simulator, &shop.reference());
    assert!(
        matches!(answer, Ok(Err(CallError::Unknown { .. }))),
        "{answer:?}"
    );
}

#[test]
fn a_look_up_waits_for_the_write_of_a_caller_who_has_gone() {
    let shop = Shop::open();
    let (simulator, _) = unruly(&shop, Writes::Linger);
    let reference = shop.reference();
    let answer = authorise!(shop, simulator, &reference);
    assert_eq!(answer, Err(world::Elapsed));
    let call = LookUp::new(earlier(&reference), earlier(&reference));
    let found = shop
        .in_time(simulator.look_up(&shop.link(), &call))
        .unwrap()
        .unwrap();
    assert!(found.authorisation.is_some(), "{found:?}");
}

#[test]
fn a_look_up_in_broken_books_finds_out_nothing() {
    let shop = Shop::open();
    let (simulator, books) = unruly(&shop, Writes::Linger);
    books.broken.store(true, Ordering::Relaxed);
    let reference = shop.reference();
    let call = LookUp::new(earlier(&reference), earlier(&reference));
    let found = shop
        .in_time(simulator.look_up(&shop.link(), &call))
        .unwrap();
    assert!(matches!(found, Err(CallError::Unknown { .. })), "{found:?}");
}

#[test]
fn a_change_that_is_always_overtaken_ends() {
    let shop = Shop::open();
    let (simulator, books) = unruly(&shop, Writes::Linger);
    let reference = shop.sold("4242424242424242");
    let entry = shop
        .play(shop.books.load(reference.as_str()))
        .unwrap()
        .unwrap();
    shop.play(books.kept.insert(&entry)).unwrap();
    let call = Refund {
        reference: &shop.reference(),
        authorisation: earlier(&reference),
        capture: None,
        money: eur(1000),
        reason: None,
    };
    let answer = shop.in_time(simulator.refund(&shop.link(), &call));
    assert!(
        matches!(answer, Ok(Err(CallError::NotSent { .. }))),
        "{answer:?}"
    );
}
