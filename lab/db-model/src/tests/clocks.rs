//! Dates of changes, and what is settled by then.

use super::*;

#[test]
fn a_date_that_comes_too_late_is_refused_and_another_one_passes() {
    let house = House::new(1);
    let (db, world) = (&house.first.0, &house.first.1);
    let late = house.run(async {
        let date = db.draw_date().await.unwrap();
        world.sleep(Duration::from_secs(3)).await;
        db.commit(take("a", 1, "late").dated(&date)).await
    });
    assert_eq!(late, Err(DbError::Outdated));
    let again = house.run(async {
        let date = db.draw_date().await.unwrap();
        db.commit(take("a", 1, "again").dated(&date)).await
    });
    assert_eq!(again, Ok(Committed::Done));
    assert_eq!(house.ledger(), ["again"]);
    house.assert_sound();
}

#[test]
fn dates_come_from_the_servers_clock_whatever_the_nodes_shows() {
    let house = House::new(1);
    let (db, node) = (&house.first.0, &house.first.2);
    node.jump(1_800_000);
    let date = house.run(db.draw_date()).unwrap();
    assert!(date.at().since(house.world.now()) < Duration::from_millis(100));
    // A clock that jumps by more than the tolerance is noticed by the guard, and measured.
    node.jump(10_000_000);
    let outdated = house.run(async {
        let date = db.draw_date().await.unwrap();
        db.commit(take("a", 1, "x").dated(&date)).await
    });
    assert_eq!(outdated, Err(DbError::Outdated));
    let date = house.run(db.draw_date()).unwrap();
    assert_eq!(
        house.run(db.commit(take("a", 1, "x").dated(&date))),
        Ok(Committed::Done)
    );
}

#[test]
fn nothing_is_settled_beyond_a_commit_that_is_still_to_come_into_effect() {
    let house = House::new(1);
    let (db, other) = (&house.first.0, &house.second.0);
    house.run(house.world.sleep(Duration::from_mins(1)));
    let now = house.world.now();
    let settled = house.run(other.settled_until()).unwrap().unwrap();
    assert!(settled <= now.before(TOLERANCE) && now.since(settled) < Duration::from_secs(3));
    house.plan(&[(
        "commit",
        Mishap::Late {
            after: Duration::from_secs(30),
            effect: true,
        },
    )]);
    let (date, made) = house.run(async {
        let date = db.draw_date().await.unwrap();
        let made = db.commit(take("a", 1, "slow").dated(&date)).await;
        (date, made)
    });
    assert_eq!(made, Ok(Committed::Unknown));
    while house.ledger().is_empty() {
        let settled = house.run(other.settled_until()).unwrap();
        assert!(settled.is_none_or(|settled| settled <= date.at()));
        house.run(house.world.sleep(Duration::from_millis(700)));
    }
    assert!(house.world.now().since(date.at()) > Duration::from_secs(29));
    let settled = house.run(other.settled_until()).unwrap().unwrap();
    assert!(settled > date.at());
    house.assert_sound();
}
