//! Rotation, while records are sealed and opened, and after interruptions.

mod nodes;

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// Rotates to the end.
async fn rotate(vault: &Vault) {
    vault.rotate_begin().unwrap();
    finish(vault).await;
}

async fn finish(vault: &Vault) {
    for _ in 0..1000 {
        if vault.rotate_step(7).await.unwrap().finished {
            return;
        }
    }
    panic!("the rotation does not end");
}

async fn versions(db: &Db) -> Vec<i64> {
    let rows = db
        .read(
            "select distinct key_version from sealed order by key_version",
            Vec::new(),
        )
        .await
        .unwrap();
    rows.iter().map(|row| row.int(0).unwrap()).collect()
}

/// The versions in the key file.
fn kept(folder: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("keys.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["keys"].as_object().unwrap().keys().cloned().collect()
}

/// The same vault after a restart.
fn again(folder: &std::path::Path, db: &Db, world: &World) -> Vault {
    let source = KeySource::File(folder.join("keys.json"));
    Vault::open(db.clone(), source, world.clone(), Duration::from_hours(1)).unwrap()
}

#[test]
fn a_seal_that_began_before_a_rotation_can_not_be_written_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    sim.run_until(async {
        // Also when nothing was ever sealed under the old version.
        for sealed_before in [0, 3] {
            for _ in 0..sealed_before {
                vault.seal_card(team(1), &holder(), &card()).await.unwrap();
            }
            let keys = vault.keys();
            let place = RecordPlace {
                team: team(1),
                blob: BlobId::new(world.uuid_v7()),
                kind: RecordKind::Card,
            };
            let sealed =
                envelope::seal(&keys, &world, &place, &holder(), NUMBER.as_bytes()).unwrap();
            rotate(&vault).await;
            let late = records::insert(place.team, place.blob, place.kind, &sealed, world.now());
            assert!(matches!(
                vault.commit("late", [late]).await,
                Err(VaultError::Db(_)) | Ok(false)
            ));
            assert!(
                vault
                    .open_card(place.team, &holder(), place.blob)
                    .await
                    .unwrap()
                    .is_none()
            );
        }
        assert_eq!(versions(&db).await, [3]);
    })
    .unwrap();
}

#[test]
fn a_seal_that_is_written_at_the_end_of_a_rotation_is_taken_along() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    sim.run_until(async {
        let early = BlobId::new(world.uuid_v7());
        for _ in 0..3 {
            vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        }
        let place = RecordPlace {
            team: team(1),
            blob: early,
            kind: RecordKind::Card,
        };
        let sealed =
            envelope::seal(&vault.keys(), &world, &place, &holder(), NUMBER.as_bytes()).unwrap();
        vault.rotate_begin().unwrap();
        vault.rotate_step(10).await.unwrap();
        // Its id lies before the rotation's place.
        vault
            .commit(
                "late",
                [records::insert(
                    team(1),
                    early,
                    RecordKind::Card,
                    &sealed,
                    world.now(),
                )],
            )
            .await
            .unwrap();
        assert!(
            !vault.rotate_step(10).await.unwrap().finished,
            "a record is under the old version"
        );
        assert_eq!(kept(folder.path()), ["1", "2"]);
        finish(&vault).await;
        assert_eq!(versions(&db).await, [2]);
        assert!(opens(&vault, team(1), early).await);
        assert_eq!(kept(folder.path()), ["2"]);
    })
    .unwrap();
}

#[test]
fn an_interrupted_rotation_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (mut vault, db, world, sim) = vault(folder.path());
    sim.run_until(async {
        let mut blobs = Vec::new();
        for _ in 0..5 {
            blobs.push(vault.seal_card(team(1), &holder(), &card()).await.unwrap());
        }
        // After the file, in the middle, and between the database and the file.
        vault.rotate_begin().unwrap();
        vault = again(folder.path(), &db, &world);
        vault.check().await.unwrap();
        blobs.push(vault.seal_card(team(1), &holder(), &card()).await.unwrap());
        assert_eq!(vault.rotate_begin().unwrap(), 2);
        vault.rotate_step(2).await.unwrap();
        vault = again(folder.path(), &db, &world);
        assert_eq!(vault.rotate_step(10).await.unwrap().done, 6);
        assert_eq!(
            vault.retire_versions(&vault.keys()).await.unwrap(),
            Some(vec![1])
        );
        vault = again(folder.path(), &db, &world);
        vault.check().await.unwrap();
        assert_eq!(kept(folder.path()), ["1", "2"]);
        finish(&vault).await;
        assert_eq!(kept(folder.path()), ["2"]);
        for blob in blobs {
            assert!(opens(&vault, team(1), blob).await);
        }
    })
    .unwrap();
}

#[test]
fn two_rotations_at_once_lose_nothing_and_the_second_one_joins_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, _, sim) = vault(folder.path());
    sim.run_until(async {
        let blob = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        assert_eq!(vault.rotate_begin().unwrap(), 2);
        assert_eq!(vault.rotate_begin().unwrap(), 2);
        let turn = vault.0.rotation.lock().await;
        assert!(
            matches!(vault.rotate_begin(), Err(VaultError::Rotating)),
            "not in the middle of a step"
        );
        drop(turn);
        finish(&vault).await;
        assert!(
            vault.rotate_step(5).await.unwrap().finished,
            "the other one ends too"
        );
        assert_eq!(vault.rotate_begin().unwrap(), 3);
        finish(&vault).await;
        assert_eq!(versions(&db).await, [3]);
        assert!(opens(&vault, team(1), blob).await);
    })
    .unwrap();
}

#[test]
fn a_record_that_does_not_open_is_named_and_keeps_its_key_while_the_others_are_rotated() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, _, sim) = vault(folder.path());
    sim.run_until(async {
        let mut blobs = Vec::new();
        for _ in 0..4 {
            blobs.push(vault.seal_card(team(1), &holder(), &card()).await.unwrap());
        }
        let sql = "update sealed set sealed_key = 'AAAA' where team_id = $1 and blob_id = $2";
        let broken = Statement::one(sql, vec![team(1).key().into(), blobs[1].key().into()]);
        vault.commit("x", [broken]).await.unwrap();
        vault.rotate_begin().unwrap();
        for _ in 0..2 {
            let error = loop {
                match vault.rotate_step(1).await {
                    Ok(progress) => assert!(!progress.finished),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, VaultError::Damaged(blob) if blob == blobs[1]));
        }
        assert_eq!(kept(folder.path()), ["1", "2"]);
        let left = db
            .read(
                "select blob_id from sealed where key_version = 1",
                Vec::new(),
            )
            .await
            .unwrap();
        assert_eq!(left.len(), 1);
        vault.erase(team(1), blobs[1]).await.unwrap();
        finish(&vault).await;
        assert_eq!(kept(folder.path()), ["2"]);
    })
    .unwrap();
}

#[test]
fn a_key_file_that_another_hand_changed_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, ..) = vault(folder.path());
    let path = folder.path().join("keys.json");
    let (world, _sim) = World::simulated(9);
    std::fs::remove_file(&path).unwrap();
    KeySource::File(path.clone())
        .load_or_create(&world)
        .unwrap();
    let theirs = std::fs::read(&path).unwrap();
    assert!(matches!(
        vault.rotate_begin(),
        Err(VaultError::Keys(KeyError::Changed(_)))
    ));
    assert_eq!(std::fs::read(&path).unwrap(), theirs);
}

#[test]
fn the_keys_of_another_vault_are_refused_before_anything_is_sealed_under_them() {
    let folder = tempfile::tempdir().unwrap();
    let (first, db, world, sim) = vault(folder.path());
    sim.run_until(async {
        first.seal_card(team(1), &holder(), &card()).await.unwrap();
        std::fs::rename(
            folder.path().join("keys.json"),
            folder.path().join("right.json"),
        )
        .unwrap();
        let wrong = again(folder.path(), &db, &world);
        assert!(matches!(wrong.check().await, Err(VaultError::WrongKey(1))));
        assert!(matches!(
            wrong.seal_card(team(1), &holder(), &card()).await,
            Err(VaultError::WrongKey(1))
        ));

        std::fs::rename(
            folder.path().join("right.json"),
            folder.path().join("keys.json"),
        )
        .unwrap();
        let right = again(folder.path(), &db, &world);
        right.check().await.unwrap();
        std::fs::copy(
            folder.path().join("keys.json"),
            folder.path().join("old.json"),
        )
        .unwrap();
        rotate(&right).await;
        std::fs::rename(
            folder.path().join("old.json"),
            folder.path().join("keys.json"),
        )
        .unwrap();
        let outdated = again(folder.path(), &db, &world);
        assert!(matches!(outdated.check().await, Err(VaultError::NoKey(2))));
        assert!(matches!(
            outdated.seal_card(team(1), &holder(), &card()).await,
            Err(VaultError::WrongKey(1))
        ));
    })
    .unwrap();
}

#[test]
fn given_keys_are_rotated_by_a_version_that_is_added_and_may_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    let given = |text: String| {
        Vault::open(
            db.clone(),
            KeySource::Given(Given::new(text)),
            world.clone(),
            Duration::from_hours(1),
        )
        .unwrap()
    };
    sim.run_until(async {
        let blob = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        let text = std::fs::read_to_string(folder.path().join("keys.json")).unwrap();
        assert!(matches!(
            given(text.clone()).rotate_begin(),
            Err(VaultError::Keys(KeyError::Given))
        ));

        let key = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            *b"kR3vT9xQ2mZ7pL5wN8cJ4bH6gF1dS0aY",
        );
        let second = format!("\"2\": \"{key}\", \"1\"");
        let text = text.replace("\"1\"", &second);
        let vault = given(text.clone());
        assert_eq!(vault.rotate_begin().unwrap(), 2);
        finish(&vault).await;
        assert_eq!(versions(&db).await, [2]);

        let vault = given(text);
        vault.check().await.unwrap();
        let new = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        assert_eq!(
            versions(&db).await,
            [2],
            "the version that the text names first has ended"
        );
        assert!(opens(&vault, team(1), blob).await && opens(&vault, team(1), new).await);
    })
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn seals_and_openings_go_on_while_the_key_is_rotated_again_and_again() {
    const WORKERS: u128 = 6;
    let folder = tempfile::tempdir().unwrap();
    let world = World::real();
    let options = db::SqliteOptions::new(folder.path().join("vault.db"));
    let db = Db::sqlite(options, MIGRATIONS, &world).unwrap();
    let vault = again(folder.path(), &db, &world);
    let over = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let (vault, over) = (vault.clone(), Arc::clone(&over));
            let work = async move {
                let mut blobs = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    blobs.push(
                        vault
                            .seal_card(team(worker), &holder(), &card())
                            .await
                            .unwrap(),
                    );
                    let one = blobs
                        [usize::try_from(vault.0.world.random() % 1000).unwrap() % blobs.len()];
                    assert!(opens(&vault, team(worker), one).await);
                    if blobs.len() % 5 == 0 {
                        vault.erase(team(worker), blobs.remove(0)).await.unwrap();
                    }
                }
                blobs
            };
            // The runner's own tasks, so that a failure in one is seen.
            tokio::runtime::Handle::current().spawn(work)
        })
        .collect();
    for _ in 0..8 {
        rotate(&vault).await;
    }
    over.store(true, Ordering::Relaxed);
    let mut sealed = 0;
    for (worker, work) in (0..).zip(workers) {
        for blob in work.await.unwrap() {
            assert!(opens(&vault, team(worker), blob).await);
            sealed += 1;
        }
    }
    assert!(sealed > 0);
    assert_eq!(versions(&db).await, [9]);
    assert_eq!(kept(folder.path()), ["9"]);
    vault.close().await;
}

#[test]
fn keys_that_moved_data_need_stay_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    // A row in the store says that the data were moved; any table will do here.
    vault.refuse_when_found(
        db.clone(),
        "select 1 from security_code where holder = 'moved'",
    );
    let mark = |holder: &'static str| {
        let sql = "insert into security_code (holder, key_version, sealed, until_at) values ($1, 1, '', 0)";
        Change::new(ChangeId(world.uuid_v7().as_u128()), "mark")
            .with(Statement::one(sql, vec![holder.into()]))
    };
    let unmark = || {
        let sql = "delete from security_code where holder = 'moved'";
        Change::new(ChangeId(world.uuid_v7().as_u128()), "mark")
            .with(Statement::one(sql, Vec::new()))
    };
    sim.run_until(async {
        for _ in 0..6 {
            vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        }
        // Moved in the middle of a rotation.
        vault.rotate_begin().unwrap();
        assert!(!vault.rotate_step(4).await.unwrap().finished);
        db.commit(mark("moved")).await.unwrap();
        assert!(matches!(vault.rotate_step(4).await, Err(VaultError::Moved)));
        assert!(matches!(vault.refuse_moved().await, Err(VaultError::Moved)));
        assert_eq!(kept(folder.path()), ["1", "2"]);
        // Given up.
        db.commit(unmark()).await.unwrap();
        finish(&vault).await;
        assert_eq!(kept(folder.path()), ["2"]);
    })
    .unwrap();
}

#[test]
fn keys_stay_in_the_file_when_the_data_are_moved_at_the_last_moment() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    // As if the mark were written when the old version has just been retired.
    vault.refuse_when_found(db.clone(), "select 1 from sealing_key where retired = 1");
    sim.run_until(async {
        vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        vault.rotate_begin().unwrap();
        assert!(!vault.rotate_step(7).await.unwrap().finished);
        assert!(matches!(vault.rotate_step(7).await, Err(VaultError::Moved)));
        assert_eq!(kept(folder.path()), ["1", "2"]);
    })
    .unwrap();
    // Given up: what was begun is ended.
    let vault = again(folder.path(), &db, &world);
    sim.run_until(rotate(&vault)).unwrap();
    assert_eq!(kept(folder.path()), ["2"]);
}
