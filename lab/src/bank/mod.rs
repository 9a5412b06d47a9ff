//! The processors: the simulator behind a network that loses, delays, repeats and garbles, as the seed decides.
//!
//! # What is kept whatever goes wrong
//! What a connector declares. A request takes effect at most [`BankKind::latest`] after its call has ended, and a look-up is
//! at most [`BankKind::lag`] behind, so that "not found" is final after [`BankKind::final_after`]. A processor that breaks its
//! word on that is beyond what any client of it could survive.

mod desk;
mod elsewhere;
mod fault;
mod gate;
mod kind;
mod ledger;
mod post;
mod request;
mod respond;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use connector::CallError;
use connectors::simulator::{Books, BooksError, Page, Simulator};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::oneshot;
use world::World;

pub(crate) use desk::Desk;
pub(crate) use elsewhere::{Account, OtherSystem};
pub(crate) use fault::Mood;
use fault::{Back, Plan};
pub(crate) use gate::Gate;
pub(crate) use kind::{BankKind, KINDS};
pub(crate) use ledger::Ledger;
pub(crate) use post::{Carrier, Letter, PostOffice, Verdict};
use request::{Reply, Request};

use crate::{chance::Chance, counts::Counts, house::DOWN};

/// Where the simulator's pages are.
pub(crate) const PAGES: &str = "https://bank.example";

/// All processors: one simulator with one ledger.
pub(crate) struct Bank {
    world: World,
    simulator: Arc<Simulator>,
    ledger: Arc<Ledger>,
    chance: Mutex<Chance>,
    mood: Mutex<Mood>,
    faults: Counts,
    looking: Mutex<Looking>,
    /// Responses to disputes as connectors were asked to send them, and what look-ups of them said, in order.
    responses: Mutex<Vec<Value>>,
}

/// The look-ups that are under way.
#[derive(Default)]
struct Looking {
    /// Whether only recovery looks up, of which one at a time does.
    alone: bool,
    /// Customers that come back, who have it look up too.
    guests: usize,
    under_way: BTreeMap<String, usize>,
    doubled: BTreeSet<String>,
}

impl Bank {
    /// A bank whose calls are tasks of `world`: they go on when the caller dies.
    pub(crate) fn new(world: &World, chance: Chance) -> Arc<Self> {
        let ledger = Arc::new(Ledger::new(world.clone()));
        let simulator = simulator(world, Arc::clone(&ledger) as Arc<dyn Books>);
        Arc::new(Self {
            world: world.clone(),
            simulator: Arc::new(simulator),
            ledger,
            chance: Mutex::new(chance),
            mood: Mutex::new(Mood::Well),
            faults: Counts::default(),
            looking: Mutex::default(),
            responses: Mutex::default(),
        })
    }

    /// What is in the books.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether a call that nothing depends on goes wrong.
    fn draws_failure(&self) -> bool {
        let mood = *self.mood.lock();
        matches!(mood, Mood::Ill(one_in) if self.chance.lock().one_in(one_in))
    }

    fn note_response(&self, note: Value) {
        self.responses.lock().push(note);
    }

    /// What connectors were asked to send as responses to disputes, and what look-ups of them said, in order.
    pub(crate) fn responses(&self) -> Vec<Value> {
        self.responses.lock().clone()
    }

    /// How much goes wrong from now on.
    pub(crate) fn set_mood(&self, mood: Mood) {
        *self.mood.lock() = mood;
    }

    /// The faults that were dealt, by name.
    pub(crate) fn take_faults(&self) -> std::collections::BTreeMap<&'static str, u64> {
        self.faults.take()
    }

    /// From now on only recovery looks up.
    pub(crate) fn only_recovery_looks(&self) {
        self.looking.lock().alone = true;
    }

    /// What was looked up by two at once since then.
    pub(crate) fn looked_up_twice(&self) -> BTreeSet<String> {
        self.looking.lock().doubled.clone()
    }

    /// A customer comes back, or has come back.
    pub(crate) fn guest(&self, comes: bool) {
        let mut looking = self.looking.lock();
        looking.guests = if comes {
            looking.guests.saturating_add(1)
        } else {
            looking.guests.saturating_sub(1)
        };
    }

    /// A look-up begins.
    fn look(&self, reference: &str) {
        let mut looking = self.looking.lock();
        let count = looking.under_way.entry(reference.to_owned()).or_default();
        *count += 1;
        if *count > 1 && looking.alone && looking.guests == 0 {
            looking.doubled.insert(reference.to_owned());
        }
    }

    /// A look-up ends.
    fn looked(&self, reference: &str) {
        let mut looking = self.looking.lock();
        let left = looking.under_way.get_mut(reference).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left == 0 {
            looking.under_way.remove(reference);
        }
    }

    /// The customer decides at the page of this address. The page as it is then.
    pub(crate) async fn decide(&self, url: &str, pass: bool) -> Result<Option<Page>, BooksError> {
        let token = url.rsplit('/').next().unwrap_or_default();
        self.simulator.decide(token, pass).await
    }

    /// Decides what becomes of a call.
    fn plan(&self, kind: &BankKind, request: &Request) -> Plan {
        if request.asks_for_money_at(DOWN) {
            return Plan::refused();
        }
        let mood = *self.mood.lock();
        let (plan, name) = Plan::draw(&mut self.chance.lock(), mood, kind, request);
        if let Some(name) = name {
            self.faults.add(name);
        }
        plan
    }

    /// Carries a request to the simulator and its answer back, no matter who waits for it.
    async fn deliver(
        self: Arc<Self>,
        request: Request,
        plan: Plan,
        back: oneshot::Sender<Result<Reply, CallError>>,
    ) {
        let mut back = Some(back);
        if let Some((after, failure)) = plan.early {
            self.world.sleep(after).await;
            if let Some(back) = back.take() {
                // The caller may be gone; the request goes on all the same.
                let _ = back.send(Err(failure.error()));
            }
        }
        let mut reported = None;
        for travel in plan.arrivals.into_iter().flatten() {
            self.world.sleep(travel).await;
            reported = Some(self.perform(&request, plan.lag).await);
        }
        let (after, reported) = match plan.back {
            Back::Answer(after) => (after, reported),
            Back::Error(after, failure) => (after, Some(Err(failure.error()))),
            Back::Silence => return,
        };
        self.world.sleep(after).await;
        if let (Some(back), Some(reported)) = (back, reported) {
            let _ = back.send(reported);
        }
    }

    async fn perform(
        &self,
        request: &Request,
        lag: std::time::Duration,
    ) -> Result<Reply, CallError> {
        if lag.is_zero() {
            return request.perform(&self.simulator).await;
        }
        let behind = simulator(&self.world, Arc::new(self.ledger.behind(lag)));
        request.perform(&behind).await
    }
}

fn simulator(world: &World, books: Arc<dyn Books>) -> Simulator {
    let simulator = Simulator::new(world.clone(), books);
    simulator.reachable_at(PAGES.to_owned());
    simulator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_look_ups_at_the_same_time_are_noticed_once_only_recovery_looks() {
        let (world, _sim) = World::simulated(1);
        let bank = Bank::new(&world, Chance::of(1, 1));
        bank.look("a-1");
        bank.look("a-1");
        assert!(bank.looked_up_twice().is_empty(), "readers look up as well");
        bank.looked("a-1");
        bank.looked("a-1");
        bank.only_recovery_looks();
        bank.look("a-1");
        bank.look("b-1");
        bank.guest(true);
        bank.look("a-1");
        bank.looked("a-1");
        bank.guest(false);
        assert!(
            bank.looked_up_twice().is_empty(),
            "one at a time for each, and a customer"
        );
        bank.look("a-1");
        assert_eq!(bank.looked_up_twice(), BTreeSet::from(["a-1".to_owned()]));
    }
}
