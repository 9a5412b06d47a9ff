//! Payments, one by one.

use domain::Fault;
use engine::{Abandon, PaymentView, Scope, Told};

use super::Operations;
use crate::{
    execute::{Answer, Arguments, LookAhead, Out, object},
    input::{authorise, cancel, capture, client_token, ids, refund, resolve},
    view::{ClientTokenObject, PaymentObject},
};

/// The only part of a payment that costs a read of its own.
pub(super) const TIMELINE: &str = "paymentTimeline.overview";

impl Operations<'_> {
    pub(super) async fn authorise(&self, arguments: Arguments<'_>, look: LookAhead<'_>) -> Answer {
        let once = self.once(|_| Scope::Authorise, &arguments);
        let parsed = arguments
            .coerced
            .and_then(|given| authorise::parse(given, self.caller.mode))
            .map_err(authorise::of_command);
        let mut told = Box::pin(self.engine.authorise(self.caller, once, parsed)).await;
        told.result = told.result.map_err(authorise::of_plain);
        self.told(told, look).await
    }

    /// The same under another argument's name, which faults bear too.
    pub(super) async fn headless(&self, arguments: Arguments<'_>, look: LookAhead<'_>) -> Answer {
        // The two share their keys, so their arguments are compared under one name.
        let once = self.once(|_| Scope::Authorise, &arguments).map(|mut once| {
            authorise::rename_argument(&mut once.arguments);
            once
        });
        let parsed = arguments
            .coerced
            .and_then(|given| authorise::parse_headless(given, self.caller.mode))
            .map_err(authorise::of_command);
        let mut told = Box::pin(self.engine.authorise(self.caller, once, parsed)).await;
        told.result = told.result.map_err(authorise::of_headless);
        self.told(told, look).await
    }

    pub(super) async fn abandon(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::payment(ids::argument(&arguments.coerced?, "id"))?;
        let view = Box::pin(self.engine.abandon(self.caller, Abandon { id })).await?;
        Ok(self.shown(view, look).await)
    }

    pub(super) async fn capture(&self, arguments: Arguments<'_>, look: LookAhead<'_>) -> Answer {
        let once = self.once(Scope::Capture, &arguments);
        let parsed = arguments.coerced.and_then(capture::parse);
        let told = self.engine.capture(self.caller, once, parsed).await;
        self.told(told, look).await
    }

    pub(super) async fn cancel(&self, arguments: Arguments<'_>, look: LookAhead<'_>) -> Answer {
        let once = self.once(Scope::Cancel, &arguments);
        let parsed = arguments.coerced.and_then(cancel::parse);
        let told = self.engine.cancel(self.caller, once, parsed).await;
        self.told(told, look).await
    }

    pub(super) async fn refund(&self, arguments: Arguments<'_>, look: LookAhead<'_>) -> Answer {
        let once = self.once(Scope::Refund, &arguments);
        let parsed = arguments.coerced.and_then(refund::parse);
        let told = self.engine.refund(self.caller, once, parsed).await;
        self.told(told, look).await
    }

    pub(super) async fn resolve_payment(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let command = arguments.coerced.and_then(resolve::parse)?;
        let view = self.engine.resolve(self.caller, command).await?;
        Ok(self.shown(view, look).await)
    }

    pub(super) async fn payment(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::payment(ids::argument(&arguments.coerced?, "id"))?;
        let view = self.engine.payment(self.caller, id).await?;
        Ok(self.shown(view, look).await)
    }

    pub(super) async fn client_token(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let grant = arguments.coerced.and_then(client_token::parse)?;
        let made = self.engine.client_token(self.caller, grant).await?;
        Ok(object(ClientTokenObject {
            id: made.id.to_string(),
            token: made.token,
            ttl_seconds: made.ttl_seconds,
        }))
    }

    async fn told(&self, told: Told<PaymentView>, look: LookAhead<'_>) -> Answer {
        let result = match told.result {
            Ok(view) => Ok(self.shown(view, look).await),
            Err(fault) => Err(fault),
        };
        Answer {
            result,
            replayed: told.replayed,
        }
    }

    /// The payment as an object. What can't be read of it is an error of that field alone: the payment is told.
    async fn shown(&self, view: PaymentView, look: LookAhead<'_>) -> Out<'static> {
        let timeline = if look.selects(TIMELINE) {
            self.engine.timeline_in_time(&view.payment).await
        } else {
            Ok(Vec::new())
        };
        object(PaymentObject {
            payment: view.payment,
            timeline,
            sight: self.sight(),
        })
    }

    pub(super) fn payment_object(&self, view: PaymentView) -> PaymentObject {
        PaymentObject {
            payment: view.payment,
            timeline: Ok(view.timeline.unwrap_or_default()),
            sight: self.sight(),
        }
    }
}
