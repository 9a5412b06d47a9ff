//! Several nodes on one database, and what can be done to them.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use testkit::{Backend, Server, Setup, Shop};

/// When deliveries are tried again: for far longer than the checker waits.
const RETRIES: &str = "300ms,500ms,1s,1s,2s,2s,2s,5s,5s,5s,10s,10s,10s,30s,30s,30s,1m,1m,1m,1m";

/// How nodes are started.
fn setup() -> Setup {
    Setup::new()
        .on(Backend::Embedded)
        // A look-up soon after the outcome became unknown: the rounds are short.
        .setting(
            "recovery.schedule",
            r#"["1s", "3s", "5s", "10s", "20s", "30s"]"#,
        )
        // Deliveries that were refused are tried again soon.
        .setting("webhooks.retry_schedule", RETRIES)
        // The database's server is killed too, and a processor forgets nothing.
        .setting("sandbox.sync_books", "true")
        // No node must give work away for longer than the checker waits.
        .setting("database.patience", "20s")
}

/// The nodes. They share the database and the file of the vault's keys, and have a directory of their own each.
pub struct Fleet {
    nodes: Vec<Mutex<Server>>,
    addresses: Mutex<Vec<SocketAddr>>,
    _keys: Option<TempDir>,
}

impl Fleet {
    /// Starts so many nodes at the same time, each with its own address of the database.
    pub fn start(urls: &[String]) -> Self {
        let keys = tempfile::tempdir().expect("a temporary directory");
        let file = keys.path().join("vault.keys");
        let file = file.to_str().expect("a readable path");
        let nodes: Vec<Server> = thread::scope(|scope| {
            let starting: Vec<_> = urls
                .iter()
                .map(|url| {
                    let setup = setup()
                        .setting("database.url", url)
                        .setting("vault.key_file", file);
                    scope.spawn(move || setup.start())
                })
                .collect();
            starting
                .into_iter()
                .map(|node| node.join().expect("a node starts"))
                .collect()
        });
        Self::of(nodes, Some(keys))
    }

    /// Starts the one node of an embedded database.
    pub fn embedded() -> Self {
        Self::of(vec![setup().start()], None)
    }

    /// Starts the one node of an embedded database in a fresh directory, restored from a backup of this one.
    #[must_use]
    pub fn restored(&self, backup: &Path) -> Self {
        let root = Arc::new(tempfile::tempdir().expect("a temporary directory"));
        let keys = self.node(0).data_dir().join("vault.keys");
        let data = root.path().join("data");
        let flags = ["--from", "--data-dir", "--key-file"].into_iter();
        let mut arguments = vec!["restore"];
        for (flag, path) in flags.zip([backup, &data, &keys]) {
            arguments.extend([flag, path.to_str().expect("a readable path")]);
        }
        let restored = setup().command(root.path(), &arguments).output();
        let restored = restored.expect("the command runs");
        assert!(restored.status.success(), "{restored:?}");
        let mut node = setup().flag("--after-restore").start_in(root);
        // From the second start on it is served without the flag.
        node.restart_as(setup());
        Self::of(vec![node], None)
    }

    fn of(nodes: Vec<Server>, keys: Option<TempDir>) -> Self {
        let addresses = Mutex::new(nodes.iter().map(Server::address).collect());
        Self {
            nodes: nodes.into_iter().map(Mutex::new).collect(),
            addresses,
            _keys: keys,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Where a node listens, or last listened.
    pub fn address(&self, node: usize) -> SocketAddr {
        self.addresses.lock().expect("unpoisoned")[node]
    }

    /// The default team's shop at a node.
    pub fn shop(&self, node: usize) -> Shop {
        self.node(node).shop()
    }

    /// Kills a node with SIGKILL.
    pub fn kill(&self, node: usize) {
        self.node(node).kill();
    }

    /// Starts a node again that was killed.
    pub fn restart(&self, node: usize) {
        let mut server = self.node(node);
        server.restart();
        self.addresses.lock().expect("unpoisoned")[node] = server.address();
    }

    /// Stops every thread of a node in the middle of what it does.
    pub fn pause(&self, node: usize) {
        self.signal(node, Signal::STOP);
    }

    /// Lets a node go on that was paused.
    pub fn go_on(&self, node: usize) {
        self.signal(node, Signal::CONT);
    }

    fn signal(&self, node: usize, signal: Signal) {
        let pid = i32::try_from(self.node(node).pid())
            .ok()
            .and_then(Pid::from_raw)
            .expect("a process id");
        kill_process(pid, signal).expect("the process is there");
    }

    /// Runs a command of the service at a node's data directory.
    pub fn command(&self, node: usize, arguments: &[&str]) -> String {
        self.node(node).run(arguments)
    }

    fn node(&self, node: usize) -> MutexGuard<'_, Server> {
        // A round that has failed must still be able to tell what the nodes said.
        self.nodes[node]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Writes what every node has said into files of this directory.
    pub fn write_logs(&self, directory: &Path) {
        for node in 0..self.len() {
            let _ = fs::write(
                directory.join(format!("node-{node}.log")),
                self.node(node).output(),
            );
        }
    }
}

/// Keeps the nodes' logs when the thread panics.
impl Drop for Fleet {
    fn drop(&mut self) {
        if thread::panicking()
            && let Ok(directory) = tempfile::Builder::new()
                .prefix("pointsman-faults-")
                .tempdir()
        {
            let kept = directory.keep();
            self.write_logs(&kept);
            eprintln!("what the nodes said is in {}", kept.display());
        }
    }
}
