//! Which flow a payment runs under, and where it goes.

use std::sync::Arc;

use connector::{CallError, Cause, Connector};
use domain::{
    Code, Fault,
    answer::Answer,
    caller::Mode,
    id::{ConnectionId, TeamId},
    method::Method,
    payment::{News, Occurrence, Operation, Payment, Policy},
};
use flow::Candidate;
use store::connection::Connection;

use super::{
    health::{Fitness, RestRules},
    misfit::Misfit,
};
use crate::{Engine, faults::EngineError};

/// No authorisation is taken to live longer, whatever a processor says: extended ones, the longest, end after a month or so.
const LIFETIME_MAX: std::time::Duration = std::time::Duration::from_hours(90 * 24);

/// A connection with the connector that speaks to its processor.
pub(crate) struct Connected {
    pub(crate) connection: Arc<Connection>,
    pub(crate) connector: Arc<dyn Connector>,
}

/// How a connection is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// One that rests is taken only when there is no other.
    pub(crate) spares_resting: bool,
    /// The timeline tells of it also where there was nothing to choose from.
    pub(crate) wants_reason: bool,
    /// The caller reports the choice in words of its own.
    pub(crate) is_reported_elsewhere: bool,
}

/// The connection to which a payment goes, and those that are left for when it does not succeed.
pub(crate) struct Chosen {
    pub(crate) line: Connected,
    pub(crate) rest: Vec<ConnectionId>,
}

impl Engine {
    /// The connection with its connector, also when it is switched off: what was sent there is still looked after.
    pub(crate) async fn line(
        &self,
        team: TeamId,
        id: &ConnectionId,
    ) -> Result<Option<Connected>, EngineError> {
        let configured = self.configured(team).await?;
        let Some(connection) = configured
            .connections
            .iter()
            .find(|connection| connection.id == *id)
        else {
            return Ok(None);
        };
        let connector = self
            .inner
            .connectors
            .get(connection.processor.as_str())
            .map(Arc::clone);
        Ok(connector.map(|connector| Connected {
            connection: Arc::clone(connection),
            connector,
        }))
    }

    /// The connection, if payments may be sent to it.
    pub(crate) async fn open_line(
        &self,
        team: TeamId,
        id: &ConnectionId,
    ) -> Result<Connected, EngineError> {
        if let Some(line) = self
            .line(team, id)
            .await?
            .filter(|line| line.connection.enabled)
        {
            return Ok(line);
        }
        Err(self.no_open_line(team).await?)
    }

    /// That there is no such connection for new payments; in test mode with those that there are.
    pub(crate) async fn no_open_line(&self, team: TeamId) -> Result<EngineError, EngineError> {
        let mut message = "The connection does not exist or is switched off.".to_owned();
        if self.inner.settings.mode == Mode::Test {
            let configured = self.configured(team).await?;
            let open = configured
                .connections
                .iter()
                .filter(|connection| connection.enabled);
            let names: Vec<_> = open.map(|connection| connection.id.as_str()).collect();
            message = format!("{message} The connections are: {}.", names.join(", "));
        }
        Ok(EngineError::Fault(Fault::new(
            Code::ConnectionNotFound,
            message,
        )))
    }

    /// The first of the candidates that can take the payment, with what the timeline says of it and of those left out.
    pub(crate) async fn choose(
        &self,
        payment: &Payment,
        candidates: Vec<Candidate>,
        rules: Choice,
        lines: &mut Vec<Occurrence>,
    ) -> Result<Option<Chosen>, EngineError> {
        let at = self.inner.world.now();
        let wants_reason = rules.wants_reason || candidates.len() > 1;
        let mut resting = None;
        let mut left = candidates.into_iter();
        while let Some(candidate) = left.next() {
            let unfit = |why: &str| {
                Occurrence::new(at, "Connection left out")
                    .saying(format!("{}: {why}.", candidate.connection))
            };
            let Some(line) = self
                .line(payment.team(), &candidate.connection)
                .await?
                .filter(|line| line.connection.enabled)
            else {
                lines.push(unfit("it does not exist or is switched off"));
                continue;
            };
            if !takes(&line, payment.method().method) {
                lines.push(unfit("it can't take the payment method"));
                continue;
            }
            if let Some(misfit) = Misfit::of(&line, payment) {
                lines.push(unfit(&misfit.clause()));
                continue;
            }
            match self
                .inner
                .health
                .fitness(payment.team(), &candidate.connection, at)
            {
                Fitness::Resting(until) if rules.spares_resting => {
                    lines.push(unfit(&format!(
                        "it rests after repeated failures, until {}",
                        until.rfc3339_millis()
                    )));
                    resting.get_or_insert((candidate, line));
                }
                fitness => {
                    let why = match fitness {
                        Fitness::Probe => {
                            format!("{}, to see whether it is well again", candidate.reason)
                        }
                        Fitness::Fit | Fitness::Resting(_) => candidate.reason,
                    };
                    if (wants_reason && !rules.is_reported_elsewhere) || fitness == Fitness::Probe {
                        let words = format!("{}: {why}.", candidate.connection);
                        lines.push(Occurrence::new(at, "Connection chosen").saying(words));
                    }
                    return Ok(Some(Chosen {
                        line,
                        rest: left.map(|candidate| candidate.connection).collect(),
                    }));
                }
            }
        }
        Ok(resting.map(|(candidate, line)| {
            let words = format!("{}: it rests, but there is no other.", candidate.connection);
            lines.push(Occurrence::new(at, "Connection chosen").saying(words));
            Chosen {
                line,
                rest: Vec::new(),
            }
        }))
    }

    /// Notes whether a call to a connection went through.
    pub(crate) fn note_health(&self, team: TeamId, connection: &ConnectionId, news: &News) {
        let health = &self.inner.health;
        match news {
            News::Answer(Answer::Failed { .. }) | News::NoAnswer(_) | News::Nothing(_) => {
                let settings = &self.inner.settings;
                let now = self.inner.world.now();
                let rules = RestRules {
                    after: settings.rest_after,
                    span: settings.rest_for,
                };
                if let Some(until) = health.failed(team, connection, now, rules) {
                    self.rests(team, connection, true);
                    metrics::counter!("pointsman_connection_rests_total").increment(1);
                    tracing::warn!(%connection, until = %until.rfc3339_millis(), "a connection is rested after failures");
                }
            }
            News::Answer(_) | News::Later(_) => {
                if health.went_well(team, connection) {
                    self.rests(team, connection, false);
                }
            }
            News::NotFound { .. } | News::LookUpFailed => {}
        }
    }

    /// Notes what a failed call says of its connection, apart from the call's own outcome.
    pub(crate) fn note_failure(&self, team: TeamId, connection: &ConnectionId, error: &CallError) {
        match error {
            CallError::Rejected {
                cause: Cause::Credentials,
                ..
            } => {
                metrics::counter!("pointsman_credentials_refused_total").increment(1);
                tracing::error!(%connection, error = %error, "a processor does not accept a connection's credentials: replace them with rotateConnection");
            }
            CallError::Rejected {
                cause: Cause::KeyReused,
                ..
            } => {
                tracing::error!(%connection, error = %error, "a processor knows another request under our reference");
            }
            CallError::NotSent {
                again_after: Some(span),
                ..
            } => {
                let now = self.inner.world.now();
                let health = &self.inner.health;
                let until = health.rest_as_named(team, connection, now, *span);
                self.rests(team, connection, true);
                tracing::warn!(%connection, until = %until.rfc3339_millis(), "a processor asks to be left alone for a time");
            }
            CallError::NotSent { .. }
            | CallError::Unknown { .. }
            | CallError::Rejected { .. }
            | CallError::Unsupported => {}
        }
    }

    /// The rules of time for an operation.
    pub(crate) async fn policy(
        &self,
        payment: &Payment,
        operation: &Operation,
    ) -> Result<Policy, EngineError> {
        let line = self.line(payment.team(), &operation.connection).await?;
        Ok(self.policy_of(line.as_ref()))
    }

    /// The rules of time for a connection. One that is gone proves nothing by "not found".
    pub(crate) fn policy_of(&self, line: Option<&Connected>) -> Policy {
        let settings = &self.inner.settings;
        let mut policy = Policy {
            recovery: settings.recovery_schedule.clone(),
            pending: Vec::new(),
            lifetime: std::time::Duration::from_hours(168),
            lifetime_max: LIFETIME_MAX,
            not_found_final_after: None,
            customer_lifetime: settings.customer_lifetime,
            call_timeout: std::time::Duration::from_secs(20),
            abandon_after: None,
        };
        if let Some(line) = line {
            let facts = line.connector.descriptor();
            policy.pending = facts.pending_schedule.to_vec();
            policy.lifetime = facts.authorisation_lifetime;
            policy.not_found_final_after = facts.not_found_final_after;
            policy.call_timeout = facts.call_timeout;
            policy.abandon_after = line.connector.certainty().map(|_| settings.abandon_after);
        }
        // What the operator says counts for every processor, and for each of its authorisations.
        if let Some(lifetime) = settings.authorisation_lifetime {
            (policy.lifetime, policy.lifetime_max) = (lifetime, lifetime);
        }
        policy
    }
}

/// Whether the processor takes the method: a card of any brand when it takes cards.
pub(crate) fn takes(line: &Connected, method: Method) -> bool {
    let methods = line.connector.descriptor().methods;
    let canonical = method.canonical();
    methods.iter().any(|taken| taken.canonical() == canonical)
        || (method.is_card() && methods.contains(&Method::Card))
}
