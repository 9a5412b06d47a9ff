//! Secrets that are no numbers.

use super::*;

async fn opened(vault: &Vault, team: TeamId, blob: BlobId) -> Option<Vec<u8>> {
    vault
        .open_secret(team, &holder(), blob)
        .await
        .unwrap()
        .map(|secret| secret.to_vec())
}

#[test]
fn a_secret_of_any_bytes_opens_for_its_team_and_record_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, _, sim) = vault(folder.path());
    sim.run_until(async {
        for secret in [
            vec![],
            vec![0],
            b"a\0b\0".to_vec(),
            vec![7; 255],
            vec![0xff; SECRET_MAX],
        ] {
            let blob = vault
                .seal_secret(team(1), &holder(), &secret)
                .await
                .unwrap();
            assert_eq!(opened(&vault, team(1), blob).await.unwrap(), secret);
            assert!(opened(&vault, team(2), blob).await.is_none());
            assert!(
                vault
                    .open_card(team(1), &holder(), blob)
                    .await
                    .unwrap()
                    .is_none(),
                "a secret is no number"
            );
        }
        let long = vault
            .seal_secret(team(1), &holder(), &vec![1; SECRET_MAX + 1])
            .await;
        assert!(matches!(long, Err(VaultError::TooLong)));
        let blob = vault
            .seal_secret(team(1), &holder(), b"moved")
            .await
            .unwrap();
        let change = Change::new(ChangeId(1), "x");
        let sql = "update secret set team_id = $1 where blob_id = $2";
        db.commit(change.with(Statement::one(
            sql,
            vec![team(2).key().into(), blob.key().into()],
        )))
        .await
        .unwrap();
        assert!(matches!(
            vault.open_secret(team(2), &holder(), blob).await,
            Err(VaultError::Damaged(_))
        ));
    })
    .unwrap();
}

#[test]
fn an_erased_secret_is_gone_and_another_teams_is_not_erased() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, _, sim) = vault(folder.path());
    sim.run_until(async {
        let blob = vault.seal_secret(team(1), &holder(), b"one").await.unwrap();
        vault.erase_secret(team(2), blob).await.unwrap();
        vault.erase(team(1), blob).await.unwrap();
        assert!(opened(&vault, team(1), blob).await.is_some());
        vault.erase_secret(team(1), blob).await.unwrap();
        vault.erase_secret(team(1), blob).await.unwrap();
        assert!(opened(&vault, team(1), blob).await.is_none());
    })
    .unwrap();
}

#[test]
fn a_rotation_takes_secrets_along_and_no_sweep_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, world, sim) = vault(folder.path());
    sim.run_until(async {
        let mut secrets = Vec::new();
        for n in 0..9_u8 {
            vault.seal_card(team(1), &holder(), &card()).await.unwrap();
            secrets.push(vault.seal_secret(team(1), &holder(), &[n]).await.unwrap());
        }
        vault.rotate_begin().unwrap();
        let first = vault.rotate_step(4).await.unwrap();
        assert_eq!((first.done, first.total), (4, 18));
        let mut last = first;
        while !last.finished {
            last = vault.rotate_step(4).await.unwrap();
        }
        assert_eq!((last.done, last.total), (18, 18));
        let old = db
            .read(
                "select blob_id from secret where key_version = 1",
                Vec::new(),
            )
            .await
            .unwrap();
        assert!(old.is_empty());
        for (n, blob) in (0..9_u8).zip(&secrets) {
            assert_eq!(opened(&vault, team(1), *blob).await.unwrap(), [n]);
        }
        vault.check().await.unwrap();
        let swept = vault
            .older_than(world.now().after(Duration::from_hours(48)), None, 100)
            .await
            .unwrap();
        assert_eq!(swept.len(), 9, "numbers alone");
        assert!(swept.iter().all(|(_, blob)| !secrets.contains(blob)));
    })
    .unwrap();
    let text = std::fs::read_to_string(folder.path().join("keys.json")).unwrap();
    assert!(text.contains("\"2\"") && !text.contains("\"1\""));
}

#[test]
fn a_version_with_nothing_but_a_secret_is_not_retired() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, sim) = vault(folder.path());
    sim.run_until(async {
        vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        let place = RecordPlace {
            team: team(1),
            blob: BlobId::new(world.uuid_v7()),
            kind: RecordKind::Secret,
        };
        let sealed = envelope::seal(&vault.keys(), &world, &place, &holder(), b"late").unwrap();
        vault.rotate_begin().unwrap();
        vault.rotate_step(10).await.unwrap();
        let late = crate::secrets::insert(place.team, place.blob, &sealed, world.now());
        assert!(vault.commit("late", [late]).await.unwrap());
        while !vault.rotate_step(10).await.unwrap().finished {}
        assert_eq!(
            opened(&vault, place.team, place.blob).await.unwrap(),
            b"late"
        );
    })
    .unwrap();
}
