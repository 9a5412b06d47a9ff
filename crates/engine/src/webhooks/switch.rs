//! Enabling and disabling an endpoint.

use db::Statement;
use domain::Fault;
use store::{
    feed::{self, FeedPosition},
    webhook_endpoint::{self as table, Endpoint},
};

use super::SaveEndpoint;
use crate::{Engine, faults::EngineError};

/// From where an endpoint that was disabled goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// From where it stopped: it gets everything that it missed.
    WhereItStopped,
    /// From now on: it never gets what it missed.
    FromNow,
}

impl Engine {
    /// The statements that enable or disable an endpoint as the command wants it.
    pub(super) async fn switched(
        &self,
        endpoint: &mut Endpoint,
        command: &SaveEndpoint,
    ) -> Result<Vec<Statement>, EngineError> {
        let (was, wanted) = (
            endpoint.enabled,
            command.enabled.unwrap_or(endpoint.enabled),
        );
        endpoint.enabled = wanted;
        let (team, id) = (endpoint.team, endpoint.id);
        if command.resume.is_some() && command.enabled != Some(true) {
            return Err(Fault::invalid("resume", "goes with enabled: true").into());
        }
        match (was, wanted, command.resume) {
            (true, false, _) => Ok(vec![table::disable(team, id)]),
            (false, true, None) => {
                let rule = "is required where an endpoint is enabled again: from where it stopped, with all that it missed, or from now";
                Err(Fault::invalid("resume", rule).into())
            }
            (false, true, Some(Resume::WhereItStopped)) => {
                let now = self.inner.world.now();
                Ok(vec![table::enable(team, id), table::renew(team, id, now)])
            }
            (false, true, Some(Resume::FromNow)) => {
                let end = feed::end(&self.inner.store, team).await?;
                let place = end.unwrap_or_else(FeedPosition::beginning);
                let now = self.inner.world.now();
                let go_on = table::go_on_from(team, id, &place, now);
                Ok(vec![table::enable(team, id), go_on])
            }
            (true, true, _) | (false, false, _) => Ok(Vec::new()),
        }
    }
}
