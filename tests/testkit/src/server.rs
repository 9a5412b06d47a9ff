//! A running server: a process, its directory, its output.

use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::http::Request;
use crate::{ACCESS_TOKEN, Setup, Shop, until};

/// What a server says when it listens; its address follows.
const LISTENING: &str = "pointsman listening on http";
/// A debug build on a busy machine; no promise about the service.
const START_BOUND: Duration = Duration::from_mins(2);
/// The service promises to end within 30 s of a SIGTERM; a busy machine may take longer.
const STOP_BOUND: Duration = Duration::from_mins(1);

/// A server process. Killed when dropped; its directory goes with the last who holds it.
pub struct Server {
    setup: Setup,
    dir: Arc<TempDir>,
    process: Process,
    address: SocketAddr,
    /// From the start of the process to the first `200` of `GET /health/ready`.
    pub start_to_ready: Duration,
    /// What earlier processes on this directory wrote.
    earlier_output: Vec<u8>,
}

impl Server {
    pub(crate) fn start(setup: Setup, dir: Arc<TempDir>) -> Result<Self, String> {
        let command = setup.serve(dir.path());
        Self::start_as(setup, dir, command)
    }

    /// Starts a server that no test owns: a guard ends it, and removes its directory, when the test process is gone.
    pub(crate) fn start_guarded(setup: Setup, dir: Arc<TempDir>) -> Result<Self, String> {
        let command = guarded(&setup.serve(dir.path()), dir.path());
        Self::start_as(setup, dir, command)
    }

    fn start_as(setup: Setup, dir: Arc<TempDir>, command: Command) -> Result<Self, String> {
        let begun = Instant::now();
        let mut process = Process::spawn(command);
        let address = process.wait_for_address()?;
        let ready = || {
            Request::new("GET", "/health/ready")
                .try_send(address)
                .ok()
                .filter(|reply| reply.status == 200)
        };
        // Over TLS the story asks for itself.
        if !String::from_utf8_lossy(&process.stdout.bytes()).contains("listening on https://") {
            until(START_BOUND, "the server is ready", ready);
        }
        let start_to_ready = begun.elapsed();
        Ok(Self {
            setup,
            dir,
            process,
            address,
            start_to_ready,
            earlier_output: Vec::new(),
        })
    }

    /// Starts another node on this one's database, with the same keys and a directory of its own. This one must stay there
    /// as long as the other does: it has the key file.
    #[must_use]
    #[track_caller]
    pub fn join(&self) -> Self {
        self.join_as(self.setup.clone())
    }

    /// Like [`Self::join`], with other settings.
    #[must_use]
    #[track_caller]
    pub fn join_as(&self, setup: Setup) -> Self {
        let keys = self.data_dir().join("vault.keys");
        let keys = keys.to_str().expect("a readable path");
        setup
            .sharing(&self.setup, &self.root())
            .setting("vault.key_file", keys)
            .start()
    }

    /// Stops the process where it is (SIGSTOP): its connections stay open and nothing moves.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets a frozen process go on (SIGCONT).
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid())
            .ok()
            .and_then(Pid::from_raw)
            .expect("a process id");
        kill_process(pid, signal).expect("the process is there");
    }

    /// Whether it says that it is ready.
    pub fn is_ready(&self) -> bool {
        Request::new("GET", "/health/ready")
            .try_send(self.address)
            .is_ok_and(|reply| reply.status == 200)
    }

    /// The default team's shop, with the secret key.
    pub fn shop(&self) -> Shop {
        self.shop_with(ACCESS_TOKEN)
    }

    /// A shop with another credential.
    pub fn shop_with(&self, credential: &str) -> Shop {
        Shop::new(self.address, Some(credential))
    }

    /// A caller without any credential.
    pub fn stranger(&self) -> Shop {
        Shop::new(self.address, None)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.child.id()
    }

    /// The directory that holds everything it may write: `data`, `tmp`, its configuration.
    pub fn root(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Its data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.root().join("data")
    }

    /// The directory, to start another server in it.
    pub fn dir(&self) -> Arc<TempDir> {
        Arc::clone(&self.dir)
    }

    /// How it was started.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Everything that it and its predecessors here wrote to standard output and error.
    pub fn output(&self) -> Vec<u8> {
        let mut all = self.earlier_output.clone();
        all.extend(self.process.stdout.bytes());
        all.extend(self.process.stderr.bytes());
        all
    }

    /// What it wrote to standard output.
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.process.stdout.bytes()).into_owned()
    }

    /// What it wrote to standard error: its log.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&self.process.stderr.bytes()).into_owned()
    }

    /// Kills it at once, as a power cut would.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Sends SIGTERM and returns at once.
    pub fn ask_to_stop(&self) {
        self.signal(Signal::TERM);
    }

    /// Waits until the process has ended by itself.
    #[track_caller]
    pub fn wait_for_end(&mut self) -> ExitStatus {
        let child = &mut self.process.child;
        let ended = until(STOP_BOUND, "the process ends", || {
            child.try_wait().expect("it can be waited for")
        });
        // What it wrote last may still be on its way from the pipe.
        self.process.stdout.finish();
        self.process.stderr.finish();
        ended
    }

    /// Sends SIGTERM and waits for the end.
    #[track_caller]
    pub fn stop(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait_for_end()
    }

    /// Kills it when it still runs, and starts another on the same directory, with a new address.
    #[track_caller]
    pub fn restart(&mut self) {
        self.restart_as(self.setup.clone());
    }

    /// Like [`Self::restart`], with other settings.
    #[track_caller]
    pub fn restart_as(&mut self, setup: Setup) {
        self.kill();
        let output = self.output();
        let mut next = setup.start_in(self.dir());
        next.earlier_output = output;
        *self = next;
    }
}

/// A shell that starts the command and waits for the end of its own standard input, which this process holds open as long
/// as it lives; then it kills the command and removes the directory.
const GUARD: &str = r#"dir=$1; shift; exec 3<&0; "$@" </dev/null 3<&- & cat <&3 >/dev/null; kill -9 $!; rm -rf "$dir""#;

fn guarded(command: &Command, dir: &Path) -> Command {
    let mut guard = Command::new("sh");
    guard
        .args(["-c", GUARD, "sh"])
        .arg(dir)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => guard.env(name, value),
            None => guard.env_remove(name),
        };
    }
    guard.current_dir(dir).stdin(Stdio::piped());
    guard
}

/// The child process with its two readers.
struct Process {
    child: Child,
    stdout: Collector,
    stderr: Collector,
}

impl Process {
    fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service can be started");
        let stdout = Collector::of(child.stdout.take().expect("piped"));
        let stderr = Collector::of(child.stderr.take().expect("piped"));
        Self {
            child,
            stdout,
            stderr,
        }
    }

    fn wait_for_address(&mut self) -> Result<SocketAddr, String> {
        until(START_BOUND, "the line that says where it listens", || {
            if let Some(address) = announced(&self.stdout.bytes()) {
                return Some(Ok(address));
            }
            let ended = self.child.try_wait().expect("it can be waited for")?;
            self.stdout.finish();
            self.stderr.finish();
            let said = String::from_utf8_lossy(&self.stderr.bytes()).into_owned();
            Some(Err(format!("{ended}: {said}")))
        })
    }

    fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.stdout.finish();
        self.stderr.finish();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn announced(output: &[u8]) -> Option<SocketAddr> {
    let text = String::from_utf8_lossy(output);
    let (_, rest) = text.split_once(LISTENING)?;
    let (address, _) = rest.split_once('\n')?;
    let (_, address) = address.split_once("://")?;
    address.trim().parse().ok()
}

/// Reads one of a process's streams in a thread, so that it never blocks the writer.
struct Collector {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Collector {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let target = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut part = [0; 8192];
            while let Ok(read @ 1..) = stream.read(&mut part) {
                target
                    .lock()
                    .expect("unpoisoned")
                    .extend_from_slice(&part[..read]);
            }
        });
        Self {
            bytes,
            reader: Some(reader),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().expect("unpoisoned").clone()
    }

    /// Waits for the rest of what an ended process wrote.
    fn finish(&mut self) {
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
