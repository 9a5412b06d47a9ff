//! Erases credentials from before a rotation whose secret of notifications counts no more.

use db::Change;
use futures_util::{FutureExt, future::BoxFuture};
use store::connection::Connection;

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::{Engine, faults::EngineError};

/// Erases credentials from before a rotation whose secret of notifications counts no more.
pub(super) struct EraseEarlierCredentials;

impl Job for EraseEarlierCredentials {
    fn name(&self) -> &'static str {
        "erase_earlier_credentials"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(100)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(engine.erase_earlier_credentials(round).await?) }.boxed()
    }
}

impl Engine {
    async fn erase_earlier_credentials(&self, round: &Round) -> Result<Batch, EngineError> {
        let store = &self.inner.store;
        let ended = store::connection::with_ended_credentials(store, round.now, round.rows).await?;
        let taken = ended.len();
        for before in ended {
            let after = Connection {
                earlier: None,
                ..before.clone()
            };
            let change = Change::new(self.change_id(), before.id.as_str())
                .with(store::connection::rotate(&after, &before));
            // Refused where it was rotated or saved meanwhile, which erases the record as well.
            if self.commit_plain(change).await?.is_none() {
                let record = before.earlier.map(|earlier| earlier.record);
                self.erase_credentials(before.team, record).await;
            }
        }
        Ok(Batch::whole(taken, round.rows))
    }
}
