//! Which flow a payment runs under, and where it goes.

use std::sync::Arc;

use connector::Connector;
use domain::{
    Code, Fault,
    caller::Mode,
    id::{ConnectionId, TeamId},
    payment::{Operation, Payment, Policy},
};
use store::{connection::Connection, flow::Flow};

use crate::{Engine, faults::Stop};

/// A connection with the connector that speaks to its processor.
pub(crate) struct Line {
    pub(crate) connection: Connection,
    pub(crate) connector: Arc<dyn Connector>,
}

impl Engine {
    /// The flow asked for, else the team's default.
    pub(crate) async fn flow(&self, team: TeamId, wanted: Option<&str>) -> Result<Flow, Stop> {
        let configured = self.configured(team).await?;
        let found = match wanted {
            Some(id) => configured.flows.iter().find(|flow| flow.id.as_str() == id),
            None => configured.flows.iter().find(|flow| flow.is_default),
        };
        if let Some(flow) = found {
            return Ok(flow.clone());
        }
        let mut message = match wanted {
            Some(_) => "There is no such flow.".to_owned(),
            None => "The team has no default flow, so a flow must be named.".to_owned(),
        };
        if self.inner.settings.mode == Mode::Test && !configured.flows.is_empty() {
            let names: Vec<_> = configured.flows.iter().map(|flow| flow.id.as_str()).collect();
            message = format!("{message} The flows are: {}.", names.join(", "));
        }
        Err(Stop::Fault(Fault::new(Code::FlowNotFound, message)))
    }

    /// The connection with its connector, also when it is switched off: what was sent there is still looked after.
    pub(crate) async fn line(&self, team: TeamId, id: &ConnectionId) -> Result<Option<Line>, Stop> {
        let configured = self.configured(team).await?;
        let Some(connection) = configured.connections.iter().find(|connection| connection.id == *id) else {
            return Ok(None);
        };
        let connector = self.inner.connectors.get(connection.processor.as_str()).map(Arc::clone);
        Ok(connector.map(|connector| Line { connection: connection.clone(), connector }))
    }

    /// The connection, if payments may be sent to it.
    pub(crate) async fn open_line(&self, team: TeamId, id: &ConnectionId) -> Result<Line, Stop> {
        if let Some(line) = self.line(team, id).await?.filter(|line| line.connection.enabled) {
            return Ok(line);
        }
        let message = "The flow's connection does not exist or is switched off.";
        Err(Stop::Fault(Fault::new(Code::ConnectionNotFound, message)))
    }

    /// The rules of time for an operation.
    pub(crate) async fn policy(&self, payment: &Payment, operation: &Operation) -> Result<Policy, Stop> {
        let line = self.line(payment.team, &operation.connection).await?;
        Ok(self.policy_of(line.as_ref()))
    }

    /// The rules of time for a connection. One that is gone proves nothing by "not found".
    pub(crate) fn policy_of(&self, line: Option<&Line>) -> Policy {
        let settings = &self.inner.settings;
        let mut policy = Policy {
            recovery: settings.recovery_schedule.clone(),
            pending: Vec::new(),
            lifetime: std::time::Duration::from_hours(168),
            not_found_final_after: None,
            customer_lifetime: settings.customer_lifetime,
            call_timeout: std::time::Duration::from_secs(20),
        };
        if let Some(line) = line {
            let facts = line.connector.descriptor();
            policy.pending = facts.pending_schedule.to_vec();
            policy.lifetime = facts.authorisation_lifetime;
            policy.not_found_final_after = facts.not_found_final_after;
            policy.call_timeout = facts.call_timeout;
        }
        policy.lifetime = settings.authorisation_lifetime.unwrap_or(policy.lifetime);
        policy
    }
}
