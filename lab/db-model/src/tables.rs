//! The tables of the modelled server, and the transactions that it has not ended yet.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use db::{
    DbError, Migration, Row, Statement,
    server::{Failure, Memory, Refusal, guarded, passes, passes_locked_rows},
};
use domain::Timestamp;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// A row of a table.
type RowKey = (String, i64);

pub(super) struct Tables {
    memory: Memory,
    locks: Arc<Locks>,
    late: Vec<Late>,
    /// The number of the next transaction.
    next: u64,
    misfits: u64,
}

/// Notes which rows that were there before are changed, while somebody wants to know.
#[derive(Default)]
struct Locks {
    noted: AtomicBool,
    rows: Mutex<BTreeSet<RowKey>>,
}

/// A transaction that the server has not ended yet.
struct Late {
    number: u64,
    statements: Vec<Statement>,
    rows: BTreeSet<RowKey>,
    /// Who waits for its end, which drops them in this order. (Channels with many receivers wake them by chance of their own.)
    waiting: Vec<oneshot::Sender<()>>,
}

/// What became of an attempt to run statements.
pub(super) enum Played {
    /// They ran, and the transaction is open.
    Ran(Vec<Result<u64, Failure>>),
    /// The statement with this index waits for a row. Nothing is open.
    Blocked(usize, oneshot::Receiver<()>),
}

/// What a statement did.
type Ran = Result<u64, Refusal>;

impl Tables {
    pub(super) fn new(migrations: &[Migration], now: Timestamp) -> Result<Self, DbError> {
        let memory = Memory::new(migrations, now)?;
        let locks = Arc::new(Locks::default());
        let noting = Arc::clone(&locks);
        // A new row is seen by nobody: what it locks is its unique keys, which are judged by their effect.
        memory.on_change(move |table, row| {
            if noting.noted.load(Ordering::Relaxed) {
                noting.rows.lock().insert((table.to_owned(), row));
            }
        });
        Ok(Self {
            memory,
            locks,
            late: Vec::new(),
            next: 1,
            misfits: 0,
        })
    }

    pub(super) fn late(&self) -> usize {
        self.late.len()
    }

    pub(super) fn misfits(&self) -> u64 {
        self.misfits
    }

    pub(super) fn rows(&mut self, statement: &Statement) -> Result<Vec<Row>, Refusal> {
        self.undo();
        self.notify(self.next);
        self.memory.rows(statement)
    }

    pub(super) fn undo(&mut self) {
        self.memory.undo();
    }

    /// Runs statements in a transaction that stays open, when the server's clock shows `now`. None is run behind one that fails.
    pub(super) fn play(
        &mut self,
        statements: &[Statement],
        now: Timestamp,
    ) -> Result<Played, DbError> {
        self.undo();
        if let Some((index, ended)) = self.blocked(statements)? {
            return Ok(Played::Blocked(index, ended));
        }
        let number = self.number();
        self.notify(number);
        self.memory.begin()?;
        let mut answers = Vec::with_capacity(statements.len());
        for statement in statements {
            let failed = matches!(answers.last(), Some(Err(_)));
            let ran = if failed {
                Err(Failure::Aborted)
            } else if let Some(date) = guarded(statement) {
                Ok(u64::from(passes(date, now)))
            } else {
                self.memory.run(statement).map_err(Failure::Refused)
            };
            answers.push(ran);
        }
        Ok(Played::Ran(answers))
    }

    /// The oldest transaction that has not ended, and the next one.
    pub(super) fn sample(&self) -> (u64, u64) {
        let oldest = self.late.iter().map(|late| late.number).min();
        (oldest.unwrap_or(self.next), self.next)
    }

    /// The number of a transaction that begins.
    fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Statements run in the transaction with this number, and see what is settled now.
    fn notify(&self, number: u64) {
        let stamp = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.memory.stamp(stamp(number), stamp(self.sample().0));
    }

    /// Commits what is open.
    pub(super) fn commit(&mut self) {
        self.memory.commit();
    }

    /// A claim: `None` when it waits for a row.
    pub(super) fn claim(
        &mut self,
        statement: &Statement,
    ) -> Result<Result<Vec<Row>, oneshot::Receiver<()>>, Refusal> {
        self.undo();
        if let Some((_, ended)) = self
            .blocked(std::slice::from_ref(statement))
            .map_err(Refusal::Storage)?
        {
            return Ok(if passes_locked_rows(statement) {
                Ok(Vec::new())
            } else {
                Err(ended)
            });
        }
        self.memory.begin().map_err(Refusal::Storage)?;
        let rows = self.memory.rows(statement);
        if rows.is_ok() {
            self.memory.commit();
        } else {
            self.undo();
        }
        rows.map(Ok)
    }

    /// Keeps the transaction that is open for later, with its locks. Returns its number, and who is notified of its end.
    pub(super) fn keep(
        &mut self,
        statements: &[Statement],
    ) -> Result<(u64, oneshot::Receiver<()>), DbError> {
        self.undo();
        self.memory.begin()?;
        let rows = self
            .noting(|tables| tables.run_all(statements))
            .into_iter()
            .flat_map(|(_, rows)| rows)
            .collect();
        self.undo();
        let (ends, ended) = oneshot::channel();
        let number = self.number();
        self.late.push(Late {
            number,
            statements: statements.to_vec(),
            rows,
            waiting: vec![ends],
        });
        Ok((number, ended))
    }

    /// Ends a transaction that was kept.
    pub(super) fn end(&mut self, number: u64, effect: bool) {
        self.undo();
        let Some(place) = self.late.iter().position(|late| late.number == number) else {
            return;
        };
        let late = self.late.remove(place);
        if !effect {
            return;
        }
        let fits = |(statement, ran): (&Statement, Ran)| {
            ran.is_ok_and(|count| statement.expect.is_met_by(count))
        };
        self.notify(late.number);
        let ran = self.memory.begin().is_ok()
            && late
                .statements
                .iter()
                .filter(|statement| guarded(statement).is_none())
                .all(|statement| fits((statement, self.memory.run(statement))));
        if ran {
            self.memory.commit();
        } else {
            self.undo();
            self.misfits += 1;
            tracing::error!("the model of the database did not keep its locks");
        }
    }

    /// The first statement that needs what a transaction that has not ended holds, with whom to wait for.
    fn blocked(
        &mut self,
        statements: &[Statement],
    ) -> Result<Option<(usize, oneshot::Receiver<()>)>, DbError> {
        if self.late.is_empty() {
            return Ok(None);
        }
        self.memory.begin()?;
        let alone = self.noting(|tables| tables.run_all(statements));
        self.undo();
        for place in 0..self.late.len() {
            self.memory.begin()?;
            let ahead: Vec<Statement> = self
                .late
                .get(place)
                .map(|late| late.statements.clone())
                .unwrap_or_default();
            self.run_all(&ahead);
            let behind = self.run_all(statements);
            self.undo();
            let Some(late) = self.late.get_mut(place) else {
                continue;
            };
            let needs = |index: usize, statement: &Statement| {
                let (Some((own, rows)), other) = (alone.get(index), behind.get(index)) else {
                    return false;
                };
                // A key that is about to be taken makes an insert wait; an update does not see the row.
                let key = statement.sql.trim_start().starts_with("insert");
                (key && other.is_some_and(|(other, _)| !same(own, other)))
                    || !rows.is_disjoint(&late.rows)
            };
            if let Some(index) = statements
                .iter()
                .enumerate()
                .position(|(index, statement)| needs(index, statement))
            {
                let (ends, ended) = oneshot::channel();
                late.waiting.push(ends);
                return Ok(Some((index, ended)));
            }
        }
        Ok(None)
    }

    fn noting<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.locks.noted.store(true, Ordering::Relaxed);
        let done = work(self);
        self.locks.noted.store(false, Ordering::Relaxed);
        done
    }

    /// Runs statements in the open transaction, each with the rows that it changed. None is run behind one that fails.
    fn run_all(&mut self, statements: &[Statement]) -> Vec<(Ran, BTreeSet<RowKey>)> {
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            let ran = match guarded(statement) {
                Some(_) => Ok(1),
                None => self.memory.run(statement),
            };
            let failed = ran.is_err();
            all.push((ran, std::mem::take(&mut *self.locks.rows.lock())));
            if failed {
                break;
            }
        }
        all
    }
}

fn same(one: &Ran, other: &Ran) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => std::mem::discriminant(one) == std::mem::discriminant(other),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}
