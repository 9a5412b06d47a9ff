//! Runs a batch of works in one transaction and judges each.
//!
//! One transaction, all statements, all counts, then one COMMIT. A work that is refused as the first to run in the
//! transaction is refused by the committed state, and that is final. One that is refused behind others may be refused
//! only because of them, and they are not committed yet: it is judged [`Verdict::Again`] and belongs at the head of the
//! next batch. A work that was refused after it had touched something spoils the transaction, which is rolled back and
//! done again without it; one that was refused before is simply passed over.

use super::session::{Sealed, Session};
use crate::{
    DbError, Row, Statement,
    group::{Ahead, Refusal, Traces, Verdict, Work, weigh},
};

/// Judges a batch. On an error nothing of the batch was written.
pub(crate) fn judge(session: &mut Session, works: &[&Work]) -> Result<Vec<Verdict>, DbError> {
    let mut verdicts: Vec<Option<Verdict>> = works.iter().map(|_| None).collect();
    loop {
        session.begin()?;
        match play(session, works, &mut verdicts) {
            Ok(Play::Spoiled) => {
                session.rollback();
                // Those that ran must run again, those that were refused stay out.
                for verdict in verdicts
                    .iter_mut()
                    .filter(|verdict| matches!(verdict, Some(Verdict::Done(_))))
                {
                    *verdict = None;
                }
            }
            Ok(Play::Nothing) => {
                session.rollback();
                break;
            }
            Ok(Play::Whole) => match session.commit() {
                Sealed::Yes => break,
                Sealed::Undone(error) => return Err(error),
                Sealed::Unknown => {
                    for verdict in verdicts
                        .iter_mut()
                        .filter(|verdict| matches!(verdict, Some(Verdict::Done(_))))
                    {
                        *verdict = Some(Verdict::Unknown);
                    }
                    break;
                }
            },
            Err(error) => {
                session.rollback();
                return Err(error);
            }
        }
    }
    // Every work has a verdict by now.
    Ok(verdicts
        .into_iter()
        .map(|verdict| verdict.unwrap_or(Verdict::Again))
        .collect())
}

enum Play {
    /// Something ran and nothing spoils it.
    Whole,
    /// Nothing ran.
    Nothing,
    /// A refused work has left traces in the transaction.
    Spoiled,
}

/// Runs every work that has no verdict yet.
fn play(
    session: &mut Session,
    works: &[&Work],
    verdicts: &mut [Option<Verdict>],
) -> Result<Play, DbError> {
    let mut play = Play::Nothing;
    for (work, verdict) in works
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| verdict.is_none())
    {
        match attempt(session, work)? {
            Attempt::Ran(rows) => {
                *verdict = Some(Verdict::Done(rows));
                play = Play::Whole;
            }
            Attempt::Refused(refused, traces) => {
                let ahead = if matches!(play, Play::Nothing) {
                    Ahead::Nothing
                } else {
                    Ahead::Others
                };
                *verdict = Some(refused.behind(ahead));
                // SQLite ends the transaction by itself after some errors: what ran is undone then.
                if traces == Traces::Left || session.is_ended() {
                    return Ok(Play::Spoiled);
                }
            }
        }
    }
    Ok(play)
}

enum Attempt {
    Ran(Vec<Row>),
    Refused(Verdict, Traces),
}

fn attempt(session: &mut Session, work: &Work) -> Result<Attempt, DbError> {
    match work {
        Work::Commit(statements) | Work::Dated(statements, _) => {
            attempt_change(session, statements)
        }
        Work::Claim(statement) => match session.rows(statement) {
            Ok(rows) => Ok(Attempt::Ran(rows)),
            Err(Refusal::Storage(error)) => Err(error),
            Err(refusal) => Ok(Attempt::Refused(
                Verdict::Failed(refusal.into()),
                Traces::Left,
            )),
        },
    }
}

fn attempt_change(session: &mut Session, statements: &[Statement]) -> Result<Attempt, DbError> {
    if statements.iter().any(Statement::is_stamped) {
        session.take_stamp()?;
    }
    let mut traces = Traces::None;
    for (index, statement) in statements.iter().enumerate() {
        if let Some(verdict) = weigh(index, statement.expect, session.run(statement), &mut traces)?
        {
            return Ok(Attempt::Refused(verdict, traces));
        }
    }
    Ok(Attempt::Ran(Vec::new()))
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::{Expect, Migration, migrate, params, sqlite::connect};

    const TAKE: &str = "update account set amount = amount - $2 where id = $1 and amount >= $2";
    const NOTE: &str = "insert into note (id) values ($1)";

    fn session() -> Session {
        let sql = "create table account (id text not null, amount bigint not null, primary key (id));\
                   create table note (id text not null, primary key (id));\
                   insert into account (id, amount) values ('a', 10), ('b', 10);";
        let connection = connect::open_in_memory().unwrap();
        let migration = Migration {
            number: 1,
            name: "accounts",
            sql,
        };
        migrate::apply(&connection, &[migration], Timestamp::from_micros(0)).unwrap();
        Session::new(connection)
    }

    fn take(account: &str, amount: i64) -> Statement {
        Statement::one(TAKE, params![account, amount])
    }

    fn note(id: &str) -> Statement {
        Statement::one(NOTE, params![id])
    }

    fn commit<const N: usize>(statements: [Statement; N]) -> Work {
        Work::Commit(std::sync::Arc::new(statements.into()))
    }

    fn verdicts(session: &mut Session, works: &[Work]) -> Vec<Verdict> {
        let verdicts = judge(session, &works.iter().collect::<Vec<_>>()).unwrap();
        assert!(session.is_ended(), "no transaction is left open");
        verdicts
    }

    /// The amounts of a and b, and the notes.
    fn state(session: &mut Session) -> (i64, i64, String) {
        let sql = "select (select amount from account where id = 'a'), (select amount from account where id = 'b'), \
                   (select coalesce(group_concat(id, ' ' order by id), '') from note)";
        let rows = session.rows(&Statement::any(sql, vec![])).unwrap();
        (
            rows[0].int(0).unwrap(),
            rows[0].int(1).unwrap(),
            rows[0].text(2).unwrap().to_owned(),
        )
    }

    const DONE: Verdict = Verdict::Done(Vec::new());

    #[test]
    fn works_of_a_batch_are_committed_together() {
        let mut session = session();
        let works = [
            commit([take("a", 3), note("x")]),
            commit([take("b", 4), note("y")]),
        ];
        assert_eq!(verdicts(&mut session, &works), [DONE, DONE]);
        assert_eq!(state(&mut session), (7, 6, "x y".into()));
    }

    #[test]
    fn what_the_committed_state_refuses_is_a_conflict_and_its_neighbours_go_on() {
        let mut session = session();
        let works = [
            commit([take("a", 11), note("x")]),
            commit([take("b", 4), note("y")]),
        ];
        assert_eq!(verdicts(&mut session, &works), [Verdict::Conflict(0), DONE]);
        assert_eq!(state(&mut session), (10, 6, "y".into()));
    }

    #[test]
    fn what_is_refused_behind_another_is_judged_again_against_the_committed_state() {
        let mut session = session();
        let works = [
            commit([take("a", 8)]),
            commit([take("a", 8), note("x")]),
            commit([take("b", 1)]),
        ];
        assert_eq!(verdicts(&mut session, &works), [DONE, Verdict::Again, DONE]);
        assert_eq!(verdicts(&mut session, &works[1..2]), [Verdict::Conflict(0)]);
        assert_eq!(state(&mut session), (2, 9, String::new()));
    }

    #[test]
    fn a_work_refused_only_because_of_one_that_is_undone_is_not_refused() {
        let mut session = session();
        // The second takes all of a but fails later; the third must not get the answer that a is empty.
        let works = [
            commit([take("b", 1), note("x")]),
            commit([take("a", 10), note("x")]),
            commit([take("a", 10), note("y")]),
        ];
        assert_eq!(verdicts(&mut session, &works), [DONE, Verdict::Again, DONE]);
        assert_eq!(verdicts(&mut session, &works[1..2]), [Verdict::Conflict(0)]);
        assert_eq!(state(&mut session), (0, 9, "x y".into()));
    }

    #[test]
    fn a_late_refusal_undoes_the_work_and_names_the_statement() {
        let mut session = session();
        let works = [
            commit([note("x"), take("a", 1), take("b", 11)]),
            commit([note("x")]),
            commit([take("b", 1), note("x")]),
        ];
        assert_eq!(
            verdicts(&mut session, &works),
            [Verdict::Conflict(2), DONE, Verdict::Again]
        );
        assert_eq!(verdicts(&mut session, &works[2..]), [Verdict::Conflict(1)]);
        assert_eq!(state(&mut session), (10, 10, "x".into()));
    }

    #[test]
    fn too_many_rows_are_a_conflict_too() {
        let mut session = session();
        let all = Statement::one("update account set amount = 0", vec![]);
        let two = Statement {
            expect: Expect::Rows(2),
            ..all.clone()
        };
        let none = Statement {
            expect: Expect::Rows(0),
            ..take("a", 11)
        };
        let works = [commit([all]), commit([note("x"), none])];
        assert_eq!(verdicts(&mut session, &works), [Verdict::Conflict(0), DONE]);
        assert_eq!(state(&mut session), (10, 10, "x".into()));
        assert_eq!(verdicts(&mut session, &[commit([two])]), [DONE]);
        assert_eq!(state(&mut session), (0, 0, "x".into()));
    }

    #[test]
    fn a_defect_hurts_only_its_own_work() {
        let mut session = session();
        let wrong = Statement::any("update account set amount = $1", params!["many"]);
        let works = [
            commit([take("a", 1), wrong]),
            commit([take("b", 1)]),
            commit([Statement::any("oops", vec![])]),
        ];
        let mut verdicts = verdicts(&mut session, &works);
        assert_eq!(verdicts.split_off(1), [DONE, Verdict::Again]);
        let Some(Verdict::Failed(DbError::Sql { message, .. })) = verdicts.pop() else {
            panic!("no defect")
        };
        assert_eq!(
            message,
            "cannot store TEXT value in INTEGER column account.amount"
        );
        assert_eq!(state(&mut session), (10, 9, String::new()));
    }

    #[test]
    fn a_claim_returns_its_rows_once_the_batch_is_whole() {
        let mut session = session();
        let sql = "update account set amount = amount + 1 where id = $1 returning id, amount";
        let claim = Work::Claim(Statement::any(sql, params!["a"]));
        // The second spoils the first round: the claim runs twice and counts once.
        let works = [
            claim,
            commit([note("x"), take("a", 12)]),
            commit([take("a", 11)]),
        ];
        let found = verdicts(&mut session, &works);
        assert_eq!(
            found,
            [
                Verdict::Done(vec![Row::new(params!["a", 11])]),
                Verdict::Again,
                DONE
            ]
        );
        assert_eq!(state(&mut session), (0, 10, String::new()));
    }

    #[test]
    fn a_statement_that_ends_the_transaction_by_itself_takes_nobody_along() {
        let mut session = session();
        let rude = Statement::one(
            "insert or rollback into note (id) values ($1)",
            params!["x"],
        );
        let works = [
            commit([take("a", 1), note("x")]),
            commit([rude]),
            commit([take("b", 1)]),
        ];
        assert_eq!(verdicts(&mut session, &works), [DONE, Verdict::Again, DONE]);
        assert_eq!(state(&mut session), (9, 9, "x".into()));
    }
}
