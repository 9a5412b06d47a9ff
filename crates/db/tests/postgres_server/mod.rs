//! A private PostgreSQL server, which ends with the process that started it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use db::PostgresOptions;

/// A server on a free port of this machine, in a fresh directory.
pub(crate) struct Server {
    port: u16,
    directory: PathBuf,
    commands: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    _shell: Child,
    schemas: AtomicUsize,
}

impl Server {
    /// Starts a server with these settings besides its own.
    pub(crate) fn start(settings: &[&str]) -> Self {
        // PostgreSQL refuses to run as root.
        let root = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout)
            .unwrap()
            .trim()
            == "0";
        let mut command = if root {
            Command::new("setpriv")
        } else {
            Command::new("bash")
        };
        if root {
            command.args([
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                "bash",
            ]);
        }
        let mut shell = command
            .args(["-c", include_str!("server.sh"), "server.sh"])
            .args(settings)
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = (
            shell.stdin.take().unwrap(),
            BufReader::new(shell.stdout.take().unwrap()),
        );
        let mut server = Self {
            port: 0,
            directory: PathBuf::new(),
            commands: Mutex::new(commands),
            _shell: shell,
            schemas: AtomicUsize::new(0),
        };
        let said = server.answer();
        let (port, directory) = said
            .strip_prefix("ready on ")
            .and_then(|rest| rest.split_once(" in "))
            .unwrap_or_default();
        assert!(
            !port.is_empty(),
            "the private PostgreSQL server does not start: {said}"
        );
        server.port = port.parse().unwrap();
        server.directory = PathBuf::from(directory);
        server
    }

    /// The server that tests share which neither stop nor change it.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        // Deadlocks are wanted in some tests, a second each is not.
        SHARED.get_or_init(|| Self::start(&["deadlock_timeout=5ms"]))
    }

    /// Gives it a command and waits until it is done: start, stop or kill.
    #[allow(dead_code, reason = "some tests leave the server alone")]
    pub(crate) fn control(&self, command: &str) {
        writeln!(self.commands.lock().unwrap().0, "{command}").unwrap();
        assert_eq!(self.answer(), format!("{command} is done"));
    }

    fn answer(&self) -> String {
        let mut line = String::new();
        self.commands
            .lock()
            .unwrap()
            .1
            .read_line(&mut line)
            .unwrap();
        line.trim_end().to_owned()
    }

    /// Where the server's files are, among them `ca.pem` and `other.pem` when it has the setting `ssl=on`.
    #[allow(dead_code, reason = "some tests look at no file")]
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// How to open a schema of one's own, through another port if wanted.
    pub(crate) fn options(&self, port: Option<u16>) -> PostgresOptions {
        let schema = format!("test_{}", self.schemas.fetch_add(1, Ordering::SeqCst));
        PostgresOptions {
            writers: 3,
            readers: 2,
            scanners: 1,
            ..PostgresOptions::new(self.url(port), schema)
        }
    }

    pub(crate) fn url(&self, port: Option<u16>) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable",
            port.unwrap_or(self.port)
        )
    }

    #[allow(dead_code, reason = "some tests have no proxy")]
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}
