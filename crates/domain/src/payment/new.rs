//! A payment as it is made, and what is planned for it before its first attempt.

use std::sync::Arc;

use super::{
    CaptureRule, Fields, FlowRun, Gateway, Initiator, Origin, PaidWith, PauseReason, Payer,
    Payment, Recurring, Route, Status, ThreeDsWish,
};
use crate::{
    Timestamp,
    browser::Browser,
    id::{IntentId, KeyId, PaymentId, TeamId},
    money::Money,
};

/// What is asked for with a new payment.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPayment {
    /// Whose it is.
    pub team: TeamId,
    /// How much.
    pub money: Money,
    /// What it is paid with.
    pub method: PaidWith,
    /// Who started it.
    pub initiator: Initiator,
    /// The agreement on a stored card that it begins or goes by.
    pub recurring: Option<Recurring>,
    /// What is wanted of 3D Secure.
    pub three_ds: ThreeDsWish,
    /// Who pays.
    pub customer: Option<Payer>,
    /// The checkout intent it belongs to.
    pub intent: Option<IntentId>,
    /// The client token that makes it.
    pub made_by: Option<KeyId>,
    /// The merchant's order.
    pub order_id: Option<String>,
    /// The merchant's id of the transaction attempt.
    pub transaction_id: Option<String>,
    /// The merchant's description.
    pub description: Option<String>,
    /// Text for the customer's statement.
    pub statement_descriptor: Option<String>,
    /// The merchant's own data.
    pub metadata: Option<serde_json::Value>,
    /// Data of the merchant's fraud provider, an object.
    pub fraud: Option<serde_json::Value>,
    /// Where the customer returns to after 3D Secure.
    pub three_ds_redirect: Option<String>,
    /// What the customer's browser says of itself.
    pub browser: Option<Box<Browser>>,
    /// Where the customer returns to after an alternative method's page.
    pub apm_redirect: Option<String>,
}

impl NewPayment {
    /// One of which nothing else is given: the customer starts it, and the issuer decides on 3D Secure.
    pub fn of(team: TeamId, money: Money, method: PaidWith) -> Self {
        Self {
            team,
            money,
            method,
            initiator: Initiator::Customer,
            recurring: None,
            three_ds: ThreeDsWish::AsIssuer,
            customer: None,
            intent: None,
            made_by: None,
            order_id: None,
            transaction_id: None,
            description: None,
            statement_descriptor: None,
            metadata: None,
            fraud: None,
            three_ds_redirect: None,
            browser: None,
            apm_redirect: None,
        }
    }
}

impl Payment {
    /// A payment without an attempt, made at `created_at` under its flow. Without a flow it goes to the connection that the
    /// merchant named, and is captured when the merchant calls for it.
    pub fn new(
        asked: NewPayment,
        id: PaymentId,
        created_at: Timestamp,
        flow: Option<FlowRun>,
    ) -> Self {
        let (origin, capture_rule) = match flow {
            Some(_) => (Origin::Automation, CaptureRule::Immediate),
            None => (Origin::Headless, CaptureRule::Api),
        };
        Self(Arc::new(Fields {
            id,
            team: asked.team,
            version: 1,
            public_events: 0,
            created_at,
            status: Status::Active,
            money: asked.money,
            captured: 0,
            refund_failed: false,
            capture_at: None,
            expires_at: None,
            order_id: asked.order_id,
            transaction_id: asked.transaction_id,
            origin,
            flow,
            triggered: Vec::new(),
            capture_rule,
            method: asked.method,
            customer: asked.customer,
            description: asked.description,
            statement_descriptor: asked.statement_descriptor,
            metadata: asked.metadata,
            fraud: asked.fraud,
            initiator: asked.initiator,
            recurring: asked.recurring,
            intent: asked.intent,
            three_ds: asked.three_ds,
            three_ds_redirect: asked.three_ds_redirect,
            browser: asked.browser,
            apm_redirect: asked.apm_redirect,
            rule: None,
            route: None,
            made_by: asked.made_by,
            gateway: None,
            owed_answer: None,
            answered: Vec::new(),
            imported: None,
            is_response: false,
            contested_by: Vec::new(),
            operations: Vec::new(),
        }))
    }

    /// A flow's wish about 3D Secure. It is the merchant's own rule, so it counts for more than the request's, which every checkout page
    /// of ours makes.
    pub fn wish_three_ds(&mut self, wish: ThreeDsWish) {
        self.three_ds = wish;
    }

    /// The plan of the flow's attempt: where it goes if the attempt does not succeed, and when it is captured. If the flow's
    /// later steps decide that, it rests at the position `next` for the outcome; otherwise the attempt is its end.
    pub fn plan_attempt(&mut self, route: Option<Route>, rule: CaptureRule, next: u32) {
        self.route = route;
        self.capture_rule = rule;
        if rule == CaptureRule::Flow {
            self.rest(None, next, PauseReason::Outcome, None);
        } else {
            self.end_run(None);
        }
    }

    /// The next attempt is made there; this is shown of it.
    pub fn go_through(&mut self, gateway: Gateway) {
        self.gateway = Some(gateway);
    }
}
