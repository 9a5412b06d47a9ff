//! Payments, as commands show them.

use domain::id::PaymentId;

use super::{Local, in_words};
use crate::admin::Say;

impl Local {
    pub(super) async fn explain(
        &self,
        payment: &str,
        team: Option<String>,
        say: Say<'_>,
    ) -> Result<(), String> {
        let id = PaymentId::parse(payment).ok_or_else(|| {
            format!("{payment:?} is no payment's id; one looks like payments:01a206e1-cb37-767a-93b0-b03517f14ba8")
        })?;
        let team = match team {
            Some(wanted) => Some(self.team(Some(wanted)).await?),
            None => None,
        };
        let story = self.engine.explain(team, id).await.map_err(in_words)?;
        let lines = story.ok_or_else(|| format!("there is no payment {id}"))?;
        lines.into_iter().for_each(say);
        Ok(())
    }
}
