//! Commands, performed on the engine and the vault.

mod audit;
mod connections;
mod flows;
mod keys;
mod links;
mod pages;
mod payments;
mod team;
mod webhooks;

use std::sync::Arc;

use anyhow::Context;
use domain::{audit::Act, caller::Mode, id::TeamId};
use engine::{Engine, ListedTeam};
use futures_util::{FutureExt, future::BoxFuture};

use super::findings::{Findings, Subject};
pub use audit::{Keyed, verdict};
use flows::{FlowVersion, WrittenFile};

use crate::{
    admin::{Operator, Request, Say},
    data_dir::{Standing, mode_name},
};

/// Records that a rotation seals again in one step: small enough to go on serving meanwhile.
const STEP: i64 = 200;

/// Performs commands in this process.
pub(super) struct Local {
    pub(super) engine: Engine,
    pub(super) mode: Mode,
    /// What is unsafe about where the vault is.
    pub(super) exposure: Option<String>,
    /// The embedded databases' files, where they are to stay.
    pub(super) standing: Option<Arc<Standing>>,
}

impl Operator for Local {
    fn perform<'a>(&'a self, request: Request, say: Say<'a>) -> BoxFuture<'a, Result<(), String>> {
        self.carry_out(request, say).boxed()
    }
}

impl Local {
    /// Carries out a command.
    async fn carry_out(&self, request: Request, say: Say<'_>) -> Result<(), String> {
        match request {
            Request::TeamCreate { name } => self.create_team(&name, say).await,
            Request::TeamSet(changes) => self.set_team(changes, say).await,
            Request::TeamList => self.list_teams(say).await,
            Request::TeamClose { team } => self.close_team(team, say).await,
            Request::TeamReopen { team } => self.reopen_team(team, say).await,
            Request::KeyCreate(wanted) => self.create_key(wanted, say).await,
            Request::KeyRotate {
                id,
                old_ends,
                expires,
            } => self.rotate_key(&id, &old_ends, expires, say).await,
            Request::KeyList { team } => self.list_keys(team, say).await,
            Request::KeyRevoke { id } => self.revoke_key(&id, say).await,
            Request::FlowImport {
                team,
                id,
                file,
                document,
                publish,
            } => {
                self.import_flow(team, WrittenFile { id, file, document }, publish, say)
                    .await
            }
            Request::FlowExport {
                team,
                id,
                version,
                format,
            } => {
                self.export_flow(team, FlowVersion { id, version }, format, say)
                    .await
            }
            Request::FlowList { team } => self.list_flows(team, say).await,
            Request::FlowPublish { team, id, version } => {
                self.publish_flow(team, &id, version, say).await
            }
            Request::FlowSetDefault { team, id } => self.set_default_flow(team, &id, say).await,
            Request::FlowDelete { team, id } => self.delete_flow(team, &id, say).await,
            Request::FlowTry {
                team,
                id,
                version,
                facts,
            } => {
                self.try_flow(team, FlowVersion { id, version }, &facts, say)
                    .await
            }
            Request::Explain { payment, team } => self.explain(&payment, team, say).await,
            Request::Connection(wanted) => self.connection(wanted, say).await,
            Request::Link(wanted) => self.link(wanted, say).await,
            Request::Webhook(wanted) => self.webhook(wanted, say).await,
            Request::Page(wanted) => self.page(wanted, say).await,
            Request::VaultRotate => self.rotate(say).await,
            Request::AuditList(wanted) => self.list_audit(wanted, say).await,
            Request::AuditExport { team } => self.export_audit(team, say).await,
            Request::AuditVerify { team, json } => self.verify_audit(team, json, say).await,
            Request::BackupTaken => self.note_backup().await,
            Request::Check => self.check(say).await,
        }
    }

    async fn rotate(&self, say: Say<'_>) -> Result<(), String> {
        let vault = self.engine.vault();
        self.refuse_lost()?;
        vault.refuse_moved().await.map_err(in_words)?;
        let version = vault.rotate_begin().map_err(in_words)?;
        self.record_rotation(Act::VaultRotationBegun).await?;
        say(format!("Key version {version} seals from now on."));
        let mut said = None;
        loop {
            self.refuse_lost()?;
            let progress = vault.rotate_step(STEP).await.map_err(in_words)?;
            // The last step finds nothing left, and would say the same again.
            if said.replace(progress.done) != Some(progress.done) {
                say(format!(
                    "{} of {} records are under version {}.",
                    progress.done, progress.total, progress.version
                ));
            }
            if progress.finished {
                self.record_rotation(Act::VaultRotated).await?;
                say(
                    "Done: no record is under an older version, and the older keys are gone."
                        .to_owned(),
                );
                return Ok(());
            }
        }
    }

    async fn record_rotation(&self, act: Act) -> Result<(), String> {
        let recorded = self.engine.record_of_installation(act, "vault").await;
        recorded.map_err(in_words)
    }

    /// The key file may belong to what lies in the directory now.
    fn refuse_lost(&self) -> Result<(), String> {
        match &self.standing {
            Some(standing) if standing.is_lost() => {
                Err("the databases are not where they were when they were opened".to_owned())
            }
            _ => Ok(()),
        }
    }

    async fn check(&self, say: Say<'_>) -> Result<(), String> {
        let mut findings = Findings::default();
        self.look(&mut findings).await.map_err(in_words)?;
        findings.lines().for_each(say);
        Ok(())
    }

    /// Notes what is in the databases.
    pub(super) async fn look(&self, findings: &mut Findings) -> anyhow::Result<()> {
        self.engine.check().await.context("the store")?;
        self.engine.vault().check().await.context("the vault")?;
        findings.ok(
            Subject::new("database", "vault keys"),
            "they are those that the vault is sealed with",
        );
        findings.ok(
            Subject::new("data", "mode"),
            format!("of {} mode", mode_name(self.mode)),
        );
        if let Some(exposure) = &self.exposure {
            findings.warning(Subject::new("database", "roles"), exposure.clone());
        }
        let teams = self.engine.teams().await?.len();
        let keys = self.engine.keys(None).await?;
        let now = self.engine.now();
        let usable = keys.iter().filter(|key| key.is_usable(now)).count();
        findings.ok(
            Subject::new("data", "teams"),
            format!("teams: {teams}, keys: {usable}"),
        );
        let processors = self.engine.processors_in_use().await?;
        let named = if processors.is_empty() {
            "none".to_owned()
        } else {
            processors.join(", ")
        };
        findings.ok(
            Subject::new("data", "processors"),
            format!("in use: {named}"),
        );
        let attachments = Subject::new("attachments", "place");
        match super::attachments::answers(self.engine.objects().as_deref()).await {
            Ok(place) => findings.ok(attachments, place),
            Err(why) => findings.warning(attachments, why),
        }
        if self.mode == Mode::Live {
            for line in super::mode::missing(teams, &processors) {
                findings.warning(Subject::new("data", "live mode"), line);
            }
        }
        Ok(())
    }

    /// The team of an id or a name, or the first one.
    async fn team(&self, wanted: Option<String>) -> Result<TeamId, String> {
        let teams = self.engine.teams().await.map_err(in_words)?;
        if let Some(wanted) = wanted {
            return named_team(&teams, &wanted);
        }
        let first = teams.into_iter().next();
        first
            .map(|team| team.id)
            .ok_or_else(|| "there is no team yet; make one with `pointsman team create`".to_owned())
    }
}

/// The team of this id, or else of this name.
fn named_team(teams: &[ListedTeam], wanted: &str) -> Result<TeamId, String> {
    if let Some(id) = TeamId::parse(wanted)
        && teams.iter().any(|team| team.id == id)
    {
        return Ok(id);
    }
    let named: Vec<TeamId> = teams
        .iter()
        .filter(|team| team.name == wanted)
        .map(|team| team.id)
        .collect();
    match named.as_slice() {
        [id] => Ok(*id),
        [] => Err(
            "there is no team of this id or name; `pointsman team list` shows those that there are"
                .to_owned(),
        ),
        several => {
            let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(format!(
                "several teams have this name; give the id of one of them: {}",
                ids.join(", ")
            ))
        }
    }
}

/// An error with everything that led to it, for the person at the terminal.
fn in_words(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}
