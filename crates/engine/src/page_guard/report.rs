//! Taking what browsers report of a guarded page.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use db::{Change, Statement};
use domain::{
    Fault, Timestamp,
    event::PageEvent,
    id::{PageId, TeamId},
    network::Network,
    page_guard::{ReportFormat, Violation, WebAddress, is_script_directive, read_reports},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::{
    guarded_page::{self as table, StoredPage},
    page_violation::{self, CountedViolation, PageKey},
};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use world::World;

use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Kinds of violations that are kept of a page. What is more is counted together.
pub const GROUPS_MAX: i64 = 500;

/// Under which name kinds beyond that are counted.
const MORE: &str = "(more)";

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
    /// The page to whose address for reports this token belongs; `None`: to none.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
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
        let known = page_violation::of_page(store, key, GROUPS_MAX.saturating_add(1)).await?;
        let now = self.inner.world.now();
        let sorted = Sorted::of(counts, &known, now);
        let change_id = self.change_id();
        let mut change = Change::new(change_id, &id.key());
        for statement in sorted.statements(key) {
            change.push(statement);
        }
        if !sorted.new.is_empty() {
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

/// Reports by whether their kinds are known.
struct Sorted {
    counted: Vec<CountedViolation>,
    /// The marks of those that were not known.
    new: Vec<String>,
}

impl Sorted {
    fn of(counts: &BTreeMap<Violation, i64>, known: &[CountedViolation], now: Timestamp) -> Self {
        let mut room = usize::try_from(GROUPS_MAX)
            .unwrap_or_default()
            .saturating_sub(known.len());
        let mut counted: BTreeMap<String, CountedViolation> = BTreeMap::new();
        let mut new = Vec::new();
        let is_known = |mark: &String| known.iter().any(|one| one.mark == *mark);
        for (violation, reports) in counts {
            let (mut violation, mut mark) = (violation.clone(), mark_of(violation));
            if !is_known(&mark) && !counted.contains_key(&mark) {
                if room == 0 {
                    violation = Violation {
                        directive: "other".to_owned(),
                        blocked: MORE.to_owned(),
                        is_enforced: true,
                    };
                    mark = mark_of(&violation);
                }
                if !is_known(&mark) && !counted.contains_key(&mark) {
                    room = room.saturating_sub(1);
                    new.push(mark.clone());
                }
            }
            let one = counted.entry(mark.clone()).or_insert(CountedViolation {
                mark,
                violation,
                reports: 0,
                first_at: now,
                last_at: now,
            });
            one.reports = one.reports.saturating_add(*reports);
        }
        Self {
            counted: counted.into_values().collect(),
            new,
        }
    }

    fn statements(&self, key: PageKey) -> impl Iterator<Item = Statement> {
        self.counted
            .iter()
            .map(move |one| page_violation::count(key, one))
    }

    /// The scripts among what is new that the page's inventory does not have.
    fn events(&self, page: &StoredPage) -> Vec<PageEvent> {
        let is_found = |one: &&CountedViolation| {
            self.new.contains(&one.mark)
                && is_script_directive(&one.violation.directive)
                && !page.page.knows(&one.violation.blocked)
        };
        let found = self.counted.iter().filter(is_found);
        found
            .map(|one| PageEvent::ScriptFound {
                url: page.page.url.clone(),
                directive: one.violation.directive.clone(),
                blocked: one.violation.blocked.clone(),
            })
            .collect()
    }
}

/// What tells a kind from others.
fn mark_of(violation: &Violation) -> String {
    let mut hash = Sha256::new();
    for part in [violation.directive.as_str(), violation.blocked.as_str()] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update([u8::from(violation.is_enforced)]);
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(7);

    fn violation(n: usize) -> Violation {
        Violation {
            directive: "script-src".to_owned(),
            blocked: format!("https://evil.example/{n}"),
            is_enforced: true,
        }
    }

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

    #[test]
    fn kinds_beyond_the_bound_are_counted_together() {
        let counts = |numbers: std::ops::Range<usize>| -> BTreeMap<Violation, i64> {
            numbers.map(|n| (violation(n), 2)).collect()
        };
        let most = usize::try_from(GROUPS_MAX).unwrap();
        let first = Sorted::of(&counts(0..most - 1), &[], NOW);
        assert_eq!((first.counted.len(), first.new.len()), (most - 1, most - 1));
        let second = Sorted::of(&counts(most..most + 10), &first.counted, NOW);
        assert_eq!((second.counted.len(), second.new.len()), (2, 2));
        let more = second
            .counted
            .iter()
            .find(|one| one.violation.blocked == MORE)
            .unwrap();
        assert_eq!(more.reports, 18);
        let all: Vec<CountedViolation> = [first.counted, second.counted].concat();
        let third = Sorted::of(&counts(0..most + 20), &all, NOW);
        assert!(third.new.is_empty());
        assert_eq!(third.counted.len(), most + 1);
    }
}
