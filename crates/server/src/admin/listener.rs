//! The server's side of the socket.

use std::{fs, io, os::unix::fs::PermissionsExt, path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream, unix::OwnedWriteHalf},
    sync::mpsc,
};
use world::World;

use super::{
    Operator,
    request::{OutputLine, Request},
};

/// The longest request, in bytes: room for the longest flow with every letter escaped.
const LONGEST: u64 = 512 * 1024;
/// How long to wait when no connection can be accepted.
const REST: Duration = Duration::from_millis(100);

/// The socket in the data directory; removed when dropped.
pub struct AdminSocket {
    path: PathBuf,
    listener: UnixListener,
}

impl AdminSocket {
    /// Makes the socket, in place of one that a dead server left. The caller holds the data directory.
    pub fn bind(path: PathBuf) -> io::Result<Self> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Self { path, listener })
    }

    /// Answers commands, each in a task of its own, until dropped.
    pub async fn serve(&self, world: &World, operator: &Arc<dyn Operator>) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let operator = Arc::clone(operator);
                    world.spawn(async move {
                        // A command that went away has nobody to tell.
                        let _ = answer(stream, operator.as_ref()).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a command can't be accepted");
                    world.sleep(REST).await;
                }
            }
        }
    }
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

async fn answer(stream: UnixStream, operator: &dyn Operator) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    BufReader::new(read.take(LONGEST))
        .read_line(&mut line)
        .await?;
    let Ok(request) = serde_json::from_str::<Request>(&line) else {
        let why = "The server does not know this command; it may be of another version.";
        return send(&mut write, &OutputLine::End(Some(why.to_owned()))).await;
    };
    let (lines, mut said) = mpsc::unbounded_channel();
    let say = move |text: String| {
        let _ = lines.send(text);
    };
    let work = async move {
        let result = operator.perform(request, &say).await;
        // Dropped with the sender inside, which ends the loop below.
        drop(say);
        result
    };
    let tell = async {
        while let Some(text) = said.recv().await {
            send(&mut write, &OutputLine::Say(text)).await?;
        }
        Ok(())
    };
    let (result, reported): (_, io::Result<()>) = futures_util::join!(work, tell);
    reported?;
    send(&mut write, &OutputLine::End(result.err())).await
}

async fn send(write: &mut OwnedWriteHalf, line: &OutputLine) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    write.write_all(&bytes).await
}
