//! How a server is to be started.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use crate::postgres::schema_of;
use crate::{Postgres, Server, binary};

/// The secret key that every test server is started with.
pub const ACCESS_TOKEN: &str = "sk_test_blackbox0secret0key0of0the0default0team";

/// The database that a suite runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// SQLite in the data directory.
    #[default]
    Embedded,
    /// PostgreSQL: a private server that all stories of the test process share, each test server with schemas of its own.
    Postgres,
}

impl Backend {
    /// The one that `POINTSMAN_TEST_BACKEND` names (`embedded`, `postgres`); the embedded one without it.
    ///
    /// The stories are written once for every backend, so only this choice differs between two runs.
    pub fn chosen() -> Self {
        match std::env::var("POINTSMAN_TEST_BACKEND").as_deref() {
            Err(_) | Ok("" | "embedded") => Self::Embedded,
            Ok("postgres") => Self::Postgres,
            Ok(other) => {
                panic!("POINTSMAN_TEST_BACKEND is {other}: embedded and postgres are known")
            }
        }
    }
}

/// A server that is being described: backend, settings, flags.
#[derive(Clone, Debug)]
pub struct Setup {
    backend: Backend,
    postgres: Option<&'static Postgres>,
    environment: Vec<(String, String)>,
    config: Option<String>,
    flags: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

impl Setup {
    /// A sandbox as the stories need it: jobs are looked for often, so that nothing waits for a poll.
    pub fn new() -> Self {
        Self {
            backend: Backend::chosen(),
            postgres: None,
            environment: vec![("POINTSMAN_ACCESS_TOKEN".to_owned(), ACCESS_TOKEN.to_owned())],
            config: None,
            flags: vec!["--sandbox".to_owned()],
        }
        .setting("jobs.poll_interval", "100ms")
    }

    /// Runs it on this database, whatever the suite runs on.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Runs it on this PostgreSQL server instead of the one that the stories share.
    #[must_use]
    pub fn on_server(mut self, postgres: &'static Postgres) -> Self {
        self.postgres = Some(postgres);
        self.on(Backend::Postgres)
    }

    /// Where it runs on PostgreSQL, lets it have a server of its own there: small, for a story that reads all its files.
    #[must_use]
    pub fn apart(self) -> Self {
        match self.backend {
            Backend::Embedded => self,
            Backend::Postgres => self.on_server(Box::leak(Box::new(Postgres::start(&[])))),
        }
    }

    /// The PostgreSQL server that it would run on.
    pub fn postgres(&self) -> &'static Postgres {
        self.postgres.unwrap_or_else(|| Postgres::shared())
    }

    /// Runs it on the PostgreSQL database of the server whose files are in `root`.
    #[must_use]
    pub(crate) fn sharing(self, other: &Self, root: &Path) -> Self {
        self.on_server(other.postgres())
            .setting("database.schema", &schema_of(root))
    }

    /// The database that it runs on.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Sets a setting by its environment variable: `limits.authorisation_lifetime` becomes
    /// `POINTSMAN_LIMITS__AUTHORISATION_LIFETIME`.
    #[must_use]
    pub fn setting(self, name: &str, value: &str) -> Self {
        let variable = format!("POINTSMAN_{}", name.replace('.', "__").to_uppercase());
        self.environment(&variable, value)
    }

    /// Sets an environment variable as it is.
    #[must_use]
    pub fn environment(mut self, variable: &str, value: &str) -> Self {
        self.environment.retain(|(name, _)| name != variable);
        self.environment
            .push((variable.to_owned(), value.to_owned()));
        self
    }

    /// Starts without a variable that stories have by default.
    #[must_use]
    pub fn without_environment(mut self, variable: &str) -> Self {
        self.environment.retain(|(name, _)| name != variable);
        self
    }

    /// Writes this TOML into the server's configuration file and names it with `--config`.
    #[must_use]
    pub fn config(mut self, toml: &str) -> Self {
        self.config = Some(toml.to_owned());
        self
    }

    /// Adds a flag to `serve`.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Starts it in a fresh directory and waits until it listens.
    #[track_caller]
    pub fn start(self) -> Server {
        let dir = tempfile::Builder::new()
            .prefix("pointsman-test-")
            .tempdir()
            .expect("a temporary directory");
        self.start_in(Arc::new(dir))
    }

    /// Starts it for the whole test process: for tests that don't care about one another's payments.
    #[track_caller]
    pub fn start_shared(self) -> &'static Server {
        let dir = tempfile::Builder::new()
            .prefix("pointsman-shared-")
            .tempdir()
            .expect("a temporary directory");
        let server = Server::start_guarded(self, Arc::new(dir));
        Box::leak(Box::new(server.unwrap_or_else(|said| {
            panic!("the server did not start: {said}")
        })))
    }

    /// Starts it in a directory that another server had, or has.
    #[track_caller]
    pub fn start_in(self, dir: Arc<TempDir>) -> Server {
        Server::start(self, dir).unwrap_or_else(|said| panic!("the server did not start: {said}"))
    }

    /// Starts it in a fresh directory where it is expected to refuse; what it said on standard error.
    #[track_caller]
    pub fn start_refused(self) -> String {
        self.start_in_refused(Arc::new(
            tempfile::tempdir().expect("a temporary directory"),
        ))
    }

    /// The schema of a server on PostgreSQL whose files are in this directory.
    pub fn schema(root: &Path) -> String {
        schema_of(root)
    }

    /// Starts it in a directory that another server had where it is expected to refuse; what it said on standard error.
    #[track_caller]
    pub fn start_in_refused(self, dir: Arc<TempDir>) -> String {
        match Server::start(self, dir) {
            Ok(_) => panic!("the server started"),
            Err(said) => said,
        }
    }

    /// The command line of the service with this environment; `arguments` follow the binary's name.
    pub fn command(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("POINTSMAN_") {
                command.env_remove(name);
            }
        }
        let scratch = root.join("tmp");
        std::fs::create_dir_all(&scratch).expect("a scratch directory");
        command.env("TMPDIR", scratch);
        // Another program on this machine may have the usual port.
        command.env("POINTSMAN_SERVER__LISTEN", "127.0.0.1:0");
        if self.backend == Backend::Postgres {
            command.env("POINTSMAN_DATABASE__URL", self.postgres().url());
            command.env("POINTSMAN_DATABASE__SCHEMA", schema_of(root));
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The `serve` command in the directory `root`, whose folder `data` is the data directory.
    pub fn serve(&self, root: &Path) -> Command {
        let data = root.join("data");
        let data = data.to_str().expect("a readable path");
        let mut command = self.command(
            root,
            &["serve", "--listen", "127.0.0.1:0", "--data-dir", data],
        );
        command.args(&self.flags);
        if let Some(toml) = &self.config {
            let file = root.join("pointsman.toml");
            std::fs::write(&file, toml).expect("the configuration is written");
            command.arg("--config").arg(file);
        }
        command
    }
}
