//! Starting an intent.

use crate::boxed;
use db::Statement;
use domain::{
    Fault,
    caller::{Caller, Credential},
    id::{FlowId, IntentId},
    intent::{Changes, Intent, Start},
    money::Currency,
};

use store::browser_made::Made;

use super::{IntentView, attributed};
use crate::{
    Engine,
    commit::Ended,
    faults::{EngineError, only_fault},
};

/// A request for an intent.
pub struct StartIntent {
    /// The merchant's own id.
    pub tracking_id: String,
    /// The flow that its payments run under, as sent.
    pub flow: String,
    /// The currency.
    pub currency: Currency,
    /// Its further details.
    pub changes: Changes,
}

impl Engine {
    /// Starts an intent, and a run of its flow with it. Source: specification 4.5; behaviour contract, section 9.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.validation` when a client token was made for another flow.
    #[boxed]
    pub async fn start_intent(
        &self,
        caller: &Caller,
        command: StartIntent,
    ) -> Result<IntentView, Fault> {
        self.start_with(caller, command, false, &|_| Vec::new())
            .await
            .map(IntentView::of)
            .map_err(only_fault)
    }

    /// Starts an intent together with what is made with it, in one commit. `takes_key`: the first of these statements takes an idempotency
    /// key; [`EngineError::Taken`] when that was taken.
    pub(crate) async fn start_with(
        &self,
        caller: &Caller,
        command: StartIntent,
        takes_key: bool,
        with: &(impl Fn(&Intent) -> Vec<Statement> + Sync),
    ) -> Result<Intent, EngineError> {
        self.refuse_numbers(&[("trackingId", Some(&command.tracking_id))], None)?;
        check_flow(caller, &command.flow)?;
        let (flow, version) = self.current_flow(caller, &command.flow).await?;
        let (flow, changes) = (&(flow, version), &attributed(caller, command.changes)?);
        let (tracking_id, currency) = (&command.tracking_id, command.currency);
        self.dated(|date| async move {
            let start = Start {
                id: IntentId::new(self.inner.world.uuid_at(date.at())),
                team: caller.team,
                tracking_id: tracking_id.clone(),
                currency,
                flow: flow.clone(),
                instance: self.inner.world.uuid_v7(),
                started_by: (!caller.is_server()).then_some(caller.key),
            };
            let inactivity = self.inner.settings.intent_inactivity;
            let intent = Intent::start(start, changes.clone(), date.at(), inactivity);
            let mut more = with(&intent);
            more.extend(self.made_by_browser(caller, &intent));
            match self.commit_new_intent(&intent, more, &date).await? {
                Ended::Done => Ok(intent),
                Ended::Refused(0) if takes_key => Err(EngineError::Taken),
                Ended::Overtaken | Ended::Refused(_) | Ended::Taken => Err(Fault::unknown().into()),
            }
        })
        .await
    }

    /// What has the job erase an intent that a browser started and nobody pays.
    fn made_by_browser(&self, caller: &Caller, intent: &Intent) -> Vec<Statement> {
        if caller.is_server() {
            return Vec::new();
        }
        let lifetime = self.inner.settings.browser_intent_lifetime;
        let due_at = self.inner.world.now().after(lifetime);
        let made = Made::Intent(intent.id);
        vec![store::browser_made::insert(caller.team, &made, due_at)]
    }

    /// The flow asked for, with the version of it that is current.
    async fn current_flow(
        &self,
        caller: &Caller,
        wanted: &str,
    ) -> Result<(FlowId, u32), EngineError> {
        let flow = self.runnable(caller.team, Some(wanted)).await?;
        Ok((flow.id, flow.version))
    }
}

fn check_flow(caller: &Caller, wanted: &str) -> Result<(), Fault> {
    match &caller.credential {
        Credential::Client(grant)
            if grant
                .flow
                .as_ref()
                .is_some_and(|flow| flow.as_str() != wanted) =>
        {
            Err(Fault::invalid(
                "paymentFlowId",
                "must be what the client token was made for",
            ))
        }
        Credential::Client(_) | Credential::Public | Credential::Secret => Ok(()),
    }
}
