//! Removes wallet tokens that can't be opened any more.

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    job::{Bound, Done, Job, Pace, Round},
    timed,
};
use crate::Engine;

/// Removes wallet tokens that can't be opened any more.
pub(super) struct ForgetWalletTokens;

impl Job for ForgetWalletTokens {
    fn name(&self) -> &'static str {
        "forget_wallet_tokens"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let (inner, until) = (&engine.inner, round.now);
            let look = inner.floors.wallet_tokens.look(until);
            let behind = timed::behind(look, round);
            let gone = store::wallet_token::sweep(&inner.store, until, behind, round.rows).await?;
            Ok(timed::swept(
                &inner.floors.wallet_tokens,
                look,
                &gone,
                round,
            ))
        }
        .boxed()
    }
}
