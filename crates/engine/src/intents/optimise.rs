//! The methods of a checkout.

use domain::{Fault, caller::Caller, id::IntentId, method::Method};

use crate::{Engine, faults::Stop, once::only_fault};

impl Engine {
    /// The methods, in order, that the flow of an intent offers at checkout: those that its connections take.
    ///
    /// # Errors
    /// `error.intent.not-found`; `error.flow.not-found` when the flow is gone.
    pub async fn optimise(&self, caller: &Caller, id: IntentId) -> Result<Vec<Method>, Fault> {
        self.offered(caller, id).await.map_err(only_fault)
    }

    async fn offered(&self, caller: &Caller, id: IntentId) -> Result<Vec<Method>, Stop> {
        let intent = self.own_intent(caller, id).await?;
        let flow = self.runnable(caller.team, Some(intent.flow.as_str())).await?;
        let mut methods = Vec::new();
        for connection in flow.program.connections() {
            let Some(line) = self.line(caller.team, &connection).await?.filter(|line| line.connection.enabled) else {
                continue;
            };
            for method in line.connector.descriptor().methods {
                if !methods.contains(method) {
                    methods.push(*method);
                }
            }
        }
        Ok(methods)
    }
}
