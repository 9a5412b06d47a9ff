//! The caller's team and its client tokens.

use domain::Fault;

use super::{Operations, done};
use crate::{
    execute::{Arguments, Out, object},
    input::{ids, team},
    view::{ClientTokensPageObject, PageFacts, TeamObject},
};

impl Operations<'_> {
    pub(super) async fn team(&self) -> Result<Out<'static>, Fault> {
        Ok(object(TeamObject(self.engine.team(self.caller).await?)))
    }

    pub(super) async fn update_team(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let update = arguments.coerced.and_then(team::update)?;
        let team = self.engine.update_team(self.caller, update).await?;
        Ok(object(TeamObject(team)))
    }

    pub(super) async fn client_tokens(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let page = arguments.coerced.and_then(team::tokens)?;
        let found = self.engine.client_tokens(self.caller, &page).await?;
        Ok(object(ClientTokensPageObject {
            facts: PageFacts {
                has_next: found.has_next,
                has_previous: found.has_previous,
                total: None,
                settled_until: None,
                after: None,
            },
            rows: found.views,
        }))
    }

    pub(super) async fn revoke_client_token(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let arguments = arguments.coerced?;
        let id = ids::argument(&arguments, "id");
        done(self.engine.revoke_client_token(self.caller, id).await)
    }
}
