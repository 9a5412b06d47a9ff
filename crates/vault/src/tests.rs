mod at_rest;
mod rotation;
mod secrets;
mod shared;

use super::*;
use domain::card_number::SecurityCode;
use domain::id::{MethodId, TeamId, VaultToken};
use uuid::Uuid;
use world::Sim;

const NUMBER: &str = "4242424242424242";

fn team(n: u128) -> TeamId {
    TeamId::new(Uuid::from_u128(n))
}

/// The record that numbers are sealed for.
fn holder() -> Holder {
    Holder::wallet("of a test")
}

fn card() -> CardNumber {
    CardNumber::parse(NUMBER.to_owned()).ok().unwrap()
}

fn vault(folder: &std::path::Path) -> (Vault, Db, World, Sim) {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(MIGRATIONS, &world).unwrap();
    let source = KeySource::File(folder.join("keys.json"));
    let vault = Vault::open(db.clone(), source, world.clone(), Duration::from_hours(1)).unwrap();
    (vault, db, world, sim)
}

async fn opens(vault: &Vault, team: TeamId, blob: BlobId) -> bool {
    matches!(vault.open_card(team, &holder(), blob).await, Ok(Some(number)) if number.expose() == NUMBER)
}

#[test]
fn a_number_opens_for_its_team_and_record_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, _, sim) = vault(folder.path());
    sim.run_until(async {
        let blob = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        assert!(opens(&vault, team(1), blob).await);
        assert!(
            vault
                .open_card(team(2), &holder(), blob)
                .await
                .unwrap()
                .is_none()
        );
        let moves = [
            "update sealed set team_id = $1",
            "update sealed set team_id = $1, blob_id = $1",
        ];
        for sql in moves {
            let mut change = Change::new(ChangeId(1), "x");
            change.push(db::Statement::any(sql, vec![team(2).key().into()]));
            db.commit(change).await.unwrap();
            let id = if sql.contains("blob_id") {
                BlobId::new(team(2).uuid())
            } else {
                blob
            };
            assert!(matches!(
                vault.open_card(team(2), &holder(), id).await,
                Err(VaultError::Damaged(_))
            ));
        }
        vault
            .erase(team(2), BlobId::new(team(2).uuid()))
            .await
            .unwrap();
        assert!(
            vault
                .open_card(team(2), &holder(), BlobId::new(team(2).uuid()))
                .await
                .unwrap()
                .is_none()
        );
    })
    .unwrap();
}

#[test]
fn a_number_opens_for_no_other_record_of_its_team() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, sim) = vault(folder.path());
    let ids = [
        MethodId::new(Uuid::from_u128(1)),
        MethodId::new(Uuid::from_u128(2)),
    ];
    let tokens = [
        VaultToken::parse(&world.token(24)).unwrap(),
        VaultToken::parse(&world.token(24)).unwrap(),
    ];
    let own = Holder::token(ids[0], &tokens[0]);
    let others = [
        Holder::token(ids[1], &tokens[0]),
        Holder::token(ids[0], &tokens[1]),
        Holder::hidden(ids[0]),
    ];
    sim.run_until(async {
        let account = || AccountNumber::parse("DE89370400440532013000".to_owned()).ok();
        let card_blob = vault.seal_card(team(1), &own, &card()).await.unwrap();
        let account_blob = vault
            .seal_account(team(1), &own, &account().unwrap())
            .await
            .unwrap();
        let opened = vault.open_account(team(1), &own, account_blob).await;
        assert_eq!(
            opened.unwrap().unwrap().expose(),
            account().unwrap().expose()
        );
        for other in &others {
            let card = vault.open_card(team(1), other, card_blob).await;
            assert!(matches!(card, Err(VaultError::Damaged(_))));
            let account = vault.open_account(team(1), other, account_blob).await;
            assert!(matches!(account, Err(VaultError::Damaged(_))));
        }
        let as_card = vault.open_card(team(1), &own, account_blob).await;
        assert!(matches!(as_card, Err(VaultError::Damaged(_))));
    })
    .unwrap();
}

#[test]
fn a_change_of_any_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, _) = vault(folder.path());
    let keys = vault.0.keys.lock().clone();
    let place = RecordPlace {
        team: team(1),
        blob: BlobId::new(Uuid::from_u128(7)),
        kind: RecordKind::Card,
    };
    let sealed = envelope::seal(&keys, &world, &place, &holder(), NUMBER.as_bytes()).unwrap();
    assert_eq!(
        envelope::open(&keys, &place, &holder(), &sealed)
            .unwrap()
            .as_slice(),
        NUMBER.as_bytes()
    );
    let mut refused = 0;
    for field in 0..2 {
        let text = if field == 0 {
            &sealed.key
        } else {
            &sealed.content
        };
        for index in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            let mut broken = sealed.clone();
            if field == 0 {
                broken.key = changed;
            } else {
                broken.content = changed;
            }
            assert!(
                envelope::open(&keys, &place, &holder(), &broken).is_err(),
                "field {field}, byte {index}"
            );
            refused += 1;
        }
    }
    assert!(refused > 150);
    let account = RecordPlace {
        kind: RecordKind::Account,
        ..place
    };
    assert!(envelope::open(&keys, &account, &holder(), &sealed).is_err());
}

#[test]
fn sealed_numbers_tell_neither_themselves_nor_their_length() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, _) = vault(folder.path());
    let keys = vault.0.keys.lock().clone();
    let place = RecordPlace {
        team: team(1),
        blob: BlobId::new(Uuid::from_u128(7)),
        kind: RecordKind::Card,
    };
    let long = envelope::seal(&keys, &world, &place, &holder(), b"4242424242424242424").unwrap();
    let short = envelope::seal(&keys, &world, &place, &holder(), b"424242424242").unwrap();
    assert_eq!(long.content.len(), short.content.len());
    assert_ne!(
        envelope::seal(&keys, &world, &place, &holder(), NUMBER.as_bytes()).unwrap(),
        envelope::seal(&keys, &world, &place, &holder(), NUMBER.as_bytes()).unwrap()
    );
}

#[test]
fn fingerprints_are_equal_for_equal_cards_of_one_team() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, ..) = vault(folder.path());
    let other = CardNumber::parse("5555555555554444".to_owned())
        .ok()
        .unwrap();
    assert_eq!(
        vault.fingerprint(team(1), &card()),
        vault.fingerprint(team(1), &card())
    );
    assert_ne!(
        vault.fingerprint(team(1), &card()),
        vault.fingerprint(team(2), &card())
    );
    assert_ne!(
        vault.fingerprint(team(1), &card()),
        vault.fingerprint(team(1), &other)
    );
    assert!(!vault.fingerprint(team(1), &card()).contains("4242"));
    assert_ne!(vault.request_hash(b"a"), vault.credential_hash("a"));
}

#[test]
fn a_rotation_leaves_no_record_under_an_old_version() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, db, _, sim) = vault(folder.path());
    sim.run_until(async {
        let mut blobs = Vec::new();
        for _ in 0..25 {
            blobs.push(vault.seal_card(team(1), &holder(), &card()).await.unwrap());
        }
        assert_eq!(vault.rotate_begin().unwrap(), 2);
        let first = vault.rotate_step(10).await.unwrap();
        assert_eq!((first.done, first.total, first.finished), (10, 25, false));
        // It serves in the middle of it, also after an interruption.
        blobs.push(vault.seal_card(team(1), &holder(), &card()).await.unwrap());
        assert!(opens(&vault, team(1), blobs[24]).await);
        assert_eq!(
            vault.rotate_begin().unwrap(),
            2,
            "an interrupted rotation is gone on with"
        );
        while !vault.rotate_step(10).await.unwrap().finished {}
        let old = db
            .read(
                "select blob_id from sealed where key_version = 1",
                Vec::new(),
            )
            .await
            .unwrap();
        assert!(old.is_empty());
        for blob in &blobs {
            assert!(opens(&vault, team(1), *blob).await);
        }
    })
    .unwrap();
    let text = std::fs::read_to_string(folder.path().join("keys.json")).unwrap();
    assert!(
        text.contains("\"2\"") && !text.contains("\"1\""),
        "the old key is gone from the file"
    );
}

#[test]
fn the_key_file_is_its_owners_alone_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let (world, _) = World::simulated(5);
    let source = KeySource::File(path.clone());
    let first = source.load_or_create(&world).unwrap();
    assert_eq!(source.protection().unwrap(), Protection::Owner);
    let again = source.load_or_create(&world).unwrap();
    assert_eq!(first.request_hash(b"x"), again.request_hash(b"x"));
    let given = KeySource::Given(keyring::Given::new(std::fs::read_to_string(&path).unwrap()));
    assert_eq!(
        given.load_or_create(&world).unwrap().request_hash(b"x"),
        first.request_hash(b"x")
    );
    assert!(matches!(
        given.advance(&first, &world),
        Err(KeyError::Given)
    ));
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(source.protection().unwrap(), Protection::Open);
    std::fs::write(&path, "{}").unwrap();
    assert!(
        source.load_or_create(&world).is_err(),
        "a damaged key file is not replaced"
    );
}

#[test]
fn security_codes_end_with_their_life_time() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, sim) = vault(folder.path());
    let code = SecurityCode::parse("737".to_owned()).ok().unwrap();
    let open = |holder: &str| sim.run_until(vault.open_cvc(holder)).unwrap().unwrap();
    let keep = |holder: &str| {
        sim.run_until(vault.keep_cvc(holder, &code))
            .unwrap()
            .unwrap();
    };
    keep("one");
    keep("two");
    assert_eq!(open("one").unwrap().expose(), "737");
    assert!(open("other").is_none());
    sim.run_until(vault.erase_cvc("two")).unwrap();
    assert!(open("two").is_none());
    sim.run_until(world.sleep(Duration::from_hours(1))).unwrap();
    assert!(open("one").is_none());
    keep("three");
    sim.run_until(world.sleep(Duration::from_mins(61))).unwrap();
    let Kept::InMemory(codes) = &vault.0.codes else {
        panic!("nobody shares this database")
    };
    assert_eq!(codes.count(), 0, "erased by the vault's own task");
    keep("four");
    // The vault's own task goes to sleep; it does not notice that the clock is set.
    sim.run_until(world.sleep(Duration::from_millis(1)))
        .unwrap();
    sim.jump(61 * 60 * 1_000_000);
    assert_eq!(sim.run_until(vault.sweep_codes()).unwrap().unwrap(), 1);
}

#[test]
fn every_key_column_is_required() {
    assert!(db::nullable_keys(MIGRATIONS).unwrap().is_empty());
    assert_eq!(db::not_for_older_code(MIGRATIONS), [""; 0]);
    assert_eq!(db::blocking_indexes(MIGRATIONS, 0), [""; 0]);
}

#[test]
fn old_records_are_found_in_the_order_of_their_ids_and_young_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (vault, _, world, sim) = vault(folder.path());
    sim.run_until(async {
        let mut old = Vec::new();
        for n in 0..5 {
            old.push((
                team(n),
                vault.seal_card(team(n), &holder(), &card()).await.unwrap(),
            ));
            world.sleep(Duration::from_millis(1)).await;
        }
        let before = world.now();
        let young = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
        assert_eq!(vault.older_than(before, None, 3).await.unwrap(), old[..3]);
        assert_eq!(
            vault.older_than(before, Some(old[2].1), 3).await.unwrap(),
            old[3..]
        );
        assert_eq!(
            vault.older_than(before, Some(old[4].1), 3).await.unwrap(),
            []
        );
        let later = world.now().after(Duration::from_micros(1));
        assert_eq!(
            vault.older_than(later, Some(old[4].1), 3).await.unwrap(),
            [(team(1), young)]
        );
    })
    .unwrap();
}

#[test]
fn of_nodes_that_start_at_the_same_moment_all_have_the_keys_of_one() {
    for _ in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let source = KeySource::File(folder.path().join("keys.json"));
        let gate = std::sync::Barrier::new(6);
        let all: Vec<Keyring> = std::thread::scope(|scope| {
            let (source, gate) = (&source, &gate);
            let node = move |seed| {
                gate.wait();
                source.load_or_create(&World::simulated(seed).0).unwrap()
            };
            let nodes: Vec<_> = (0..6).map(|seed| scope.spawn(move || node(seed))).collect();
            nodes.into_iter().map(|node| node.join().unwrap()).collect()
        });
        let file = source.load_or_create(&World::simulated(7).0).unwrap();
        assert!(
            all.iter().all(|keys| keys.equals(&file)),
            "a node has other keys than the file"
        );
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }
}
