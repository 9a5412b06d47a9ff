//! Playing changes that are alike in bundles.

use tokio_postgres::{Statement as Prepared, types::Type};

use super::{
    bundle::{self, Bundle, Param, Part},
    failure::{Failure, reason},
    link::{Link, Sent, text},
    wire::{Begin, Ready, Wire as _},
};
use crate::{Expect, Statement, stamp};

/// How it went to play changes in bundles.
pub(super) enum Bundled {
    /// All of them ran and met their counts.
    Ran,
    /// They are to be played one by one.
    Not(Begin),
}

impl Link {
    /// Plays changes that are alike in bundles. An error means that the connection is lost.
    pub(super) async fn play_bundled(
        &self,
        mut begin: Begin,
        changes: &[Ready<'_, Prepared>],
    ) -> Result<Bundled, Failure> {
        if !self.bundles {
            return Ok(Bundled::Not(begin));
        }
        let all: Vec<&[Statement]> = changes.iter().map(|change| change.statements).collect();
        let Some(parts) = bundle::bundled(&all) else {
            return Ok(Bundled::Not(begin));
        };
        let mut prepared = Vec::with_capacity(parts.len());
        for part in &parts {
            let Part::Bundle(bundle) = part else { continue };
            match self.prepare_bundle(&mut begin, bundle).await? {
                Some(ready) => prepared.push(ready),
                None => return Ok(Bundled::Not(begin)),
            }
        }
        let mut sending: Vec<Sent<'_>> = vec![self.control(text(begin))];
        // How many rows each must touch, when it must.
        let mut wanted = vec![None];
        let mut bundles = prepared.iter();
        for part in &parts {
            match part {
                Part::Bundle(bundle) => {
                    let Some(ready) = bundles.next() else { break };
                    sending.push(Box::pin(self.client.execute_raw(ready, &bundle.params)));
                    wanted.push(bundle.wanted);
                }
                Part::Change(index) => {
                    for (ready, one) in changes.get(*index).into_iter().flat_map(Ready::pairs) {
                        sending.push(self.statement(ready, one));
                        wanted.push(match one.expect {
                            Expect::Rows(rows) => Some(rows),
                            Expect::Any => None,
                        });
                    }
                }
            }
        }
        for (answer, wanted) in self.all(sending).await?.into_iter().zip(wanted) {
            match answer {
                Ok(count) if wanted.is_none_or(|wanted| wanted == count) => {}
                Err(error) if error.as_db_error().is_none() => {
                    return Err(Failure::Lost(reason(&error)));
                }
                Ok(_) | Err(_) => return Ok(Bundled::Not(Begin::Again)),
            }
        }
        Ok(Bundled::Ran)
    }

    /// A bundle's statement. `None` when it does not fit the tables. No transaction is open while it is prepared.
    async fn prepare_bundle(
        &self,
        begin: &mut Begin,
        bundle: &Bundle<'_>,
    ) -> Result<Option<Prepared>, Failure> {
        if let Some(found) = self.cache.lock().find_bundle(&bundle.sql) {
            return Ok(Some(found));
        }
        if *begin == Begin::Again {
            self.undo().await.map_err(Failure::Lost)?;
            *begin = Begin::First;
        }
        let types: Vec<Type> = bundle.params.iter().map(Param::kind).collect();
        match self
            .bounded(
                self.client
                    .prepare_typed(&stamp::on_server(&bundle.sql), &types),
            )
            .await?
        {
            Ok(prepared) => {
                self.cache
                    .lock()
                    .keep_bundle(bundle.sql.clone(), prepared.clone());
                Ok(Some(prepared))
            }
            Err(error) if error.as_db_error().is_none() => Err(Failure::Lost(reason(&error))),
            Err(error) => {
                tracing::warn!(
                    error = reason(&error),
                    "statements that are alike can't be bundled"
                );
                Ok(None)
            }
        }
    }
}
