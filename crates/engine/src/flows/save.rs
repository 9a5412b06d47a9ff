//! Saving a draft.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, TeamId},
};
use serde_json::Value;
use store::{
    flow::Flow,
    flow_version::FlowVersion,
    room::{self, BoundedList, Room},
};

use super::{Checked, FlowView, Written};
use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

/// Flows that a team can have.
const FLOWS_MAX: usize = 1_000;

/// Versions that a flow can have.
const VERSIONS_MAX: u32 = 10_000;

/// Longest id that is made of a name. Unit: characters.
const MADE_ID_MAX: usize = 40;

/// A document as it came.
pub enum WrittenFlow {
    /// JSON or YAML.
    Text(String),
    /// JSON that was read already.
    Value(Value),
}

/// A draft to be saved.
pub struct SaveFlow {
    /// The flow, which is made when there is none of this id; a new one with an id made of its name when absent.
    pub id: Option<FlowId>,
    /// What it says.
    pub document: WrittenFlow,
}

/// Whether a flow was removed before it is saved again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    There,
    /// It takes room again.
    Deleted(Room),
}

impl Engine {
    /// Saves a document as the next version of a flow. What was saved last stays as it is when it says the same.
    ///
    /// # Errors
    /// `error.validation` for a document with a fault, whose place the reason names.
    #[boxed]
    pub async fn save_flow(&self, caller: &Caller, command: SaveFlow) -> Result<FlowView, Fault> {
        self.saved_flow(caller.team, command)
            .await
            .map_err(only_fault)
    }

    pub(crate) async fn saved_flow(
        &self,
        team: TeamId,
        command: SaveFlow,
    ) -> Result<FlowView, EngineError> {
        let written = match &command.document {
            WrittenFlow::Text(text) => Written::Text(text),
            WrittenFlow::Value(value) => Written::Value(value),
        };
        let (written, id) = (&written, command.id.as_ref());
        let save = || self.save_once(team, written, id);
        let saved = self.rounds(None, self.deadline(), save).await?;
        self.inner.registry.forget(&team);
        Ok(saved)
    }

    /// One round of a save.
    async fn save_once(
        &self,
        team: TeamId,
        written: &Written<'_>,
        id: Option<&FlowId>,
    ) -> Result<Round<FlowView>, EngineError> {
        let connections = store::connection::of_team(&self.inner.store, team).await?;
        let connections: Vec<_> = connections
            .into_iter()
            .map(|connection| connection.id)
            .collect();
        let checked = Checked::of(written, &connections, "document")?;
        let room = room::find(&self.inner.store, team, BoundedList::Flows).await?;
        let flows = store::flow::of_team(&self.inner.store, team).await?;
        let id = id
            .cloned()
            .unwrap_or_else(|| self.made_id(&checked.document.name, &flows));
        let document = checked.document.to_value();
        let known = flows.iter().find(|flow| flow.id == id);
        let deleted = match known {
            Some(_) => None,
            None => store::flow::deleted(&self.inner.store, team, &id).await?,
        };
        let saved = match (known, deleted) {
            (Some(flow), _) => self.next_version(flow, document, Standing::There).await?,
            (None, Some(flow)) => {
                has_room(&flows)?;
                self.next_version(&flow, document, Standing::Deleted(room))
                    .await?
            }
            (None, None) => {
                has_room(&flows)?;
                let flow = Flow {
                    team,
                    id,
                    name: checked.document.name,
                    is_default: false,
                    latest: 1,
                    published: None,
                };
                self.first_version(room, flow, document).await?
            }
        };
        Ok(match saved {
            Some((flow, version)) => Round::Done(FlowView::of(&flow, version)),
            None => Round::Conflict,
        })
    }

    /// `None` when another save was quicker.
    async fn next_version(
        &self,
        flow: &Flow,
        document: Value,
        standing: Standing,
    ) -> Result<Option<(Flow, FlowVersion)>, EngineError> {
        let latest = flow.latest;
        let last = self.known_version(flow.team, &flow.id, latest).await?;
        if last.document == document && standing == Standing::There {
            return Ok(Some((flow.clone(), last)));
        }
        if latest >= VERSIONS_MAX {
            return Err(Fault::invalid(
                "id",
                format!("the flow has {VERSIONS_MAX} versions, and there can be no more"),
            )
            .into());
        }
        let version = self.version(flow, latest.saturating_add(1), document);
        let mut change = Change::new(self.change_id(), &super::aggregate(flow.team, &flow.id))
            .with(store::flow::advance(
                flow.team,
                &flow.id,
                latest,
                version.version,
            ))
            .with(store::flow_version::insert(&version))
            .with(self.audit(&saved(&version)));
        if let Standing::Deleted(room) = standing {
            change.push(room::take(room));
        }
        let flow = Flow {
            latest: version.version,
            ..flow.clone()
        };
        Ok(self
            .commit_plain(change)
            .await?
            .is_none()
            .then_some((flow, version)))
    }

    /// `None` when the id was taken meanwhile.
    async fn first_version(
        &self,
        room: Room,
        flow: Flow,
        document: Value,
    ) -> Result<Option<(Flow, FlowVersion)>, EngineError> {
        let version = self.version(&flow, 1, document);
        let change = Change::new(self.change_id(), &super::aggregate(flow.team, &flow.id))
            .with(room::take(room))
            .with(store::flow::insert(&flow, version.saved_at))
            .with(store::flow_version::insert(&version))
            .with(self.audit(&saved(&version)));
        Ok(self
            .commit_plain(change)
            .await?
            .is_none()
            .then_some((flow, version)))
    }

    fn version(&self, flow: &Flow, version: u32, document: Value) -> FlowVersion {
        let (team, flow, saved_at) = (flow.team, flow.id.clone(), self.inner.world.now());
        FlowVersion {
            team,
            flow,
            version,
            document,
            saved_at,
            published_at: None,
        }
    }

    /// An id made of the name that no flow of the team has.
    fn made_id(&self, name: &str, flows: &[Flow]) -> FlowId {
        let mut base = String::new();
        for letter in name.chars().take(MADE_ID_MAX) {
            if letter.is_ascii_alphanumeric() {
                base.push(letter.to_ascii_lowercase());
            } else if !base.is_empty() && !base.ends_with('-') {
                base.push('-');
            }
        }
        let base = base.trim_end_matches('-');
        let is_free = |id: &FlowId| !flows.iter().any(|flow| flow.id == *id);
        let numbered = (2..100_u32).map(|n| format!("{base}-{n}"));
        let mut candidates = std::iter::once(base.to_owned())
            .chain(numbered)
            .filter(|_| !base.is_empty());
        let found = candidates.find_map(|text| FlowId::parse(&text).filter(is_free));
        found.unwrap_or_else(|| FlowId::of_uuid(self.inner.world.uuid_v7()))
    }
}

/// Whether a team with these flows can have one more.
fn has_room(flows: &[Flow]) -> Result<(), Fault> {
    if flows.len() >= FLOWS_MAX {
        let rule = format!("a team has at most {FLOWS_MAX} flows");
        return Err(Fault::invalid("id", rule));
    }
    Ok(())
}

/// What is recorded of a version that is saved.
fn saved(version: &FlowVersion) -> Deed {
    Deed::on(version.team, Act::FlowSaved, "flow", &version.flow).with("version", version.version)
}
