//! What browsers report of guarded pages: one row for each directive and source, with how often it came.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{PageId, TeamId},
    page_guard::Violation,
};

/// A page of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageKey {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub page: PageId,
}

/// A kind of violation with its count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedViolation {
    /// Made of directive, source and whether it is enforced.
    pub mark: String,
    /// What was reported.
    pub violation: Violation,
    /// How often.
    pub reports: i64,
    /// When first.
    pub first_at: Timestamp,
    /// When last.
    pub last_at: Timestamp,
}

/// Counts reports of one kind. The first of them makes the row.
pub fn count(key: PageKey, counted: &CountedViolation) -> Statement {
    let CountedViolation {
        mark,
        violation,
        reports,
        first_at,
        last_at,
    } = counted;
    Statement::one(
        "insert into page_violation (team_id, page_id, mark, directive, blocked, is_enforced, reports, first_at, last_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (team_id, page_id, mark) do update set \
         reports = page_violation.reports + $7, last_at = case when page_violation.last_at > $9 then page_violation.last_at else $9 end",
        vec![
            key.team.key().into(),
            key.page.key().into(),
            mark.as_str().into(),
            violation.directive.as_str().into(),
            violation.blocked.as_str().into(),
            i64::from(violation.is_enforced).into(),
            (*reports).into(),
            first_at.micros().into(),
            last_at.micros().into(),
        ],
    )
}

/// The kinds of violations of a page, those that came last first.
pub async fn of_page(db: &Db, key: PageKey, limit: i64) -> Result<Vec<CountedViolation>, DbError> {
    let sql = "select mark, directive, blocked, is_enforced, reports, first_at, last_at from page_violation \
               where team_id = $1 and page_id = $2 order by last_at desc, mark limit $3";
    let params = vec![key.team.key().into(), key.page.key().into(), limit.into()];
    db.read(sql, params).await?.iter().map(read).collect()
}

/// Removes one kind.
pub fn delete(key: PageKey, mark: &str) -> Statement {
    Statement::any(
        "delete from page_violation where team_id = $1 and page_id = $2 and mark = $3",
        vec![key.team.key().into(), key.page.key().into(), mark.into()],
    )
}

/// Removes those of a page.
pub fn delete_of_page(key: PageKey) -> Statement {
    Statement::any(
        "delete from page_violation where team_id = $1 and page_id = $2",
        vec![key.team.key().into(), key.page.key().into()],
    )
}

/// Removes those of any team that came last before `before`. Returns how many.
pub async fn sweep(db: &Db, before: Timestamp, limit: i64) -> Result<usize, DbError> {
    // Retention is the same for every team; the rows removed carry no data out.
    let sql = "delete from page_violation where (team_id, page_id, mark) in \
        (select team_id, page_id, mark from page_violation where last_at < $1 order by last_at limit $2) and last_at < $1 \
        returning last_at";
    let params = vec![before.micros().into(), limit.into()];
    Ok(db.claim_for_sweep(sql, params).await?.len())
}

fn read(row: &Row) -> Result<CountedViolation, DbError> {
    Ok(CountedViolation {
        mark: row.text(0)?.to_owned(),
        violation: Violation {
            directive: row.text(1)?.to_owned(),
            blocked: row.text(2)?.to_owned(),
            is_enforced: row.flag(3)?,
        },
        reports: row.int(4)?,
        first_at: row.time(5)?,
        last_at: row.time(6)?,
    })
}
