//! Commands about flows.

use domain::{
    Code, Fault,
    caller::Caller,
    id::{FlowId, TeamId},
};
use engine::{FlowFormat, FlowView, SaveFlow, WrittenFlow};
use flow::Document;

use super::Local;
use crate::admin::{FlowText, Say};

/// A flow as a file has it.
pub(super) struct WrittenFile {
    /// The id that the flow gets.
    pub(super) id: String,
    /// The file's name, for messages.
    pub(super) file: String,
    pub(super) document: String,
}

/// A version of a flow; the last one when none is named.
pub(super) struct FlowVersion {
    pub(super) id: String,
    pub(super) version: Option<u32>,
}

impl Local {
    pub(super) async fn import_flow(
        &self,
        team: Option<String>,
        flow: WrittenFile,
        publish: bool,
        say: Say<'_>,
    ) -> Result<(), String> {
        let WrittenFile { id, file, document } = flow;
        let caller = self.caller(team).await?;
        let id = Some(flow_id(&id)?);
        self.refuse_unknown_connections(&caller, &file, &document)
            .await?;
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

    /// What only the team's own data show to be wrong, reported with file and line.
    async fn refuse_unknown_connections(
        &self,
        caller: &Caller,
        file: &str,
        document: &str,
    ) -> Result<(), String> {
        // What can't be read at all is refused when it is saved.
        let Ok(document) = Document::parse(document) else {
            return Ok(());
        };
        let known = self
            .engine
            .list_connections(caller)
            .await
            .map_err(refused)?;
        let known: Vec<_> = known.into_iter().map(|connection| connection.id).collect();
        let unknown = document.unknown_connections(&known);
        let in_words: Vec<String> = unknown.iter().map(|one| one.located(file)).collect();
        if in_words.is_empty() {
            Ok(())
        } else {
            Err(in_words.join("\n"))
        }
    }

    pub(super) async fn export_flow(
        &self,
        team: Option<String>,
        flow: FlowVersion,
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
            .export_flow(&caller, &flow_id(&flow.id)?, flow.version, format)
            .await
            .map_err(|fault| of_flow(&flow.id, fault))?;
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
        for line in in_columns(&flows) {
            say(line);
        }
        Ok(())
    }

    pub(super) async fn publish_flow(
        &self,
        team: Option<String>,
        id: &str,
        version: Option<u32>,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let flow = flow_id(id)?;
        let version = if let Some(version) = version {
            version
        } else {
            let last = self.engine.get_flow(&caller, &flow, None).await;
            last.map_err(|fault| of_flow(id, fault))?.version
        };
        self.engine
            .publish_flow(&caller, &flow, version)
            .await
            .map_err(|fault| of_flow(id, fault))?;
        say(format!("Version {version} of the flow {id} is published."));
        Ok(())
    }

    pub(super) async fn set_default_flow(
        &self,
        team: Option<String>,
        id: &str,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let flow = flow_id(id)?;
        self.engine
            .set_default_flow(&caller, &flow)
            .await
            .map_err(|fault| of_flow(id, fault))?;
        say(format!("The flow {id} is the default."));
        Ok(())
    }

    pub(super) async fn delete_flow(
        &self,
        team: Option<String>,
        id: &str,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let flow = flow_id(id)?;
        self.engine
            .delete_flow(&caller, &flow)
            .await
            .map_err(|fault| of_flow(id, fault))?;
        say(format!(
            "The flow {id} is removed. What began under it runs on."
        ));
        Ok(())
    }

    pub(super) async fn try_flow(
        &self,
        team: Option<String>,
        flow: FlowVersion,
        facts: &str,
        say: Say<'_>,
    ) -> Result<(), String> {
        let caller = self.caller(team).await?;
        let facts: serde_json::Value = serde_json::from_str(facts)
            .map_err(|error| format!("the facts are not valid JSON: {error}"))?;
        let trial = self
            .engine
            .try_flow(&caller, &flow_id(&flow.id)?, flow.version, &facts)
            .await
            .map_err(|fault| of_flow(&flow.id, fault))?;
        let widest = trial.steps.iter().map(|step| step.step.len()).max();
        for step in &trial.steps {
            let taken = if step.taken { "taken" } else { "left " };
            let reason = step.reason.as_deref().unwrap_or_default();
            let width = widest.unwrap_or_default();
            say(format!("{:width$}  {taken}  {reason}", step.step)
                .trim_end()
                .to_owned());
        }
        say(format!("Outcome: {}.", trial.outcome));
        Ok(())
    }

    /// A caller who acts for a team, the first one when none is named.
    pub(super) async fn caller(&self, team: Option<String>) -> Result<Caller, String> {
        let team: TeamId = self.team(team).await?;
        let teams = self.engine.teams().await.map_err(super::in_words)?;
        if !teams.iter().any(|known| known.id == team) {
            return Err(format!(
                "there is no team {team}; `pointsman team list` shows those that there are"
            ));
        }
        Ok(Caller::operator(team, self.mode))
    }
}

fn flow_id(id: &str) -> Result<FlowId, String> {
    FlowId::parse(id)
        .ok_or_else(|| "a flow's id has 1 to 64 letters, digits, `-`, `_`, `.` or `:`".to_owned())
}

/// Why something can't be done with the flow of this id.
fn of_flow(id: &str, fault: Fault) -> String {
    if fault.code == Code::FlowNotFound {
        return format!(
            "there is no flow {id}, or not in this version; `pointsman flow list` shows the flows that there are"
        );
    }
    format!("the flow {id}: {}", refused(fault))
}

fn refused(fault: Fault) -> String {
    fault.reason.unwrap_or(fault.message)
}

/// One line for each flow: id, what is published, whether it is the default, name.
fn in_columns(flows: &[FlowView]) -> Vec<String> {
    let rows: Vec<[String; 4]> = flows
        .iter()
        .map(|flow| {
            let published = match flow.published_version {
                Some(version) if version == flow.version => format!("version {version} published"),
                Some(version) => format!(
                    "version {version} published, version {} a draft",
                    flow.version
                ),
                None => format!("version {} a draft", flow.version),
            };
            let default = if flow.is_default { "(default)" } else { "" };
            [
                flow.id.as_str().to_owned(),
                published,
                default.to_owned(),
                format!("\"{}\"", flow.name),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (ids, states, defaults) = (width(0), width(1), width(2));
    rows.iter()
        .map(|[id, state, default, name]| {
            format!("{id:ids$}  {state:states$}  {default:defaults$}  {name}")
        })
        .collect()
}
