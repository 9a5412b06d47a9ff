//! A connection to the modelled server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use db::{
    Row, Statement, Value,
    server::{Begin, Failure, Ready, Refusal, Role, SAMPLE, Sealed, Wire},
};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::{Boundary, Mishap, Mishaps, ModelTarget, Shared, tables::Played};

/// An open connection.
pub(super) struct WireLine {
    server: Arc<Shared>,
    mishaps: Arc<dyn Mishaps>,
    world: world::World,
    role: Role,
    /// The number of the last outage before it was opened.
    outage: u64,
    cut: AtomicBool,
    /// What was run in the open transaction.
    played: Mutex<Vec<Statement>>,
    /// How long a statement waits for a row.
    lock_timeout: Duration,
    /// How long the server may give no sign.
    patience: Duration,
}

impl WireLine {
    pub(super) async fn open(target: &ModelTarget, role: Role) -> Result<Self, String> {
        let (server, world) = (Arc::clone(&target.server), target.world.clone());
        match target.mishaps.at(Boundary::Connect) {
            Mishap::Slow(span) => world.sleep(span).await,
            Mishap::Lost => return Err("the connection was lost".to_owned()),
            Mishap::Death => std::future::pending().await,
            Mishap::None | Mishap::Met | Mishap::Unknown | Mishap::Late { .. } => {}
        }
        let outage = {
            let outage = server.outage.lock();
            if server.world.now() < outage.until {
                return Err("it is away".to_owned());
            }
            outage.number
        };
        Ok(Self {
            server,
            mishaps: Arc::clone(&target.mishaps),
            world,
            role,
            outage,
            cut: AtomicBool::new(false),
            played: Mutex::default(),
            lock_timeout: target.options.statement_timeout / 3,
            patience: target.options.statement_timeout * 2,
        })
    }

    /// What may happen before something is sent.
    async fn before(&self, boundary: Boundary<'_>) -> Result<(), Failure> {
        match self.mishaps.at(boundary) {
            Mishap::Slow(span) => self.world.sleep(span).await,
            Mishap::Lost | Mishap::Unknown => self.cut(),
            Mishap::Met => return Err(Failure::Met("a deadlock")),
            Mishap::Death => std::future::pending().await,
            Mishap::None | Mishap::Late { .. } => {}
        }
        self.check()
    }

    fn check(&self) -> Result<(), Failure> {
        if self.is_closed() {
            Err(Failure::Lost("the connection was lost".to_owned()))
        } else {
            Ok(())
        }
    }

    async fn claim(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        self.before(Boundary::Claim(statement)).await?;
        let rows = loop {
            let claimed = self
                .server
                .tables
                .lock()
                .claim(statement)
                .map_err(Failure::Refused)?;
            match claimed {
                Ok(rows) => break rows,
                Err(ended) => self.wait_for(ended).await?,
            }
        };
        match self.mishaps.at(Boundary::Claimed(statement)) {
            Mishap::Slow(span) => self.world.sleep(span).await,
            Mishap::Lost | Mishap::Unknown => self.cut(),
            Mishap::Death => std::future::pending().await,
            Mishap::None | Mishap::Met | Mishap::Late { .. } => {}
        }
        self.check().map(|()| rows)
    }

    /// Waits until another transaction has ended.
    async fn wait_for(&self, ended: oneshot::Receiver<()>) -> Result<(), Failure> {
        // An error says that the sender is gone: it has ended.
        if self.world.timeout(self.lock_timeout, ended).await.is_err() {
            return Err(Failure::Met("a lock that was not given in time"));
        }
        self.check()
    }

    /// Has the server end the open transaction later.
    fn end_later(&self, after: Duration, effect: bool) -> Option<oneshot::Receiver<()>> {
        let kept = self.server.tables.lock().keep(&self.played.lock());
        let (number, ended) = kept.ok()?;
        let server = Arc::clone(&self.server);
        self.server.world.spawn(async move {
            server.world.sleep(after).await;
            server.tables.lock().end(number, effect);
        });
        Some(ended)
    }

    /// COMMIT takes its time, and comes into effect whatever becomes of this connection.
    async fn commit_slowly(&self, span: Duration) -> Sealed {
        let Some(ended) = self.end_later(span, true) else {
            return Sealed::Met;
        };
        if self.world.timeout(self.patience, ended).await.is_err() {
            self.cut();
        }
        if self.is_closed() {
            Sealed::Unknown
        } else {
            Sealed::Yes
        }
    }

    fn sample(&self) -> Row {
        let (oldest, next) = self.server.tables.lock().sample();
        let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        Row::new(vec![
            self.server.world.now().into(),
            number(oldest),
            number(next),
        ])
    }

    fn undo_now(&self) {
        self.server.tables.lock().undo();
    }
}

impl Wire for WireLine {
    type Prepared = ();

    fn is_closed(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.server.outage.lock().number != self.outage
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    async fn prepare(&self, _: &Statement) -> Result<(), Failure> {
        self.check()
    }

    async fn rows(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        if matches!(self.role, Role::Claimer | Role::Sweeper) {
            return self.claim(statement).await;
        }
        self.before(Boundary::Read(statement)).await?;
        if statement.sql == SAMPLE {
            return Ok(vec![self.sample()]);
        }
        self.server
            .tables
            .lock()
            .rows(statement)
            .map_err(Failure::Refused)
    }

    async fn play(
        &self,
        _: Begin,
        changes: &[Ready<'_, ()>],
    ) -> Result<Vec<Result<u64, Failure>>, Failure> {
        self.undo_now();
        let statements: Vec<Statement> = changes
            .iter()
            .flat_map(|change| change.statements)
            .cloned()
            .collect();
        match self.before(Boundary::Begin(&statements)).await {
            Ok(()) => {}
            Err(met @ Failure::Met(_)) => return Ok(vec![Err(met)]),
            Err(other) => return Err(other),
        }
        loop {
            let now = self.server.world.now();
            let played = self.server.tables.lock().play(&statements, now);
            match played.map_err(|error| Failure::Refused(Refusal::Storage(error)))? {
                Played::Ran(answers) => {
                    *self.played.lock() = statements;
                    return Ok(answers);
                }
                Played::Blocked(index, ended) => match self.wait_for(ended).await {
                    Ok(()) => {}
                    Err(met @ Failure::Met(_)) => {
                        // What ran before it is undone with it, so that its counts need only be those that are met.
                        let ahead = statements
                            .iter()
                            .take(index)
                            .map(|statement| Ok(statement.expect.wanted()));
                        return Ok(ahead.chain([Err(met)]).collect());
                    }
                    Err(other) => return Err(other),
                },
            }
        }
    }

    async fn seal(&self) -> Sealed {
        if self.is_closed() {
            self.undo_now();
            return Sealed::NotSent;
        }
        let played = std::mem::take(&mut *self.played.lock());
        let asked = self.mishaps.at(Boundary::Commit(&played));
        *self.played.lock() = played;
        match asked {
            Mishap::None => self.server.tables.lock().commit(),
            Mishap::Slow(span) => match self.commit_slowly(span).await {
                Sealed::Yes => {}
                other => return other,
            },
            Mishap::Late { after, effect } => {
                let _ended = self.end_later(after, effect);
                self.cut();
                return Sealed::Unknown;
            }
            undone @ (Mishap::Lost | Mishap::Met | Mishap::Unknown | Mishap::Death) => {
                self.undo_now();
                match undone {
                    Mishap::Met => return Sealed::Met,
                    Mishap::Death => std::future::pending().await,
                    _ => self.cut(),
                }
                return if undone == Mishap::Unknown {
                    Sealed::Unknown
                } else {
                    Sealed::NotSent
                };
            }
        }
        let played = std::mem::take(&mut *self.played.lock());
        match self.mishaps.at(Boundary::Committed(&played)) {
            Mishap::Slow(span) => self.world.sleep(span).await,
            Mishap::Unknown | Mishap::Lost => self.cut(),
            Mishap::Death => std::future::pending().await,
            Mishap::None | Mishap::Met | Mishap::Late { .. } => {}
        }
        if self.is_closed() {
            Sealed::Unknown
        } else {
            Sealed::Yes
        }
    }

    async fn undo(&self) -> Result<(), String> {
        self.undo_now();
        Ok(())
    }

    async fn pause(&self, tries: u32) {
        let most = 1 << tries.min(7);
        self.world
            .sleep(Duration::from_millis(self.world.random() % most))
            .await;
    }
}
