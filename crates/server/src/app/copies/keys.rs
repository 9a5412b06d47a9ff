//! Whether the keys that are given are those that a copy was sealed with.

use std::{fs, path::Path};

use anyhow::{Context, bail, ensure};
use vault::{Given, KeySource, Vault, VaultError};
use world::World;

use super::{copy, databases::Which, file};
use crate::{
    app::{databases::open_file, keys::place},
    config::Settings,
    data_dir::DataDir,
};

/// The keys that a copy is looked through with; `None` when none were given. None are made for a copy.
pub(super) fn given(settings: &Settings) -> anyhow::Result<Option<KeySource>> {
    if let Some(keys) = &settings.vault.keys {
        let keys = Given::new(keys.expose().to_owned());
        return Ok(Some(KeySource::Given(keys)));
    }
    let Some(path) = &settings.vault.key_file else {
        return Ok(None);
    };
    ensure!(
        path.exists(),
        "the key file {} is not there",
        path.display()
    );
    Ok(Some(KeySource::File(path.clone())))
}

/// Refuses keys of another installation, or of another time. `keys` is what to call them.
pub(super) async fn refuse_others(vault: &Vault, keys: &str) -> anyhow::Result<()> {
    match vault.fits().await {
        Err(VaultError::WrongKey(version)) => bail!(
            "{keys}: another installation's, or of another time: its version {version} is not what the vault here was sealed \
             with. Bring the key file of this installation, as it was when the backup was made"
        ),
        Err(VaultError::NoKey(version)) => bail!(
            "{keys}: of this installation, and of another time: it lacks version {version}, under which records here are sealed \
             (a rotation adds a version and takes older ones away). Bring the key file as it was when the backup was made"
        ),
        fits => fits.with_context(|| keys.to_owned()),
    }
}

/// The same for a backup that is to be restored, and the keys that it is going to have, where there are some by now. The backup
/// is not touched: its vault is copied into a scratch directory.
pub(super) async fn refuse_for(
    settings: &Settings,
    from: &Path,
    key_file: Option<&Path>,
    world: &World,
) -> anyhow::Result<()> {
    let mut settings = settings.clone();
    if let Some(path) = key_file {
        settings.vault.keys = None;
        settings.vault.key_file = Some(path.to_owned());
    } else if settings.vault.keys.is_none() {
        // Where the restored copy will look for them.
        settings.vault.key_file = Some(settings.key_file()).filter(|path| path.exists());
    }
    let Some(source) = given(&settings)? else {
        return Ok(());
    };
    let scratch = tempfile::Builder::new()
        .prefix("pointsman-restore-")
        .tempdir()?;
    let dir = DataDir::at(scratch.path());
    let vault = file(Which::Vault, &dir);
    let name = vault.file_name().context("a database without a name")?;
    copy(&from.join(name), &vault)?;
    let db = open_file(Which::Vault, &dir, db::Survives::TheProcess, world)?;
    let lifetime = settings.vault.cvc_lifetime;
    let judged = match Vault::open(db.clone(), source, world.clone(), lifetime) {
        Ok(vault) => refuse_others(&vault, &place(&settings)).await,
        Err(error) => Err(error).with_context(|| place(&settings)),
    };
    db.close().await;
    judged
}

/// The key file that is to be copied to `there`; `None` when it is there by now.
pub(super) fn to_copy<'a>(
    key_file: Option<&'a Path>,
    there: &Path,
) -> anyhow::Result<Option<&'a Path>> {
    let Some(path) = key_file else {
        return Ok(None);
    };
    if !there.exists() {
        return Ok(Some(path));
    }
    let is_same = fs::canonicalize(path)? == fs::canonicalize(there)?;
    ensure!(
        is_same,
        "{} is there already: take it away, or leave --key-file out",
        there.display()
    );
    Ok(None)
}
