//! Jobs that erase what must not be kept.

use std::time::Duration;

use db::Change;

use crate::{
    Engine,
    faults::Stop,
    payments::{code_user_of, payment_holder, token_holder},
};

/// How many rows a job takes at once.
const BATCH: i64 = 200;

/// An attempt that began before its token was deleted has opened the number by then.
const ERASE_GRACE: Duration = Duration::from_secs(30);

/// A sealed number that nothing refers to after this time was left by a crash.
const ORPHAN_AGE: Duration = Duration::from_hours(24);

/// When a raw card that is still needed is looked at again.
const HIDDEN_AGAIN: Duration = Duration::from_mins(1);

impl Engine {
    /// Erases the numbers of raw cards whose payment's authorisation has ended, and their security codes.
    pub(super) async fn erase_hidden_cards(&self) -> Result<usize, Stop> {
        let now = self.inner.world.now();
        let due =
            store::hidden_card::claim_due(&self.inner.store, now, now.after(HIDDEN_AGAIN), BATCH)
                .await?;
        let taken = due.len();
        for (team, blob, payment) in due {
            let found = store::payment::of_team(&self.inner.store, team, payment).await?;
            if found.is_none_or(|payment| payment.authorisation_ended())
                && self.inner.vault.erase_cvc(&payment_holder(payment)).await
            {
                self.erase_hidden(team, blob).await;
            }
        }
        Ok(taken)
    }

    /// Erases the numbers of deleted tokens with their security codes, then their records.
    pub(super) async fn erase_deleted_methods(&self) -> Result<usize, Stop> {
        let before = self.inner.world.now().before(ERASE_GRACE);
        let deleted = store::method::deleted(&self.inner.store, before, BATCH).await?;
        let count = deleted.len();
        for method in deleted {
            if !self
                .inner
                .vault
                .erase_cvc(&token_holder(method.team, &method.token))
                .await
            {
                continue;
            }
            if let Err(error) = self.inner.vault.erase(method.team, method.blob).await {
                tracing::warn!(error = %error, "a deleted token's number can't be erased yet");
                continue;
            }
            let mut change = Change::new(self.change_id(), method.token.as_str());
            change.push(store::method::forget(method.team, &method.token));
            change.push(store::processor_token::delete(method.team, &method.token));
            change.push(store::token_request::delete(method.team, &method.token));
            self.commit_plain(change).await?;
        }
        Ok(count)
    }

    /// Erases security codes whose life time is over, and those of stored cards whose authorisation has ended: whoever ended
    /// it may have died, or found no database, before it erased them.
    pub(super) async fn erase_security_codes(&self) -> Result<usize, Stop> {
        let vault = &self.inner.vault;
        let mut erased = vault.sweep_codes().await?;
        for used in vault.used_codes(BATCH).await? {
            let payment = match code_user_of(used.by()) {
                Some((team, payment)) => {
                    store::payment::of_team(&self.inner.store, team, payment).await?
                }
                None => None,
            };
            if payment.is_none_or(|payment| payment.authorisation_ended()) {
                vault.erase_used(&used).await?;
                erased += 1;
            }
        }
        Ok(erased)
    }

    /// Forgets idempotency keys after their retention.
    pub(super) async fn forget_idempotency_keys(&self) -> Result<usize, Stop> {
        let before = self
            .inner
            .world
            .now()
            .before(self.inner.settings.idempotency_retention);
        Ok(store::once::sweep(&self.inner.store, before, BATCH).await?)
    }

    /// Removes client tokens that have ended.
    pub(super) async fn forget_client_tokens(&self) -> Result<usize, Stop> {
        let before = self.inner.world.now().before(ORPHAN_AGE);
        Ok(store::credential::sweep(&self.inner.store, before, BATCH).await?)
    }

    /// Forgets the use of wallets' tokens that can't be opened any more.
    pub(super) async fn forget_wallet_tokens(&self) -> Result<usize, Stop> {
        Ok(store::wallet_token::sweep(&self.inner.store, self.inner.world.now(), BATCH).await?)
    }

    /// Removes requests for processors' tokens whose customers had their time, and a day to load their pages again.
    pub(super) async fn forget_token_requests(&self) -> Result<usize, Stop> {
        let before = self
            .inner
            .world
            .now()
            .before(self.inner.settings.customer_lifetime)
            .before(ORPHAN_AGE);
        Ok(store::token_request::sweep(&self.inner.store, before, BATCH).await?)
    }

    /// Erases sealed numbers that no record refers to: a crash came between the vault's commit and the store's. Takes a
    /// batch at a time, in the order of their ids, which is that of time, and goes on there the next time.
    pub(super) async fn erase_orphans(&self) -> Result<usize, Stop> {
        let before = self.inner.world.now().before(ORPHAN_AGE);
        let after = *self.inner.orphans_after.lock();
        let old = self.inner.vault.older_than(before, after, BATCH).await?;
        let mut erased = 0;
        for (team, blob) in old {
            let store = &self.inner.store;
            let used = store::method::uses_blob(store, team, blob).await?
                || store::hidden_card::exists(store, team, blob).await?;
            if !used {
                match self.inner.vault.erase(team, blob).await {
                    Ok(()) => erased += 1,
                    Err(error) => {
                        tracing::warn!(error = %error, "a number that nothing uses can't be erased");
                    }
                }
            }
            *self.inner.orphans_after.lock() = Some(blob);
        }
        Ok(erased)
    }
}
