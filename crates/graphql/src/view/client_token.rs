//! Credentials for browsers.

use domain::Fault;
use engine::ClientTokenView;
use serde_json::{Map, Value};

use super::{
    page::{PageFacts, PageInfo},
    zoned,
};
use crate::execute::{Object, Out, object, unknown_field};

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

/// `ClientTokensPage`.
pub(crate) struct ClientTokensPageObject {
    pub(crate) facts: PageFacts,
    pub(crate) rows: Vec<(String, ClientTokenView)>,
}

impl Object for ClientTokensPageObject {
    fn type_name(&self) -> &'static str {
        "ClientTokensPage"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(PageInfo::new(
                &self.facts,
                self.rows.iter().map(|(cursor, _)| cursor),
            )),
            "edges" => Out::List(
                self.rows
                    .iter()
                    .map(|(cursor, token)| object(ClientTokenEdge { cursor, token }))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `ClientTokenEdge`.
struct ClientTokenEdge<'a> {
    cursor: &'a str,
    token: &'a ClientTokenView,
}

impl Object for ClientTokenEdge<'_> {
    fn type_name(&self) -> &'static str {
        "ClientTokenEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "cursor" => self.cursor.into(),
            "node" => object(IssuedClientToken(self.token)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `IssuedClientToken`.
struct IssuedClientToken<'a>(&'a ClientTokenView);

impl Object for IssuedClientToken<'_> {
    fn type_name(&self) -> &'static str {
        "IssuedClientToken"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let token = self.0;
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
