//! Writes when keys were last used.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Writes when keys were last used.
pub(super) struct NoteKeyUses;

impl Job for NoteKeyUses {
    fn name(&self) -> &'static str {
        "note_key_uses"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let noted = engine.note_key_uses(round.rows).await?;
            Ok(Batch::whole(noted, round.rows))
        }
        .boxed()
    }
}
