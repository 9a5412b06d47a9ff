//! Making, changing, listing and removing guarded pages, and their inventories.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{PageId, TeamId},
    page_guard::{GuardedPage, ScriptGiven, is_script_directive},
};
use store::{
    guarded_page::{self as table, StoredPage},
    page_violation::{self, PageKey},
    room::{self, BoundedList},
};

use super::{GROUPS_MAX, GuardedPageView, PageViolationView, no_such_page};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Guarded pages that a team can have.
const PAGES_MAX: usize = 50;

/// What kind of thing it is, in the audit trail.
const SUBJECT: &str = "guarded page";

/// A page to be made or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavePage {
    /// The page to be changed; a new one when absent.
    pub id: Option<PageId>,
    /// Its name and address.
    pub page: GuardedPage,
}

impl Engine {
    /// Makes a guarded page, or gives one another name and address.
    ///
    /// # Errors
    /// `error.validation` for a name or an address that can't be one, an id that is none, a page too many; `error.unavailable`,
    /// `error.unknown`.
    #[boxed]
    pub async fn save_guarded_page(
        &self,
        caller: &Caller,
        command: SavePage,
    ) -> Result<GuardedPageView, Fault> {
        let team = caller.team;
        let Some(id) = command.id else {
            let round = || self.new_page(team, command.page.clone());
            let saved = self.rounds(None, self.deadline(), round).await;
            return Ok(self.page_view(&saved.map_err(only_fault)?));
        };
        let deed = Deed::on(team, Act::PageSaved, SUBJECT, id).with("new", false);
        self.change_page(team, &deed, id, |page| {
            page.rename(command.page.clone());
            Ok(())
        })
        .await
    }

    /// The team's guarded pages, the oldest first.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn guarded_pages(&self, caller: &Caller) -> Result<Vec<GuardedPageView>, Fault> {
        let found = table::of_team(&self.inner.store, caller.team).await;
        let found = found.map_err(|error| only_fault(error.into()))?;
        Ok(found.iter().map(|one| self.page_view(one)).collect())
    }

    /// Removes a guarded page with what was reported of it.
    ///
    /// # Errors
    /// `error.validation` for an id that is none of the team's pages; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn delete_guarded_page(&self, caller: &Caller, id: PageId) -> Result<(), Fault> {
        let team = caller.team;
        let deed = Deed::on(team, Act::PageDeleted, SUBJECT, id);
        let change = Change::new(self.change_id(), &id.key())
            .with(table::delete(team, id))
            .with(page_violation::delete_of_page(PageKey { team, page: id }))
            .with(self.audit(&deed));
        match self.commit_plain(change).await.map_err(only_fault)? {
            None => Ok(()),
            Some(_) => Err(no_such_page("id")),
        }
    }

    /// Puts a script into a page's inventory.
    ///
    /// # Errors
    /// `error.validation` for what can be no entry, a full inventory, an id that is none; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn authorise_page_script(
        &self,
        caller: &Caller,
        id: PageId,
        given: ScriptGiven,
    ) -> Result<GuardedPageView, Fault> {
        let (team, now) = (caller.team, self.inner.world.now());
        let deed = Deed::on(team, Act::PageScriptAuthorised, SUBJECT, id);
        self.change_page(team, &deed, id, |page| page.authorise(given.clone(), now))
            .await
    }

    /// Takes a script out of a page's inventory.
    ///
    /// # Errors
    /// `error.validation` for a source that is not in it, and for an id that is none; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn withdraw_page_script(
        &self,
        caller: &Caller,
        id: PageId,
        source: &str,
    ) -> Result<GuardedPageView, Fault> {
        let team = caller.team;
        let deed = Deed::on(team, Act::PageScriptWithdrawn, SUBJECT, id);
        self.change_page(team, &deed, id, |page| {
            if page.withdraw(source) {
                return Ok(());
            }
            let rule = "must be the address of a script in the page's inventory, or its hash where it has no address";
            Err(Fault::invalid("source", rule))
        })
        .await
    }

    /// What browsers report of a page, those kinds first that came last; at most `limit`.
    ///
    /// # Errors
    /// `error.validation` for an id that is none; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn page_violations(
        &self,
        caller: &Caller,
        id: PageId,
        limit: Option<i32>,
    ) -> Result<Vec<PageViolationView>, Fault> {
        let limit = match limit {
            None => 50,
            Some(limit) if limit >= 1 => i64::from(limit).min(GROUPS_MAX),
            Some(_) => return Err(Fault::invalid("first", "must be at least 1")),
        };
        let team = caller.team;
        let stored = self
            .stored_page(team, id, "pageId")
            .await
            .map_err(only_fault)?;
        let key = PageKey { team, page: id };
        let found = page_violation::of_page(&self.inner.store, key, limit).await;
        let found = found.map_err(|error| only_fault(error.into()))?;
        let views = found.into_iter().map(|counted| {
            let is_script = is_script_directive(&counted.violation.directive);
            PageViolationView {
                is_authorised: is_script && stored.page.knows(&counted.violation.blocked),
                violation: counted.violation,
                reports: counted.reports,
                first_at: counted.first_at,
                last_at: counted.last_at,
            }
        });
        Ok(views.collect())
    }

    /// A team's page.
    pub(super) async fn stored_page(
        &self,
        team: TeamId,
        id: PageId,
        field: &str,
    ) -> Result<StoredPage, EngineError> {
        let found = table::find(&self.inner.store, team, id).await?;
        found.ok_or_else(|| no_such_page(field).into())
    }

    /// Changes a page, with the entry of the audit trail.
    pub(super) async fn change_page(
        &self,
        team: TeamId,
        deed: &Deed,
        id: PageId,
        change: impl Fn(&mut GuardedPage) -> Result<(), Fault>,
    ) -> Result<GuardedPageView, Fault> {
        let field = match deed.act {
            Act::PageScriptAuthorised | Act::PageScriptWithdrawn => "pageId",
            _ => "id",
        };
        let change = &change;
        let round = || async move {
            let mut stored = self.stored_page(team, id, field).await?;
            change(&mut stored.page)?;
            let written = Change::new(self.change_id(), &id.key())
                .with(table::update(&stored))
                .with(self.audit(deed));
            let refused = self.commit_plain(written).await?;
            Ok(Round::of(refused, stored))
        };
        let changed = self.rounds(None, self.deadline(), round).await;
        Ok(self.page_view(&changed.map_err(only_fault)?))
    }

    async fn new_page(
        &self,
        team: TeamId,
        page: GuardedPage,
    ) -> Result<Round<StoredPage>, EngineError> {
        let room = room::find(&self.inner.store, team, BoundedList::GuardedPages).await?;
        let known = table::of_team(&self.inner.store, team).await?;
        if known.len() >= PAGES_MAX {
            let rule = format!("is one too many: a team has at most {PAGES_MAX} guarded pages");
            return Err(Fault::invalid("url", rule).into());
        }
        if known.iter().any(|one| one.page.url == page.url) {
            let rule = "is the address of another guarded page already: change that one, by its id (listGuardedPages)";
            return Err(Fault::invalid("url", rule).into());
        }
        let stored = StoredPage {
            team,
            id: PageId::new(self.inner.world.uuid_v7()),
            version: 1,
            token: super::report::draw_token(&self.inner.world, team),
            page,
            created_at: self.inner.world.now(),
            seen: 0,
            events: 0,
        };
        let deed = Deed::on(team, Act::PageSaved, SUBJECT, stored.id).with("new", true);
        let change = Change::new(self.change_id(), &stored.id.key())
            .with(room::take(room))
            .with(table::insert(&stored))
            .with(self.audit(&deed));
        let refused = self.commit_naming(change, stored.id).await?;
        Ok(Round::of(refused, stored))
    }
}
