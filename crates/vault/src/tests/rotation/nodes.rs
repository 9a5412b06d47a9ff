//! Rotation by several nodes.

use super::super::*;

use super::again;

#[test]
fn a_node_rotates_after_another_one_that_shares_its_key_file() {
    let folder = tempfile::tempdir().unwrap();
    let (one, db, world, sim) = vault(folder.path());
    let source = KeySource::File(folder.path().join("keys.json"));
    let two = Vault::open(db, source, world, Duration::from_hours(1)).unwrap();
    sim.run_until(async {
        let blob = one.seal_card(team(1), &holder(), &card()).await.unwrap();
        for (vault, version) in [(&one, 2), (&two, 3), (&one, 4)] {
            assert_eq!(vault.rotate_begin().unwrap(), version);
            while !vault.rotate_step(10).await.unwrap().finished {}
        }
        assert!(opens(&one, team(1), blob).await && opens(&two, team(1), blob).await);
    })
    .unwrap();
}

#[test]
fn of_nodes_that_begin_a_rotation_at_the_same_moment_one_adds_its_key() {
    let mut lost = 0;
    for round in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let source = KeySource::File(folder.path().join("keys.json"));
        let before = source.load_or_create(&World::simulated(round).0).unwrap();
        let gate = std::sync::Barrier::new(6);
        let all: Vec<_> = std::thread::scope(|scope| {
            let (source, before, gate) = (&source, &before, &gate);
            let node = move |seed: u64| {
                gate.wait();
                source.advance(before, &World::simulated(100 + seed).0)
            };
            let nodes: Vec<_> = (0..6).map(|seed| scope.spawn(move || node(seed))).collect();
            nodes.into_iter().map(|node| node.join().unwrap()).collect()
        });
        let file = source.load_or_create(&World::simulated(7).0).unwrap();
        lost += all
            .iter()
            .flatten()
            .filter(|keys| !keys.equals(&file))
            .count();
        assert!(
            file.version() == 2 && all.iter().flatten().count() >= 1,
            "one has added its key"
        );
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }
    assert_eq!(lost, 0, "a node seals under a key that is in no file");
}

#[test]
fn a_rotation_that_another_node_has_begun_meanwhile_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (one, db, world, sim) = vault(folder.path());
    let two = again(folder.path(), &db, &world);
    let path = folder.path().join("keys.json");
    sim.run_until(async {
        one.seal_card(team(1), &holder(), &card()).await.unwrap();
        // As while the other one is at it.
        let held = std::fs::File::open(&path).unwrap();
        held.lock().unwrap();
        assert!(matches!(
            two.rotate_begin(),
            Err(VaultError::Keys(KeyError::Busy(_)))
        ));
        drop(held);
        assert_eq!(
            (one.rotate_begin().unwrap(), two.rotate_begin().unwrap()),
            (2, 2)
        );
        assert!(one.keys().equals(&two.keys()));
    })
    .unwrap();
}
