//! Credentials for browsers.

use domain::Fault;
use engine::ClientTokenView;
use serde_json::{Map, Value};

use crate::{
    executor::{Object, Out, unknown_field},
    shared::{Node, zoned},
};

/// `ClientToken`. It is shown once, here, and kept as a hash.
pub(crate) struct ClientTokenObject {
    /// Its id, by which it is listed and revoked.
    pub(crate) id: String,
    /// The token itself.
    pub(crate) token: String,
    /// How long it lives, in seconds.
    pub(crate) ttl_seconds: i64,
}

impl Object for ClientTokenObject {
    fn type_name(&self) -> &'static str {
        "ClientToken"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => (&self.id).into(),
            "token" => (&self.token).into(),
            "ttl" => self.ttl_seconds.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `IssuedClientToken`.
pub(crate) struct IssuedClientToken(pub(crate) ClientTokenView);

impl Node for IssuedClientToken {
    const PAGE: &'static str = "ClientTokensPage";
    const EDGE: &'static str = "ClientTokenEdge";
}

impl Object for IssuedClientToken {
    fn type_name(&self) -> &'static str {
        "IssuedClientToken"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let token = &self.0;
        let grant = &token.grant;
        Ok(match name {
            "id" => token.id.to_string().into(),
            "hint" => (&token.hint).into(),
            "date" => zoned(token.created_at, arguments)?,
            "expires" => match token.expires_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "revoked" => match token.revoked_at {
                Some(at) => zoned(at, arguments)?,
                None => Out::Null,
            },
            "amount" => grant.amount.into(),
            "currency" => grant.currency.as_ref().into(),
            "customerId" => grant.customer.map(|id| id.to_string()).into(),
            "intentId" => grant.intent.map(|id| id.to_string()).into(),
            "flowId" => grant.flow.as_ref().map(domain::id::FlowId::as_str).into(),
            "attempts" => token.attempts.into(),
            "paymentId" => token.payment.map(|id| id.to_string()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
