//! Connections.

use domain::Fault;

use super::{Operations, done};
use crate::{
    execute::{Arguments, Out, object},
    input::{ids, save_connection},
    view::ConnectionObject,
};

impl Operations<'_> {
    pub(super) async fn connections(&self) -> Result<Out<'static>, Fault> {
        let connections = self.engine.list_connections(self.caller).await?;
        Ok(Out::List(
            connections
                .into_iter()
                .map(|connection| object(ConnectionObject(connection)))
                .collect(),
        ))
    }

    pub(super) async fn save_connection(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let command = arguments.coerced.and_then(save_connection::parse)?;
        let saved = self.engine.save_connection(self.caller, command).await?;
        Ok(object(ConnectionObject(saved)))
    }

    pub(super) async fn enable_connection(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.enable_connection(self.caller, &id).await)
    }

    pub(super) async fn delete_connection(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.delete_connection(self.caller, &id).await)
    }

    pub(super) async fn disable_connection(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::connection(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.disable_connection(self.caller, &id).await)
    }
}
