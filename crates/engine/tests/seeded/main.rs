//! Seeded runs of the whole engine on one thread, in virtual time, against the simulator: the same seed plays the same
//! story, and at its end the processor's books and the payments agree.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod adyen;
mod house;
mod story;
mod stripe;
mod wire;

use std::time::Duration;

use house::House;

#[test]
fn the_same_seed_plays_the_same_story_to_the_same_step() {
    let one = story::play(11, 30);
    let two = story::play(11, 30);
    assert_eq!(one, two);
    assert_ne!(story::play(12, 30).digest, one.digest);
}

#[test]
fn books_and_payments_agree_whatever_the_seed() {
    for seed in 100..112 {
        let played = story::play(seed, 25);
        assert_eq!(played.payments, 25, "seed {seed}");
    }
}

#[test]
fn two_hundred_refunds_of_one_leave_exactly_one_hundred() {
    let house = House::build(5);
    let caller = house.caller();
    let paid = house
        .run(story::authorise(
            &house,
            &caller,
            "4242424242424242",
            100,
            None,
        ))
        .unwrap();
    let id = paid.payment.id();
    let refunds = (0..200).map(|_| story::refund(&house, &caller, id, Some(1)));
    let results = house.run(futures_util::future::join_all(refunds));
    let settled = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(settled, 100);
    for fault in results.into_iter().filter_map(Result::err) {
        assert!(
            matches!(
                fault.code,
                domain::Code::RefundAmount | domain::Code::RefundStatus
            ),
            "{:?}: {}",
            fault.code,
            fault.message
        );
    }
    let payment = house
        .run(house.engine.payment(&caller, id))
        .unwrap()
        .payment;
    assert_eq!(
        (payment.refunded(), payment.status()),
        (100, domain::payment::Status::Refunded)
    );
    house.assert_books_equal_payments();
}

#[test]
fn fifty_authorisations_with_one_key_are_one_charge_and_one_answer() {
    let house = House::build(6);
    let caller = house.caller();
    let all = (0..50)
        .map(|_| story::authorise(&house, &caller, "4242424242424242", 700, Some("one-key")));
    let results = house.run(futures_util::future::join_all(all));
    let first = results[0].as_ref().unwrap().payment.clone();
    for result in &results {
        assert_eq!(result.as_ref().unwrap().payment, first);
    }
    assert_eq!(house.entries().len(), 1);
    house.assert_books_equal_payments();
}

#[test]
fn twins_of_a_refund_that_is_pending_get_its_answer_and_no_refusal() {
    for seed in 40..60 {
        let house = House::build(seed);
        let caller = house.caller();
        let paid = story::authorise(&house, &caller, "4000000000005126", 700, None);
        let id = house.run(paid).unwrap().payment.id();
        let all = (0..8).map(|_| story::refund_once(&house, &caller, id, "one-key"));
        for result in house.run(futures_util::future::join_all(all)) {
            let payment = result
                .unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}"))
                .payment;
            assert_eq!(payment.status(), domain::payment::Status::RefundPending);
        }
        house.assert_books_equal_payments();
    }
}

#[test]
fn a_request_under_a_key_gets_the_end_of_the_flow_and_not_its_middle() {
    for seed in 20..30 {
        let house = House::build(seed);
        let caller = house.caller();
        let order = story::Order {
            flow: "half-back",
            number: "4242424242424242",
            amount: 700,
        };
        let authorise = || story::authorise_once(&house, &caller, order, Some("one-key"));
        let all = (0..8).map(|_| authorise());
        let results = house.run(futures_util::future::join_all(all));
        let again = authorise();
        let last = house.run(again).unwrap().payment;
        assert_eq!((last.captured(), last.refunded()), (700, 350));
        for result in results {
            assert_eq!(result.unwrap().payment, last, "seed {seed}");
        }
        house.assert_books_equal_payments();
    }
}

#[test]
fn an_authorisation_that_nobody_captures_is_cancelled_when_the_processor_says_so() {
    let house = House::build(7);
    let caller = house.caller();
    house.engine.start();
    let held = house
        .run(story::authorise_on(
            &house,
            &caller,
            "capture-by-api",
            "4242424242424242",
            900,
        ))
        .unwrap();
    let kept = house
        .run(story::authorise_on(
            &house,
            &caller,
            "capture-by-api",
            "4000000000000937",
            900,
        ))
        .unwrap();
    assert_eq!(held.payment.status(), domain::payment::Status::Authorised);
    house.run(house.world.sleep(Duration::from_hours(13)));
    let after = house
        .run(house.engine.payment(&caller, held.payment.id()))
        .unwrap()
        .payment;
    assert_eq!(after.status(), domain::payment::Status::Cancelled);
    let after = house
        .run(house.engine.payment(&caller, kept.payment.id()))
        .unwrap()
        .payment;
    assert_eq!(
        after.status(),
        domain::payment::Status::Authorised,
        "the processor keeps it alive"
    );
    house.assert_books_equal_payments();
}

#[test]
fn a_request_whose_time_is_over_before_anything_is_on_disk_is_answered_so_and_may_come_again() {
    let house = House::build(8);
    let caller = house.caller();
    let first = story::authorise(&house, &caller, "4242424242424242", 300, Some("late"));
    // The machine sleeps between the arrival of the request and its first commit.
    let sim = house.sim().clone();
    let asleep = async {
        let mut first = std::pin::pin!(first);
        let _ = futures_util::poll!(&mut first);
        sim.jump(60_000_000);
        first.await
    };
    let fault = house.run(asleep).unwrap_err();
    assert_eq!(fault.code, domain::Code::Unavailable);
    assert_eq!((house.entries().len(), house.payments().len()), (0, 0));
    let again = house
        .run(story::authorise(
            &house,
            &caller,
            "4242424242424242",
            300,
            Some("late"),
        ))
        .unwrap();
    assert_eq!(again.payment.status(), domain::payment::Status::Succeeded);
    house.assert_books_equal_payments();
}

#[test]
fn a_clock_that_is_set_back_charges_nothing_twice_and_calls_nothing_failed_before_its_time() {
    let house = House::build(9);
    let caller = house.caller();
    let [charged, uncharged] = ["4000000000000903", "4000000000000911"].map(|number| {
        let made = house.run(story::authorise(&house, &caller, number, 300, None));
        let payment = made.unwrap().payment;
        assert_eq!(payment.status(), domain::payment::Status::NoAnswerFromPsp);
        payment.id()
    });
    house.sim().jump(-3_600_000_000);
    let read = |id| {
        house
            .run(house.engine.payment(&caller, id))
            .unwrap()
            .payment
    };
    // What the processor has counts at once; that it has nothing counts only by the clock.
    assert_eq!(
        read(charged).status(),
        domain::payment::Status::Succeeded,
        "asked by the reader"
    );
    assert_eq!(
        read(uncharged).status(),
        domain::payment::Status::NoAnswerFromPsp
    );
    let new = house.run(story::authorise(
        &house,
        &caller,
        "4242424242424242",
        300,
        None,
    ));
    let new = new.unwrap().payment;
    assert_eq!(new.status(), domain::payment::Status::Succeeded);
    assert!(new.created_at() < read(charged).created_at());
    house.run(house.world.sleep(Duration::from_mins(62)));
    assert_eq!(read(uncharged).status(), domain::payment::Status::Failed);
    assert_eq!(house.entries().len(), 2);
    house.assert_books_equal_payments();
}
