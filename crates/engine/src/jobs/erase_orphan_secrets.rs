//! Erases sealed credentials and wallet settings that no record refers to.

use domain::id::BlobId;
use futures_util::{FutureExt, future::BoxFuture};

use super::{
    ORPHAN_AGE,
    job::{Batch, Bound, Done, Job, Pace, Round},
};
use crate::{Engine, faults::EngineError};

/// Under which name its place is stored.
const ORPHAN_SECRETS: &str = "erase_orphan_secrets";

/// Erases sealed credentials and wallet settings that no record refers to.
pub(super) struct EraseOrphanSecrets;

impl Job for EraseOrphanSecrets {
    fn name(&self) -> &'static str {
        "erase_orphan_secrets"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(engine.erase_orphan_secrets(round).await?) }.boxed()
    }
}

impl Engine {
    /// The same for sealed secrets: credentials of connections and settings of wallets.
    async fn erase_orphan_secrets(&self, round: &Round) -> Result<Batch, EngineError> {
        let before = round.now.before(ORPHAN_AGE);
        let (store, vault) = (&self.inner.store, self.vault_in_lane());
        let there = store::job_place::get(store, ORPHAN_SECRETS).await?;
        let after = there.as_deref().and_then(BlobId::parse);
        let old = vault.secrets_older_than(before, after, round.rows).await?;
        let (taken, mut last) = (old.len(), None);
        for (team, blob) in old {
            let used = store::connection::uses_secret(store, team, blob, round.now).await?
                || store::wallet_setting::uses_secret(store, team, blob).await?
                || store::webhook_endpoint::uses_secret(store, team, blob).await?;
            if !used && let Err(error) = vault.erase_secret(team, blob).await {
                tracing::warn!(error = %error, "a secret that nothing uses can't be erased yet");
                break;
            }
            last = Some(blob);
        }
        self.go_on_from(ORPHAN_SECRETS, there.as_deref(), last)
            .await?;
        Ok(Batch::whole(last.map_or(0, |_| taken), round.rows))
    }
}
