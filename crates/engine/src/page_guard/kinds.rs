//! Sorting reports into the kinds that are kept of a page.
//!
//! Anybody can report anything, so the room is bounded. Scripts have room of their own: when it is full, further ones are counted
//! together, which is an event too. Everything else makes room for what is newer.

use std::collections::{BTreeMap, BTreeSet};

use db::Statement;
use domain::{
    Timestamp,
    event::PageEvent,
    page_guard::{Violation, is_script_directive},
};
use sha2::{Digest, Sha256};
use store::{
    guarded_page::StoredPage,
    page_violation::{self, CountedViolation, PageKey},
};

use super::report::GROUPS_MAX;

/// Under which name kinds beyond the room are counted.
const MORE: &str = "(more)";

/// So long nothing further of scripts is reported, until the next that is counts as new again.
const QUIET: std::time::Duration = std::time::Duration::from_hours(24);

/// Reports by whether their kinds are known.
pub(super) struct Sorted {
    counted: BTreeMap<String, CountedViolation>,
    /// The marks of those that were not known.
    new: BTreeSet<String>,
    /// The marks of known ones that make room.
    pushed_out: Vec<String>,
}

/// Whether a kind has its room among the scripts.
fn is_of_scripts(violation: &Violation) -> bool {
    is_script_directive(&violation.directive)
}

/// The kind under which those are counted that find no room.
fn more(of_scripts: bool) -> Violation {
    let directive = if of_scripts { "script-src" } else { "other" };
    Violation {
        directive: directive.to_owned(),
        blocked: MORE.to_owned(),
        is_enforced: true,
    }
}

impl Sorted {
    pub(super) fn of(
        counts: &BTreeMap<Violation, i64>,
        known: &[CountedViolation],
        now: Timestamp,
    ) -> Self {
        let mut sorted = Self {
            counted: BTreeMap::new(),
            new: BTreeSet::new(),
            pushed_out: Vec::new(),
        };
        for of_scripts in [true, false] {
            let is_here = |one: &&CountedViolation| is_of_scripts(&one.violation) == of_scripts;
            let known: Vec<&CountedViolation> = known.iter().filter(is_here).collect();
            let counts = counts
                .iter()
                .filter(|(one, _)| is_of_scripts(one) == of_scripts);
            let counts: Vec<(&Violation, i64)> = counts.map(|(one, count)| (one, *count)).collect();
            if of_scripts {
                sorted.take_scripts(&counts, &known, now);
            } else {
                sorted.take_others(&counts, &known, now);
            }
        }
        sorted
    }

    pub(super) fn has_new(&self) -> bool {
        !self.new.is_empty()
    }

    /// What finds no room is counted together. A thief's script must not hide behind made-up ones, so that this is new again after a
    /// day without.
    fn take_scripts(
        &mut self,
        counts: &[(&Violation, i64)],
        known: &[&CountedViolation],
        now: Timestamp,
    ) {
        let more_mark = mark_of(&more(true));
        let marks: BTreeSet<&str> = known.iter().map(|one| one.mark.as_str()).collect();
        // One place is for the kind of those that find none.
        let mut room = room().saturating_sub(known.len());
        if !marks.contains(more_mark.as_str()) {
            room = room.saturating_sub(1);
        }
        for (violation, reports) in counts {
            let mark = mark_of(violation);
            if marks.contains(mark.as_str()) {
                self.count(violation, *reports, now);
            } else if room > 0 {
                room = room.saturating_sub(1);
                self.new.insert(mark);
                self.count(violation, *reports, now);
            } else {
                let last = known.iter().find(|one| one.mark == more_mark);
                if last.is_none_or(|last| last.last_at.after(QUIET) <= now) {
                    self.new.insert(more_mark.clone());
                }
                self.count(&more(true), *reports, now);
            }
        }
    }

    /// The kinds that came last longest ago make room for new ones, and are counted together from then on.
    fn take_others(
        &mut self,
        counts: &[(&Violation, i64)],
        known: &[&CountedViolation],
        now: Timestamp,
    ) {
        let more_mark = mark_of(&more(false));
        let marks: BTreeSet<&str> = known.iter().map(|one| one.mark.as_str()).collect();
        let mut added: usize = 0;
        for (violation, reports) in counts {
            let mark = mark_of(violation);
            if !marks.contains(mark.as_str()) {
                added = added.saturating_add(1);
                self.new.insert(mark);
            }
            self.count(violation, *reports, now);
        }
        if added == 0 {
            return;
        }
        let stays = |one: &&&CountedViolation| {
            one.mark != more_mark && !self.counted.contains_key(&one.mark)
        };
        let mut oldest: Vec<&&CountedViolation> = known.iter().filter(stays).collect();
        oldest.sort_by_key(|one| one.last_at);
        let has_more = usize::from(!marks.contains(more_mark.as_str()));
        let total = known.len().saturating_add(added).saturating_add(has_more);
        let over = total.saturating_sub(room());
        for one in oldest.into_iter().take(over) {
            self.pushed_out.push(one.mark.clone());
            self.count(&more(false), one.reports, one.last_at);
        }
    }

    fn count(&mut self, violation: &Violation, reports: i64, at: Timestamp) {
        let mark = mark_of(violation);
        let one = self.counted.entry(mark.clone());
        let one = one.or_insert_with(|| CountedViolation {
            mark,
            violation: violation.clone(),
            reports: 0,
            first_at: at,
            last_at: at,
        });
        one.reports = one.reports.saturating_add(reports);
        one.first_at = one.first_at.min(at);
        one.last_at = one.last_at.max(at);
    }

    pub(super) fn statements(&self, key: PageKey) -> impl Iterator<Item = Statement> {
        let pushed_out = self.pushed_out.iter();
        let removed = pushed_out.map(move |mark| page_violation::delete(key, mark));
        let counted = self.counted.values();
        removed.chain(counted.map(move |one| page_violation::count(key, one)))
    }

    /// The scripts among what is new that the page's inventory does not have.
    pub(super) fn events(&self, page: &StoredPage) -> Vec<PageEvent> {
        let is_found = |one: &&CountedViolation| {
            self.new.contains(&one.mark)
                && is_of_scripts(&one.violation)
                && !page.page.knows(&one.violation.blocked)
        };
        let found = self.counted.values().filter(is_found);
        found
            .map(|one| PageEvent::ScriptFound {
                url: page.page.url.clone(),
                directive: one.violation.directive.clone(),
                blocked: one.violation.blocked.clone(),
            })
            .collect()
    }
}

/// Kinds of scripts that are kept, and of everything else.
fn room() -> usize {
    usize::try_from(GROUPS_MAX / 2).unwrap_or_default()
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
    use domain::{
        id::{PageId, TeamId},
        page_guard::GuardedPage,
    };
    use uuid::Uuid;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(7_000_000);

    fn violation(directive: &str, n: usize) -> Violation {
        Violation {
            directive: directive.to_owned(),
            blocked: format!("https://evil.example/{n}"),
            is_enforced: true,
        }
    }

    fn reports(directive: &str, numbers: std::ops::Range<usize>) -> BTreeMap<Violation, i64> {
        numbers.map(|n| (violation(directive, n), 2)).collect()
    }

    /// What is kept after these reports.
    fn kept(known: &[CountedViolation], sorted: &Sorted) -> Vec<CountedViolation> {
        let mut rows: BTreeMap<String, CountedViolation> = known
            .iter()
            .filter(|one| !sorted.pushed_out.contains(&one.mark))
            .map(|one| (one.mark.clone(), one.clone()))
            .collect();
        for (mark, one) in &sorted.counted {
            let row = rows
                .entry(mark.clone())
                .or_insert_with(|| CountedViolation {
                    reports: 0,
                    ..one.clone()
                });
            row.reports += one.reports;
            row.last_at = row.last_at.max(one.last_at);
        }
        rows.into_values().collect()
    }

    fn blocked(sorted: &Sorted) -> Vec<String> {
        let page = StoredPage {
            team: TeamId::new(Uuid::nil()),
            id: PageId::new(Uuid::nil()),
            version: 1,
            token: String::new(),
            page: GuardedPage::new("Checkout", "https://shop.example/pay").unwrap(),
            created_at: NOW,
            seen: 0,
            events: 0,
        };
        let events = sorted.events(&page).into_iter();
        let blocked = events.filter_map(|event| match event {
            PageEvent::ScriptFound { blocked, .. } => Some(blocked),
            PageEvent::Other => None,
        });
        blocked.collect()
    }

    #[test]
    fn made_up_images_leave_scripts_their_room() {
        let flood = Sorted::of(&reports("img-src", 0..1000), &[], NOW);
        let known = kept(&[], &flood);
        let script = Sorted::of(&reports("script-src-elem", 0..1), &known, NOW);
        assert_eq!(blocked(&script), ["https://evil.example/0"]);
        assert!(script.pushed_out.is_empty());
    }

    #[test]
    fn the_oldest_of_what_is_no_script_makes_room() {
        let mut known = Vec::new();
        for n in 0..10 {
            let at = NOW.after(std::time::Duration::from_secs(n));
            let from = usize::try_from(n).unwrap() * 100;
            let sorted = Sorted::of(&reports("img-src", from..from + 100), &known, at);
            assert!(blocked(&sorted).is_empty());
            known = kept(&known, &sorted);
        }
        assert_eq!(known.len(), room());
        let has = |n| {
            known
                .iter()
                .any(|one| one.violation == violation("img-src", n))
        };
        assert!(has(999) && has(800) && !has(0) && !has(600));
        // None of the counts is lost.
        assert_eq!(known.iter().map(|one| one.reports).sum::<i64>(), 2_000);
        let again = Sorted::of(&reports("img-src", 999..1000), &known, NOW);
        assert!(!again.has_new() && again.pushed_out.is_empty());
    }

    #[test]
    fn scripts_beyond_the_room_are_counted_together_and_are_an_event() {
        let most = room();
        let first = Sorted::of(&reports("script-src", 0..most - 1), &[], NOW);
        assert_eq!(blocked(&first).len(), most - 1);
        let known = kept(&[], &first);
        let second = Sorted::of(&reports("script-src", most..most + 10), &known, NOW);
        assert_eq!(blocked(&second), [MORE]);
        let known = kept(&known, &second);
        assert_eq!(known.len(), most);
        let of_more = |known: &[CountedViolation]| {
            let found = known.iter().find(|one| one.violation.blocked == MORE);
            found.unwrap().reports
        };
        assert_eq!(of_more(&known), 20);
        let hour = std::time::Duration::from_hours(1);
        let third = Sorted::of(
            &reports("script-src", most..most + 20),
            &known,
            NOW.after(hour),
        );
        assert!(!third.has_new());
        let known = kept(&known, &third);
        assert_eq!(of_more(&known), 60);
        let later = NOW.after(hour).after(QUIET);
        let fourth = Sorted::of(&reports("script-src", 0..most + 1), &known, later);
        assert_eq!(blocked(&fourth), [MORE]);
    }
}
