//! Taking what browsers report of a guarded page.

use crate::boxed;
use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use db::Change;
use domain::{
    Fault,
    id::{PageId, TeamId},
    network::Network,
    page_guard::{ReportFormat, Violation, WebAddress, read_reports},
};
use serde_json::Value;
use store::{
    guarded_page::{self as table, StoredPage},
    page_violation::{self, PageKey},
};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use world::World;

use super::kinds::Sorted;
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Kinds of violations that are kept of a page: half of them of scripts, half of everything else, so that nobody fills the room of
/// scripts with made-up images.
pub const GROUPS_MAX: i64 = 500;

/// The page of an address for reports.
pub struct ReportAddress(StoredPage);

/// What stands in an address: the team and the page, so that nobody else's rows are looked at, and random bits.
pub(super) fn draw_token(world: &World, team: TeamId) -> String {
    let mut secret = [0; 16];
    world.fill(&mut secret);
    let mut bytes = team.uuid().as_bytes().to_vec();
    bytes.extend_from_slice(&secret);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn team_of(token: &str) -> Option<TeamId> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (team, secret) = bytes.split_first_chunk::<16>()?;
    (secret.len() == 16).then(|| TeamId::new(Uuid::from_bytes(*team)))
}

impl Engine {
    /// Counts a request with reports against the quota of the network that it comes from, before anything is read for it. False: this
    /// is no token of any page.
    ///
    /// # Errors
    /// `error.rate-limited`.
    pub fn admit_page_reporter(
        &self,
        token: &str,
        network: Option<Network>,
    ) -> Result<bool, Fault> {
        if team_of(token).is_none() {
            return Ok(false);
        }
        let now = self.inner.world.now();
        self.inner.quotas.admit_reporter(network, now)?;
        Ok(true)
    }

    /// The page to whose address for reports this token belongs; `None`: to none.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn report_address(&self, token: &str) -> Result<Option<ReportAddress>, Fault> {
        let Some(team) = team_of(token) else {
            return Ok(None);
        };
        let pages = table::of_team(&self.inner.store, team).await;
        let pages = pages.map_err(|error| only_fault(error.into()))?;
        let has_it = |page: &StoredPage| bool::from(page.token.as_bytes().ct_eq(token.as_bytes()));
        Ok(pages.into_iter().find(has_it).map(ReportAddress))
    }

    /// Counts a request with reports against the quotas of the team and of the network that it comes from.
    ///
    /// # Errors
    /// `error.rate-limited`.
    pub fn admit_page_report(
        &self,
        address: &ReportAddress,
        network: Option<Network>,
    ) -> Result<(), Fault> {
        let now = self.inner.world.now();
        self.inner.quotas.admit_report(address.0.team, network, now)
    }

    /// Takes reports: counts those of the page, and drops everything else.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn take_page_reports(
        &self,
        address: &ReportAddress,
        format: ReportFormat,
        body: &Value,
    ) -> Result<(), Fault> {
        let Some(url) = WebAddress::parse(&address.0.page.url) else {
            return Ok(());
        };
        let mut counts: BTreeMap<Violation, i64> = BTreeMap::new();
        for violation in read_reports(format, body, &url) {
            *counts.entry(violation).or_default() += 1;
        }
        if counts.is_empty() {
            return Ok(());
        }
        let (team, id) = (address.0.team, address.0.id);
        // What strangers send delays no payment.
        let engine = self.clone().for_sweeps();
        let round = || engine.count_reports(team, id, &counts);
        let counted = self.rounds(None, self.deadline(), round).await;
        counted.map_err(only_fault)
    }

    async fn count_reports(
        &self,
        team: TeamId,
        id: PageId,
        counts: &BTreeMap<Violation, i64>,
    ) -> Result<Round<()>, EngineError> {
        let store = &self.inner.store;
        // A page that was removed meanwhile has no reports.
        let Some(page) = table::find(store, team, id).await? else {
            return Ok(Round::Done(()));
        };
        let key = PageKey { team, page: id };
        // Counting on two nodes may keep some more.
        let known = page_violation::of_page(store, key, GROUPS_MAX.saturating_mul(2)).await?;
        let now = self.inner.world.now();
        let sorted = Sorted::of(counts, &known, now);
        let change_id = self.change_id();
        let mut change = Change::new(change_id, &id.key());
        for statement in sorted.statements(key) {
            change.push(statement);
        }
        if sorted.has_new() {
            let events = sorted.events(&page);
            let number = u64::try_from(events.len()).unwrap_or(u64::MAX);
            change.push(table::note_seen(&page, number));
            let mut before = page.clone();
            for event in events {
                let events = std::slice::from_ref(&event);
                change.push(store::event::insert_of_page(
                    &before,
                    &change_id.into(),
                    events,
                    now,
                ));
                before.events = before.events.saturating_add(1);
            }
        }
        let refused = self.commit_plain(change).await?;
        Ok(Round::of(refused, ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_to_its_team_alone() {
        let (world, _sim) = World::simulated(1);
        let team = TeamId::new(Uuid::from_u128(1));
        let token = draw_token(&world, team);
        assert_eq!(team_of(&token), Some(team));
        for wrong in ["", "x", &token[1..], &format!("{token}AA")] {
            assert_eq!(team_of(wrong), None, "{wrong}");
        }
    }
}
