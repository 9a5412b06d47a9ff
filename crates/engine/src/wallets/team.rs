//! Which keys are whose.

use domain::id::TeamId;

use super::WalletKeys;
use crate::{Engine, faults::Stop};

impl Engine {
    /// A team's keys: those of the configuration are the first team's.
    pub(super) async fn wallet_keys(&self, team: TeamId) -> Result<WalletKeys, Stop> {
        Ok(if self.first_team().await? == Some(team) { self.inner.wallets.clone() } else { WalletKeys::default() })
    }

    /// The team that the configuration is about. It never changes, so it is looked for until there is one.
    async fn first_team(&self) -> Result<Option<TeamId>, Stop> {
        if let Some(team) = *self.inner.first_team.lock() {
            return Ok(Some(team));
        }
        let found = store::team::all(&self.inner.store).await?.first().map(|team| team.id);
        *self.inner.first_team.lock() = found;
        Ok(found)
    }
}
