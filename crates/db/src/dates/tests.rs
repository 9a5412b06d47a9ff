use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + millis * 1000)
}

fn sample(millis: i64, oldest: i64, next: i64) -> Sample {
    Sample {
        clock: at(millis),
        oldest,
        next,
    }
}

#[test]
fn an_embedded_date_is_open_until_the_last_who_holds_it_is_done() {
    let (world, _sim) = World::simulated(1);
    let dates = Dates::default();
    let first = dates.draw_embedded(&world);
    let second = dates.draw_embedded(&world);
    assert!(first.at() < second.at(), "no two dates are the same");
    let change = Change::new(crate::ChangeId(1), "a").dated(&first);
    assert!(change.statements.is_empty(), "one process needs no guard");
    drop(first.open);
    assert_eq!(dates.settled_embedded(&world), first.at);
    drop(change);
    assert_eq!(dates.settled_embedded(&world), second.at);
    let last = second.at;
    drop(second);
    let settled = dates.settled_embedded(&world);
    assert!(settled > last);
    assert!(dates.draw_embedded(&world).at() >= settled);
}

#[test]
fn a_clock_that_is_set_back_a_little_is_waited_for_and_one_that_was_wrong_is_followed() {
    let next = at(0).micros();
    assert_eq!(later(at(-59_000), next, EMBEDDED_STEP), next);
    assert_eq!(
        later(at(-61_000), next, EMBEDDED_STEP),
        at(-61_000).micros()
    );
    assert_eq!(later(at(5), next, EMBEDDED_STEP), at(5).micros());
}

#[test]
fn a_moment_is_settled_when_the_transactions_of_its_sample_have_ended() {
    let mut server = Server::default();
    server.note(sample(10_000, 5, 8));
    assert_eq!(server.settled, None, "5, 6 and 7 may be open");
    server.note(sample(10_500, 7, 9));
    assert_eq!(server.settled, None);
    server.note(sample(11_000, 8, 12));
    assert_eq!(server.settled, Some(at(8_000)));
    server.note(sample(12_000, 12, 12));
    assert_eq!(
        server.settled,
        Some(at(10_000)),
        "nothing was open at all then"
    );
    assert!(server.samples.is_empty());
}

#[test]
fn few_samples_are_kept_and_the_oldest_of_them_stays() {
    let mut server = Server::default();
    for n in 0..10_000 {
        server.note(sample(n * 50, 1, 2 + n));
    }
    assert!(server.samples.len() <= SAMPLES);
    assert_eq!(server.samples.front().map(|sample| sample.next), Some(2));
    server.note(sample(600_000, 2, 20_000));
    assert_eq!(server.settled, Some(at(-2_000)));
}

#[test]
fn what_a_wrong_clock_has_settled_is_forgotten() {
    let mut server = Server::default();
    server.note(sample(3_600_000, 5, 5));
    server.note(sample(0, 5, 6));
    assert_eq!(server.settled, None);
    server.note(sample(100, 6, 6));
    assert_eq!(server.settled, Some(at(-1_900)));
}

#[test]
fn clocks_that_differ_are_reported_again_and_again_and_not_all_the_time() {
    let dates = Dates::default();
    let measured = |clock: i64, asked: i64| {
        dates.note(sample(clock, 1, 1), at(asked), at(asked + 10));
        dates.server.lock().warned_at
    };
    assert_eq!(measured(500, 0), None);
    assert_eq!(measured(31_500, 30_000), Some(at(30_010)));
    assert_eq!(measured(61_500, 60_000), Some(at(30_010)));
    assert_eq!(measured(398_000, 400_000), Some(at(400_010)));
}

#[test]
fn the_servers_clock_is_estimated_from_the_middle_of_the_question() {
    let (world, _sim) = World::simulated(1);
    let dates = Dates::default();
    assert!(dates.must_measure(&world));
    let now = world.now();
    let clock = Timestamp::from_micros(now.micros() + 700_000);
    let sample = Sample {
        clock,
        oldest: 1,
        next: 1,
    };
    dates.note(sample, now.before(Duration::from_millis(10)), now);
    assert!(!dates.must_measure(&world));
    let drawn = dates.draw_shared(&world);
    assert_eq!(drawn.at().micros() - now.micros(), 705_000);
    let change = Change::new(crate::ChangeId(1), "a").dated(&drawn);
    assert_eq!(change.statements.len(), 1);
    assert!(passes(drawn.at(), clock));
    assert!(!passes(drawn.at(), clock.after(Duration::from_secs(3))));
    dates.mistrust();
    assert!(dates.must_measure(&world));
}
