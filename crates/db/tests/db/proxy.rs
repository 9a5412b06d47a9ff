//! A proxy before the server, which cuts connections at the worst moment.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use world::World;

/// What happens at the next COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtCommit {
    Pass,
    /// It never reaches the server.
    CutBefore,
    /// It is done, and the answer is lost.
    CutAfter,
    /// It reaches the server, and nothing comes back.
    Stall,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    next: Arc<Mutex<AtCommit>>,
    spoil: Arc<AtomicBool>,
    pub(crate) commits: mpsc::UnboundedReceiver<()>,
}

const COMMIT: &[u8] = b"Q\0\0\0\x0bcommit\0";
const BEGIN: &[u8] = b"begin isolation level";
/// As long as that, and an error.
const SPOILED: &[u8] = b"began isolation level";

impl Proxy {
    pub(crate) async fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let next = Arc::new(Mutex::new(AtCommit::Pass));
        let (caught, commits) = mpsc::unbounded_channel();
        let (armed, spoil) = (Arc::clone(&next), Arc::<AtomicBool>::default());
        let spoiled = Arc::clone(&spoil);
        let world = World::real();
        World::real().spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                // A server that is down: the client sees its connection closed.
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else {
                    continue;
                };
                let (armed, spoiled, caught) =
                    (Arc::clone(&armed), Arc::clone(&spoiled), caught.clone());
                world.spawn(async move {
                    carry(client, server, &armed, &spoiled, &caught)
                        .await
                        .unwrap_or_default();
                });
            }
        });
        Self {
            port,
            next,
            spoil,
            commits,
        }
    }

    /// Decides about the next COMMIT.
    pub(crate) fn arm(&self, what: AtCommit) {
        *self.next.lock() = what;
    }

    /// Makes an error of the next BEGIN; the connection lives, and what was sent behind it reaches the server.
    pub(crate) fn spoil_begin(&self) {
        self.spoil.store(true, Ordering::SeqCst);
    }
}

async fn carry(
    mut client: TcpStream,
    mut server: TcpStream,
    armed: &Mutex<AtCommit>,
    spoiled: &AtomicBool,
    caught: &mpsc::UnboundedSender<()>,
) -> std::io::Result<()> {
    let (mut up, mut down) = (vec![0; 65536], vec![0; 65536]);
    let mut stalled = false;
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let bytes = &mut up[..read?];
                if bytes.is_empty() {
                    return Ok(());
                }
                if let Some(at) = bytes.windows(BEGIN.len()).position(|part| part == BEGIN)
                    && spoiled.swap(false, Ordering::SeqCst)
                {
                    bytes[at..at + SPOILED.len()].copy_from_slice(SPOILED);
                }
                let mut at_commit = AtCommit::Pass;
                if bytes.ends_with(COMMIT) {
                    at_commit = std::mem::replace(&mut *armed.lock(), AtCommit::Pass);
                }
                if at_commit != AtCommit::CutBefore {
                    server.write_all(bytes).await?;
                }
                match at_commit {
                    AtCommit::Pass => {}
                    AtCommit::CutBefore => { let _ = caught.send(()); return Ok(()) }
                    AtCommit::CutAfter => {
                        assert!(server.read(&mut down).await? > 0, "the server answered nothing");
                        let _ = caught.send(());
                        return Ok(());
                    }
                    AtCommit::Stall => { stalled = true; let _ = caught.send(()); }
                }
            }
            read = server.read(&mut down) => {
                let bytes = &down[..read?];
                if bytes.is_empty() {
                    return Ok(());
                }
                if !stalled {
                    client.write_all(bytes).await?;
                }
            }
        }
    }
}
