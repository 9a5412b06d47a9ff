//! A short run of every fault; `cargo run --release -p faults` has the long ones.
#![allow(clippy::print_stdout, reason = "a run tells its seed")]

use faults::{Fault, Plan, restore, run};

/// The seed of an ordinary run, so that its result is the change's own and not chance's. Fresh ones are for the long runs.
const SEED: u64 = 20_261_122;

/// `POINTSMAN_SEED` gives another.
fn seed() -> u64 {
    let given = std::env::vars().find(|(name, _)| name == "POINTSMAN_SEED");
    given
        .and_then(|(_, text)| text.parse().ok())
        .unwrap_or(SEED)
}

fn plan(fault: Fault, rounds: u32) -> Plan {
    Plan {
        fault,
        rounds,
        check_every: rounds,
        nodes: 2,
        shoppers: 5,
        // The stories of outages and of followed lists have them; here they are for the long runs.
        keyless: 0,
        readers: 0,
        past_lease_every: 0,
        seed: seed(),
    }
}

fn played(plan: &Plan) {
    println!("POINTSMAN_SEED={} {plan:?}", plan.seed);
    println!("{}", run(plan, &|line| println!("{line}")));
}

#[test]
fn nodes_that_are_killed_lose_and_double_nothing() {
    played(&plan(Fault::Kills, 8));
}

#[test]
fn nodes_that_are_stopped_and_go_on_change_nothing_wrongly() {
    played(&plan(Fault::Pauses, 4));
}

#[test]
fn commits_whose_answers_are_lost_are_done_once() {
    played(&plan(Fault::Cuts, 10));
}

#[test]
fn what_was_acknowledged_is_there_after_a_failover() {
    played(&plan(Fault::Failovers, 2));
}

#[test]
fn the_one_node_of_an_embedded_database_that_is_killed_loses_and_doubles_nothing() {
    played(&plan(Fault::EmbeddedKills, 6));
}

#[test]
fn a_backup_that_is_restored_while_events_are_delivered_loses_none_of_its_events() {
    let plan = plan(Fault::EmbeddedKills, 1);
    println!("POINTSMAN_SEED={} {plan:?}", plan.seed);
    println!("{}", restore(&plan, &|line| println!("{line}")));
}
