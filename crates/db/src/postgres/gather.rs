//! Reads that come while one is under way on their connection go together when it is done.
//!
//! A reader that finds the connection free reads at once. The others wait; when it is free again, the first of them asks for all
//! that wait by then. Nobody is lost when one who asks goes away: those that waited for it ask again.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use futures_util::{
    TryStreamExt,
    future::{BoxFuture, join_all},
};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_postgres::types::Type;

use super::{
    bundle::{self, Bundle, Param},
    failure::{Failure, failure, reason},
    link::{Link, Role},
    prepared,
    wire::Wire as _,
};
use crate::{Row, Statement, Value, group::Refusal, stamp};

/// At most so many reads go together.
const MOST: usize = 64;

type Outcome = Result<Vec<Row>, Failure>;

/// Who reads on a connection, and who waits.
#[derive(Default)]
pub(super) struct Gathering(Mutex<ReadQueue>);

#[derive(Default)]
struct ReadQueue {
    is_taken: bool,
    waiting: VecDeque<Waiting>,
}

/// A read that waits.
struct Waiting {
    statement: Statement,
    handover: oneshot::Sender<Handover>,
}

enum Handover {
    Rows(Outcome),
    /// It is this one's turn to ask for all.
    ReadRight(ReadRight),
}

/// The right to read. It goes to the next one when it is dropped.
struct ReadRight(Option<Arc<Gathering>>);

enum Joined {
    ReadRight(ReadRight),
    Waits(oneshot::Receiver<Handover>),
}

impl Gathering {
    fn join(self: &Arc<Self>, statement: &Statement) -> Joined {
        let mut state = self.0.lock();
        if state.is_taken {
            let (handover, hears) = oneshot::channel();
            state.waiting.push_back(Waiting {
                statement: statement.clone(),
                handover,
            });
            Joined::Waits(hears)
        } else {
            state.is_taken = true;
            Joined::ReadRight(ReadRight(Some(Arc::clone(self))))
        }
    }

    fn pass_on(self: Arc<Self>) {
        let mut state = self.0.lock();
        while let Some(next) = state.waiting.pop_front() {
            match next
                .handover
                .send(Handover::ReadRight(ReadRight(Some(Arc::clone(&self)))))
            {
                // It has gone: the turn is not its own.
                Err(Handover::ReadRight(mut right)) => drop(right.0.take()),
                Ok(()) | Err(Handover::Rows(_)) => return,
            }
        }
        state.is_taken = false;
    }
}

impl ReadRight {
    /// Those who wait, the first ones.
    fn others(&self) -> Vec<Waiting> {
        let Some(gathering) = &self.0 else {
            return Vec::new();
        };
        let mut state = gathering.0.lock();
        let count = state.waiting.len().min(MOST - 1);
        state
            .waiting
            .drain(..count)
            .filter(|waiting| !waiting.handover.is_closed())
            .collect()
    }
}

impl Drop for ReadRight {
    fn drop(&mut self) {
        if let Some(gathering) = self.0.take() {
            gathering.pass_on();
        }
    }
}

impl Link {
    /// Reads, with others who read the same kind of thing.
    pub(super) async fn gathered(&self, statement: &Statement) -> Outcome {
        if self.role != Role::Reader || !self.bundles {
            return self.alone(statement).await;
        }
        loop {
            match self.gathering.join(statement) {
                Joined::ReadRight(_turn) => return self.alone(statement).await,
                Joined::Waits(hears) => match hears.await {
                    Ok(Handover::Rows(rows)) => return rows,
                    Ok(Handover::ReadRight(right)) => {
                        return self.together(statement, &right).await;
                    }
                    // The caller of this one has gone.
                    Err(_) => {}
                },
            }
        }
    }

    /// Asks for oneself and all that wait.
    async fn together(&self, own: &Statement, right: &ReadRight) -> Outcome {
        let mut others = right.others();
        if others.is_empty() {
            return self.alone(own).await;
        }
        let mut groups: BTreeMap<String, Vec<Waiting>> = BTreeMap::new();
        let (handover, mut hears) = oneshot::channel();
        others.push(Waiting {
            statement: own.clone(),
            handover,
        });
        for waiting in others {
            groups
                .entry(waiting.statement.sql.to_string())
                .or_default()
                .push(waiting);
        }
        let asking: Vec<BoxFuture<'_, ()>> = groups
            .into_values()
            .map(|group| self.group(group))
            .collect();
        join_all(asking).await;
        match hears.try_recv() {
            Ok(Handover::Rows(rows)) => rows,
            Ok(Handover::ReadRight(_)) | Err(_) => self.alone(own).await,
        }
    }

    /// Asks for those who read the same.
    fn group(&self, group: Vec<Waiting>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let statements: Vec<&Statement> =
                group.iter().map(|waiting| &waiting.statement).collect();
            let bundled = match bundle::bundled_read(&statements) {
                Some(bundle) => self.bundle(bundle, group.len()).await,
                None => None,
            };
            if let Some(found) = bundled {
                for (waiting, rows) in group.into_iter().zip(found) {
                    let _ = waiting.handover.send(Handover::Rows(Ok(rows)));
                }
            } else {
                let alone = group.into_iter().map(|waiting| async move {
                    let _ = waiting
                        .handover
                        .send(Handover::Rows(self.alone(&waiting.statement).await));
                });
                join_all(alone).await;
            }
        })
    }

    /// The rows of each. `None` when it did not go well: each finds out by itself.
    async fn bundle(&self, bundle: Bundle<'_>, count: usize) -> Option<Vec<Vec<Row>>> {
        let known = self.cache.lock().find_bundle(&bundle.sql);
        let prepared = if let Some(known) = known {
            known
        } else {
            let types: Vec<Type> = bundle.params.iter().map(Param::kind).collect();
            let prepared = self
                .bounded(
                    self.client
                        .prepare_typed(&stamp::on_server(&bundle.sql), &types),
                )
                .await
                .ok()?;
            let prepared = prepared
                .inspect_err(|error| {
                    tracing::warn!(
                        error = reason(error),
                        "reads that are alike can't be bundled"
                    );
                })
                .ok()?;
            self.cache.lock().keep_bundle(bundle.sql, prepared.clone());
            prepared
        };
        let running = async {
            let found = self.client.query_raw(&prepared, &bundle.params).await?;
            found
                .map_ok(|found| prepared::row(&found))
                .try_collect::<Vec<_>>()
                .await
        };
        let mut each = vec![Vec::new(); count];
        for row in self.bounded(running).await.ok()?.ok()? {
            let mut values = row.ok()?.into_values();
            let Some(Value::Int(number)) = values.pop() else {
                return None;
            };
            each.get_mut(usize::try_from(number.checked_sub(1)?).ok()?)?
                .push(Row::new(values));
        }
        Some(each)
    }

    /// Runs one statement.
    async fn alone(&self, statement: &Statement) -> Outcome {
        let prepared = self.prepare(statement).await?;
        let running = async {
            let found = self.client.query_raw(&prepared, &statement.params).await?;
            found
                .map_ok(|found| prepared::row(&found))
                .try_collect::<Vec<_>>()
                .await
        };
        let found = self
            .bounded(running)
            .await?
            .map_err(|error| failure(&error, statement, self.role))?;
        found
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::Refused(Refusal::Defect(error)))
    }
}
