//! Runs a batch of works in one transaction and judges each.

use super::{
    failure::Failure,
    link::Sealed,
    wire::{Begin, Ready, Wire},
};
use crate::{
    DbError, Statement,
    group::{Ahead, Refusal, Traces, Verdict, weigh},
};

/// After so many rounds with a refused work in each, only those that are known to be good are done: the others are
/// judged one by one, so that a batch of bad works costs no more than the works alone.
const ROUNDS: usize = 6;
/// How often one work alone may meet with others before the database is called busy.
const MEETINGS: u32 = 12;

/// How often a claim may. Fewer, since the others that share its connection wait meanwhile.
const CLAIM_MEETINGS: u32 = 3;

/// What became of a batch.
pub(crate) enum Judged {
    /// A verdict for each work.
    Verdicts(Vec<Verdict>),
    /// The connection went before COMMIT was sent: nothing was written.
    Lost(String),
    /// The machine failed: nothing was written.
    Failed(DbError),
}

/// A work of a batch.
struct Work<'a, P> {
    statements: &'a [Statement],
    prepared: Vec<P>,
    verdict: Option<Verdict>,
}

/// How a round ended.
enum Round {
    /// All of it ran.
    Whole,
    /// Something was refused; so many of those played ran before it.
    Spoiled(usize),
    /// Something met another transaction.
    Met,
}

enum BatchError {
    Lost(String),
    Failed(DbError),
}

impl BatchError {
    fn from_failure(failure: Failure) -> Self {
        match failure {
            Failure::Lost(why) => Self::Lost(why),
            other => Self::Failed(other.into()),
        }
    }
}

/// Judges a batch.
pub(crate) async fn judge<W: Wire>(link: &W, works: &[&[Statement]]) -> Judged {
    let judged = async {
        let mut works = prepare(link, works).await?;
        play_all(link, &mut works).await?;
        Ok(works
            .into_iter()
            .map(|work| work.verdict.unwrap_or(Verdict::Again))
            .collect())
    };
    match judged.await {
        Ok(verdicts) => Judged::Verdicts(verdicts),
        Err(BatchError::Lost(why)) => Judged::Lost(why),
        Err(BatchError::Failed(error)) => Judged::Failed(error),
    }
}

/// Judges a claim. It is done again only where it is certain to have taken nothing.
pub(crate) async fn judge_claim<W: Wire>(link: &W, claim: &Statement) -> Judged {
    let mut meetings = 0;
    let verdict = loop {
        match link.rows(claim).await {
            Ok(rows) => break Verdict::Done(rows),
            Err(Failure::Met(_)) if meetings < CLAIM_MEETINGS => {
                meetings += 1;
                link.pause(meetings).await;
            }
            Err(Failure::Refused(Refusal::Storage(error))) => return Judged::Failed(error),
            Err(failure) => {
                if let Failure::Lost(_) = failure {
                    link.cut();
                }
                break Verdict::Failed(failure.into());
            }
        }
    };
    Judged::Verdicts(vec![verdict])
}

/// Prepares every statement, outside of the transaction: one that is wrong in itself is refused before it hurts others.
async fn prepare<'a, W: Wire>(
    link: &W,
    works: &[&'a [Statement]],
) -> Result<Vec<Work<'a, W::Prepared>>, BatchError> {
    let mut ready = Vec::with_capacity(works.len());
    for statements in works {
        let mut work = Work {
            statements,
            prepared: Vec::with_capacity(statements.len()),
            verdict: None,
        };
        for statement in *statements {
            match link.prepare(statement).await {
                Ok(prepared) => work.prepared.push(prepared),
                Err(Failure::Refused(Refusal::Storage(error))) => {
                    return Err(BatchError::Failed(error));
                }
                Err(Failure::Refused(refusal)) => {
                    work.verdict = Some(Verdict::Failed(refusal.into()));
                    break;
                }
                Err(Failure::Met(_) | Failure::Aborted) => {
                    work.verdict = Some(Verdict::Again);
                    break;
                }
                Err(lost @ Failure::Lost(_)) => return Err(BatchError::from_failure(lost)),
            }
        }
        if statements.is_empty() {
            work.verdict = Some(Verdict::Done(Vec::new()));
        }
        ready.push(work);
    }
    Ok(ready)
}

async fn play_all<W: Wire>(
    link: &W,
    works: &mut [Work<'_, W::Prepared>],
) -> Result<(), BatchError> {
    let (mut begin, mut rounds, mut meetings) = (Begin::First, 0, 0);
    loop {
        let mut played: Vec<&mut Work<'_, W::Prepared>> = works
            .iter_mut()
            .filter(|work| work.verdict.is_none())
            .collect();
        if played.is_empty() {
            return if begin == Begin::First {
                Ok(())
            } else {
                undo(link).await
            };
        }
        let round = match play(link, begin, &mut played).await {
            Ok(round) => round,
            Err(BatchError::Failed(error)) => {
                undo(link).await?;
                return Err(BatchError::Failed(error));
            }
            Err(lost) => return Err(lost),
        };
        begin = Begin::Again;
        let sealed = match round {
            Round::Whole => link.seal().await,
            Round::Met => Sealed::Met,
            Round::Spoiled(good) => {
                rounds += 1;
                if rounds >= ROUNDS {
                    for work in played
                        .into_iter()
                        .skip(good)
                        .filter(|work| work.verdict.is_none())
                    {
                        work.verdict = Some(Verdict::Again);
                    }
                }
                continue;
            }
        };
        match sealed {
            Sealed::Yes => played
                .into_iter()
                .for_each(|work| work.verdict = Some(Verdict::Done(Vec::new()))),
            Sealed::Unknown => played
                .into_iter()
                .for_each(|work| work.verdict = Some(Verdict::Unknown)),
            Sealed::NotSent => return Err(BatchError::Lost("it went before a commit".to_owned())),
            Sealed::Met => {
                meetings += 1;
                let alone = played.len() == 1;
                if alone {
                    // What failed has given its locks back, so the others can go on meanwhile.
                    link.pause(meetings).await;
                }
                if meetings >= MEETINGS {
                    for work in played.into_iter().filter(|work| work.verdict.is_none()) {
                        work.verdict = Some(if alone {
                            Verdict::Failed(DbError::Busy)
                        } else {
                            Verdict::Again
                        });
                    }
                }
                continue;
            }
        }
        return Ok(());
    }
}

/// Leaves no transaction open.
async fn undo<W: Wire>(link: &W) -> Result<(), BatchError> {
    link.undo().await.map_err(BatchError::Lost)
}

/// Sends BEGIN and every statement at once, and weighs the counts.
async fn play<W: Wire>(
    link: &W,
    begin: Begin,
    played: &mut [&mut Work<'_, W::Prepared>],
) -> Result<Round, BatchError> {
    let changes: Vec<Ready<'_, W::Prepared>> = played
        .iter()
        .map(|work| Ready {
            statements: work.statements,
            prepared: &work.prepared,
        })
        .collect();
    let mut answers = link
        .play(begin, &changes)
        .await
        .map_err(BatchError::from_failure)?
        .into_iter();
    let alone = played.len() == 1;
    let mut round = Round::Whole;
    let mut ahead = Ahead::Nothing;
    for (place, work) in played.iter_mut().enumerate() {
        let own: Vec<Result<u64, Failure>> = answers.by_ref().take(work.statements.len()).collect();
        match weigh_work(work.statements, own)? {
            Weighed::Ran => {}
            Weighed::Refused(verdict, aborted) => {
                work.verdict = Some(verdict.behind(ahead));
                if let Round::Whole = round {
                    round = Round::Spoiled(place);
                }
                if aborted == Aborted::Yes {
                    return Ok(round);
                }
            }
            Weighed::Met => {
                // Alone it tries again; among others it leaves them.
                work.verdict = (!alone).then_some(Verdict::Again);
                return Ok(Round::Met);
            }
            Weighed::NotLookedAt => {
                // Behind a refusal. Should there be none, then at least it is not taken for done.
                return Ok(if let Round::Whole = round {
                    Round::Met
                } else {
                    round
                });
            }
        }
        ahead = Ahead::Others;
    }
    Ok(round)
}

/// Whether a refusal has ended the transaction, so that nothing behind it was looked at.
#[derive(PartialEq, Eq)]
enum Aborted {
    Yes,
    No,
}

enum Weighed {
    Ran,
    Refused(Verdict, Aborted),
    Met,
    NotLookedAt,
}

fn weigh_work(
    statements: &[Statement],
    answers: Vec<Result<u64, Failure>>,
) -> Result<Weighed, BatchError> {
    let mut traces = Traces::None;
    for (index, (statement, answer)) in statements.iter().zip(answers).enumerate() {
        let (ran, aborted) = match answer {
            Ok(count) => (Ok(count), Aborted::No),
            Err(Failure::Refused(refusal)) => (Err(refusal), Aborted::Yes),
            Err(Failure::Met(what)) => {
                tracing::debug!(what, "a batch met another transaction");
                return Ok(Weighed::Met);
            }
            Err(Failure::Aborted) => return Ok(Weighed::NotLookedAt),
            Err(Failure::Lost(why)) => return Err(BatchError::Lost(why)),
        };
        if let Some(verdict) =
            weigh(index, statement.expect, ran, &mut traces).map_err(BatchError::Failed)?
        {
            return Ok(Weighed::Refused(verdict, aborted));
        }
    }
    Ok(Weighed::Ran)
}
