//! PostgreSQL, a server and its standby, which end with the process that started them.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Mutex,
};

use crate::Chance;

/// One of the two servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// The one that is there first.
    A,
    /// Its standby.
    B,
}

impl Member {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// A port that nobody uses, and that the system gives to no connection and to nobody who asks for any: a server that is
/// started again finds it free.
fn free_port() -> TcpListener {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let lowest = range
        .split_whitespace()
        .next()
        .and_then(|low| low.parse().ok());
    let end = lowest.filter(|low| *low > 12_000).unwrap_or(32_768_u64);
    let mut chance = Chance::new(Chance::fresh_seed());
    (0..100)
        .find_map(|_| {
            let port = 10_000 + chance.below(end - 10_000);
            TcpListener::bind(("127.0.0.1", u16::try_from(port).ok()?)).ok()
        })
        .expect("a free port")
}

/// Two servers on free ports of this machine, in a fresh directory. In the beginning only A runs.
pub struct Cluster {
    ports: [u16; 2],
    shell: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    _child: Child,
}

impl Cluster {
    /// Starts A with these settings besides the usual ones.
    pub fn start(settings: &[&str]) -> Self {
        // Both are open at the same time, so that they are two.
        let free = [0; 2].map(|_| free_port());
        let ports = free.map(|listener| listener.local_addr().expect("an address").port());
        // PostgreSQL refuses to run as root.
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command.args([
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                "bash",
            ]);
            command
        } else {
            Command::new("bash")
        };
        let mut child = command
            .args(["-c", include_str!("cluster.sh"), "cluster.sh"])
            .args(ports.map(|port| port.to_string()))
            .args(settings)
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let ends = (
            child.stdin.take().expect("piped"),
            BufReader::new(child.stdout.take().expect("piped")),
        );
        let cluster = Self {
            ports,
            shell: Mutex::new(ends),
            _child: child,
        };
        let ready = answer(&mut cluster.shell.lock().expect("unpoisoned").1);
        assert!(
            ready.starts_with("ready in /"),
            "the private PostgreSQL server does not start: {ready}"
        );
        cluster
    }

    /// The port of a server.
    pub fn port(&self, member: Member) -> u16 {
        let [a, b] = self.ports;
        match member {
            Member::A => a,
            Member::B => b,
        }
    }

    /// The address of a database on either of them, whichever takes writes.
    pub fn url(&self, database: &str) -> String {
        let [a, b] = self.ports;
        format!("postgres://postgres@127.0.0.1:{a},127.0.0.1:{b}/{database}?sslmode=disable")
    }

    /// Makes a database.
    pub fn create(&self, at: Member, database: &str) {
        self.control(&format!("database {} {database}", at.name()));
    }

    /// Removes a database, no matter who is connected.
    pub fn drop_database(&self, at: Member, database: &str) {
        self.control(&format!("drop {} {database}", at.name()));
    }

    /// Kills every process of a server with SIGKILL.
    pub fn kill(&self, member: Member) {
        self.control(&format!("kill {}", member.name()));
    }

    /// Starts a server that was killed.
    pub fn restart(&self, member: Member) {
        self.control(&format!("start {}", member.name()));
    }

    /// Makes a server again as the standby of the other, which from now on acknowledges nothing that the standby does not
    /// have.
    pub fn make_standby(&self, member: Member) {
        self.control(&format!(
            "standby {} {}",
            member.name(),
            member.other().name()
        ));
    }

    /// Makes the standby the server that takes writes.
    pub fn promote(&self, member: Member) {
        self.control(&format!("promote {}", member.name()));
    }

    /// The streams of one installation whose events are not numbered 1, 2, 3, … without gaps, and the payments whose version is
    /// not that of their last event.
    pub fn gaps(&self, at: Member, database: &str) -> Vec<String> {
        let sql = "select 'stream ' || stream from pointsman.event group by team_id, stream \
                   having count(*) <> max(seq) or min(seq) <> 1 \
                   union all select 'payment ' || p.payment_id from pointsman.payment p where p.version <> \
                   (select count(*) from pointsman.event e where e.team_id = p.team_id and e.stream = p.payment_id)";
        let port = self.port(at).to_string();
        let output = Command::new("psql")
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                "127.0.0.1",
                "-U",
                "postgres",
            ])
            .args(["-p", &port, "-d", database, "-c", sql])
            .output()
            .expect("psql");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Gives a command and waits until it is done.
    fn control(&self, command: &str) {
        let mut shell = self.shell.lock().expect("unpoisoned");
        writeln!(shell.0, "{command}").expect("the shell listens");
        let done = answer(&mut shell.1);
        let verb = command.split(' ').next().unwrap_or_default();
        assert_eq!(done, format!("{verb} is done"), "{command}");
    }
}

fn answer(from: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    from.read_line(&mut line).expect("the shell answers");
    line.trim_end().to_owned()
}
