//! The commands themselves.

use serde_json::json;
use testkit::{Backend, KeyKind, Setup};

use super::{list, of_act};

#[test]
fn entries_are_chosen_by_team_time_and_act() {
    let server = Setup::new().start();
    server.create_key(KeyKind::Public);
    assert!(list(&server, &["--since", "1h"]).len() >= 3);
    assert_eq!(
        list(&server, &["--since", "2100-01-01"]),
        Vec::<serde_json::Value>::new()
    );
    let readable = server.run(&["audit", "list", "--act", "key.created"]);
    assert!(
        readable.contains("key.created  done  by operator"),
        "{readable}"
    );
    for wrong in [
        ["--since", "soon"],
        ["--act", "key.stolen"],
        ["--team", "nobody"],
    ] {
        let refused = server.command(&["audit", "list", wrong[0], wrong[1]]);
        assert!(!refused.status.success(), "{wrong:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        let hint = ["2026-11-22", "key.created", "no team"];
        assert!(hint.iter().any(|hint| said.contains(hint)), "{said}");
    }
}

#[test]
fn what_is_so_already_leaves_no_further_entry() {
    let server = Setup::new().start();
    let shop = server.shop();
    let default = "mutation { setDefaultFlow(id: \"default\") }";
    shop.connection("spare", json!({}));
    for _ in 0..2 {
        shop.gql(default, json!({})).root();
        for name in ["enableConnection", "disableConnection"] {
            let query = format!("mutation {{ {name}(id: \"spare\") }}");
            shop.gql(&query, json!({})).root();
            shop.gql(&query, json!({})).root();
        }
    }
    assert_eq!(of_act(&server, "flow.default_set").len(), 0);
    assert_eq!(of_act(&server, "connection.enabled").len(), 1);
    assert_eq!(of_act(&server, "connection.disabled").len(), 2);
}

#[test]
fn a_backup_alongside_a_running_server_is_recorded_and_a_restored_copy_too() {
    let mut server = Setup::new().on(Backend::Embedded).start();
    let backup = server.root().join("copy");
    let backup = backup.to_str().unwrap();
    server.run(&["backup", "--to", backup]);
    let taken = of_act(&server, "backup.taken");
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!(
        taken[0]["what"]["team"],
        "00000000-0000-0000-0000-000000000000"
    );
    server.stop();
    server.restart_as(server.setup().clone().flag("--after-restore"));
    let restored = of_act(&server, "installation.restored");
    assert_eq!(restored.len(), 1, "{restored:?}");
    server.shop().connection("after", json!({}));
    server.run(&["audit", "verify"]);
}
