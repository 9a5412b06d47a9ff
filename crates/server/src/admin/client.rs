//! The command's side of the socket.

use std::{io, path::Path};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
};

use super::{
    Say,
    request::{OutputLine, Request},
};

/// Why a running server did not do it.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is no server at the socket.
    #[error("no server answers at its socket")]
    Nobody,
    /// The connection broke.
    #[error("the server went away before it had answered: {0}")]
    Broken(io::Error),
    /// The server refused; in its words.
    #[error("{0}")]
    Refused(String),
}

/// Asks the server at a socket and hands over what it says, line by line.
pub async fn ask(socket: &Path, request: &Request, say: Say<'_>) -> Result<(), AskError> {
    let mut stream = UnixStream::connect(socket)
        .await
        .map_err(|_| AskError::Nobody)?;
    let mut line = serde_json::to_vec(request).map_err(|error| AskError::Broken(error.into()))?;
    line.push(b'\n');
    stream.write_all(&line).await.map_err(AskError::Broken)?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await.map_err(AskError::Broken)? {
        match serde_json::from_str(&line).map_err(|error| AskError::Broken(error.into()))? {
            OutputLine::Say(text) => say(text),
            OutputLine::End(None) => return Ok(()),
            OutputLine::End(Some(why)) => return Err(AskError::Refused(why)),
        }
    }
    Err(AskError::Broken(io::ErrorKind::UnexpectedEof.into()))
}
