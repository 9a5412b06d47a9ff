//! What lies in the files: nothing that can be read.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use db::SqliteOptions;

use super::*;

const NUMBERS: [&str; 4] = [
    "4242424242424242",
    "5555555555554444",
    "378282246310005",
    "6799990100000000019",
];
const ACCOUNT: &str = "IE29AIBK93115212345678";

/// The forms in which a text could be read: itself, hex, base64 at each of its three offsets, and a number's own bytes.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![
        text.into(),
        text.bytes().rev().collect(),
        hex::encode(text).into(),
    ];
    forms.push(hex::encode_upper(text).into());
    for (offset, cut) in [(0, 0), (1, 2), (2, 3)] {
        let shifted = STANDARD.encode(["\0".repeat(offset), text.to_owned()].concat());
        // The letters that only this text decides.
        let whole = (offset + text.len()) * 8 / 6;
        forms.push(shifted.as_bytes()[cut..whole].to_vec());
    }
    if let Ok(number) = text.parse::<u64>() {
        forms.extend([number.to_be_bytes().to_vec(), number.to_le_bytes().to_vec()]);
        forms.push(hex::encode(number.to_be_bytes()).into());
        // Two digits in a byte.
        let even = if text.len().is_multiple_of(2) {
            text.to_owned()
        } else {
            format!("0{text}")
        };
        forms.push(hex::decode(even).unwrap());
    }
    forms
}

fn holds(bytes: &[u8], text: &str) -> bool {
    forms(text)
        .iter()
        .any(|form| bytes.windows(form.len()).any(|window| window == form))
}

/// The content of every file in the folder, with its name.
fn files(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect()
}

fn open(folder: &std::path::Path) -> Vault {
    let world = World::real();
    let options = SqliteOptions {
        overwrite: db::Overwrite::Everything,
        ..SqliteOptions::new(folder.join("vault.db"))
    };
    let db = Db::sqlite(options, MIGRATIONS, &world).unwrap();
    let source = KeySource::File(folder.join("keys.json"));
    Vault::open(db, source, world, Duration::from_hours(1)).unwrap()
}

#[test]
fn every_form_would_be_seen() {
    for number in NUMBERS {
        for offset in 0..3 {
            let hidden =
                STANDARD.encode(["x".repeat(offset), number.to_owned(), "yz".to_owned()].concat());
            assert!(holds(hidden.as_bytes(), number), "{offset}");
        }
        assert!(holds(format!("\"{number}\"").as_bytes(), number));
        assert!(holds(hex::encode(format!("a{number}")).as_bytes(), number));
        assert!(!holds(b"4242424242424241 5555555555554445", number));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_holds_a_number_in_any_readable_form() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    for text in NUMBERS {
        let number = CardNumber::parse(text.to_owned()).ok().unwrap();
        for n in 0..20 {
            vault.seal_card(team(n), &holder(), &number).await.unwrap();
        }
        vault.request_hash(text.as_bytes());
        vault.fingerprint(team(1), &number);
    }
    let account = AccountNumber::parse(ACCOUNT.to_owned()).ok().unwrap();
    vault
        .seal_account(team(1), &holder(), &account)
        .await
        .unwrap();
    vault.rotate_begin().unwrap();
    while !vault.rotate_step(10).await.unwrap().finished {}

    // With the write-ahead log, and after it is gone.
    for closed in [false, true] {
        if closed {
            vault.close().await;
        }
        let files = files(folder.path());
        let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(size > 20_000, "the records are there: {size}");
        for (name, bytes) in &files {
            for text in NUMBERS.iter().chain([&ACCOUNT]) {
                assert!(!holds(bytes, text), "{name} holds a number");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_number_leaves_nothing_sealed_behind_once_the_log_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let blob = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
    let kept = vault.seal_card(team(1), &holder(), &card()).await.unwrap();
    let sealed = records::find(&vault.0.db, team(1), blob)
        .await
        .unwrap()
        .unwrap();
    let alongside = records::find(&vault.0.db, team(1), kept)
        .await
        .unwrap()
        .unwrap();
    vault.erase(team(1), blob).await.unwrap();
    assert!(
        vault
            .open_card(team(1), &holder(), blob)
            .await
            .unwrap()
            .is_none()
    );
    vault.erase(team(1), blob).await.unwrap();
    vault.close().await;
    let all = files(folder.path())
        .into_iter()
        .flat_map(|(_, bytes)| bytes)
        .collect::<Vec<_>>();
    let holds = |text: &str| {
        all.windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(!holds(&sealed.content) && !holds(&sealed.key) && !holds(&blob.key()));
    assert!(
        holds(&alongside.content) && holds(&kept.key()),
        "the other one is there"
    );
}
