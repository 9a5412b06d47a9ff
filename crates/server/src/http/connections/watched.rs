//! A stream that ends when the other side takes nothing any more.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use world::World;

/// Whether a connection has waited for its client since its last request. Clones are of the same connection.
#[derive(Debug, Clone)]
pub(super) struct AcceptTurns(Arc<AtomicBool>);

impl Default for AcceptTurns {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

impl AcceptTurns {
    /// A request begins. Whether the connection had waited for it; otherwise it was there before the last answer was.
    pub(super) fn begins(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    fn waits(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A stream whose writes fail when no byte of them is taken for a while.
///
/// A client that asks and never reads would otherwise hold its connection as long as it likes: an answer that does not fit
/// the socket's buffers waits for it.
pub(super) struct Watched<S> {
    stream: S,
    world: World,
    patience: Duration,
    turns: AcceptTurns,
    /// Runs while a write waits.
    stalled: Option<BoxFuture<'static, ()>>,
}

impl<S> Watched<S> {
    /// Watches a stream: a write of which no byte is taken for `patience` fails.
    pub(super) fn new(stream: S, world: World, patience: Duration) -> Self {
        Self {
            stream,
            world,
            patience,
            turns: AcceptTurns::default(),
            stalled: None,
        }
    }

    /// Notes in `turns` when it waits for the other side.
    pub(super) fn taking(mut self, turns: &AcceptTurns) -> Self {
        self.turns = turns.clone();
        self
    }

    /// What a write came to: one that waits fails when its time is over, any progress begins the time again.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let (world, patience) = (&self.world, self.patience);
        let timer = self.stalled.get_or_insert_with(|| world.sleep(patience));
        ready!(timer.as_mut().poll(context));
        metrics::counter!("pointsman_http_connections_stalled_total").increment(1);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() {
            self.turns.waits();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(context, ended)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    #[test]
    fn a_write_that_nobody_takes_fails_and_one_that_goes_on_does_not() {
        let (world, sim) = World::simulated(1);
        sim.run_until(written_and_read(&world)).unwrap();
    }

    async fn written_and_read(world: &World) {
        let (near, mut far) = tokio::io::duplex(8);
        let mut watched = Watched::new(near, world.clone(), PATIENCE);
        let reading = async {
            let mut letter = [0; 1];
            // Slower in all than the patience, and never without progress for as long.
            for _ in 0..12 {
                world.sleep(PATIENCE / 10).await;
                far.read_exact(&mut letter).await.unwrap();
            }
            far
        };
        let (written, far) = futures_util::join!(watched.write_all(&[7; 20]), reading);
        written.unwrap();
        let written = watched.write_all(&[7; 20]).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(far);
    }
}
