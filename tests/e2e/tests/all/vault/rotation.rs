//! Rotating the vault's keys while it serves.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use testkit::{Order, Setup, cards};

#[test]
fn a_rotation_while_serving_loses_no_card_and_stops_no_payment() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let tokens: Vec<String> = (0..30).map(|_| shop.tokenise(cards::VISA)).collect();
    let done = AtomicBool::new(false);
    let paid = thread::scope(|scope| {
        let payer = scope.spawn(|| {
            let mut paid = 0;
            while !done.load(Ordering::Relaxed) {
                shop.order(&Order::token(&tokens[paid % tokens.len()]))
                    .assert_status("SUCCEEDED");
                paid += 1;
            }
            paid
        });
        let printed = server.run(&["vault", "rotate"]);
        assert!(printed.contains("30"), "the progress is shown: {printed}");
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            lines.windows(2).all(|pair| pair[0] != pair[1]),
            "nothing is said twice: {printed}"
        );
        server.run(&["vault", "rotate"]);
        done.store(true, Ordering::Relaxed);
        payer.join().unwrap()
    });
    assert!(paid > 0);
    for token in &tokens {
        shop.order(&Order::token(token)).assert_status("SUCCEEDED");
    }
    server.restart();
    let shop = server.shop();
    for token in &tokens {
        shop.order(&Order::token(token)).assert_status("SUCCEEDED");
    }
    shop.assert_books_equal_payments();
}

#[test]
fn fingerprints_survive_a_rotation_and_a_restart() {
    let mut server = Setup::new().start();
    let before = server.shop().method(&server.shop().tokenise(cards::VISA))["fingerprint"].clone();
    server.run(&["vault", "rotate"]);
    server.restart();
    let after = server.shop().method(&server.shop().tokenise(cards::VISA))["fingerprint"].clone();
    assert_eq!(before, after);
}

#[test]
fn what_the_data_directory_holds_is_for_its_owner_alone() {
    let server = Setup::new().start();
    server.shop().tokenise(cards::VISA);
    let mut keys = 0;
    for entry in std::fs::read_dir(server.data_dir()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.contains("key") {
            keys += 1;
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{name}");
        }
    }
    assert_eq!(keys, 1, "one key file");
}
