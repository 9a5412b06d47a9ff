//! A private PostgreSQL server of the test process, which ends with it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// Obeys one command a line; stops the server and removes its directory when its standard input ends.
const SCRIPT: &str = include_str!("../../../crates/db/tests/postgres_server/server.sh");

/// A PostgreSQL server on a free port of this machine, in a fresh directory.
#[derive(Debug)]
pub struct Postgres {
    port: u16,
    directory: PathBuf,
    commands: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    _shell: Child,
}

impl Postgres {
    /// Starts a server with these settings (`name=value`) besides its own.
    pub fn start(settings: &[&str]) -> Self {
        let mut shell = unprivileged()
            .args(["bash", "-c", SCRIPT, "server.sh"])
            .args(settings)
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash");
        let commands = (
            shell.stdin.take().expect("piped"),
            BufReader::new(shell.stdout.take().expect("piped")),
        );
        let mut server = Self {
            port: 0,
            directory: PathBuf::new(),
            commands: Mutex::new(commands),
            _shell: shell,
        };
        let said = server.answer();
        let (port, directory) = said
            .strip_prefix("ready on ")
            .and_then(|rest| rest.split_once(" in "))
            .unwrap_or_else(|| panic!("the private PostgreSQL server does not start: {said}"));
        server.port = port.parse().expect("a port");
        server.directory = PathBuf::from(directory);
        server
    }

    /// The one that the stories of this process share. Each test server has schemas of its own there.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&["max_connections=600", "deadlock_timeout=100ms"]))
    }

    /// Gives it a command and waits until it is done: `start`, `stop` or `kill`.
    pub fn control(&self, command: &str) {
        writeln!(self.commands.lock().expect("unpoisoned").0, "{command}")
            .expect("the server's shell listens");
        assert_eq!(self.answer(), format!("{command} is done"));
    }

    fn answer(&self) -> String {
        let mut line = String::new();
        self.commands
            .lock()
            .expect("unpoisoned")
            .1
            .read_line(&mut line)
            .expect("the server's shell answers");
        line.trim_end().to_owned()
    }

    /// Its address, for a role that may do everything.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// Its address for a role.
    pub fn url_of(&self, role: &str) -> String {
        format!(
            "postgres://{role}@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }

    /// Where its files are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Runs SQL as the role that may do everything; its rows, with `|` between the columns.
    #[track_caller]
    pub fn sql(&self, text: &str) -> Vec<String> {
        let output = Command::new("psql")
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-c",
                text,
                &self.url(),
            ])
            .output()
            .expect("psql");
        assert!(
            output.status.success(),
            "{text}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .expect("text")
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

/// PostgreSQL refuses to run as root.
fn unprivileged() -> Command {
    if rustix::process::getuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        return command;
    }
    Command::new("env")
}

/// The store's schema of the server whose files are in `root`: a plain name made from the directory's, which is unique.
pub fn schema_of(root: &Path) -> String {
    let name = root.file_name().expect("a name").to_string_lossy();
    let end = &name.as_bytes()[name.len().saturating_sub(12)..];
    format!("t{}", hex::encode(end))
}
