//! Erases security codes that nothing needs any more.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::{Engine, payments::code_user_of};

/// Erases security codes that nothing needs any more.
pub(super) struct EraseSecurityCodes;

impl Job for EraseSecurityCodes {
    fn name(&self) -> &'static str {
        "erase_security_codes"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        engine.erase_security_codes(round).boxed()
    }
}

impl Engine {
    /// Erases security codes whose life time is over, and those of stored cards whose authorisation has ended: the process that
    /// ended it may have died, or found no database, before it erased them.
    async fn erase_security_codes(&self, round: &Round) -> Done {
        let vault = self.vault_in_lane();
        let mut done = vault.sweep_codes().await?;
        let used = vault.used_codes(round.rows).await?;
        let taken = used.len();
        for used in used {
            let is_over = match code_user_of(used.by()) {
                Some((team, payment)) => {
                    let found = store::payment::of_team(&self.inner.store, team, payment).await;
                    round
                        .unless_given_up(&payment, found)?
                        .is_some_and(|found| {
                            found.is_none_or(|payment| payment.authorisation_ended())
                        })
                }
                None => true,
            };
            if is_over {
                vault.erase_used(&used).await?;
                done += 1;
            }
        }
        Ok(Batch::of(taken, done, round.rows))
    }
}
