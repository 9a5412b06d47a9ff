//! Commands about flows.

use domain::{
    Fault,
    caller::Caller,
    id::{FlowId, TeamId},
};
use engine::{FlowFormat, FlowView, SaveFlow, WrittenFlow};

use super::Local;
use crate::admin::{FlowText, Say};

impl Local {
    pub(super) async fn import_flow(
        &self,
        team: Option<String>,
        (id, document): (&str, String),
        publish: bool,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let id = Some(flow_id(id)?);
        let command = SaveFlow {
            id,
            document: WrittenFlow::Text(document),
        };
        let saved = self
            .engine
            .save_flow(&caller, command)
            .await
            .map_err(refused)?;
        if publish {
            self.engine
                .publish_flow(&caller, &saved.id, saved.version)
                .await
                .map_err(refused)?;
            say(format!(
                "Version {} of the flow {} is published.",
                saved.version, saved.id
            ));
        } else if saved.is_published {
            say(format!(
                "The flow {} says this already: version {} is published.",
                saved.id, saved.version
            ));
        } else {
            say(format!(
                "The flow {} has this as version {}, a draft.",
                saved.id, saved.version
            ));
        }
        Ok(())
    }

    pub(super) async fn export_flow(
        &self,
        team: Option<String>,
        (id, version): (&str, Option<u32>),
        format: FlowText,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let format = match format {
            FlowText::Yaml => FlowFormat::Yaml,
            FlowText::Json => FlowFormat::Json,
        };
        let text = self
            .engine
            .export_flow(&caller, &flow_id(id)?, version, format)
            .await
            .map_err(refused)?;
        // Each line that is said gets its end again where it is printed.
        say(text.strip_suffix('\n').unwrap_or(&text).to_owned());
        Ok(())
    }

    pub(super) async fn list_flows(
        &self,
        team: Option<String>,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let flows = self.engine.list_flows(&caller).await.map_err(refused)?;
        if flows.is_empty() {
            say("There are no flows.".to_owned());
        }
        for flow in flows {
            say(in_a_line(&flow));
        }
        Ok(())
    }

    /// A caller who acts for a team, the first one when none is named.
    async fn caller(&self, team: Option<String>) -> Result<Caller, String> {
        let team: TeamId = self.team(team).await?;
        let teams = self.engine.teams().await.map_err(super::told)?;
        if !teams.iter().any(|known| known.id == team) {
            return Err("there is no such team".to_owned());
        }
        Ok(Caller::operator(team, self.mode))
    }
}

fn flow_id(id: &str) -> Result<FlowId, String> {
    FlowId::parse(id)
        .ok_or_else(|| "a flow's id has 1 to 64 letters, digits, `-`, `_`, `.` or `:`".to_owned())
}

fn refused(fault: Fault) -> String {
    fault.reason.unwrap_or(fault.message)
}

fn in_a_line(flow: &FlowView) -> String {
    let published = match flow.published_version {
        Some(version) if version == flow.version => format!("version {version} published"),
        Some(version) => format!(
            "version {version} published, version {} a draft",
            flow.version
        ),
        None => format!("version {} a draft", flow.version),
    };
    let default = if flow.is_default { "  default" } else { "" };
    format!("{}  {published}{default}  {}", flow.id, flow.name)
}
