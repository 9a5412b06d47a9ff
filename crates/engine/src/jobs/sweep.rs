//! Jobs that erase what must not be kept. Each works until nothing is due, a batch at a time.

use std::time::Duration;

use db::Change;
use domain::{
    Timestamp,
    audit::{Act, Deed},
    customer::StoredMethod,
    id::BlobId,
};
use futures_util::{StreamExt, TryStreamExt, stream};

use super::{ORPHAN_AGE, TOGETHER, floor::Look, logged};
use crate::{
    Engine,
    faults::Stop,
    payments::{blob_holder, code_user_of, token_holder},
};

/// How many rows a job takes at once: more would hold up the payments that are committed beside it.
const BATCH: i64 = 500;

/// So long a job may work before the next one has its turn.
const TURN: Duration = Duration::from_secs(10);

/// An attempt that began before its token was deleted has opened the number by then.
pub(super) const ERASE_GRACE: Duration = Duration::from_secs(30);

/// When a raw card that is still needed is looked at again.
const HIDDEN_AGAIN: Duration = Duration::from_mins(1);

/// The job that looks for sealed numbers that nothing refers to.
const ORPHANS: &str = "erase_orphans";

/// The job that looks for sealed credentials and wallet settings that nothing refers to.
const ORPHAN_SECRETS: &str = "erase_orphan_secrets";

/// Whether a sweep has left something to be done at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    Nothing,
    More,
}

/// What one batch of a job came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    /// Whether there may be more.
    full: bool,
    /// How many rows are done.
    done: usize,
}

impl Batch {
    /// So many rows were taken where there may have been `most`, and so many of them are done.
    fn of(taken: usize, done: usize, most: i64) -> Self {
        Self {
            full: i64::try_from(taken).is_ok_and(|taken| taken >= most),
            done,
        }
    }

    /// All that was taken is done.
    pub(crate) fn whole(taken: usize, most: i64) -> Self {
        Self::of(taken, taken, most)
    }

    /// Whether there may be more that can be done now.
    pub(crate) fn goes_on(self) -> bool {
        self.full && self.done > 0
    }
}

/// The slow jobs, in the order in which they have their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slow {
    HiddenCards,
    People,
    DeletedMethods,
    SecurityCodes,
    Keys,
    KeyUses,
    BrowserMade,
    NumberQuotas,
    ClientTokens,
    WalletTokens,
    TokenRequests,
    Orphans,
    OrphanSecrets,
    OldAudit,
}

impl Slow {
    const ALL: [Self; 14] = [
        Self::HiddenCards,
        Self::People,
        Self::DeletedMethods,
        Self::SecurityCodes,
        Self::Keys,
        Self::KeyUses,
        Self::BrowserMade,
        Self::NumberQuotas,
        Self::ClientTokens,
        Self::WalletTokens,
        Self::TokenRequests,
        Self::Orphans,
        Self::OrphanSecrets,
        Self::OldAudit,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::HiddenCards => "erase_hidden_cards",
            Self::People => "erase_people",
            Self::DeletedMethods => "erase_deleted_methods",
            Self::SecurityCodes => "erase_security_codes",
            Self::Keys => "forget_idempotency_keys",
            Self::KeyUses => "note_key_uses",
            Self::BrowserMade => "forget_browser_made",
            Self::NumberQuotas => "forget_number_quotas",
            Self::ClientTokens => "forget_client_tokens",
            Self::WalletTokens => "forget_wallet_tokens",
            Self::TokenRequests => "forget_token_requests",
            Self::Orphans => ORPHANS,
            Self::OrphanSecrets => ORPHAN_SECRETS,
            Self::OldAudit => "remove_old_audit",
        }
    }
}

/// The names of the slow jobs, for metrics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    Slow::ALL.into_iter().map(Slow::name)
}

impl Engine {
    /// Runs every slow job until nothing is due, or its turn is over.
    pub(super) async fn sweep_all(&self) -> Left {
        let mut left = Left::Nothing;
        for job in Slow::ALL {
            if self.until_done(job).await == Left::More {
                left = Left::More;
            }
        }
        left
    }

    /// Runs a job batch by batch.
    async fn until_done(&self, job: Slow) -> Left {
        let began = self.inner.world.now();
        let (mut done, mut after) = (0, None);
        loop {
            let batch = match self.batch(job, &mut after).await {
                Ok(batch) => batch,
                Err(stop) => {
                    logged(job.name(), Err(stop));
                    return Left::Nothing;
                }
            };
            done += batch.done;
            let now = self.inner.world.now();
            let over = self.is_draining() || now < began || now.since(began) >= TURN;
            if !batch.goes_on() || over {
                logged(job.name(), Ok(done));
                return if batch.goes_on() {
                    Left::More
                } else {
                    Left::Nothing
                };
            }
        }
    }

    /// One batch. What goes by its time alone begins behind `after`, where the batch before ended.
    async fn batch(&self, job: Slow, after: &mut Option<Timestamp>) -> Result<Batch, Stop> {
        let (now, floors) = (self.inner.world.now(), &self.inner.floors);
        let settings = &self.inner.settings;
        match job {
            Slow::HiddenCards => self.erase_hidden_cards().await,
            Slow::People => self.erase_people().await,
            Slow::DeletedMethods => self.erase_deleted_methods(after).await,
            Slow::SecurityCodes => self.erase_security_codes().await,
            Slow::Orphans => self.erase_orphans().await,
            Slow::OrphanSecrets => self.erase_orphan_secrets().await,
            Slow::BrowserMade => self.forget_browser_made().await,
            Slow::OldAudit => Ok(Batch::whole(self.remove_old_audit().await?, 1)),
            Slow::KeyUses => {
                let noted = self.note_key_uses(BATCH).await?;
                Ok(Batch::whole(noted, BATCH))
            }
            Slow::NumberQuotas => {
                let swept = self.forget_number_quotas(BATCH).await?;
                Ok(Batch::whole(swept, BATCH))
            }
            Slow::Keys => {
                let before = now.before(settings.idempotency_retention);
                self.swept(job, floors.keys.look(before), after).await
            }
            Slow::ClientTokens => {
                let before = now.before(ORPHAN_AGE);
                self.swept(job, floors.client_tokens.look(before), after)
                    .await
            }
            Slow::WalletTokens => self.swept(job, floors.wallet_tokens.look(now), after).await,
            Slow::TokenRequests => {
                let before = self.requests_end(now);
                self.swept(job, floors.token_requests.look(before), after)
                    .await
            }
        }
    }

    /// Removes a batch of rows by their time.
    async fn swept(
        &self,
        job: Slow,
        look: Look,
        after: &mut Option<Timestamp>,
    ) -> Result<Batch, Stop> {
        let (store, floors, before) = (&self.inner.store, &self.inner.floors, look.until);
        let behind = after.map_or(look.after, |after| after.max(look.after));
        let (floor, swept) = match job {
            Slow::Keys => {
                let swept = store::once::sweep(store, before, behind, BATCH).await?;
                (&floors.keys, swept)
            }
            Slow::ClientTokens => {
                let swept = store::credential::sweep(store, before, behind, BATCH).await?;
                (&floors.client_tokens, swept)
            }
            Slow::WalletTokens => {
                let swept = store::wallet_token::sweep(store, before, behind, BATCH).await?;
                (&floors.wallet_tokens, swept)
            }
            Slow::TokenRequests => {
                let swept = store::token_request::sweep(store, before, behind, BATCH).await?;
                (&floors.token_requests, swept)
            }
            Slow::HiddenCards
            | Slow::People
            | Slow::DeletedMethods
            | Slow::SecurityCodes
            | Slow::KeyUses
            | Slow::BrowserMade
            | Slow::NumberQuotas
            | Slow::Orphans
            | Slow::OrphanSecrets
            | Slow::OldAudit => return Ok(Batch::whole(0, BATCH)),
        };
        // Others of the same time may be left.
        *after = swept
            .iter()
            .max()
            .map(|last| last.before(Duration::from_micros(1)))
            .or(*after);
        let batch = Batch::whole(swept.len(), BATCH);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }

    /// Erases the numbers of raw cards whose payment's authorisation has ended, and their security codes.
    async fn erase_hidden_cards(&self) -> Result<Batch, Stop> {
        let now = self.inner.world.now();
        let floor = &self.inner.floors.hidden_cards;
        let (look, again_at) = (floor.look(now), now.after(HIDDEN_AGAIN));
        let store = &self.inner.store;
        let due = store::hidden_card::claim_due(store, now, again_at, look.after, BATCH).await?;
        let taken = due.len();
        let work = async |(team, blob, payment)| {
            let found = store::payment::of_team(store, team, payment).await?;
            if found.is_none_or(|payment| payment.authorisation_ended())
                && self.inner.vault.erase_cvc(&blob_holder(blob)).await
            {
                self.erase_hidden(team, blob).await;
            }
            Ok(())
        };
        stream::iter(due.into_iter().map(Ok::<_, Stop>))
            .try_for_each_concurrent(TOGETHER, work)
            .await?;
        let batch = Batch::whole(taken, BATCH);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }

    /// Erases the numbers of deleted tokens with their security codes, then their records.
    async fn erase_deleted_methods(&self, after: &mut Option<Timestamp>) -> Result<Batch, Stop> {
        let before = self.inner.world.now().before(ERASE_GRACE);
        let floor = &self.inner.floors.deleted_methods;
        let look = floor.look(before);
        let behind = after.map_or(look.after, |after| after.max(look.after));
        let store = &self.inner.store;
        let deleted = store::method::deleted(store, before, behind, BATCH).await?;
        let last = deleted.last().map(|(_, at)| *at);
        let taken = deleted.len();
        let done: usize = stream::iter(deleted)
            .map(|(method, _)| self.erase_deleted(method))
            .buffer_unordered(TOGETHER)
            .try_fold(0, async |done, erased| Ok(done + usize::from(erased)))
            .await?;
        let batch = Batch::of(taken, done, BATCH);
        if done == taken {
            // Others of the same time may be left.
            *after = last
                .map(|last| last.before(Duration::from_micros(1)))
                .or(*after);
            if !batch.goes_on() {
                floor.exhausted(look);
            }
        }
        Ok(batch)
    }

    /// Erases one deleted token's number, then its record. False when the number can't be erased yet.
    async fn erase_deleted(&self, method: StoredMethod) -> Result<bool, Stop> {
        let (vault, holder) = (&self.inner.vault, token_holder(method.team, &method.token));
        if !vault.erase_cvc(&holder).await {
            return Ok(false);
        }
        if let Err(error) = vault.erase(method.team, method.blob).await {
            tracing::warn!(error = %error, "a deleted token's number can't be erased yet");
            return Ok(false);
        }
        let mut change = Change::new(self.change_id(), method.token.as_str());
        change.push(store::method::forget(method.team, &method.token));
        change.push(store::processor_token::delete(method.team, &method.token));
        change.push(store::token_request::delete(method.team, &method.token));
        let act = Act::PaymentMethodErased;
        change.push(self.audit(&Deed::on(method.team, act, "payment method", &method.token)));
        self.commit_plain(change).await?;
        Ok(true)
    }

    /// Erases security codes whose life time is over, and those of stored cards whose authorisation has ended: whoever ended
    /// it may have died, or found no database, before it erased them.
    async fn erase_security_codes(&self) -> Result<Batch, Stop> {
        let vault = &self.inner.vault;
        let mut done = vault.sweep_codes().await?;
        let used = vault.used_codes(BATCH).await?;
        let taken = used.len();
        for used in used {
            let payment = match code_user_of(used.by()) {
                Some((team, payment)) => {
                    store::payment::of_team(&self.inner.store, team, payment).await?
                }
                None => None,
            };
            if payment.is_none_or(|payment| payment.authorisation_ended()) {
                vault.erase_used(&used).await?;
                done += 1;
            }
        }
        Ok(Batch::of(taken, done, BATCH))
    }

    /// A request for a processor's token of an earlier time is over: its customer had the time, and a day to load the pages
    /// again.
    pub(super) fn requests_end(&self, now: Timestamp) -> Timestamp {
        now.before(self.inner.settings.customer_lifetime)
            .before(ORPHAN_AGE)
    }

    /// Erases sealed numbers that no record refers to: a crash came between the vault's commit and the store's. They are looked
    /// at in the order of their ids, which is that of time, each once: where a restart or another node goes on stands in the
    /// store.
    async fn erase_orphans(&self) -> Result<Batch, Stop> {
        let before = self.inner.world.now().before(ORPHAN_AGE);
        let store = &self.inner.store;
        let there = store::job_place::get(store, ORPHANS).await?;
        let after = there.as_deref().and_then(BlobId::parse);
        let old = self.inner.vault.older_than(before, after, BATCH).await?;
        let (taken, mut last) = (old.len(), None);
        for (team, blob) in old {
            let used = store::method::uses_blob(store, team, blob).await?
                || store::hidden_card::exists(store, team, blob).await?;
            if !used && let Err(error) = self.inner.vault.erase(team, blob).await {
                tracing::warn!(error = %error, "a number that nothing uses can't be erased yet");
                break;
            }
            last = Some(blob);
        }
        self.go_on_from(ORPHANS, there.as_deref(), last).await?;
        Ok(Batch::whole(last.map_or(0, |_| taken), BATCH))
    }

    /// The same for sealed secrets: credentials of connections and settings of wallets.
    async fn erase_orphan_secrets(&self) -> Result<Batch, Stop> {
        let before = self.inner.world.now().before(ORPHAN_AGE);
        let (store, vault) = (&self.inner.store, &self.inner.vault);
        let there = store::job_place::get(store, ORPHAN_SECRETS).await?;
        let after = there.as_deref().and_then(BlobId::parse);
        let old = vault.secrets_older_than(before, after, BATCH).await?;
        let (taken, mut last) = (old.len(), None);
        for (team, blob) in old {
            let used = store::connection::uses_secret(store, team, blob).await?
                || store::wallet_setting::uses_secret(store, team, blob).await?;
            if !used && let Err(error) = vault.erase_secret(team, blob).await {
                tracing::warn!(error = %error, "a secret that nothing uses can't be erased yet");
                break;
            }
            last = Some(blob);
        }
        self.go_on_from(ORPHAN_SECRETS, there.as_deref(), last)
            .await?;
        Ok(Batch::whole(last.map_or(0, |_| taken), BATCH))
    }

    /// Writes down how far a search has come: up to the record `last`, if it looked at any.
    async fn go_on_from(
        &self,
        job: &'static str,
        before: Option<&str>,
        last: Option<BlobId>,
    ) -> Result<(), Stop> {
        let Some(last) = last else { return Ok(()) };
        let go_on = store::job_place::go_on(job, before, &last.key());
        // Refused where another node has gone on meanwhile: then it is from there.
        self.commit_plain(Change::new(self.change_id(), job).with(go_on))
            .await?;
        Ok(())
    }
}
