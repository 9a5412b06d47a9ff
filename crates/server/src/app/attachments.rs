//! Where the content of attachments lies, and whether all of it is there.

use std::{path::Path, sync::Arc};

use anyhow::bail;
use db::Db;
use domain::id::{AttachmentId, TeamId};
use objects::{Directory, Objects, S3};
use sha2::{Digest as _, Sha256};
use world::World;

use super::Databases;
use crate::{config::Settings, data_dir::DataDir};

/// How many rows are read at once.
const PAGE: i64 = 500;

/// The place where content lies: a bucket where one is named, else the data directory of embedded databases.
pub(super) fn objects(
    dir: &DataDir,
    databases: &Databases,
    settings: &Settings,
    world: &World,
) -> anyhow::Result<Option<Arc<dyn Objects>>> {
    if let Some(bucket) = bucket(settings, world)? {
        return Ok(Some(bucket));
    }
    if databases.is_shared() {
        return Ok(None);
    }
    let directory = Directory::at(dir.attachments(), world.clone());
    let kept_free = directory.keeping_free(settings.attachments.keep_free);
    Ok(Some(Arc::new(kept_free)))
}

/// The place of a copy: the bucket where one is named, else this directory.
pub(super) fn copied(
    directory: Option<&Path>,
    settings: &Settings,
    world: &World,
) -> anyhow::Result<Option<Arc<dyn Objects>>> {
    if let Some(bucket) = bucket(settings, world)? {
        return Ok(Some(bucket));
    }
    let objects = directory.map(|directory| Directory::at(directory, world.clone()));
    Ok(objects.map(|objects| Arc::new(objects) as Arc<dyn Objects>))
}

/// The bucket that is named.
fn bucket(settings: &Settings, world: &World) -> anyhow::Result<Option<Arc<dyn Objects>>> {
    let Some(bucket) = &settings.attachments.bucket else {
        return Ok(None);
    };
    let credentials = bucket.credentials().map_err(anyhow::Error::msg)?;
    let http = settings
        .outbound
        .client(world.clone())
        .map_err(anyhow::Error::msg)?;
    let place = bucket.place.clone();
    let store = S3::new(place, credentials, Arc::new(http), world.clone());
    Ok(Some(Arc::new(store)))
}

/// Brings the files of a data directory into the bucket that is named, for an installation that moves to a server. What is in the
/// bucket already stays.
///
/// # Errors
/// There are attachments and no bucket is named; content is nowhere; the bucket or the disk failed.
pub(super) async fn bring(store: &Db, settings: &Settings, world: &World) -> anyhow::Result<u64> {
    let (mut brought, mut after) = (0, None);
    let directory = Directory::at(
        DataDir::at(&settings.database.data_dir).attachments(),
        world.clone(),
    );
    loop {
        let page = store::attachment::page(store, after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(brought);
        };
        after = Some((last.team, last.id));
        let Some(bucket) = bucket(settings, world)? else {
            bail!(
                "there are attachments, and no object store is named for their files: set attachments.endpoint, attachments.bucket and \
                 their keys, here and for every node (docs/attachments.md)"
            );
        };
        for attachment in page.iter().filter(|one| one.deleted_at.is_none()) {
            let most = usize::try_from(attachment.bytes).unwrap_or(usize::MAX);
            let key = &attachment.object_key;
            if bucket.get(key, most).await?.is_some() {
                continue;
            }
            let Some(content) = directory.get(key, most).await? else {
                bail!(
                    "the content of attachment {} is neither in {} nor in {}",
                    attachment.id,
                    directory.place(),
                    bucket.place()
                );
            };
            bucket.put(key, content).await?;
            brought += 1;
        }
    }
}

/// What `check` says of the place: whether it answers.
pub(super) async fn answers(objects: Option<&dyn Objects>) -> Result<String, String> {
    let Some(objects) = objects else {
        return Ok("none are kept: no object store is named (attachments.bucket)".to_owned());
    };
    match objects.get("looked-for-by-check", 1).await {
        Ok(_) => Ok(format!("in {}", objects.place())),
        Err(error) => Err(format!("{} does not answer well: {error}", objects.place())),
    }
}

/// Reads the content of each attachment and holds it against its row.
pub(super) async fn look(
    store: &Db,
    objects: Option<&dyn Objects>,
    mut wrong: impl FnMut(String),
) -> anyhow::Result<u64> {
    let mut whole = 0;
    let mut after: Option<(TeamId, AttachmentId)> = None;
    loop {
        let page = store::attachment::page(store, after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(whole);
        };
        after = Some((last.team, last.id));
        for attachment in page.iter().filter(|one| one.deleted_at.is_none()) {
            let Some(objects) = objects else {
                bail!(
                    "there are attachments, and no place for them: name the object store where they lie (attachments.bucket)"
                );
            };
            let most = usize::try_from(attachment.bytes).unwrap_or(usize::MAX);
            let (id, key) = (attachment.id, &attachment.object_key);
            match objects.get(key, most).await {
                Ok(Some(content)) if hex::encode(Sha256::digest(&content)) == attachment.sha256 => {
                    whole += 1;
                }
                Ok(Some(_)) => wrong(format!(
                    "attachment {id}: what lies at {key} is not what was uploaded"
                )),
                Ok(None) => wrong(format!("attachment {id}: there is nothing at {key}")),
                Err(error) => wrong(format!("attachment {id}: {key} can't be read: {error}")),
            }
        }
    }
}
