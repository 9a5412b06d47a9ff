//! Looks through a copy of an installation: whether it can be opened, and whether its databases fit each other.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use db::Db;
use domain::{
    caller::Mode,
    id::{BlobId, TeamId},
    payment::Payment,
};
use vault::{Holder, Vault, VaultError};
use world::World;

use super::{Manifest, copy, files, keys};
use crate::{
    app::{
        attachments,
        databases::{Databases, Founding, open_books},
        keys::place,
    },
    config::Settings,
    data_dir::DataDir,
};

/// How many rows are read at once.
const PAGE: i64 = 500;

/// What was found in a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Payments.
    pub payments: u64,
    /// Stored methods.
    pub methods: u64,
    /// Secrets that connections and wallets refer to.
    pub secrets: u64,
    /// Numbers and secrets that were opened.
    pub opened: u64,
    /// Numbers that no record refers to; a job erases them.
    pub orphans: u64,
    /// Attachments whose content is there and right.
    pub attachments: u64,
    /// Entries of the simulator's books that were found for payments.
    pub entries: u64,
    /// What is wrong, one line each; at most [`Report::MOST`].
    pub problems: Vec<String>,
    /// How much more is wrong.
    pub more: u64,
}

impl Report {
    /// Problems that are reported one by one.
    pub const MOST: usize = 20;

    fn wrong(&mut self, what: String) {
        if self.problems.len() < Self::MOST {
            self.problems.push(what);
        } else {
            self.more += 1;
        }
    }
}

/// Where a copy is, and how it is opened.
struct CopyPlace<'a> {
    dir: &'a DataDir,
    /// The mode of a copy that does not have its own.
    mode: Mode,
    founding: Founding,
    /// Where the files of attachments are, unless they are in a bucket.
    attachments: Option<PathBuf>,
}

/// A secret that a connection or a wallet refers to.
struct SecretReference {
    team: TeamId,
    blob: BlobId,
    holder: Holder,
    /// The secret in words, for messages.
    what: String,
}

/// What a copy is looked through with.
struct Copy {
    databases: Databases,
    books: Option<Db>,
    vault: Option<Vault>,
}

/// Restores a backup into a scratch directory and looks through it. `every`: of so many sealed records one is opened.
///
/// # Errors
/// It can't be opened at all.
pub async fn verify_backup(
    settings: &Settings,
    from: &Path,
    every: u64,
    world: &World,
) -> anyhow::Result<Report> {
    let manifest = Manifest::read(from)?;
    let scratch = tempfile::Builder::new()
        .prefix("pointsman-verify-")
        .tempdir()?;
    for copied in &manifest.files {
        copy(&from.join(&copied.name), &scratch.path().join(&copied.name))?;
    }
    let mut settings = settings.clone();
    settings.database.url = None;
    settings.vault.database_url = None;
    settings.database.data_dir = scratch.path().to_owned();
    let mode = manifest.mode();
    let dir = DataDir::at(scratch.path());
    for which in [dir.store(), dir.vault()] {
        if !which.exists() {
            bail!("{} is not in the backup", which.display());
        }
    }
    let place = CopyPlace {
        dir: &dir,
        mode,
        founding: Founding::Allowed,
        attachments: Some(from.join(files::ATTACHMENTS)),
    };
    look_through(&settings, &place, every, world).await
}

/// Looks through a database on a PostgreSQL server that was restored.
///
/// # Errors
/// It can't be opened at all.
pub async fn verify_server(
    settings: &Settings,
    every: u64,
    world: &World,
) -> anyhow::Result<Report> {
    let dir = DataDir::at(&settings.database.data_dir);
    let place = CopyPlace {
        dir: &dir,
        mode: settings.mode,
        founding: Founding::Looked,
        attachments: None,
    };
    look_through(settings, &place, every, world).await
}

async fn look_through(
    settings: &Settings,
    copy_place: &CopyPlace<'_>,
    every: u64,
    world: &World,
) -> anyhow::Result<Report> {
    let CopyPlace {
        dir,
        mode,
        founding,
        ref attachments,
    } = *copy_place;
    let given = keys::given(settings)?;
    let databases = Databases::open_for_a_move(dir, settings, world, founding).await?;
    let mode = databases.mode().await?.unwrap_or(mode);
    let books = match mode {
        Mode::Test => Some(open_books(dir, settings, world, founding).await?),
        Mode::Live => None,
    };
    let vault = given
        .map(|source| {
            Vault::open(
                databases.vault.clone(),
                source,
                world.clone(),
                settings.vault.cvc_lifetime,
            )
        })
        .transpose()
        .with_context(|| place(settings))?;
    if let Some(vault) = &vault {
        keys::refuse_others(vault, &place(settings)).await?;
    }
    let copy = Copy {
        databases,
        books,
        vault,
    };
    let mut report = Report::default();
    copy.payments(&mut report).await?;
    copy.methods(&mut report).await?;
    copy.secrets(&mut report).await?;
    copy.sealed(&mut report, every.max(1)).await?;
    let objects = attachments::copied(attachments.as_deref(), settings, world)?;
    let store = &copy.databases.store;
    let whole = attachments::look(store, objects.as_deref(), |what| report.wrong(what)).await?;
    report.attachments = whole;
    copy.databases.close().await;
    if let Some(books) = &copy.books {
        books.close().await;
    }
    Ok(report)
}

impl Copy {
    /// Every payment can be read, and its authorisation is in the simulator's books.
    async fn payments(&self, report: &mut Report) -> anyhow::Result<()> {
        let (mut team, mut after) = (String::new(), String::new());
        loop {
            // The whole installation is looked through, whatever team a row is of.
            let sql = "select team_id, payment_id, body from payment where (team_id, payment_id) > ($1, $2) \
                       order by team_id, payment_id limit $3";
            let params = vec![team.as_str().into(), after.as_str().into(), PAGE.into()];
            let rows = self.databases.store.scan(sql, params).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            (team, after) = (last.text(0)?.to_owned(), last.text(1)?.to_owned());
            for row in &rows {
                report.payments += 1;
                let id = row.text(1)?;
                match serde_json::from_str::<Payment>(row.text(2)?) {
                    Ok(payment) => self.entry(&payment, report).await?,
                    Err(error) => report.wrong(format!("payment {id} can't be read: {error}")),
                }
            }
        }
    }

    async fn entry(&self, payment: &Payment, report: &mut Report) -> anyhow::Result<()> {
        let (Some(books), Some(authorisation)) = (&self.books, payment.authorisation()) else {
            return Ok(());
        };
        if payment.approval().is_none() {
            return Ok(());
        }
        let reference = connector::Reference::new(payment.id(), authorisation.n);
        // The books are the simulator's, not a team's.
        let sql = "select reference from sim_entry where reference = $1 and body <> ''";
        let rows = books.read(sql, vec![reference.as_str().into()]).await?;
        if rows.is_empty() {
            let id = payment.id();
            report.wrong(format!("payment {id} is not in the simulator's books"));
        } else {
            report.entries += 1;
        }
        Ok(())
    }

    /// Every stored method has its number.
    async fn methods(&self, report: &mut Report) -> anyhow::Result<()> {
        let (mut team, mut after) = (String::new(), String::new());
        loop {
            // The whole installation is looked through, whatever team a row is of.
            let sql = "select team_id, token, blob_id, case when deleted_at is null then 0 else 1 end from method \
                       where (team_id, token) > ($1, $2) order by team_id, token limit $3";
            let params = vec![team.as_str().into(), after.as_str().into(), PAGE.into()];
            let rows = self.databases.store.scan(sql, params).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            (team, after) = (last.text(0)?.to_owned(), last.text(1)?.to_owned());
            for row in &rows {
                report.methods += 1;
                let sql = "select blob_id from sealed where team_id = $1 and blob_id = $2";
                let params = vec![row.text(0)?.into(), row.text(2)?.into()];
                let is_deleted = row.flag(3)?;
                if !is_deleted && self.databases.vault.read(sql, params).await?.is_empty() {
                    let blob = row.text(2)?;
                    report.wrong(format!(
                        "a stored method refers to the sealed number {blob}, which is not in the vault"
                    ));
                }
            }
        }
    }

    /// Every connection has its credentials and every wallet its keys, sealed for it and nothing else.
    async fn secrets(&self, report: &mut Report) -> anyhow::Result<()> {
        let store = &self.databases.store;
        for team in store::team::all(store).await? {
            for connection in store::connection::of_team(store, team.id).await? {
                let Some(blob) = connection.credentials else {
                    continue;
                };
                let secret = SecretReference {
                    team: team.id,
                    blob,
                    holder: Holder::connection(&connection.id),
                    what: format!("the credentials of connection {}", connection.id),
                };
                self.secret(&secret, report).await?;
            }
            for (wallet, blob) in store::wallet_setting::of_team(store, team.id).await? {
                let secret = SecretReference {
                    team: team.id,
                    blob,
                    holder: Holder::wallet(&wallet),
                    what: format!("the keys of wallet {wallet}"),
                };
                self.secret(&secret, report).await?;
            }
        }
        Ok(())
    }

    async fn secret(&self, secret: &SecretReference, report: &mut Report) -> anyhow::Result<()> {
        let SecretReference {
            team,
            blob,
            holder,
            what,
        } = secret;
        report.secrets += 1;
        let is_there = if let Some(vault) = &self.vault {
            match vault.open_secret(*team, holder, *blob).await {
                Ok(opened) => opened.is_some(),
                Err(VaultError::Db(error)) => return Err(error.into()),
                Err(error) => {
                    report.wrong(format!("{what} can't be opened (team {team}): {error}"));
                    return Ok(());
                }
            }
        } else {
            let sql = "select blob_id from secret where team_id = $1 and blob_id = $2";
            let params = vec![team.key().into(), blob.key().into()];
            !self.databases.vault.read(sql, params).await?.is_empty()
        };
        if !is_there {
            report.wrong(format!("{what} are not in the vault (team {team})"));
        }
        Ok(())
    }

    /// Sealed records open, and how many of them nothing refers to.
    async fn sealed(&self, report: &mut Report, every: u64) -> anyhow::Result<()> {
        let (mut after, mut place) = (String::new(), 0_u64);
        loop {
            // The whole vault is looked through, whatever team a record is of.
            let sql =
                "select blob_id, team_id from sealed where blob_id > $1 order by blob_id limit $2";
            let rows = self
                .databases
                .vault
                .scan(sql, vec![after.as_str().into(), PAGE.into()])
                .await?;
            let Some(last) = rows.last() else {
                break;
            };
            last.text(0)?.clone_into(&mut after);
            for row in &rows {
                let keys = BlobId::parse(row.text(0)?).zip(TeamId::parse(row.text(1)?));
                let Some((blob, team)) = keys else {
                    report.wrong("a sealed record has keys that can't be read".to_owned());
                    continue;
                };
                let store = &self.databases.store;
                let used = store::method::uses_blob(store, team, blob).await?
                    || store::hidden_card::exists(store, team, blob).await?;
                report.orphans += u64::from(!used);
            }
        }
        let Some(vault) = &self.vault else {
            return Ok(());
        };
        let mut after = None;
        loop {
            let page = vault.examine(after, PAGE).await?;
            let Some(last) = page.last().map(|record| record.blob) else {
                return Ok(());
            };
            after = Some(last);
            for record in page {
                place += 1;
                if !place.is_multiple_of(every) && every > 1 {
                    continue;
                }
                let store = &self.databases.store;
                let method = store::method::with_blob(store, record.team, record.blob).await?;
                let holder = method.map(|method| Holder::token(method.id, &method.token));
                match record.open(holder.as_ref()) {
                    Ok(()) => report.opened += 1,
                    Err(error) => report.wrong(error.to_string()),
                }
            }
        }
    }
}
