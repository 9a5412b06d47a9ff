//! The trail as the people who run the service read it.

use crate::boxed;
use std::time::Duration;

use domain::{
    Timestamp,
    audit::{Act, Deed, INSTALLATION},
    id::TeamId,
};
use store::audit::{Behind, Stored};

use super::chain::{Listed, Mark, Verified, Verifier, Written};
use crate::{AdminError, Engine, faults::EngineError};

/// Entries that are read at once.
const PAGE: i64 = 500;

/// An entry that is older than this is sealed, unless the service can't.
const SEALED_WITHIN: Duration = Duration::from_mins(1);

/// Which entries are listed.
#[derive(Debug, Clone, Default)]
pub struct TrailFilter {
    /// Of one team; of every team, and of the installation, when absent.
    pub team: Option<TeamId>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Of one act.
    pub act: Option<Act>,
}

impl Engine {
    /// Hands over the entries of the trail, oldest first within each team.
    ///
    /// # Errors
    /// The database's.
    pub async fn list_audit(
        &self,
        filter: &TrailFilter,
        mut each: impl FnMut(Listed),
    ) -> Result<(), AdminError> {
        self.read_trail("list").await?;
        let since = filter.since.unwrap_or(Timestamp::from_micros(0));
        for team in self.teams_of(filter.team).await? {
            let mut after: Option<String> = None;
            loop {
                let store = &self.inner.store;
                let page = store::audit::since(store, team, since, after.as_deref(), PAGE).await?;
                let Some(last) = page.last() else { break };
                after = Some(last.entry.id.clone());
                let wanted =
                    |stored: &Stored| filter.act.is_none_or(|act| act.code() == stored.entry.act);
                page.into_iter()
                    .filter(wanted)
                    .for_each(|stored| each(Listed::from(stored)));
            }
        }
        Ok(())
    }

    /// Hands over the chains as they are exported.
    ///
    /// # Errors
    /// The database's; old entries were removed meanwhile.
    pub async fn export_audit(
        &self,
        team: Option<TeamId>,
        mut each: impl FnMut(Written),
    ) -> Result<(), AdminError> {
        self.read_trail("export").await?;
        for team in self.teams_of(team).await? {
            let walked = self.walk_chain(team, &mut each).await?;
            if let Walked::Cut = walked {
                return Err(AdminError::refused(
                    "old entries were removed while it was read: export again",
                ));
            }
        }
        Ok(())
    }

    /// Verifies the chains in the database.
    ///
    /// # Errors
    /// The database's; old entries were removed meanwhile.
    #[boxed]
    pub async fn verify_audit(&self, team: Option<TeamId>) -> Result<Vec<Verified>, AdminError> {
        self.read_trail("verify").await?;
        let stuck = self.inner.world.now().before(SEALED_WITHIN);
        let key = self.inner.vault.audit_key();
        let mut verified = Vec::new();
        for team in self.teams_of(team).await? {
            let mut chain: Option<Verifier<'_>> = None;
            let mut end = None;
            let walked = self
                .walk_chain(team, &mut |line| match line {
                    Written::Beginning(mark) => chain = Some(Verifier::begin(&mark, Some(&key))),
                    Written::Entry(listed) => {
                        if let Some(chain) = &mut chain {
                            chain.entry(&listed);
                        }
                    }
                    Written::End(mark) => end = Some(mark),
                })
                .await?;
            if let Walked::Cut = walked {
                return Err(AdminError::refused(
                    "old entries were removed while it was read: verify again",
                ));
            }
            let mut found = chain.map(|chain| chain.end(end.as_ref()));
            if store::audit::has_unsealed(&self.inner.store, team, stuck).await? {
                found
                    .get_or_insert_with(|| Verified::nothing_of(team))
                    .is_not_sealed();
            }
            verified.extend(found);
        }
        Ok(verified)
    }

    /// Follows a team's chain as it is stored: its beginning, its entries up to its end and those behind it that are not sealed
    /// since, its end.
    async fn walk_chain(
        &self,
        team: TeamId,
        each: &mut impl FnMut(Written),
    ) -> Result<Walked, AdminError> {
        let db = &self.inner.store;
        let Some(chain) = store::audit_chain::of_team(db, team).await? else {
            return self.walk_without_end(team, each).await;
        };
        each(Written::Beginning(Mark::of(team, &chain.anchor)));
        // From the very first on: an entry that was put before the beginning is one too many.
        let (mut behind, mut later) = (Behind::NOTHING, None);
        loop {
            let page = store::audit::sealed(db, team, &behind, PAGE).await?;
            let Some(last) = page.last() else { break };
            behind.id.clone_from(&last.entry.id);
            behind.seq = number(last);
            for stored in page {
                if number(&stored) > chain.head.seq {
                    later = Some(stored);
                } else {
                    each(Written::Entry(Box::new(stored.into())));
                }
            }
        }
        let now = store::audit_chain::of_team(db, team).await?;
        let end = now.as_ref().map_or(i64::MIN, |now| now.head.seq);
        // What was sealed meanwhile stands before the end that the chain has now; what does not was put there.
        if let Some(added) = later.filter(|stored| number(stored) > end) {
            each(Written::Entry(Box::new(added.into())));
        }
        let is_cut = now.is_none_or(|now| now.anchor.seq != chain.anchor.seq);
        each(Written::End(Mark::of(team, &chain.head)));
        Ok(if is_cut { Walked::Cut } else { Walked::Whole })
    }

    /// Follows the chain of a team that has no end: nothing, or sealed entries whose end somebody has removed.
    async fn walk_without_end(
        &self,
        team: TeamId,
        each: &mut impl FnMut(Written),
    ) -> Result<Walked, AdminError> {
        let db = &self.inner.store;
        let entries = store::audit::sealed(db, team, &Behind::NOTHING, PAGE).await?;
        if entries.is_empty() {
            return Ok(Walked::Whole);
        }
        if store::audit_chain::of_team(db, team).await?.is_some() {
            // Another node has begun it meanwhile.
            return Ok(Walked::Cut);
        }
        let key = self.inner.vault.audit_key();
        let beginning = super::chain::beginning(&key, team);
        each(Written::Beginning(Mark::of(team, &beginning)));
        for stored in entries {
            each(Written::Entry(Box::new(stored.into())));
        }
        Ok(Walked::Whole)
    }

    /// Records that the trail is read, and completes it up to now.
    async fn read_trail(&self, command: &str) -> Result<(), AdminError> {
        let deed = Deed::on_whole(INSTALLATION, Act::AuditRead, "audit").with("command", command);
        self.record_alone(&deed).await?;
        self.seal_everything().await.map_err(|stop| match stop {
            EngineError::Fault(fault) => AdminError::Refused(fault.message),
            EngineError::Taken | EngineError::Outdated => {
                AdminError::refused("the trail could not be sealed")
            }
        })
    }

    async fn teams_of(&self, team: Option<TeamId>) -> Result<Vec<TeamId>, AdminError> {
        match team {
            Some(team) => Ok(vec![team]),
            None => Ok(store::audit::teams(&self.inner.store).await?),
        }
    }
}

/// The number of a sealed entry.
fn number(stored: &Stored) -> i64 {
    stored.seal.as_ref().map_or(i64::MAX, |seal| seal.seq)
}

/// How a walk along a chain ended.
enum Walked {
    Whole,
    /// Its beginning was put elsewhere, or it was begun, meanwhile.
    Cut,
}
