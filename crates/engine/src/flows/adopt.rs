//! Giving flows of before there were versions their first one.

use db::Change;
use domain::id::TeamId;
use store::{flow::Flow, flow_version::FlowVersion};

use super::legacy;
use crate::{Engine, faults::Stop};

/// How often a team's flows are read again because others were quicker.
const TRIES: u32 = 3;

impl Engine {
    /// A team's flows, each of which has a version.
    pub(crate) async fn flows_now(&self, team: TeamId) -> Result<Vec<Flow>, Stop> {
        for _ in 0..TRIES {
            let flows = store::flow::of_team(&self.inner.store, team).await?;
            let old: Vec<&Flow> = flows.iter().filter(|flow| flow.latest.is_none()).collect();
            if old.is_empty() {
                return Ok(flows);
            }
            for flow in old {
                // Boxed, so that those who merely read don't carry its state in their futures.
                Box::pin(self.adopt(flow)).await?;
            }
        }
        tracing::error!(team.id = %team, "a flow without a version can't be given one");
        Err(domain::Fault::unknown().into())
    }

    /// Makes what the flow says its first version, published. Harmless when another node is quicker.
    async fn adopt(&self, flow: &Flow) -> Result<(), Stop> {
        let now = self.inner.world.now();
        let version = FlowVersion {
            team: flow.team,
            flow: flow.id.clone(),
            version: 1,
            document: legacy::renewed(flow),
            saved_at: now,
            published_at: Some(now),
        };
        let published = Flow {
            published: Some(1),
            ..flow.clone()
        };
        let change = Change::new(self.change_id(), &super::aggregate(flow.team, &flow.id))
            .with(store::flow::advance(flow.team, &flow.id, 0, 1))
            .with(store::flow_version::insert(&version))
            .with(store::flow::publish(&published));
        self.commit_plain(change).await.map(|_| ())
    }
}
