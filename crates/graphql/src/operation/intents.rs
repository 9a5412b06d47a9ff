//! Intents.

use domain::Fault;
use engine::{IntentView, ListIntents};

use super::{
    Operations,
    lists::{SETTLED, TOTAL},
};
use crate::{
    execute::{Arguments, LookAhead, Out, object},
    input::{complete_intent, ids, list_intents, start_intent, update_intent},
    view::{IntentObject, IntentsPageObject, PageFacts},
};

/// Fields for which the intent's payments are read.
const OF_PAYMENTS: [&str; 2] = ["linkedPayments", "timeline.paymentAttempts"];

impl Operations<'_> {
    pub(super) async fn start_intent(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let command = arguments.coerced.and_then(start_intent::parse)?;
        let view = self.engine.start_intent(self.caller, command).await?;
        self.shown_intent(view, look).await
    }

    pub(super) async fn update_intent(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let command = arguments.coerced.and_then(update_intent::parse)?;
        let view = self.engine.update_intent(self.caller, command).await?;
        self.shown_intent(view, look).await
    }

    pub(super) async fn complete_intent(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let (id, reference) = arguments.coerced.and_then(complete_intent::parse)?;
        let view = self
            .engine
            .complete_intent(self.caller, id, reference)
            .await?;
        self.shown_intent(view, look).await
    }

    pub(super) async fn intent(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::intent(ids::argument(&arguments.coerced?, "id"))?;
        let view = self.engine.intent(self.caller, id).await?;
        self.shown_intent(view, look).await
    }

    pub(super) async fn optimise(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let id = ids::intent(ids::argument(&arguments.coerced?, "intentId"))?;
        let methods = self.engine.optimise(self.caller, id).await?;
        Ok(methods
            .into_iter()
            .map(domain::method::Method::code)
            .collect::<Vec<_>>()
            .into())
    }

    pub(super) async fn intents(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let list_intents::Wanted {
            page,
            order,
            statuses,
            tracking_id,
        } = arguments.coerced.and_then(list_intents::parse)?;
        let after = page.after().map(str::to_owned);
        let list = ListIntents {
            page,
            order,
            statuses,
            tracking_id,
            want_total: look.selects(TOTAL),
            want_settled: look.selects(SETTLED),
            want_payments: OF_PAYMENTS
                .iter()
                .any(|field| look.selects(&format!("edges.node.{field}"))),
        };
        let found = self.engine.intents(self.caller, list).await?;
        Ok(object(IntentsPageObject {
            facts: PageFacts {
                has_next: found.has_next,
                has_previous: found.has_previous,
                total: found.total,
                settled_until: found.settled_until,
                after,
            },
            rows: found
                .views
                .into_iter()
                .map(|(cursor, view)| (cursor, self.intent_object(view)))
                .collect(),
        }))
    }

    async fn shown_intent(
        &self,
        view: IntentView,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = OF_PAYMENTS.iter().any(|field| look.selects(field));
        let view = if wanted {
            self.engine.with_payments(view).await?
        } else {
            view
        };
        Ok(object(self.intent_object(view)))
    }

    /// The same, where any type may be selected.
    pub(super) async fn shown_intent_node(
        &self,
        view: IntentView,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = OF_PAYMENTS
            .iter()
            .any(|field| look.selects_on("Intent", field));
        let view = if wanted {
            self.engine.with_payments(view).await?
        } else {
            view
        };
        Ok(object(self.intent_object(view)))
    }

    fn intent_object(&self, view: IntentView) -> IntentObject {
        IntentObject {
            intent: view.intent,
            payments: view.payments.unwrap_or_default(),
            sight: self.sight(),
        }
    }
}
