//! Rounds of faults under load, and the checks in between.

use std::{
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use testkit::cards;

use crate::{
    Chance, Cluster, Cut, Fleet, Member, Proxy,
    check::{Verdict, check},
    keyless::{self, Orders},
    listener::Listener,
    reader::Reader,
    shopper::{Memory, Street},
    streamer::Streamer,
};

/// What goes wrong in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One or more nodes are killed with SIGKILL, and started again.
    Kills,
    /// The one node of an embedded database is killed with SIGKILL, and started again.
    EmbeddedKills,
    /// A node is stopped with SIGSTOP, and goes on after a while.
    Pauses,
    /// Connections to the database are cut between COMMIT and its answer, with and without the COMMIT.
    Cuts,
    /// The database's server is killed, and started again after longer than the nodes wait for it.
    Outages,
    /// The database's server is killed, its synchronous standby takes over, and gets a standby of its own.
    Failovers,
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What goes wrong.
    pub fault: Fault,
    /// How often.
    pub rounds: u32,
    /// Everything is compared after so many rounds.
    pub check_every: u32,
    /// How many nodes share the database.
    pub nodes: usize,
    /// How many shoppers there are.
    pub shoppers: usize,
    /// How many shoppers send no idempotency keys.
    pub keyless: usize,
    /// How many readers follow the list of payments.
    pub readers: usize,
    /// Every so many pauses one is longer than a lease; 0: none.
    pub past_lease_every: u32,
    /// What chance begins with.
    pub seed: u64,
}

/// What was done, and found right.
#[derive(Debug, Default, Clone)]
pub struct Summary {
    /// Rounds.
    pub rounds: u32,
    /// Nodes that were killed.
    pub kills: u64,
    /// Nodes that were stopped for a while.
    pub pauses: u64,
    /// Those of them for longer than a lease.
    pub past_lease: u64,
    /// COMMITs that never reached the server.
    pub cut_before: u64,
    /// COMMITs that were done, and whose answer was lost.
    pub cut_after: u64,
    /// Times that the database was away for longer than nodes wait.
    pub outages: u64,
    /// Standbys that took over.
    pub failovers: u64,
    /// What was compared.
    pub verdict: Verdict,
    /// Orders without keys that were compared.
    pub keyless: usize,
    /// Payments that readers followed.
    pub followed: usize,
    /// Events that were followed, and came to a merchant's server.
    pub events: usize,
    /// Events that a client of the stream got over connections that broke.
    pub streamed: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict {
            payments,
            answers,
            asked_again,
            repeated,
        } = self.verdict;
        write!(
            f,
            "{} rounds: {} nodes killed, {} stopped ({} past their lease), {} commits cut off before the server and {} after \
             it, {} outages, {} failovers\n{payments} payments and {answers} answers compared, {asked_again} unanswered requests asked \
             again, {repeated} answered ones repeated, {} orders without keys, {} payments followed, {} events delivered, {} streamed: nothing lost, nothing doubled",
            self.rounds,
            self.kills,
            self.pauses,
            self.past_lease,
            self.cut_before,
            self.cut_after,
            self.outages,
            self.failovers,
            self.keyless,
            self.followed,
            self.events,
            self.streamed
        )
    }
}

/// Longer than the minute for which a job holds what it has claimed.
const PAST_LEASE: Duration = Duration::from_secs(64);
/// Longer than the patience of [`Fleet`]'s nodes with their database.
const AWAY: Duration = Duration::from_secs(22);
/// A stretch on one database; the next one begins with an empty one, so that each check stays small.
const STRETCHES: u32 = 4;

/// Runs a plan. Panics with what is wrong.
pub fn run(plan: &Plan, control: &dyn Fn(String)) -> Summary {
    let mut chance = Chance::new(plan.seed);
    let mut course = Course::begin(plan);
    let mut stage: Option<Stage> = None;
    let mut stretches = 0;
    while course.summary.rounds < plan.rounds {
        if stretches % STRETCHES == 0 {
            stage = Some(course.next_stage(stage, stretches));
        }
        stretches += 1;
        let Some(stage) = &stage else { break };
        let rounds = plan
            .check_every
            .max(1)
            .min(plan.rounds - course.summary.rounds);
        let begun = Instant::now();
        let played = stage.play(plan, &mut chance, |chance| {
            for _ in 0..rounds {
                course.strike(stage, chance);
            }
        });
        let lasted = begun.elapsed();
        let answered = played.answered;
        let verdict = course.judge(stage, played);
        control(format!(
            "round {} of {}: {answered} answers in {:.1?}, checked in {:.1?} ({} payments, {} asked again)",
            course.summary.rounds,
            plan.rounds,
            lasted,
            begun.elapsed().saturating_sub(lasted),
            verdict.payments,
            verdict.asked_again
        ));
        assert!(
            answered > u64::from(rounds),
            "there was no load: {answered} answers"
        );
    }
    course.summary
}

/// A plan while it is run.
struct Course<'a> {
    plan: &'a Plan,
    /// The database's servers; none where it is embedded.
    cluster: Option<Cluster>,
    primary: Member,
    summary: Summary,
}

impl<'a> Course<'a> {
    fn begin(plan: &'a Plan) -> Self {
        let cluster = (plan.fault != Fault::EmbeddedKills).then(|| Cluster::start(&[]));
        if let Some(cluster) = cluster.as_ref().filter(|_| plan.fault == Fault::Failovers) {
            cluster.make_standby(Member::B);
        }
        Self {
            plan,
            cluster,
            primary: Member::A,
            summary: Summary::default(),
        }
    }

    /// A stage on an empty database, in place of the last one.
    fn next_stage(&self, last: Option<Stage>, stretches: u32) -> Stage {
        let Some(cluster) = &self.cluster else {
            return Stage::embedded();
        };
        if let Some(Stage {
            database, fleet, ..
        }) = last
        {
            drop(fleet);
            cluster.drop_database(self.primary, &database);
        }
        let database = format!("faults{stretches}");
        cluster.create(self.primary, &database);
        Stage::set(self.plan, cluster, self.primary, database)
    }

    /// One round: one fault.
    fn strike(&mut self, stage: &Stage, chance: &mut Chance) {
        self.summary.rounds += 1;
        match (self.plan.fault, &self.cluster) {
            (Fault::Pauses, _) => {
                stage.pause(self.plan.past_lease_every, chance, &mut self.summary);
            }
            (Fault::Cuts, _) => stage.cut(chance, &mut self.summary),
            (Fault::Outages, Some(cluster)) => {
                thread::sleep(Duration::from_millis(300 + chance.below(1500)));
                cluster.kill(self.primary);
                thread::sleep(AWAY + Duration::from_millis(chance.below(5000)));
                cluster.restart(self.primary);
                self.summary.outages += 1;
            }
            (Fault::Failovers, Some(cluster)) => {
                thread::sleep(Duration::from_millis(300 + chance.below(1500)));
                self.primary = fail_over(cluster, self.primary, &mut self.summary);
            }
            _ => stage.kill(chance, &mut self.summary),
        }
    }

    /// Checks what was played.
    fn judge(&mut self, stage: &Stage, played: Played) -> Verdict {
        let verdict = check(&stage.fleet, played.memories);
        let shop = stage.fleet.shop(0);
        if self.plan.keyless > 0 {
            let payments = shop.every_payment();
            let checked = played
                .orders
                .iter()
                .map(|orders| keyless::check(&payments, orders));
            self.summary.keyless += checked.sum::<usize>();
        }
        for reader in played.readers {
            self.summary.followed += reader.finish(&stage.fleet, &shop);
        }
        self.summary.events += played.listener.finish(&stage.fleet, &shop);
        self.summary.streamed += played.streamer.finish(&stage.fleet, &shop);
        if let Some(cluster) = &self.cluster {
            let gaps = cluster.gaps(self.primary, &stage.database);
            assert!(gaps.is_empty(), "events with gaps: {gaps:?}");
        }
        add(&mut self.summary.verdict, verdict);
        verdict
    }
}

fn add(sum: &mut Verdict, more: Verdict) {
    sum.payments += more.payments;
    sum.answers += more.answers;
    sum.asked_again += more.asked_again;
    sum.repeated += more.repeated;
}

/// The primary dies, the standby takes over at once, and gets a standby where the primary was.
fn fail_over(cluster: &Cluster, primary: Member, summary: &mut Summary) -> Member {
    let standby = primary.other();
    cluster.kill(primary);
    cluster.promote(standby);
    summary.failovers += 1;
    cluster.make_standby(primary);
    standby
}

/// What a stretch left to be checked.
pub(crate) struct Played {
    memories: Vec<Memory>,
    orders: Vec<Orders>,
    readers: Vec<Reader>,
    pub(crate) listener: Listener,
    pub(crate) streamer: Streamer,
    answered: u64,
}

/// The nodes on their database.
pub(crate) struct Stage {
    pub(crate) fleet: Fleet,
    proxy: Option<Proxy>,
    database: String,
}

impl Stage {
    /// One node on an embedded database.
    pub(crate) fn embedded() -> Self {
        Self::of(Fleet::embedded())
    }

    /// These nodes.
    pub(crate) const fn of(fleet: Fleet) -> Self {
        Self {
            fleet,
            proxy: None,
            database: String::new(),
        }
    }

    fn set(plan: &Plan, cluster: &Cluster, primary: Member, database: String) -> Self {
        let proxy = (plan.fault == Fault::Cuts).then(|| Proxy::start(cluster.port(primary)));
        let url = match &proxy {
            Some(proxy) => format!(
                "postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable",
                proxy.port()
            ),
            None => cluster.url(&database),
        };
        Self {
            fleet: Fleet::start(&vec![url; plan.nodes]),
            proxy,
            database,
        }
    }

    /// Has shoppers and readers at work while `act` happens; what they remember.
    pub(crate) fn play(
        &self,
        plan: &Plan,
        chance: &mut Chance,
        act: impl FnOnce(&mut Chance),
    ) -> Played {
        let shop = self.fleet.shop(0);
        let token = shop.tokenise(cards::MASTERCARD);
        let (closed, answered) = (AtomicBool::new(false), AtomicU64::new(0));
        let street = &Street {
            fleet: &self.fleet,
            shop: &shop,
            token: &token,
            closed: &closed,
            answered: &answered,
        };
        let listener = Listener::begin(&shop);
        let streamer = Streamer::begin(&shop);
        let (memories, orders, readers, listener, streamer) = thread::scope(|scope| {
            let shoppers = many(plan.shoppers, chance, |own| {
                scope.spawn(move || street.shopper(own))
            });
            let keyless = many(plan.keyless, chance, |own| {
                scope.spawn(move || street.keyless(own))
            });
            let readers = many(plan.readers, chance, |own| {
                scope.spawn(move || {
                    Reader::default().follow(street.fleet, street.shop, street.closed, own)
                })
            });
            let own = chance.another();
            let listening =
                scope.spawn(move || listener.follow(street.fleet, street.shop, street.closed, own));
            let own = chance.another();
            let streaming =
                scope.spawn(move || streamer.follow(street.fleet, street.shop, street.closed, own));
            // Shoppers go home also when what happens fails.
            let close = Closing(&closed);
            act(chance);
            drop(close);
            let listener = joined(vec![listening]).remove(0);
            let streamer = joined(vec![streaming]).remove(0);
            let (shoppers, keyless) = (joined(shoppers), joined(keyless));
            (shoppers, keyless, joined(readers), listener, streamer)
        });
        Played {
            memories,
            orders,
            readers,
            listener,
            streamer,
            answered: answered.load(Ordering::Relaxed),
        }
    }

    /// Kills one node, sometimes two or all of them, and starts them again.
    fn kill(&self, chance: &mut Chance, summary: &mut Summary) {
        thread::sleep(Duration::from_millis(50 + chance.below(500)));
        let count = match chance.below(8) {
            0 => self.fleet.len(),
            1 | 2 => self.fleet.len().min(2),
            _ => 1,
        };
        let first = chance.index(self.fleet.len());
        let hit: Vec<usize> = (0..count)
            .map(|offset| (first + offset) % self.fleet.len())
            .collect();
        for node in &hit {
            self.fleet.kill(*node);
            summary.kills += 1;
        }
        thread::sleep(Duration::from_millis(chance.below(200)));
        thread::scope(|scope| {
            for node in &hit {
                scope.spawn(|| self.fleet.restart(*node));
            }
        });
    }

    /// Stops one node for a while; the others go on.
    fn pause(&self, past_lease_every: u32, chance: &mut Chance, summary: &mut Summary) {
        thread::sleep(Duration::from_millis(50 + chance.below(300)));
        let node = chance.index(self.fleet.len());
        let past_lease = past_lease_every > 0 && summary.rounds.is_multiple_of(past_lease_every);
        // Shorter and longer than the five seconds after which what was committed is not sent any more.
        let length = if past_lease {
            PAST_LEASE
        } else {
            Duration::from_millis(200 + chance.below(7000))
        };
        self.fleet.pause(node);
        summary.pauses += 1;
        summary.past_lease += u64::from(past_lease);
        thread::sleep(length);
        self.fleet.go_on(node);
    }

    /// Cuts some commits of anyone.
    fn cut(&self, chance: &mut Chance, summary: &mut Summary) {
        let Some(proxy) = &self.proxy else { return };
        let (before, after) = proxy.cuts();
        let wanted = 1 + chance.below(4);
        for _ in 0..wanted {
            thread::sleep(Duration::from_millis(20 + chance.below(200)));
            proxy.arm(if chance.one_in(3) {
                Cut::Before
            } else {
                Cut::After
            });
        }
        testkit::until(Duration::from_secs(20), "the commits are cut", || {
            let (now_before, now_after) = proxy.cuts();
            (now_before + now_after >= before + after + wanted).then_some(())
        });
        let (now_before, now_after) = proxy.cuts();
        summary.cut_before += now_before - before;
        summary.cut_after += now_after - after;
    }
}

/// So many of them, each with a chance of its own.
fn many<T>(count: usize, chance: &mut Chance, start: impl Fn(Chance) -> T) -> Vec<T> {
    (0..count).map(|_| start(chance.another())).collect()
}

/// What threads come to; a panic of one goes on here.
fn joined<T>(threads: Vec<thread::ScopedJoinHandle<'_, T>>) -> Vec<T> {
    let ended = threads.into_iter().map(|thread| {
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    ended.collect()
}

/// Sends the shoppers home when it goes.
struct Closing<'a>(&'a AtomicBool);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
