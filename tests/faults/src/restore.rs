//! An embedded database that is brought back to a backup, while events are delivered and followed.
//!
//! What happened after the backup is gone with it, also for the merchant's server that has heard of it. What is there afterwards must come to
//! that server all the same: from the endpoint's place in the backup on, in each payment's sequence, each event under its own id.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, thread,
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{Arrived, PATIENCE, Shop, cards, until};

use crate::{
    Chance, Fleet, Plan,
    listener::{ALL_WITHIN, Listener, id_of, in_sequence, listed},
    run::Stage,
};

/// What was restored, and found right.
#[derive(Debug, Default, Clone, Copy)]
pub struct Restored {
    /// Restores.
    pub rounds: u32,
    /// Events that were there again after a restore, and have all come.
    pub kept: usize,
    /// Events that had come and are gone with what happened after the backup.
    pub gone: usize,
    /// Events that came again.
    pub again: usize,
    /// Events that happened in the restored databases, and have all come.
    pub new: usize,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rounds,
            kept,
            gone,
            again,
            new,
        } = self;
        write!(
            f,
            "{rounds} restores: {kept} events of the backups and {new} that followed came in their sequence, {again} of them again, \
             {gone} were gone: nothing lost"
        )
    }
}

/// Restores so often. Panics with what is wrong.
pub fn restore(plan: &Plan, control: &dyn Fn(String)) -> Restored {
    let mut chance = Chance::new(plan.seed);
    let mut sum = Restored::default();
    for round in 1..=plan.rounds {
        let one = once(plan, &mut chance);
        sum.rounds += 1;
        sum.kept += one.kept;
        sum.gone += one.gone;
        sum.again += one.again;
        sum.new += one.new;
        control(format!("round {round} of {}: {one:?}", plan.rounds));
    }
    sum
}

fn once(plan: &Plan, chance: &mut Chance) -> Restored {
    let stage = Stage::embedded();
    let shop = stage.fleet.shop(0);
    let merchant = Listener::begin(&shop);
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let backup = scratch.path().join("backup");
    let mut known = Vec::new();
    let mut lost = String::new();
    let played = stage.play(plan, chance, |chance| {
        thread::sleep(Duration::from_millis(300 + chance.below(700)));
        known = all(&stage.fleet, &shop);
        let to = backup.to_str().expect("a readable path");
        stage.fleet.command(0, &["backup", "--to", to]);
        lost = shop.authorise(cards::MASTERCARD).id();
        until(ALL_WITHIN, "an event after the backup has come", || {
            let arrived = merchant.arrived();
            arrived
                .iter()
                .any(|one| of_payment(one, &lost))
                .then_some(())
        });
        thread::sleep(Duration::from_millis(chance.below(700)));
        stage.fleet.kill(0);
    });
    let before = merchant.arrived().len();
    let stage = Stage::of(stage.fleet.restored(&backup));
    let shop = stage.fleet.shop(0);
    assert_eq!(
        shop.try_payment(&lost).error_code(),
        Some("error.payment.not-found"),
        "what came after the backup is there"
    );
    let kept = all(&stage.fleet, &shop);
    are_kept(&known, &kept);
    // Those who follow go on behind a cursor from the time that is lost.
    let place = played.listener.place().clone();
    let going_on = stage.play(plan, chance, |chance| {
        thread::sleep(Duration::from_millis(500 + chance.below(700)));
    });
    let new = going_on.listener.finish(&stage.fleet, &shop);
    going_on.streamer.finish(&stage.fleet, &shop);
    let now = until(ALL_WITHIN, "all has come", || {
        has_all_come(&stage.fleet, &shop, &merchant)
    });
    let followed: BTreeSet<String> = behind(&stage.fleet, &shop, &place)
        .iter()
        .map(id_of)
        .collect();
    let kept_ids: BTreeSet<String> = kept.iter().map(id_of).collect();
    let missed: Vec<String> = now
        .keys()
        .filter(|id| !kept_ids.contains(*id) && !followed.contains(*id))
        .cloned()
        .collect();
    assert!(missed.is_empty(), "a cursor leads past {missed:?}");
    let (first, again) = arrived_right(&merchant.arrived(), before, &known);
    let gone = first.iter().filter(|id| !now.contains_key(*id)).count();
    assert!(gone > 0, "nothing was lost");
    Restored {
        rounds: 1,
        kept: kept.len(),
        gone,
        again,
        new,
    }
}

/// Whether an event is one of a payment.
fn of_payment(one: &Arrived, id: &str) -> bool {
    one.json()["data"]["paymentId"] == json!(id)
}

fn all(fleet: &Fleet, shop: &Shop) -> Vec<Value> {
    behind(fleet, shop, &Value::Null)
}

fn behind(fleet: &Fleet, shop: &Shop, place: &Value) -> Vec<Value> {
    until(PATIENCE, "the events are listed", || {
        listed(fleet, shop, place)
    })
}

/// What was there before the backup is there, as it was.
fn are_kept(known: &[Value], kept: &[Value]) {
    let kept: BTreeMap<String, &Value> = kept.iter().map(|event| (id_of(event), event)).collect();
    for event in known {
        let id = id_of(event);
        assert_eq!(kept.get(&id), Some(&event), "{id} is not as it was");
    }
}

/// The bodies of all events, once each has come to the merchant with the body that it has now.
fn has_all_come(
    fleet: &Fleet,
    shop: &Shop,
    merchant: &Listener,
) -> Option<BTreeMap<String, String>> {
    let events = listed(fleet, shop, merchant.begin_place())?;
    let bodies: BTreeMap<String, String> = events
        .iter()
        .map(|event| {
            let body = event["payload"].as_str().unwrap_or_default();
            (id_of(event), body.to_owned())
        })
        .collect();
    let arrived = merchant.arrived();
    let came: BTreeSet<(&str, &str)> = arrived
        .iter()
        .map(|one| (one.header("webhook-id"), one.body.as_str()))
        .collect();
    let is_there = |(id, body): (&String, &String)| came.contains(&(id.as_str(), body.as_str()));
    bodies.iter().all(is_there).then_some(bodies)
}

/// What has come since the restore is in sequence, and an event of the backup has one body, whenever it came. Returns the ids of what had come
/// before, and how many of them came again.
fn arrived_right(arrived: &[Arrived], before: usize, known: &[Value]) -> (BTreeSet<String>, usize) {
    let id = |one: &Arrived| one.header("webhook-id").to_owned();
    let bodies: BTreeMap<String, &str> = known
        .iter()
        .map(|event| (id_of(event), event["payload"].as_str().unwrap_or_default()))
        .collect();
    for one in arrived {
        if let Some(body) = bodies.get(&id(one)) {
            assert_eq!(one.body, **body, "{} has two bodies", id(one));
        }
    }
    let (old, new) = arrived.split_at(before);
    let (mut first, mut seen) = (Vec::new(), BTreeSet::new());
    for one in new {
        if seen.insert(id(one)) {
            first.push(json!({"id": id(one), "sequence": one.json()["sequence"]}));
        }
    }
    in_sequence(&first);
    let old: BTreeSet<String> = old.iter().map(id).collect();
    let again = seen.intersection(&old).count();
    (old, again)
}
