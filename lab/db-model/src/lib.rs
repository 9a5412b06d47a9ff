//! A model of a PostgreSQL server in memory, with its mishaps, for simulations.
//!
//! # How it works
//! [`ModelServer`] is the server: one SQLite database in memory. [`ModelServer::connect`] gives a node its [`Db`], with queues,
//! writers, pools, batches and verdicts that are those of PostgreSQL to the letter; only the connections are the model's. A
//! batch runs at one moment of virtual time, which no observer can tell from row locks that are held until COMMIT. At each
//! boundary of a connection [`Mishaps`] is asked what goes wrong there; a simulation answers by its seed, or counts the
//! boundaries and picks one.
//!
//! # What is modelled
//! Connections lost before and after COMMIT, transactions that meet, slow statements and commits, an outage, a process that
//! dies at any boundary (have the hook call [`world::Node::crash`] and return [`Mishap::Death`]), and commits whose effect
//! comes late: until then the rows that they touch are locked, changes that need them wait and at last try again, claims
//! pass them by, and nobody sees anything of them.
//!
//! # What is not
//! A transaction of a lost connection is gone at once when the loss is noticed before COMMIT, where PostgreSQL may hold its
//! locks for some seconds (use [`Mishap::Late`] without effect). A claim with a limit that would get a locked row gets
//! nothing, where PostgreSQL would give it others.

mod mishaps;
mod tables;
#[cfg(test)]
mod tests;
mod wire;

use std::{sync::Arc, time::Duration};

use db::{
    Db, DbError, Migration, PostgresOptions, Row, Statement, Value,
    server::{Endpoint, Role},
};
use domain::Timestamp;
use parking_lot::Mutex;
use world::World;

pub use mishaps::{Boundary, Mishap, Mishaps, NoMishaps};
use tables::Tables;
use wire::WireLine;

/// A modelled server. Clones are the same server.
#[derive(Clone)]
pub struct ModelServer(Arc<Shared>);

struct Shared {
    tables: Mutex<Tables>,
    outage: Mutex<Outage>,
    /// That of the server: its clock, and the tasks that are its own.
    world: World,
}

struct Outage {
    until: Timestamp,
    /// Counts them: connections that were opened before are cut.
    number: u64,
}

impl ModelServer {
    /// A server with these tables, in a world that outlives its nodes'.
    pub fn new(migrations: &[Migration], world: &World) -> Result<Self, DbError> {
        let tables = Mutex::new(Tables::new(migrations, world.now())?);
        let outage = Mutex::new(Outage {
            until: world.now(),
            number: 0,
        });
        Ok(Self(Arc::new(Shared {
            tables,
            outage,
            world: world.clone(),
        })))
    }

    /// A node's door to it. Its writers are tasks of the node's world: with the node they die, and a node that starts again
    /// connects again.
    pub fn connect(&self, node: &World, mishaps: Arc<dyn Mishaps>) -> Db {
        let options = PostgresOptions {
            readers: 1,
            scanners: 1,
            ..PostgresOptions::new("", "model")
        };
        let target = Arc::new(ModelTarget {
            server: Arc::clone(&self.0),
            mishaps,
            options,
            world: node.clone(),
        });
        Db::on_server(&target, "model")
    }

    /// The server goes away, with all connections, and takes new ones again after `span`.
    pub fn away_for(&self, span: Duration) {
        let mut outage = self.0.outage.lock();
        outage.until = outage.until.max(self.0.world.now().after(span));
        outage.number += 1;
    }

    /// Reads the committed rows, apart from all nodes and without mishaps.
    pub fn rows(&self, sql: &'static str, params: Vec<Value>) -> Result<Vec<Row>, DbError> {
        self.0
            .tables
            .lock()
            .rows(&Statement::any(sql, params))
            .map_err(DbError::from)
    }

    /// How many commits are yet to come into effect, or to be undone.
    pub fn late_commits(&self) -> usize {
        self.0.tables.lock().late()
    }

    /// How many late commits could not come into effect: locks that were not kept. Anything but 0 is a defect of the model.
    pub fn misfits(&self) -> u64 {
        self.0.tables.lock().misfits()
    }
}

/// The model's server as one node sees it.
struct ModelTarget {
    server: Arc<Shared>,
    mishaps: Arc<dyn Mishaps>,
    options: PostgresOptions,
    world: World,
}

impl Endpoint for ModelTarget {
    type Wire = WireLine;

    fn world(&self) -> &World {
        &self.world
    }

    fn options(&self) -> &PostgresOptions {
        &self.options
    }

    async fn connect(&self, role: Role) -> Result<WireLine, String> {
        WireLine::open(self, role).await
    }

    /// Nothing that was taken away is modelled.
    fn refuse_when_found(&self, _: &'static str) {}
}
