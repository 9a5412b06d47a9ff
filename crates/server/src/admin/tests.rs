use std::{
    os::unix::fs::PermissionsExt,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt;
use world::World;

use super::*;

struct Echo;

impl Operator for Echo {
    fn perform<'a>(&'a self, request: Request, say: Say<'a>) -> BoxFuture<'a, Result<(), String>> {
        async move {
            say(format!("{request:?}"));
            match request {
                Request::TeamCreate { .. } => Err("no more teams".to_owned()),
                _ => Ok(()),
            }
        }
        .boxed()
    }
}

async fn asked(socket: &std::path::Path, request: Request) -> (Result<(), AskError>, Vec<String>) {
    let said = Mutex::new(Vec::new());
    let say = |line: String| said.lock().unwrap().push(line);
    let result = ask(socket, &request, &say).await;
    (result, said.into_inner().unwrap())
}

#[tokio::test]
async fn a_command_is_performed_by_the_server_and_its_words_come_back() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("admin.sock");
    // What a server that was killed leaves behind.
    std::fs::write(&path, "").unwrap();
    let socket = AdminSocket::bind(path.clone()).unwrap();
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let world = World::real();
    let operator: Arc<dyn Operator> = Arc::new(Echo);
    let commands = async {
        let request = Request::KeyCreate(KeyWanted {
            expires: None,
            scopes: Vec::new(),
            team: None,
            kind: KeyKind::Public,
            name: "two\nlines".to_owned(),
        });
        let (result, said) = asked(&path, request.clone()).await;
        assert!(result.is_ok());
        assert_eq!(said, [format!("{request:?}")]);
        let (refused, said) = asked(
            &path,
            Request::TeamCreate {
                name: "x".to_owned(),
            },
        )
        .await;
        assert!(matches!(refused, Err(AskError::Refused(why)) if why == "no more teams"));
        assert_eq!(said.len(), 1);
    };
    tokio::select! {
        () = socket.serve(&world, &operator) => panic!("it serves without end"),
        () = commands => {}
    }
    drop(socket);
    assert!(!path.exists());
    assert!(matches!(
        asked(&path, Request::Check).await.0,
        Err(AskError::Nobody)
    ));
}
