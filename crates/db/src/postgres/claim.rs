//! Claims, and the statements that connections prepare.

use futures_util::{TryStreamExt, future::join3};
use tokio_postgres::Statement as Prepared;

use super::{
    failure::{Failure, failure},
    link::{Link, text},
    prepared,
    wire::Begin,
};
use crate::{
    DbError, Row, Statement,
    group::{Refusal, shown},
    sql, stamp,
};

impl Link {
    /// Runs a claim in a transaction of its own, on a connection that takes no write outside of one. After any failure but
    /// [`Failure::Lost`] nothing is taken.
    pub(super) async fn claim(&self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        let prepared = self.prepare_claim(statement).await?;
        let claiming = async {
            let found = self.client.query_raw(&prepared, &statement.params).await?;
            let rows = found.map_ok(|found| prepared::row(&found));
            rows.try_collect::<Vec<_>>().await
        };
        // All three are sent at once, in this order: the first poll of each is what sends it. COMMIT rolls back what failed.
        let sent = join3(
            self.client.batch_execute(text(Begin::First)),
            claiming,
            self.client.batch_execute("commit"),
        );
        let (begun, rows, ended) = self.bounded(sent).await?;
        let refused = |error| failure(&error, statement, self.role);
        begun.map_err(refused)?;
        let rows = rows.map_err(refused)?;
        ended.map_err(refused)?;
        rows.into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::Refused(Refusal::Defect(error)))
    }

    /// Prepares a claim, so that it takes other rows in place of locked ones.
    pub(super) async fn prepare_claim(&self, statement: &Statement) -> Result<Prepared, Failure> {
        let text = sql::skip_locked(&statement.sql);
        self.prepare_text(statement, &text).await
    }

    /// Prepares a statement by this text, or finds it prepared.
    pub(super) async fn prepare_text(
        &self,
        statement: &Statement,
        text: &str,
    ) -> Result<Prepared, Failure> {
        let params = &statement.params;
        if let Some(found) = self.cache.lock().find(text, params) {
            return Ok(found);
        }
        let wanted = sql::parameters(text);
        if wanted != params.len() {
            return Err(Failure::Refused(Refusal::Defect(DbError::Sql {
                message: format!(
                    "it takes {wanted} parameters and was given {}",
                    params.len()
                ),
                sql: shown(statement),
            })));
        }
        let types = prepared::types(params);
        let prepared = self
            .bounded(self.client.prepare_typed(&stamp::on_server(text), &types))
            .await?
            .map_err(|error| failure(&error, statement, self.role))?;
        self.cache.lock().keep(text.to_owned(), prepared.clone());
        Ok(prepared)
    }
}
