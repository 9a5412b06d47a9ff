use super::*;

fn fresh() -> (tempfile::TempDir, DataDir) {
    let root = tempfile::tempdir().unwrap();
    let dir = DataDir::at(root.path().join("deep/data"));
    (root, dir)
}

#[test]
fn a_directory_is_made_for_its_owner_alone() {
    let (_root, dir) = fresh();
    let _held = dir.hold().unwrap();
    assert!(!dir.is_open_to_others().unwrap());
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o750)).unwrap();
    assert!(dir.is_open_to_others().unwrap());
}

#[test]
fn a_second_holder_learns_who_has_it_and_comes_in_afterwards() {
    let (_root, dir) = fresh();
    let held = dir.hold().unwrap();
    let refused = dir.hold().err().unwrap().to_string();
    assert!(
        refused.contains(&format!("process {}", std::process::id())),
        "{refused}"
    );
    drop(held);
    assert!(dir.hold().is_ok());
}

#[test]
fn a_directory_of_a_server_is_known_until_the_data_come_here() {
    let (_root, dir) = fresh();
    let held = dir.hold().unwrap();
    assert!(!dir.is_of_a_server());
    held.note_server().unwrap();
    assert!(dir.is_of_a_server());
    held.forget_server().unwrap();
    held.forget_server().unwrap();
    fs::write(dir.store(), "").unwrap();
    held.note_server().unwrap();
    assert!(dir.is_of_a_server(), "what lies there is old");
}

#[test]
fn a_file_in_its_place_is_named_as_that() {
    let (_root, dir) = fresh();
    fs::create_dir_all(dir.path().parent().unwrap()).unwrap();
    fs::write(dir.path(), "x").unwrap();
    let Err(error) = dir.hold() else {
        panic!("it is held");
    };
    assert!(error.to_string().contains("is a file, not a directory"));
}

#[test]
fn files_that_are_gone_or_have_others_in_their_place_are_seen() {
    let (_root, dir) = fresh();
    let held = dir.hold().unwrap();
    fs::write(dir.store(), "").unwrap();
    assert!(held.standing().is_err(), "the vault is missing");
    fs::write(dir.vault(), "").unwrap();
    let standing = held.standing().unwrap();
    fs::write(dir.store(), "more").unwrap();
    assert!(!standing.is_lost());
    let aside = dir.path().with_extension("aside");
    fs::rename(dir.path(), &aside).unwrap();
    assert!(standing.is_lost());
    fs::rename(&aside, dir.path()).unwrap();
    assert!(!standing.is_lost());
    fs::write(dir.simulator(), "books").unwrap();
    let with_books = held.standing().unwrap();
    fs::remove_file(dir.simulator()).unwrap();
    assert!(with_books.is_lost() && !standing.is_lost());
    // Next to the old one, so that it can't have its number.
    fs::write(dir.simulator(), "another").unwrap();
    fs::rename(dir.simulator(), dir.store()).unwrap();
    assert!(standing.is_lost());
}

#[test]
fn data_of_one_mode_is_never_served_in_the_other() {
    let (_root, dir) = fresh();
    let held = dir.hold().unwrap();
    assert_eq!(dir.mode().unwrap(), None);
    held.claim(Mode::Test).unwrap();
    held.claim(Mode::Test).unwrap();
    assert_eq!(dir.mode().unwrap(), Some(Mode::Test));
    let refused = held.claim(Mode::Live).unwrap_err().to_string();
    assert!(
        refused.contains("test mode and can't be served in live mode"),
        "{refused}"
    );
}
