//! Brings the tables up to date apart from serving, at an hour and with a role of the operator's choice.

use anyhow::Context;
use db::{Db, Step};
use domain::caller::Mode;
use world::World;

use super::databases::{Which, file, on_server, open_file, schema, setting, survives, url};
use crate::{config::Settings, data_dir::DataDir};

/// One of the installation's databases, with what it lacks.
pub struct Lacking {
    /// Where it is, for a person.
    pub place: String,
    /// The migrations that it lacks, in order.
    pub steps: Vec<Step>,
    /// Whether nothing is there yet.
    pub is_new: bool,
}

/// The installation's databases, whether or not a server runs.
pub struct Upgrade<'a> {
    settings: Settings,
    dir: DataDir,
    world: &'a World,
}

impl<'a> Upgrade<'a> {
    /// Of what the configuration names.
    pub fn of(settings: &Settings, world: &'a World) -> Self {
        let mut settings = settings.clone();
        // That is what it is for.
        settings.database.migrate_at_start = true;
        Self {
            dir: DataDir::at(&settings.database.data_dir),
            settings,
            world,
        }
    }

    /// What each database lacks. Changes nothing.
    ///
    /// # Errors
    /// One can't be looked at, or is of a newer release.
    pub async fn lacking(&self) -> anyhow::Result<Vec<Lacking>> {
        let mut all = Vec::new();
        for which in self.databases() {
            let place = self.place(which);
            let steps = match url(which, &self.settings) {
                Some(url) => {
                    let options = on_server(which, url, &self.settings);
                    Db::postgres_lacks(options, which.migrations(), self.world).await
                }
                None => Db::sqlite_lacks(file(which, &self.dir), which.migrations()),
            };
            let steps = steps.with_context(|| place.clone())?;
            let is_new = steps.len() == which.migrations().len();
            all.push(Lacking {
                place,
                steps,
                is_new,
            });
        }
        Ok(all)
    }

    /// Brings every database up to date. Nodes on a PostgreSQL server may serve meanwhile.
    ///
    /// # Errors
    /// What hinders it; what was done until then stays, and it can be run again. A server that runs on embedded databases.
    pub async fn apply(&self) -> anyhow::Result<()> {
        let _held = if self.settings.database.url.is_some() {
            None
        } else {
            let there = self.dir.store().exists() && self.dir.vault().exists();
            anyhow::ensure!(
                there,
                "there is no installation in {}; the first start of a server makes one",
                self.dir.path().display()
            );
            Some(self.dir.hold()?)
        };
        for which in self.databases() {
            if let Some(url) = url(which, &self.settings) {
                let options = on_server(which, url, &self.settings);
                Db::postgres_upgrade(options, which.migrations(), self.world)
                    .await
                    .with_context(|| self.place(which))?;
            } else {
                let survives = survives(which, &self.settings);
                open_file(which, &self.dir, survives, self.world)?
                    .close()
                    .await;
            }
        }
        Ok(())
    }

    fn databases(&self) -> impl Iterator<Item = Which> {
        let books = self.settings.mode == Mode::Test;
        [Which::Store, Which::Vault, Which::Simulator]
            .into_iter()
            .filter(move |which| books || *which != Which::Simulator)
    }

    fn place(&self, which: Which) -> String {
        match url(which, &self.settings) {
            Some(_) => format!(
                "the PostgreSQL server of {}, schema {}",
                setting(which, &self.settings),
                schema(which, &self.settings.database)
            ),
            None => file(which, &self.dir).display().to_string(),
        }
    }
}
