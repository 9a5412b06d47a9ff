//! Which keys are whose: those that a team has saved, else, for the first team, those of the configuration.

use std::sync::Arc;

use domain::{
    Fault,
    id::{BlobId, TeamId},
};
use vault::Holder;

use super::{Wallet, WalletKeys, save, save::Ready};
use crate::{Engine, faults::EngineError, recent_reads::RecentReads};

/// Teams whose keys are kept at the same time.
const TEAMS_KEPT: usize = 1_000;

/// The keys of teams, as read recently.
pub(crate) type Cache = RecentReads<TeamId, Read>;

/// The cache of a node that starts.
pub(crate) fn cache() -> Cache {
    RecentReads::at_most(TEAMS_KEPT)
}

/// Keys with what they were read from.
#[derive(Clone)]
pub(crate) struct Read {
    saved: Vec<(String, BlobId)>,
    keys: WalletKeys,
}

impl Engine {
    /// A team's keys, as they were less than a second ago.
    pub(crate) async fn wallet_keys(&self, team: TeamId) -> Result<WalletKeys, EngineError> {
        let cache = &self.inner.wallet_keys;
        let reading = match cache.find(&team, self.inner.world.now()) {
            Ok(read) => return Ok(read.keys),
            Err(reading) => reading,
        };
        let kept = cache.last(&team);
        let saved = store::wallet_setting::of_team(&self.inner.store, team).await?;
        let keys = match kept {
            // Keys are written once under their id: the same ids are the same keys.
            Some(read) if read.saved == saved => read.keys,
            _ => self.opened_keys(team, &saved).await?,
        };
        cache.keep(
            team,
            Read {
                saved,
                keys: keys.clone(),
            },
            reading,
        );
        Ok(keys)
    }

    async fn opened_keys(
        &self,
        team: TeamId,
        saved: &[(String, BlobId)],
    ) -> Result<WalletKeys, EngineError> {
        let is_first = self.first_team().await? == Some(team);
        let mut keys = if is_first {
            self.inner.wallets.clone()
        } else {
            WalletKeys::default()
        };
        for (name, blob) in saved {
            let holder = Holder::wallet(name);
            let Some(wallet) = Wallet::parse(name) else {
                continue;
            };
            // It may have been replaced in this moment; the next reading finds the new one.
            let Some(text) = self.inner.vault.open_secret(team, &holder, *blob).await? else {
                continue;
            };
            let settings = serde_json::from_slice(&text).map_err(|_| Fault::unknown())?;
            match save::read(wallet, &settings, self.inner.settings.mode) {
                Ok(Ready::A(read)) => keys.a = Some(Arc::new(read)),
                Ok(Ready::B(read)) => keys.b = Some(Arc::new(read)),
                Err(problems) => {
                    tracing::error!(
                        setting = problems.first().map(|problem| problem.setting),
                        "a wallet's saved setting can't be used any more"
                    );
                    return Err(Fault::unknown().into());
                }
            }
        }
        Ok(keys)
    }

    /// The team that the configuration is about. It never changes, so it is looked for until there is one.
    async fn first_team(&self) -> Result<Option<TeamId>, EngineError> {
        if let Some(team) = *self.inner.first_team.lock() {
            return Ok(Some(team));
        }
        let found = store::team::all(&self.inner.store)
            .await?
            .first()
            .map(|team| team.id);
        *self.inner.first_team.lock() = found;
        Ok(found)
    }
}
