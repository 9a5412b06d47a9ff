//! Stands between the nodes and their database, and cuts a connection between COMMIT and its answer.
//!
//! It understands of the wire protocol what it needs: where one message ends, the simple query that says `commit`, and the
//! `CommandComplete` that answers it.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    thread,
};

/// What becomes of a COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It never reaches the server.
    Before,
    /// It is done, and the answer is lost.
    After,
}

/// The proxy: a port of its own, with threads that end with the process.
pub struct Proxy {
    port: u16,
    plan: Arc<Plan>,
}

/// What is still to be done, counted down by each that sees a COMMIT.
#[derive(Default)]
struct Plan {
    before: AtomicU32,
    after: AtomicU32,
    seen: AtomicU64,
    cut_before: AtomicU64,
    cut_after: AtomicU64,
}

impl Plan {
    fn next(&self) -> Option<Cut> {
        self.seen.fetch_add(1, Ordering::SeqCst);
        let take = |count: &AtomicU32| {
            count
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                    left.checked_sub(1)
                })
                .is_ok()
        };
        if take(&self.before) {
            self.cut_before.fetch_add(1, Ordering::SeqCst);
            Some(Cut::Before)
        } else if take(&self.after) {
            self.cut_after.fetch_add(1, Ordering::SeqCst);
            Some(Cut::After)
        } else {
            None
        }
    }
}

const SIMPLE_QUERY: u8 = b'Q';
const COMMAND_COMPLETE: u8 = b'C';

impl Proxy {
    /// Begins to stand before the server at this port.
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let plan = Arc::new(Plan::default());
        let shared = Arc::clone(&plan);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is down: the client sees its connection closed.
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                let plan = Arc::clone(&shared);
                thread::spawn(move || {
                    // An end of either side is the end of both.
                    let _ = carry(&client, &server, &plan);
                    let _ = client.shutdown(Shutdown::Both);
                    let _ = server.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, plan }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Has the next COMMIT of anyone end so.
    pub fn arm(&self, cut: Cut) {
        let count = match cut {
            Cut::Before => &self.plan.before,
            Cut::After => &self.plan.after,
        };
        count.fetch_add(1, Ordering::SeqCst);
    }

    /// How many COMMITs were cut before they reached the server, and how many after.
    pub fn cuts(&self) -> (u64, u64) {
        (
            self.plan.cut_before.load(Ordering::SeqCst),
            self.plan.cut_after.load(Ordering::SeqCst),
        )
    }

    /// How many COMMITs came by.
    pub fn commits(&self) -> u64 {
        self.plan.seen.load(Ordering::SeqCst)
    }
}

/// Carries messages until one side ends, or a COMMIT is cut.
fn carry(client: &TcpStream, server: &TcpStream, plan: &Plan) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let swallow = Arc::new(AtomicU32::new(0));
    let (down_from, down_to) = (server.try_clone()?, client.try_clone()?);
    let waits = Arc::clone(&swallow);
    thread::spawn(move || {
        let _ = answers(&down_from, &down_to, &waits);
        let _ = down_from.shutdown(Shutdown::Both);
        let _ = down_to.shutdown(Shutdown::Both);
    });
    let (mut from, mut to) = (client, server);
    // The first message has no kind: its length, then what is asked.
    let start = body(&mut from)?;
    to.write_all(&start)?;
    loop {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        let message = body(&mut from)?;
        let is_commit =
            kind == [SIMPLE_QUERY] && message.get(4..).is_some_and(|text| text == b"commit\0");
        match if is_commit { plan.next() } else { None } {
            Some(Cut::Before) => return Ok(()),
            // The answers' thread ends the connection when it has seen that it is done.
            Some(Cut::After) => swallow.store(1, Ordering::SeqCst),
            None => {}
        }
        to.write_all(&[&kind[..], &message].concat())?;
    }
}

/// Carries answers. The one to a COMMIT that is to be swallowed ends the connection.
fn answers(mut from: &TcpStream, mut to: &TcpStream, swallow: &AtomicU32) -> io::Result<()> {
    loop {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        let message = body(&mut from)?;
        let is_done =
            kind == [COMMAND_COMPLETE] && message.get(4..).is_some_and(|tag| tag == b"COMMIT\0");
        if is_done && swallow.load(Ordering::SeqCst) > 0 {
            return Ok(());
        }
        to.write_all(&[&kind[..], &message].concat())?;
    }
}

/// The length of a message and the rest of it.
fn body(from: &mut &TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let rest = usize::try_from(u32::from_be_bytes(length))
        .ok()
        .and_then(|all| all.checked_sub(4));
    let mut message = length.to_vec();
    message.resize(
        4 + rest.ok_or_else(|| io::Error::other("a message without a length"))?,
        0,
    );
    from.read_exact(&mut message[4..])?;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers every message with `CommandComplete` and its text, until its client has gone.
    fn echo() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut from = &stream;
                body(&mut from).unwrap();
                let mut kind = [0];
                while from.read_exact(&mut kind).is_ok() {
                    let said = body(&mut from).unwrap();
                    let tag = String::from_utf8_lossy(&said[4..]).to_uppercase();
                    let length = u32::try_from(tag.len() + 4).unwrap().to_be_bytes();
                    (&stream)
                        .write_all(&[&[COMMAND_COMPLETE][..], &length[..], tag.as_bytes()].concat())
                        .unwrap();
                }
            }
        });
        port
    }

    fn open(port: u16) -> TcpStream {
        let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        client.write_all(&[0, 0, 0, 8, 0, 3, 0, 0]).unwrap();
        client
    }

    /// Asks, and the answer's text if there is one.
    fn ask(mut client: &TcpStream, text: &str) -> Option<String> {
        let length = u32::try_from(text.len() + 5).unwrap().to_be_bytes();
        client
            .write_all(&[&[SIMPLE_QUERY][..], &length[..], text.as_bytes(), &[0][..]].concat())
            .ok()?;
        client.read_exact(&mut [0]).ok()?;
        let answer = body(&mut client).ok()?;
        Some(
            String::from_utf8_lossy(&answer[4..])
                .trim_end_matches('\0')
                .to_owned(),
        )
    }

    #[test]
    fn the_next_commit_alone_is_cut() {
        let proxy = Proxy::start(echo());
        for cut in [Cut::Before, Cut::After] {
            let client = open(proxy.port());
            assert_eq!(ask(&client, "commit"), Some("COMMIT".to_owned()));
            proxy.arm(cut);
            assert_eq!(ask(&client, "begin"), Some("BEGIN".to_owned()));
            assert_eq!(ask(&client, "commit"), None);
            assert_eq!(
                ask(&open(proxy.port()), "commit"),
                Some("COMMIT".to_owned())
            );
        }
        assert_eq!((proxy.cuts(), proxy.commits()), ((1, 1), 6));
    }
}
